import {firstFound} from '../../base/first-found.ts';
import {hasTrait, isShell, takesCodeFromInput} from '../commands/known-programs.ts';
import type {DenyRuleBypass} from '../../domain/reason.ts';
import type {JudgedInvocation, CommandAnalysis} from '../commands/analyze-command.ts';
import {plainText} from '../commands/only-reads.ts';
import {deniedInArguments, namesCommand} from '../commands/programs-in-arguments.ts';
import {isWrapper, layers, programName} from '../commands/layers.ts';
import type {Argument} from '../shell/expansion.ts';
import type {PermissionRules} from './permission-rule.ts';

/**
 * Returns how a command may run something that a deny rule forbids although its words do not match the rule. For example, it may
 * compute or read the program to run. weft asks about such a command in every mode.
 *
 * Returns `undefined` if the command certainly runs nothing forbidden, or if no deny rule has a command pattern.
 */
export function findDenyRuleBypass(
  command: string,
  parsed: CommandAnalysis,
  {deny}: PermissionRules,
): DenyRuleBypass | undefined {
  const forbidden = deny.flatMap(({about}) => (about.kind === 'commands' ? [about.pattern.text.split(/\s+/u)] : []));
  if (forbidden.length === 0) return undefined;
  if (parsed.reading === 'unparsed') return {kind: 'unparsed', what: parsed.what};
  const assignments = parsed.sideEffects
    .map(({range}) => command.slice(range.from, range.to))
    .filter(text => /^\w+\+?=/u.test(text));
  const [args] = forbidden.filter(words =>
    namesCommand(
      words,
      assignments.map(text => text.slice(text.indexOf('=') + 1)),
    ),
  );
  if (args !== undefined) return {kind: 'in-variable', command: args.join(' ')};
  // A changed IFS makes the shell split values into other words.
  const [splitCommand] = assignments.some(text => /^IFS\+?=/u.test(text))
    ? forbidden.filter(words => namesCommand(words, [command]))
    : [];
  if (splitCommand !== undefined) return {kind: 'word-splitting', command: splitCommand.join(' ')};
  const isGitConfigured = assignments.some(text => text.startsWith('GIT_CONFIG'));
  const uncertainty = firstFound(parsed.invocations, call => uncertaintyOf(call, {forbidden, isGitConfigured}));
  const writtenFiles = parsed.sideEffects.flatMap(({effect, target}) =>
    effect === 'writes' || effect === 'appends' ? [fileName(target)] : [],
  );
  if (
    uncertainty !== undefined ||
    !parsed.invocations.some(({words}) => readsCodeFromInput(words) || runsOneOf(words, writtenFiles))
  )
    return uncertainty;
  const [denied] = forbidden.filter(words => namesCommand(words, [command]));
  return denied === undefined ? undefined : {kind: 'in-code', command: denied.join(' ')};
}

function uncertaintyOf(
  {words, reason}: Pick<JudgedInvocation, 'words' | 'reason'>,
  {forbidden, isGitConfigured}: {readonly forbidden: readonly (readonly string[])[]; readonly isGitConfigured: boolean},
): DenyRuleBypass | undefined {
  const texts = words.map(textOf);
  const found = layers(texts);
  const starts = found.map(({at}) => at);
  const isFed = found.some(({program}) => hasTrait(program, 'input-words'));
  for (const {
    at,
    program: name,
    words: [program = '', ...rest],
  } of found) {
    if (!isKnown(program)) return {kind: 'unknown-program'};
    if (isFed && (/[{%]/u.test(program) || (at === starts.at(-1) && (isWrapper(name) || isShell(name)))))
      return {kind: 'program-from-input'};
    if (isShell(name) && readsCommands(rest)) return {kind: 'unknown-script', program: name};
    if (
      runsItsArguments.has(name) &&
      (name === 'alias' || !rest.every(text => isKnown(text) && !/^\/(?:dev|proc)\//u.test(text)))
    )
      return {kind: 'unknown-text', program: name};
    const sameProgram = forbidden.filter(([first, ...more]) => first === name && more.length > 0);
    if (sameProgram.length > 0 && (isFed || !isSubcommandKnown(rest) || (isGitConfigured && name === 'git')))
      return {kind: 'unknown-subcommand', program: name};
    const [inAnotherOrder] = forbidden.filter(command => hasOptionsOf(command, [name, ...rest]));
    if (inAnotherOrder !== undefined) return {kind: 'same-options', command: inAnotherOrder.join(' ')};
    const [hyphenated] = forbidden.filter(([first, second = '']) => `${first ?? ''}-${second}` === name);
    if (hyphenated !== undefined) return {kind: 'own-program', command: hyphenated.join(' '), program: name};
  }
  // A program that only reads does not run its arguments.
  const given = reason === undefined ? undefined : deniedInArguments(texts, {starts, forbidden});
  return given === undefined ? undefined : {kind: 'in-arguments', command: given.denied, program: given.program};
}

/** True if a command has all options of a forbidden one, in any order and spelling: `rm -r -f x` has those of `rm -rf`. */
function hasOptionsOf([program, ...pattern]: readonly string[], [name, ...args]: readonly string[]): boolean {
  const requiredOptions = optionsOf(pattern);
  if (program !== name || requiredOptions.length === 0 || pattern.some(word => /[*?]/u.test(word))) return false;
  const words = pattern.filter(word => !word.startsWith('-'));
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end + 1);
  const operands = before.filter(
    (word, at) => !word.startsWith('-') && !(name === 'git' && /^-[cC]$/u.test(before[at - 1] ?? '')),
  );
  const presentOptions = new Set(optionsOf(before));
  return (
    words.every((word, at) => operands[at] === word) && requiredOptions.every(option => presentOptions.has(option))
  );
}

/** Returns the options in the words, each letter separately. `--recursive` and `-R` count as `-r`, and `--force` counts as `-f`. */
const optionsOf = (words: readonly string[]): readonly string[] =>
  words.flatMap(word => {
    if (word === '--') return ['--'];
    if (word.startsWith('--')) return [letterOfOption.get(word) ?? word];
    return /^-[A-Za-z]+$/u.test(word)
      ? word
          .slice(1)
          .split('')
          .map(letter => (letter === 'R' ? '-r' : `-${letter}`))
      : [];
  });

const letterOfOption: ReadonlyMap<string, string> = new Map([
  ['--recursive', '-r'],
  ['--force', '-f'],
]);

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** True if an invocation runs a file that another part of the same command writes: `echo … > x.sh; sh x.sh`. */
function runsOneOf(words: readonly Argument[], writtenFiles: readonly string[]): boolean {
  const [program = '', ...args] = words.map(textOf);
  return (
    writtenFiles.length > 0 &&
    ((program.includes('/') && writtenFiles.includes(fileName(program))) ||
      (takesCodeFromInput(programName(program)) && args.some(text => writtenFiles.includes(fileName(text)))))
  );
}

/** True if a program reads the code that it runs from a pipe, a here-document or the output of another command. */
const readsCodeFromInput = (words: readonly Argument[]): boolean => {
  const [program = '', ...args] = words.map(textOf);
  const name = programName(program);
  if (name === 'at' || name === 'batch') return true;
  if (!takesCodeFromInput(name)) return false;
  return (
    args.some(text => /^\/dev\/(?:fd\/|stdin)/u.test(text)) ||
    args.every(text => text.startsWith('-') && !/^--?[vV]/u.test(text))
  );
};

/** Replaces an argument whose text is unknown. */
const unknownText = '$()';

const isKnown = (text: string): boolean => !text.includes(unknownText);

/**
 * Returns the text of an argument. If there are several possible plain texts, the first is enough: the command's forms contain
 * each of them.
 */
const textOf = (argument: Argument): string =>
  plainText(argument) ??
  (typeof argument.value !== 'string' && argument.value.every(({style}) => style === 'plain')
    ? (argument.value[0]?.text ?? unknownText)
    : unknownText);

const runsItsArguments: ReadonlySet<string> = new Set(['eval', 'source', '.', 'alias', 'trap']);

/** True if a shell runs commands that the command line does not show: from its input, a pipe, or an unknown text. */
function readsCommands(args: readonly string[]): boolean {
  const takesText = args.some(text => /^-[A-Za-z]*c/u.test(text));
  if (takesText) return !args.every(isKnown);
  const script = args.find(text => !/^[-+]./u.test(text));
  return script === undefined
    ? !args.includes('--version')
    : !isKnown(script) || /^(?:-$|\/dev\/|\/proc\/)/u.test(script);
}

function isSubcommandKnown(args: readonly string[]): boolean {
  const at = args.findIndex(text => !text.startsWith('-') || !isKnown(text));
  const before = args.slice(0, Math.max(at, 0) + 1);
  // An alias of git may run any command.
  return (
    before.every(isKnown) &&
    !args.some(
      (text, index) =>
        /^alias\./iu.test(text) && (args[index - 1] === '-c' || (args[0] === 'config' && index + 1 < args.length)),
    )
  );
}
