import {isHarmlessSed} from './script-languages.ts';
import {plainText} from './only-reads.ts';
import type {Argument} from '../shell/expansion.ts';
import {hasTrait, rowOf, takesCodeFromInput, valuesOf} from './known-programs.ts';
import {isWrapper, optionValues, programName, takesOperand} from './layers.ts';
import {wordsOf} from './program-table.ts';

/**
 * True if a here-document, or a text after `<<<`, may be run. This is so if a program in the command takes code from its input. It
 * is also so if a program is called by its path, which may be the file that was just written.
 */
export function mayRunHereDocument(
  command: string,
  invocations: readonly {readonly words: readonly Argument[]}[],
): boolean {
  if (!command.includes('<<')) return false;
  return invocations.some(({words}) =>
    words.some((word, at) => {
      const text = plainText(word);
      if (text === undefined) return at === 0;
      return (
        (at === 0 && text.includes('/') && !/^\/(?:usr\/)?bin\//u.test(text)) || takesCodeFromInput(programName(text))
      );
    }),
  );
}

/**
 * Finds the first forbidden command in the arguments of a program, unless the program treats it as mere text. Each forbidden
 * command is given by the words of its pattern. `starts` are the words at which programs may begin.
 */
export function deniedInArguments(
  words: readonly string[],
  {starts, forbidden}: {readonly starts: readonly number[]; readonly forbidden: readonly (readonly string[])[]},
): {readonly program: string; readonly denied: string} | undefined {
  const sorted = starts.toSorted((a, b) => a - b);
  for (const [index, at] of sorted.entries()) {
    const next = sorted[index + 1];
    if (next !== undefined && isBeforeCommand(words, {at, before: sorted[index - 1]})) continue;
    const program = programName(words[at] ?? '');
    const args = words.slice(at + 1);
    const candidates =
      next !== undefined && isWrapper(program)
        ? words.slice(at + 1, sorted.at(-1)).filter(word => /^-|=/u.test(word))
        : mayRun(program, args);
    const found = forbidden.find(command => namesCommand(command, candidates));
    if (found !== undefined) return {program, denied: found.join(' ')};
  }
  return undefined;
}

/**
 * True if a word is a wrapper's operand, like `5` in `timeout 5 ls`, or the value of one of its options. The command begins
 * later.
 */
function isBeforeCommand(
  words: readonly string[],
  {at, before}: {readonly at: number; readonly before: number | undefined},
): boolean {
  if (before === undefined) return false;
  const wrapper = programName(words[before] ?? '');
  return (takesOperand(wrapper) && !isWrapper(programName(words[at] ?? ''))) || (words[at - 1] ?? '').startsWith('-');
}

/** Returns the arguments that may be, or contain, the name of a program to run. */
function mayRun(program: string, args: readonly string[]): readonly string[] {
  const row = rowOf(program);
  if (hasTrait(program, 'data')) {
    const values = row?.runs === undefined ? [] : valuesOf(args, row, row.runs);
    return hasTrait(program, 'variables') ? args.filter(word => /\[[^\]]*(?:\$\(|`)/u.test(word)) : values;
  }
  if (program === 'git') return gitRunArguments(args);
  if (program === 'sed' || program === 'gsed')
    return args.flatMap(word => (/\s/u.test(word) && !isHarmlessSed(word) ? [word.replaceAll('/', ' ')] : []));
  if (program === 'less' || program === 'more') return args.filter(word => /^[+-]/u.test(word));
  if (hasTrait(program, 'database'))
    return args.filter(word => /\\!|\.(?:shell|system)\b|\bsystem\b|\bprogram\b/iu.test(word));
  const operands = args.flatMap((word, at) => (word.startsWith('-') ? [] : [at]));
  const [first = -1, second = -1] = operands;
  if (hasTrait(program, 'tasks')) return args.filter(word => /[=\s:]|^-/u.test(word));
  if (!hasTrait(program, 'subcommands')) return args;
  const name = args[first] ?? '';
  // The arguments are names of packages and scripts.
  if (/^(?:i|install|add|remove|uninstall|rm|un|update|upgrade|info|view|show|search|why|ls|list)$/u.test(name))
    return args.filter(word => word.startsWith('-') && word.includes('='));
  if (
    /^(?:run|run-script|test|start|build)$/u.test(name) &&
    args.includes('--') &&
    /^(?:npm|pnpm|yarn|bun)$/u.test(program)
  )
    return mayRun(program, args.slice(0, args.indexOf('--')));
  if (hasTrait(program, 'service') && !/^(?:exec|run|debug|ssh|alias|plugin|extension)$/u.test(name))
    return args.filter(word => !/^[\w-]+$/u.test(word));
  // The arguments are names of tests.
  if (/^(?:cargo|go)$/u.test(program) && name === 'test')
    return optionValues(args, /^(?:--?exec|--?toolexec|--?vettool|--config)$/u);
  if (/^(?:docker|podman|nerdctl)$/u.test(program) && dockerDataCommands.test(name)) return [];
  const isNoun = /^(?:image|volume|network|container|system|compose|builder|context|s3|s3api|run|run-script)$/u.test(
    name,
  );
  return args.filter(
    (word, at) => !(/^[\w-]+$/u.test(word) && (at === first || (isNoun && at === second && second === first + 1))),
  );
}

const dockerDataCommands =
  /^(?:build|tag|push|pull|images|ps|logs|inspect|rm|rmi|start|stop|restart|kill|port|stats|top|wait)$/u;

/** Returns the arguments of git that name what it runs, and not revisions, paths and messages. */
function gitRunArguments(args: readonly string[]): readonly string[] {
  const at = args.findIndex((word, index) => !word.startsWith('-') && !/^-[cC]$/u.test(args[index - 1] ?? ''));
  const subcommand = args[at] ?? '';
  const before = args.slice(0, Math.max(at, 0));
  if (!gitDataCommands.has(subcommand)) return args.filter((_, index) => index !== at);
  const behind = args.slice(at + 1);
  return [
    ...before,
    ...behind.filter(word => word.startsWith('!') || word.includes('::')),
    ...optionValues(
      behind,
      /^(?:--(?:upload-pack|receive-pack|exec|extcmd|open-files-in-pager|config|template|trailer|up\w*|rec\w*|exe\w*|open\w*)|-[uxOc])$/u,
    ),
  ];
}

/** True if the words of a forbidden command are in the arguments, the program first. */
export function namesCommand(command: readonly string[], args: readonly string[]): boolean {
  const [program = '', ...more] = command;
  if (program === '' || /^\*+$/u.test(program)) return false;
  const text = args.join('\n');
  let from = 0;
  for (const [at, word] of [program, ...more.filter(each => /^\w[\w-]*$/u.test(each))].entries()) {
    const found = (at === 0 ? programPattern(word) : wordPattern(word)).exec(text.slice(from));
    if (found === null) return false;
    from += found.index + found[0].length;
  }
  return true;
}

/** Matches the name by itself, in a program folder, or directly after the letter of an option. */
const programPattern = (name: string): RegExp =>
  new RegExp(
    `(?:(?<![\\w./-])(?:(?:/[\\w.-]+)*/s?bin/|\\./|-[A-Za-z])?|(?<=\\{(?:[\\w.,-]*,)?))${patternSource(name)}(?![\\w./-])`,
    'u',
  );

const wordPattern = (word: string): RegExp => new RegExp(`(?<![\\w.-])${patternSource(word)}(?![\\w.-])`, 'u');

const patternSource = (name: string): string =>
  name
    .slice(name.lastIndexOf('/') + 1)
    .replaceAll(/[\\^$.+?()[\]{}|/-]/gu, String.raw`\$&`)
    .replaceAll('*', String.raw`[\w.-]*`);

const gitDataCommands = new Set(
  [
    'add am annotate apply archive blame branch cat-file check-attr check-ignore checkout cherry cherry-pick clean clone commit describe diff',
    'diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep init log ls-files ls-remote ls-tree merge merge-base mv',
    'name-rev notes pull push range-diff reflog remote reset restore revert rev-list rev-parse rm shortlog show show-ref sparse-checkout',
    'stash status switch symbolic-ref tag update-index whatchanged worktree lfs',
  ].flatMap(wordsOf),
);
