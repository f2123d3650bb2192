import {plainText} from './programs/judge-program.ts';
import type {ParsedCommand} from './read-command.ts';
import {toolNamesOf, type PermissionRules} from './rules.ts';
import type {Argument} from './shell/argument.ts';
import {deniedInArguments, isNamed, runsInput} from './text-that-runs.ts';
import type {JudgedCall} from './walk-script.ts';
import {isShell, isWrapper, programName, startsIn} from './wrappers.ts';

/**
 * Why it cannot be told whether a command is one that deny rules forbid: what it runs is worked out or read when it runs.
 * `undefined` when it can be told, or when no rule forbids commands by a pattern. Such a command is asked about in every mode.
 */
export function beyondDenyRules(command: string, parsed: ParsedCommand, {deny}: PermissionRules): string | undefined {
  const forbidden = deny.flatMap(({tool, about}) =>
    about.kind === 'commands' && commandTools.includes(tool) ? [about.pattern.text.split(/\s+/u)] : [],
  );
  if (forbidden.length === 0) return undefined;
  if (parsed.extent === 'partial') return `it is not known whether a rule forbids it: ${parsed.what}`;
  const set = parsed.concerns
    .map(({range}) => command.slice(range.from, range.to))
    .filter(text => /^\w+\+?=/u.test(text));
  const [given] = forbidden.filter(words =>
    isNamed(
      words,
      set.map(text => text.slice(text.indexOf('=') + 1)),
    ),
  );
  if (given !== undefined) return `a rule forbids \`${given.join(' ')}\`, and a variable is set to it`;
  // Values are then cut into words in another way.
  const [cut] = set.some(text => /^IFS\+?=/u.test(text)) ? forbidden.filter(words => isNamed(words, [command])) : [];
  if (cut !== undefined) return `a rule forbids \`${cut.join(' ')}\`, and \`IFS\` is set`;
  const configured = set.some(text => text.startsWith('GIT_CONFIG'));
  const known = parsed.calls
    .map(call => whyUnknown(call, {forbidden, configured}))
    .find(reason => reason !== undefined);
  const written = parsed.concerns.flatMap(({effect, target}) =>
    effect === 'writes' || effect === 'appends' ? [fileName(target)] : [],
  );
  if (known !== undefined || !parsed.calls.some(({words}) => takesCode(words) || runsOneOf(words, written)))
    return known;
  const [denied] = forbidden.filter(words => isNamed(words, [command]));
  return denied === undefined ? undefined : `a rule forbids \`${denied.join(' ')}\`, which code in it may run`;
}

const commandTools = toolNamesOf('request-command-output');

function whyUnknown(
  {words, reason}: Pick<JudgedCall, 'words' | 'reason'>,
  {forbidden, configured}: {readonly forbidden: readonly (readonly string[])[]; readonly configured: boolean},
): string | undefined {
  const texts = words.map(textOf);
  const starts = startsIn(texts.map(plain => ({raw: plain, plain})));
  const isFed = starts.some(at => /^(?:xargs|parallel)$/u.test(programName(texts[at] ?? '')));
  for (const at of starts) {
    const program = texts[at] ?? '';
    if (!isKnown(program)) return 'a rule may forbid the program that it runs, which is not known';
    const name = programName(program);
    const rest = texts.slice(at + 1);
    if (isFed && (/[{%]/u.test(program) || (at === starts.at(-1) && (isWrapper(name) || isShell(name)))))
      return 'a rule may forbid the program that it is told to run';
    if (isShell(name) && readsCommands(rest)) return `a rule may forbid what \`${name}\` is told to run`;
    if (
      runsTexts.has(name) &&
      (name === 'alias' || !rest.every(text => isKnown(text) && !/^\/(?:dev|proc)\//u.test(text)))
    )
      return `a rule may forbid what \`${name}\` runs`;
    const heads = forbidden.filter(([first, ...more]) => first === name && more.length > 0);
    if (heads.length > 0 && (isFed || !isSubcommandKnown(rest) || (configured && name === 'git')))
      return `a rule may forbid what \`${name}\` is told to do`;
    const [inAnotherOrder] = forbidden.filter(command => hasOptionsOf(command, [name, ...rest]));
    if (inAnotherOrder !== undefined)
      return `a rule forbids \`${inAnotherOrder.join(' ')}\`, and these are its options`;
    const [byItself] = forbidden.filter(([first, second = '']) => `${first ?? ''}-${second}` === name);
    if (byItself !== undefined) return `a rule forbids \`${byItself.join(' ')}\`, which \`${name}\` is`;
  }
  // What only reads runs nothing of what it is given.
  const found = reason === undefined ? undefined : deniedInArguments(texts, {starts, forbidden});
  return found === undefined ? undefined : `a rule forbids \`${found.denied}\`, and \`${found.program}\` is given it`;
}

/** Whether a command has the options of a forbidden one, in whatever order and spelling: `rm -r -f x` those of `rm -rf`. */
function hasOptionsOf([program, ...pattern]: readonly string[], [name, ...given]: readonly string[]): boolean {
  const asked = optionsOf(pattern);
  if (program !== name || asked.length === 0 || pattern.some(word => /[*?]/u.test(word))) return false;
  const words = pattern.filter(word => !word.startsWith('-'));
  const end = given.indexOf('--');
  const before = end < 0 ? given : given.slice(0, end + 1);
  const operands = before.filter(
    (word, at) => !word.startsWith('-') && !(name === 'git' && /^-[cC]$/u.test(before[at - 1] ?? '')),
  );
  const had = new Set(optionsOf(before));
  return words.every((word, at) => operands[at] === word) && asked.every(option => had.has(option));
}

/** Letters one by one; of `rm` and its like both spellings are the same. */
const optionsOf = (words: readonly string[]): readonly string[] =>
  words.flatMap(word => {
    if (word === '--') return ['--'];
    if (word.startsWith('--')) return [sameAsLetter.get(word) ?? word];
    return /^-[A-Za-z]+$/u.test(word)
      ? word
          .slice(1)
          .split('')
          .map(letter => (letter === 'R' ? '-r' : `-${letter}`))
      : [];
  });

const sameAsLetter: ReadonlyMap<string, string> = new Map([
  ['--recursive', '-r'],
  ['--force', '-f'],
]);

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Whether it runs a file that the same command writes: `echo … > x.sh; sh x.sh`. */
function runsOneOf(words: readonly Argument[], written: readonly string[]): boolean {
  const [program = '', ...given] = words.map(textOf);
  return (
    written.length > 0 &&
    ((program.includes('/') && written.includes(fileName(program))) ||
      (runsInput(programName(program)) && given.some(text => written.includes(fileName(text)))))
  );
}

/** Code comes to it through a pipe, from a here-document or from what another command prints. */
const takesCode = (words: readonly Argument[]): boolean => {
  const [program = '', ...given] = words.map(textOf);
  const name = programName(program);
  if (name === 'at' || name === 'batch') return true;
  if (!runsInput(name)) return false;
  return (
    given.some(text => /^\/dev\/(?:fd\/|stdin)/u.test(text)) ||
    given.every(text => text.startsWith('-') && !/^--?[vV]/u.test(text))
  );
};

/** Stands for a text that is not known. */
const notKnown = '$()';

const isKnown = (text: string): boolean => !text.includes(notKnown);

/** One of several plain texts is as good as one: the forms hold each of them. */
const textOf = (argument: Argument): string =>
  plainText(argument) ??
  (typeof argument.value !== 'string' && argument.value.every(({style}) => style === 'plain')
    ? (argument.value[0]?.text ?? notKnown)
    : notKnown);

const runsTexts: ReadonlySet<string> = new Set(['eval', 'source', '.', 'alias', 'trap']);

/** Whether a shell gets commands that do not stand there: from its input, a pipe, or a text that is not known. */
function readsCommands(given: readonly string[]): boolean {
  const takesText = given.some(text => /^-[A-Za-z]*c/u.test(text));
  if (takesText) return !given.every(isKnown);
  const script = given.find(text => !/^[-+]./u.test(text));
  return script === undefined
    ? !given.includes('--version')
    : !isKnown(script) || /^(?:-$|\/dev\/|\/proc\/)/u.test(script);
}

function isSubcommandKnown(given: readonly string[]): boolean {
  const at = given.findIndex(text => !text.startsWith('-') || !isKnown(text));
  const before = given.slice(0, Math.max(at, 0) + 1);
  // git's own aliases may stand for anything.
  return (
    before.every(isKnown) &&
    !given.some(
      (text, index) =>
        /^alias\./iu.test(text) && (given[index - 1] === '-c' || (given[0] === 'config' && index + 1 < given.length)),
    )
  );
}
