import {goesBeyondRule} from './beyond-rule.ts';
import {repositoryFinding} from './git-repository.ts';
import type {Ground} from './ground.ts';
import {ruleForWords, ruleForWriting} from './rule-for.ts';
import type {PermissionRules} from './rules.ts';
import type {Argument} from './shell/argument.ts';
import type {JudgedCall, Judgement} from './walk-script.ts';

/**
 * Whether rules of the user's allow all of a command that is not known to only read: each of its programs with its words, each
 * file it writes to. What no rule speaks of (assignments, background jobs, words that are not known) stays to be asked about.
 */
export function rulesCover({calls, concerns}: Judgement, rules: PermissionRules, ground: Ground): boolean {
  if (rules.allow.length === 0) return false;
  return (
    calls.every(call => (call.reason === undefined ? runsAlike(call, ground) : isCovered(call, rules, ground))) &&
    concerns.every(
      ({effect, target}) =>
        (effect === 'writes' || effect === 'appends') &&
        target !== '' &&
        ruleForWriting(target, rules, ground) !== undefined,
    )
  );
}

/**
 * Whether what only reads does so beside what rules allow, where nothing is switched off for it: neither does a program of the
 * workspace have its name, nor has the repository a hook or a file monitor for it.
 */
function runsAlike({words, directories}: JudgedCall, ground: Ground): boolean {
  const texts = words.flatMap(({value}) => (typeof value === 'string' ? [] : value.map(({text}) => text)));
  const [program = ''] = texts;
  if (program === 'cd') return true;
  const places = directories.length === 0 ? [''] : directories;
  if (
    places.some(place =>
      texts.some((text, at) => (at === 0 || isName(text)) && ground.strayProgram(text, place) !== undefined),
    )
  )
    return false;
  if (!texts.includes('git')) return true;
  const elsewhere = texts.filter((_, at) => texts[at - 1] === '-C');
  return places
    .flatMap(place => [place, ...elsewhere.map(folder => (folder.startsWith('/') ? folder : `${place}/${folder}`))])
    .every(place => repositoryFinding(place, ground).unguarded === undefined);
}

const isName = (text: string): boolean => /^[a-z][\w.+-]*$/u.test(text);

/** Whether rules of the user's allow each of its programs by name, those that only read too. */
export const allRulesCover = ({calls}: Judgement, rules: PermissionRules, ground: Ground): boolean =>
  rules.allow.length > 0 && calls.length > 0 && calls.every(call => isCovered(call, rules, ground));

function isCovered({words, directories}: JudgedCall, rules: PermissionRules, ground: Ground): boolean {
  const variants = variantsOf(words);
  return (
    variants.length > 0 &&
    variants.every(variant => {
      const rule = ruleForWords(variant, rules, ground);
      return rule !== undefined && !goesBeyondRule(variant, rule, {directories, ground});
    })
  );
}

/** Ways in which the words may come out; none when that is not known. A pattern for names of files stands for itself. */
function variantsOf(words: readonly Argument[]): readonly (readonly string[])[] {
  let count = 1;
  for (const {value} of words) {
    if (typeof value === 'string') return [];
    count *= value.length;
    if (count > mostVariants) return [];
  }
  return Array.from({length: count}, (_, variant) => {
    let rest = variant;
    return words.map(({value}) => {
      if (typeof value === 'string') return '';
      const picked = value[rest % value.length];
      rest = Math.floor(rest / value.length);
      return picked?.text ?? '';
    });
  });
}

const mostVariants = 64;
