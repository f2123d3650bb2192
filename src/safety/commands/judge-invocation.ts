import {firstFound} from '../../base/first-found.ts';
import {effectOfRunning, isCode, type PartEffect, runsCode} from '../../domain/reason.ts';
import type {PathRules} from '../paths/judge-path.ts';
import {type Argument, isScriptVariable, type ExpandedText} from '../shell/expansion.ts';
import {hasTrait, rowOf} from './known-programs.ts';
import {gitOptions as gitsOwn} from './programs/git.ts';
import {type PathJudge, plainText, programProblem} from './only-reads.ts';
import {showsLittleContent} from './command-output.ts';
import {optionTable, wordsOf} from './program-table.ts';
import {readWords} from './read-words.ts';
import {printsAnything, type Invocation, type AfterCommand, type ShellScope, unionOfFolders} from './scope.ts';
import {secretOutputProblem} from './secret-output.ts';
import {specialProgramProblem} from './special-programs.ts';

/**
 * Explains why an invocation may do more than read. Returns `undefined` if it only reads. The reason continues a sentence:
 * "Deletes files (rm a)".
 */
export function readOnlyProblem(
  {words, directories, input, output}: Invocation,
  paths: PathRules,
): PartEffect | undefined {
  const judgePath = paths.from(directories);
  let rest = words;
  // Each round removes one wrapper.
  for (;;) {
    const name = programOf(rest[0]);
    if (name === undefined) return 'runs a program that is only known when it runs';
    const args = rest.slice(1);
    if (name === 'command' && /^-[vV]$/u.test(plainText(args[0]) ?? ''))
      return programProblem('which', args.slice(1), judgePath);
    if (name === 'xargs') return xargsProblem(args, {directories, input, output}, paths);
    if (name === 'git') return gitProblem(args, {directories, judgePath, output}, paths);
    const inner = unwrapped(name, args);
    if (inner === 'unsure') return runsCode(`runs another program through ${name}`);
    if (inner === 'none') {
      const expanded = expandedNames(name, {args, directories}, paths);
      if (typeof expanded === 'string') return expanded;
      const visible = listsItself(name, args) ? expanded.filter(each => !isHiddenHere(each)) : expanded;
      const judged = showsLittleContent.has(name) ? visible.map(asSearched) : visible;
      const special = specialProgramProblem(name, judged, judgePath);
      const reason = special === 'none' ? programProblem(name, judged, judgePath) : special.reason;
      return (
        reason ??
        foundFilesProblem(name, args) ??
        followingProblem(name, {args: expanded, directories}, paths) ??
        secretOutputProblem({name, args: expanded, directories, output}, paths) ??
        chosenProgramProblem(name, directories, paths)
      );
    }
    rest = inner;
  }
}

/**
 * Returns the arguments after the shell has expanded patterns to file names, or why one of the names could be read as
 * an option. If none could, a pattern is written as `./*`. A pattern that matches nothing stays unchanged.
 */
function expandedNames(
  name: string,
  {args, directories}: {readonly args: readonly Argument[]; readonly directories: readonly string[]},
  paths: PathRules,
): readonly Argument[] | string {
  const end = !hasTrait(name, 'own-words') ? args.findIndex(each => plainText(each) === '--') : -1;
  const expanded: Argument[] = [];
  for (const [at, argument] of args.entries()) {
    if (typeof argument.value === 'string' || (end >= 0 && at > end)) {
      expanded.push(argument);
      continue;
    }
    const texts: ExpandedText[] = [];
    for (const text of argument.value) {
      const found = text.style === 'plain' || isBelow(text) ? undefined : paths.names(text, directories);
      if (found?.to === 'options') return found.reason;
      // find expands its own patterns.
      texts.push(found === undefined || /^g?find$/u.test(name) ? text : afterExpansion(text, found.to));
    }
    expanded.push({...argument, value: texts});
  }
  return expanded;
}

/** True if `ls` shows the named files and folders themselves (`-d`) and lists no folder, not even the parent. */
const listsItself = (name: string, args: readonly Argument[]): boolean => {
  const texts = args.map(plainText);
  return (
    name === 'ls' &&
    texts.some(text => /^-[A-Za-z1]*d/u.test(text ?? '')) &&
    !texts.some(text => /^-[A-Za-z1]*[HL]|^--deref/u.test(text ?? ''))
  );
};

/** True if an argument is a pattern for hidden files of this folder, `.*` or `.[!.]*`. */
const isHiddenHere = ({value}: Argument): boolean =>
  typeof value !== 'string' &&
  value.length > 0 &&
  value.every(({text, style}) => style === 'wild' && /^(?:\.\/)?\.[*?[][^/]*$/u.test(text));

/**
 * True if all matches of a pattern begin with a folder, as for `src/*`, and so are not options. Listed names may be split at
 * blanks.
 */
const isBelow = ({text, style}: ExpandedText): boolean => style === 'wild' && /^[^-*?[/]*\//u.test(text);

function afterExpansion(text: ExpandedText, to: 'nothing' | 'names'): ExpandedText {
  if (text.style !== 'wild') return text;
  if (to === 'names') return {text: `./${text.text}`, style: 'wild'};
  return text.text.startsWith('-') ? {text: text.text, style: 'plain'} : text;
}

/** Explains why a program that follows symbolic links may read elsewhere. */
function followingProblem(
  name: string,
  {args, directories}: {readonly args: readonly Argument[]; readonly directories: readonly string[]},
  paths: PathRules,
): PartEffect | undefined {
  const texts = args.map(each => plainText(each) ?? '');
  const has = (pattern: RegExp): boolean => texts.some(text => pattern.test(text));
  const folders = args.filter((_, at) => texts[at]?.startsWith('-') !== true);
  switch (name) {
    case 'diff': {
      if (has(/^--no-d/u)) return undefined;
      const depth = has(/^(?:-[A-Za-z]*r|--recursive$)/u) ? Infinity : 1;
      return foldersProblem(folders, has(/^(?:-[A-Za-z]*q|--brief$)/u) ? 'named' : 'read', {depth, directories}, paths);
    }
    case 'ls':
    case 'dir':
    case 'vdir':
      if (!has(/^-[A-Za-z0-9]*L/u)) return undefined;
      return foldersProblem(
        folders,
        'named',
        {depth: has(/^(?:-[A-Za-z0-9]*R|--recursive$)/u) ? Infinity : 1, directories},
        paths,
      );
    default:
      return undefined;
  }
}

function foldersProblem(
  folders: readonly Argument[],
  use: 'read' | 'named',
  where: {readonly depth: number; readonly directories: readonly string[]},
  paths: PathRules,
): PartEffect | undefined {
  if (folders.length === 0) return paths.follows({text: '.', style: 'plain'}, use, where);
  return firstFound(folders, ({value}) =>
    typeof value === 'string'
      ? 'may follow links in unknown folders'
      : firstFound(value, text => paths.follows(text, use, where)),
  );
}

/** Converts an argument for a program that shows little of its files, so that secrets in them do not matter. */
const asSearched = (argument: Argument): Argument =>
  typeof argument.value === 'string'
    ? argument
    : {
        ...argument,
        value: argument.value.map(text => (text.style === 'found' ? {...text, style: 'searched'} : text)),
      };

/** Explains why a program that shows content must not get all files of a folder: some may contain secrets. */
function foundFilesProblem(name: string, args: readonly Argument[]): PartEffect | undefined {
  if (showsLittleContent.has(name)) return undefined;
  const isAny = args.some(
    ({value}) =>
      typeof value !== 'string' && value.some(({text, style}) => style === 'found' && /^(?:\.\/)?\*\*$/u.test(text)),
  );
  return isAny ? 'reads files that may hold secrets' : undefined;
}

/** Explains why the current folder matters: a file in it may choose the program that runs. */
function chosenProgramProblem(name: string, directories: readonly string[], paths: PathRules): PartEffect | undefined {
  const chosen = rowOf(name)?.chosenBy;
  const file = chosen === undefined ? undefined : paths.near(new Set(wordsOf(chosen)), directories);
  return file === undefined ? undefined : runsCode(`may run a program set by ${file}`);
}

/** Returns the program's name. A path outside `/bin` and `/usr/bin` stays a path. */
function programOf(argument: Argument | undefined): string | undefined {
  const text = plainText(argument);
  if (text === undefined || text === '') return undefined;
  return text.replace(/^\/(?:usr\/)?bin\//u, '');
}

/**
 * Returns the command that a wrapper runs: `none` if the program is not a wrapper, `unsure` if the command's start is not known.
 */
function unwrapped(name: string, args: readonly Argument[]): readonly Argument[] | 'none' | 'unsure' {
  const texts = args.map(plainText);
  const [first = ''] = texts;
  switch (name) {
    case 'command':
    case 'builtin':
    case 'nice':
    case 'env':
      return /^[\w./]+$/u.test(first) && !first.includes('=') ? args : 'unsure';
    case 'time':
      return first === '-p' ? args.slice(1) : /^[\w./[:]+$/u.test(first) ? args : 'unsure';
    case 'stdbuf': {
      const options = texts.findIndex(text => text === undefined || !/^-[ioe][L0]$/u.test(text));
      return options > 0 ? args.slice(options) : 'unsure';
    }
    case 'timeout':
    case 'gtimeout':
      return /^\d+(?:\.\d+)?[smhd]?$/u.test(first) && args.length > 1 ? args.slice(1) : 'unsure';
    default:
      return 'none';
  }
}

/** Makes a wrapper's option table. The first operand ends its options. */
const ofWrapper = (options: string) => ({...optionTable(options), stopsAtOperand: true});

const xargsOptions = ofWrapper(
  '-0 -r -t -n=number -L=number -P=number -I=text --null --no-run-if-empty --max-args=number --max-procs=number --verbose',
);

function xargsProblem(
  args: readonly Argument[],
  {directories, input, output}: Omit<Invocation, 'words'>,
  paths: PathRules,
): PartEffect | undefined {
  const texts = args.map(plainText);
  let placeholder: string | undefined;
  let at = args.length;
  for (const word of readWords(texts, xargsOptions)) {
    if (word.kind === 'unlisted') return `may do more than read with ${texts[word.at] ?? ''}`;
    if (word.kind !== 'option') {
      at = word.at;
      break;
    }
    const value = word.attached ?? texts[word.values[0] ?? args.length];
    if (word.rule.value === 'required' && (value === undefined || value.startsWith('-')))
      return `uses ${texts[word.at] ?? ''} without a value`;
    if (word.name === '-I') placeholder = value;
  }
  const inner = args.slice(at);
  const name = programOf(inner[0]);
  // Without a program, xargs prints its input like echo.
  if (inner.length === 0) return undefined;
  if (name === undefined || wrappers.has(name)) return 'runs another program through xargs';
  const [range] = inner.map(word => word.range);
  if (range === undefined) return undefined;
  const printed = input();
  const inputArgument: Argument = {range, value: printed === 'anything' ? 'opaque' : [printed]};
  const words = inner.map(word => {
    const text = plainText(word);
    if (placeholder === undefined || text?.includes(placeholder) !== true) return word;
    return text === placeholder ? inputArgument : {...word, value: 'opaque' as const};
  });
  const reason = readOnlyProblem(
    {
      words: placeholder === undefined ? [...words, inputArgument] : words,
      directories,
      input: () => 'anything',
      output,
    },
    paths,
  );
  if (reason === undefined) return undefined;
  const effect = effectOfRunning(name, reason);
  // The input of the program must be known too.
  if (!isCode(effect)) return effect;
  return printed === 'anything' ? effect.does : (paths.from(directories)(printed, 'read') ?? effect);
}

/** Programs that run others or change the folder. weft asks about them under `xargs`. */
const wrappers: ReadonlySet<string> = new Set(
  wordsOf('xargs env nice time timeout command builtin stdbuf cd git find'),
);

const gitOptions = ofWrapper(gitsOwn);

function gitProblem(
  args: readonly Argument[],
  {directories, judgePath, output}: Pick<Invocation, 'directories' | 'output'> & {readonly judgePath: PathJudge},
  paths: PathRules,
): PartEffect | undefined {
  const texts = args.map(plainText);
  let at = args.length;
  let places = directories;
  for (const word of readWords(texts, gitOptions)) {
    if (word.kind !== 'option' || word.attached !== undefined) {
      at = word.at;
      break;
    }
    for (const value of word.values) {
      const folder = texts[value];
      if (folder === undefined || folder.startsWith('-')) return 'goes to an unknown folder';
      const after = paths.after(folder, places);
      if (after.tag === 'failed') return after.error;
      places = after.value;
    }
  }
  const expanded = expandedNames('git', {args: args.slice(at), directories}, paths);
  if (typeof expanded === 'string') return expanded;
  const reason = programProblem('git', expanded, at === 0 ? judgePath : paths.from(places));
  return (
    reason ??
    foundFilesProblem('git', args) ??
    secretOutputProblem({name: 'git', args: expanded, directories: places, output}, paths) ??
    paths.repository(places)
  );
}

interface JudgedBuiltin {
  readonly reason: PartEffect | undefined;
  readonly ends: AfterCommand;
}

/** Judges `cd`. It may enter folders of the workspace. */
export function judgeCd({words, directories}: Invocation, paths: PathRules): JudgedBuiltin {
  const ends = (success: readonly string[]): AfterCommand => ({success, failure: directories, prints: printsAnything});
  const targets = words.length === 2 ? plainTexts(words[1]) : [];
  if (targets.length === 0 || targets.some(target => target.startsWith('-') || target === '')) {
    return {
      reason: words.length === 1 ? {kind: 'leaves-for-home'} : 'goes to an unknown folder',
      ends: ends([]),
    };
  }
  const after = targets.map(target => paths.after(target, directories));
  const outside = after.find(each => each.tag === 'failed');
  if (outside !== undefined) return {reason: outside.error, ends: ends([])};
  const [first = [], ...others] = after.flatMap(each => (each.tag === 'ok' ? [each.value] : []));
  const success = unionOfFolders(first, ...others);
  const exists = targets.every(target => paths.exists(target, directories));
  return {reason: undefined, ends: {...ends(success), failure: exists ? success : directories}};
}

/** Judges `read -r line`. It may set variables that only the script uses. Their names are written out, see `forgetMentioned`. */
export function judgeRead(
  written: readonly string[],
  {directories, input}: Invocation,
  {variables}: Pick<ShellScope, 'variables'>,
): JudgedBuiltin {
  const names = written.slice(1).filter((name, at) => at > 0 || name !== '-r');
  const fine = names.every(isScriptVariable);
  const printed = names.length > 1 ? 'anything' : input();
  const line: Argument['value'] = printed === 'anything' ? 'opaque' : [printed];
  for (const name of names) variables.set(name, fine ? line : 'unknown');
  return {
    reason: fine ? undefined : 'sets variables, which can change what runs',
    ends: {success: directories, failure: directories, prints: printsAnything},
  };
}

/** Returns the possible plain texts of an argument, or none if it may be anything else. */
const plainTexts = (argument: Argument | undefined): readonly string[] =>
  argument === undefined || typeof argument.value === 'string' || argument.value.some(({style}) => style !== 'plain')
    ? []
    : argument.value.map(({text}) => text);
