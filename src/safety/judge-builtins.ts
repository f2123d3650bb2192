import type {PathRules} from './judge-path.ts';
import type {Call} from './judge-simple.ts';
import {anything, union, type Ends, type Scope} from './shell-scope.ts';
import type {Argument} from './shell/argument.ts';
import {isOwnVariable} from './shell/variables.ts';

interface JudgedBuiltin {
  readonly reason: string | undefined;
  readonly ends: Ends;
}

/** `cd` to a folder of the workspace. */
export function judgeCd({words, directories}: Call, paths: PathRules): JudgedBuiltin {
  const ends = (success: readonly string[]): Ends => ({success, failure: directories, prints: anything});
  const targets = words.length === 2 ? plainTexts(words[1]) : [];
  if (targets.length === 0 || targets.some(target => target.startsWith('-') || target === '')) {
    return {
      reason: words.length === 1 ? 'leaves the workspace for the home folder' : 'goes to a folder that is not known',
      ends: ends([]),
    };
  }
  const after = targets.map(target => paths.after(target, directories));
  const outside = after.find(each => typeof each === 'string');
  if (outside !== undefined) return {reason: outside, ends: ends([])};
  const [first = [], ...others] = after.filter(each => typeof each !== 'string');
  const success = union(first, ...others);
  const exists = targets.every(target => paths.exists(target, directories));
  return {reason: undefined, ends: {...ends(success), failure: exists ? success : directories}};
}

/** `read -r line` sets variables of the script alone. Their names stand there as they are, see `forgetMentioned`. */
export function judgeRead(
  written: readonly string[],
  {directories, input}: Call,
  {variables}: Pick<Scope, 'variables'>,
): JudgedBuiltin {
  const names = written.slice(1).filter((name, at) => at > 0 || name !== '-r');
  const fine = names.every(isOwnVariable);
  const told = names.length > 1 ? 'anything' : input();
  const line: Argument['value'] = told === 'anything' ? 'opaque' : [told];
  for (const name of names) variables.set(name, fine ? line : 'unknown');
  return {
    reason: fine ? undefined : 'sets variables, which can change what runs',
    ends: {success: directories, failure: directories, prints: anything},
  };
}

/** The texts of a word that is one of a few plain ones; none otherwise. */
const plainTexts = (argument: Argument | undefined): readonly string[] =>
  argument === undefined || typeof argument.value === 'string' || argument.value.some(({style}) => style !== 'plain')
    ? []
    : argument.value.map(({text}) => text);
