import {basename, resolve} from 'node:path';
import type {ChangeExtent} from '../../domain/checkpoint.ts';
import type {CommandAnalysis, JudgedInvocation} from './analyze-command.ts';
import {programName} from './layers.ts';
import {isHarmlessSed} from './script-languages.ts';

/** The machine on which a command would run. */
export interface CommandMachine {
  readonly kindOf: (path: string) => EntryKind;
  readonly sed: 'GNU' | 'other';
}

/** The entry at a path. `file`: a regular file that has no other name. */
export type EntryKind = 'none' | 'file' | 'folder' | 'other';

/**
 * Returns the absolute paths that a command may change, or `any` if these are not certain. They are certain if each
 * program only reads, or changes files that its words name. No folder or link may be among them.
 */
export async function certainWrites(analysis: CommandAnalysis, machine: CommandMachine): Promise<ChangeExtent> {
  if (analysis.reading !== 'parsed') return 'any';
  const paths = new Set<string>();
  for (const {effect, target} of analysis.sideEffects) {
    if (effect === 'reads' || /^\/dev\/(?:null|stdout|stderr|tty)$/u.test(target)) continue;
    if ((effect !== 'writes' && effect !== 'appends') || target === '') return 'any';
    paths.add(target);
  }
  for (const invocation of analysis.invocations) {
    if (invocation.reason === undefined || invocation.elsewhere === 'only reads') continue;
    const written = writtenBy(invocation, machine);
    if (written === undefined) return 'any';
    for (const path of written) paths.add(path);
  }
  const areFiles = [...paths].every(path => ['none', 'file'].includes(machine.kindOf(path)));
  return areFiles && paths.size <= maxPaths && (await analysis.confirmed()) ? [...paths] : 'any';
}

/** The maximum number of paths that are looked at one by one. */
const maxPaths = 200;

/** Returns the paths that a program changes, or `undefined` if they are not certain. */
function writtenBy(
  {words, directories}: JudgedInvocation,
  {kindOf, sed}: CommandMachine,
): readonly string[] | undefined {
  const [directory, ...others] = directories;
  const texts = words.flatMap(({value}) =>
    typeof value !== 'string' && value.length === 1 && value[0]?.style === 'plain' ? [value[0].text] : [],
  );
  const [program = '', ...args] = texts;
  const rule = rules[/^\/(?:usr\/)?bin\/\w+$/u.test(program) ? programName(program) : program];
  if (directory === undefined || others.length > 0 || texts.length < words.length || rule === undefined)
    return undefined;
  const end = args.indexOf('--');
  const isOption = (word: string, at: number): boolean => /^-./u.test(word) && (end < 0 || at < end);
  if (args.some((word, at) => isOption(word, at) && !rule.options.test(word) && at !== end)) return undefined;
  const operands = args.filter((word, at) => !isOption(word, at) && at !== end);
  if (operands.includes('')) return undefined;
  const at = (word: string): string => resolve(directory, word);
  switch (rule.changes) {
    case 'files':
      return operands.map(at);
    case 'new folders':
      return operands.map(at).filter(path => kindOf(path) !== 'folder');
    case 'files after the first': {
      const [first = '', ...files] = operands;
      return rule.first.test(first) ? files.map(at) : undefined;
    }
    case 'script': {
      // Other versions of sed read the script as a suffix.
      const [script = '', ...files] = operands;
      const isInPlace = args.some(word => /^-[Ersz]*i$|^--in-place$/u.test(word));
      return sed === 'GNU' && isInPlace && isHarmlessSed(script) ? files.map(at) : undefined;
    }
    default: {
      const target = at(operands.at(-1) ?? '');
      const sources = operands.slice(0, -1).map(at);
      const isInside = kindOf(target) === 'folder';
      const targets = isInside ? sources.map(source => resolve(target, basename(source))) : [target];
      return rule.changes === 'sources and target' ? [...sources, ...targets] : targets;
    }
  }
}

type Rule = {readonly options: RegExp} & (
  | {readonly changes: 'files' | 'new folders' | 'script' | 'target' | 'sources and target'}
  | {readonly changes: 'files after the first'; readonly first: RegExp}
);

/** The programs whose changes are certain with these options. */
const rules: Readonly<Record<string, Rule | undefined>> = {
  touch: {options: /^-[acm]+$/u, changes: 'files'},
  tee: {options: /^(?:-a|--append)$/u, changes: 'files'},
  rm: {options: /^-[fv]+$/u, changes: 'files'},
  unlink: {options: /^$/u, changes: 'files'},
  mkdir: {options: /^(?:-[pv]+|--parents)$/u, changes: 'new folders'},
  chmod: {
    options: /^-[vcf]+$/u,
    changes: 'files after the first',
    first: /^(?:[0-7]{3,4}|[ugoa]*[+=][rwxXst]+(?:,[ugoa]*[-+=][rwxXst]+)*)$/u,
  },
  sed: {options: /^(?:-[Ersz]*i|-[Ersz]+|--in-place|--regexp-extended)$/u, changes: 'script'},
  cp: {options: /^-[fpvn]+$/u, changes: 'target'},
  mv: {options: /^-[fvn]+$/u, changes: 'sources and target'},
};
