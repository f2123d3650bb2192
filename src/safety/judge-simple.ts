import type {PathRules} from './judge-path.ts';
import {gitGlobalFlags} from './programs/git.ts';
import {plainText, whyNotReadOnly, type PathJudge} from './programs/judge-program.ts';
import {whyNotSpecial} from './programs/special-programs.ts';
import {readFlags} from './programs/flags.ts';
import {whyNotShown, type Output} from './shown-content.ts';
import {tellsLittle} from './programs/names-of-files.ts';
import {chosenBy} from './programs/toolchains.ts';
import type {Argument, Printed, Text} from './shell/argument.ts';

/** One program and what it is called with, where it runs, and what comes to it through a pipe. */
export interface Call {
  readonly words: readonly Argument[];
  readonly directories: readonly string[];
  /** What comes to it. */
  readonly input: () => Printed;
  readonly output: Output;
}

/** Why a call is not known to only read; `undefined` when it is. The reason goes on after the command: "`rm a` deletes files". */
export function whyNotCall({words, directories, input, output}: Call, paths: PathRules): string | undefined {
  const judgePath = paths.from(directories);
  let rest = words;
  // Each step takes a wrapper off; what is left is shorter.
  for (;;) {
    const name = programOf(rest[0]);
    if (name === undefined) return 'runs a program that is only known when it runs';
    const given = rest.slice(1);
    if (name === 'command' && /^-[vV]$/u.test(plainText(given[0]) ?? ''))
      return whyNotReadOnly('which', given.slice(1), judgePath);
    if (name === 'xargs') return whyNotXargs(given, {directories, input, output}, paths);
    if (name === 'git') return whyNotGit(given, {directories, judgePath, output}, paths);
    const inner = unwrapped(name, given);
    if (inner === 'unsure') return `runs another program through \`${name}\``;
    if (inner === 'none') {
      const expanded = expandedNames(name, {given, directories}, paths);
      if (typeof expanded === 'string') return expanded;
      const told = listsItself(name, given) ? expanded.filter(each => !isHiddenHere(each)) : expanded;
      const taken = tellsLittle.has(name) ? told.map(asSearched) : told;
      const special = whyNotSpecial(name, taken, judgePath);
      const reason = special === 'none' ? whyNotReadOnly(name, taken, judgePath) : special.reason;
      return (
        reason ??
        whyNotFound(name, given) ??
        whyNotFollowing(name, {given: expanded, directories}, paths) ??
        whyNotShown({name, given: expanded, directories, output}, paths) ??
        whyNotHere(name, directories, paths)
      );
    }
    rest = inner;
  }
}

/**
 * The arguments once the shell has put names of files in the place of patterns: none of these can be taken for an option any more,
 * and is written so (`./*`); a pattern that would be an option and comes to nothing stays as it is. Else why they may not be given.
 */
function expandedNames(
  name: string,
  {given, directories}: {readonly given: readonly Argument[]; readonly directories: readonly string[]},
  paths: PathRules,
): readonly Argument[] | string {
  const end = endsOptions(name) ? given.findIndex(each => plainText(each) === '--') : -1;
  const expanded: Argument[] = [];
  for (const [at, argument] of given.entries()) {
    if (typeof argument.value === 'string' || (end >= 0 && at > end)) {
      expanded.push(argument);
      continue;
    }
    const texts: Text[] = [];
    for (const text of argument.value) {
      const found = text.style === 'plain' || isBelow(text) ? undefined : paths.names(text, directories);
      if (found?.to === 'options') return found.reason;
      // The patterns of find are its own words.
      texts.push(found === undefined || /^g?find$/u.test(name) ? text : afterExpansion(text, found.to));
    }
    expanded.push({...argument, value: texts});
  }
  return expanded;
}

/** `ls -d` tells names and what is said of them, and looks into no folder, not even the one above. */
const listsItself = (name: string, given: readonly Argument[]): boolean => {
  const texts = given.map(plainText);
  return (
    name === 'ls' &&
    texts.some(text => /^-[A-Za-z1]*d/u.test(text ?? '')) &&
    !texts.some(text => /^-[A-Za-z1]*[HL]|^--deref/u.test(text ?? ''))
  );
};

/** A pattern for hidden names of the folder itself, `.*` or `.[!.]*`. */
const isHiddenHere = ({value}: Argument): boolean =>
  typeof value !== 'string' &&
  value.length > 0 &&
  value.every(({text, style}) => style === 'wild' && /^(?:\.\/)?\.[*?[][^/]*$/u.test(text));

/** Names that begin with a folder's, or come to nothing that begins with a dash, as `src/*`. Told ones may be cut at blanks. */
const isBelow = ({text, style}: Text): boolean => style === 'wild' && /^[^-*?[/]*\//u.test(text);

function afterExpansion(text: Text, to: 'nothing' | 'names'): Text {
  if (text.style !== 'wild') return text;
  if (to === 'names') return {text: `./${text.text}`, style: 'wild'};
  return text.text.startsWith('-') ? {text: text.text, style: 'plain'} : text;
}

/** Whether `--` ends the options of the program. Others have a language of their own, or know no such sign. */
const endsOptions = (name: string): boolean =>
  !/^(?:g?find|test|\[|echo|printf|expr|ps|true|false|:|printenv|jq|gojq|yq|node|bash|sh|man|lsof|ss|netstat|zipinfo|unzip|tree|bun|deno)$/u.test(
    name,
  );

/** Programs that follow the links they come upon. */
function whyNotFollowing(
  name: string,
  {given, directories}: {readonly given: readonly Argument[]; readonly directories: readonly string[]},
  paths: PathRules,
): string | undefined {
  const texts = given.map(each => plainText(each) ?? '');
  const has = (pattern: RegExp): boolean => texts.some(text => pattern.test(text));
  const folders = given.filter((_, at) => texts[at]?.startsWith('-') !== true);
  switch (name) {
    case 'diff': {
      if (has(/^--no-d/u)) return undefined;
      const depth = has(/^(?:-[A-Za-z]*r|--recursive$)/u) ? Infinity : 1;
      return whyNotIn(folders, has(/^(?:-[A-Za-z]*q|--brief$)/u) ? 'named' : 'read', {depth, directories}, paths);
    }
    case 'ls':
    case 'dir':
    case 'vdir':
      if (!has(/^-[A-Za-z0-9]*L/u)) return undefined;
      return whyNotIn(
        folders,
        'named',
        {depth: has(/^(?:-[A-Za-z0-9]*R|--recursive$)/u) ? Infinity : 1, directories},
        paths,
      );
    default:
      return undefined;
  }
}

function whyNotIn(
  folders: readonly Argument[],
  use: 'read' | 'named',
  where: {readonly depth: number; readonly directories: readonly string[]},
  paths: PathRules,
): string | undefined {
  if (folders.length === 0) return paths.follows({text: '.', style: 'plain'}, use, where);
  return folders
    .flatMap(({value}) =>
      typeof value === 'string'
        ? ['may follow links in folders that are not known']
        : value.map(text => paths.follows(text, use, where)),
    )
    .find(reason => reason !== undefined);
}

/** To programs that show little of them, files are given as to a search. */
const asSearched = (argument: Argument): Argument =>
  typeof argument.value === 'string'
    ? argument
    : {
        ...argument,
        value: argument.value.map(text => (text.style === 'found' ? {...text, style: 'searched'} : text)),
      };

/** All files together may hold secrets; programs that show what is in files are not given those. */
function whyNotFound(name: string, given: readonly Argument[]): string | undefined {
  if (tellsLittle.has(name)) return undefined;
  const isAny = given.some(
    ({value}) =>
      typeof value !== 'string' && value.some(({text, style}) => style === 'found' && /^(?:\.\/)?\*\*$/u.test(text)),
  );
  return isAny ? 'is given files that may hold secrets' : undefined;
}

/** What depends on the folder a program runs in. */
function whyNotHere(name: string, directories: readonly string[], paths: PathRules): string | undefined {
  const chosen = chosenBy.get(name);
  const file = chosen === undefined ? undefined : paths.near(chosen, directories);
  return file === undefined ? undefined : `may run a program that \`${file}\` chooses`;
}

/** The program's name; one with a path counts as itself only in the folders of the system. */
function programOf(argument: Argument | undefined): string | undefined {
  const text = plainText(argument);
  if (text === undefined || text === '') return undefined;
  return text.replace(/^\/(?:usr\/)?bin\//u, '');
}

/** The command that a wrapper runs, where that is sure. */
function unwrapped(name: string, given: readonly Argument[]): readonly Argument[] | 'none' | 'unsure' {
  const texts = given.map(plainText);
  const [first = ''] = texts;
  switch (name) {
    case 'command':
    case 'builtin':
    case 'nice':
    case 'env':
      return /^[\w./]+$/u.test(first) && !first.includes('=') ? given : 'unsure';
    case 'time':
      return first === '-p' ? given.slice(1) : /^[\w./[:]+$/u.test(first) ? given : 'unsure';
    case 'stdbuf': {
      const options = texts.findIndex(text => text === undefined || !/^-[ioe][L0]$/u.test(text));
      return options > 0 ? given.slice(options) : 'unsure';
    }
    case 'timeout':
    case 'gtimeout':
      return /^\d+(?:\.\d+)?[smhd]?$/u.test(first) && given.length > 1 ? given.slice(1) : 'unsure';
    default:
      return 'none';
  }
}

const xargsFlags = readFlags(
  '-0 -r -t -n=number -L=number -P=number -I=text --null --no-run-if-empty --max-args=number --max-procs=number --verbose',
);

function whyNotXargs(
  given: readonly Argument[],
  {directories, input, output}: Omit<Call, 'words'>,
  paths: PathRules,
): string | undefined {
  let at = 0;
  let placeholder: string | undefined;
  for (; at < given.length; at += 1) {
    const text = plainText(given[at]);
    if (text?.startsWith('-') !== true) break;
    const attached = /^-([nLPI])(.+)$/u.exec(text);
    const rule = xargsFlags.get(attached === null ? text : `-${attached[1] ?? ''}`);
    if (rule === undefined) return `is not known to only read with \`${text}\``;
    const value = attached === null && rule.value === 'required' ? plainText(given[(at += 1)]) : attached?.[2];
    if (rule.value === 'required' && (value === undefined || value.startsWith('-')))
      return `has \`${text}\` without a value`;
    if (text.startsWith('-I')) placeholder = value;
  }
  const inner = given.slice(at);
  const name = programOf(inner[0]);
  // With no program it shows what it was given, as echo does.
  if (inner.length === 0) return undefined;
  if (name === undefined || wrappers.has(name)) return 'runs another program through `xargs`';
  const [range] = inner.map(word => word.range);
  if (range === undefined) return undefined;
  const told = input();
  const fed: Argument = {range, value: told === 'anything' ? 'opaque' : [told]};
  const words = inner.map(word => {
    const text = plainText(word);
    if (placeholder === undefined || text?.includes(placeholder) !== true) return word;
    return text === placeholder ? fed : {...word, value: 'opaque' as const};
  });
  const reason = whyNotCall(
    {words: placeholder === undefined ? [...words, fed] : words, directories, input: () => 'anything', output},
    paths,
  );
  return reason === undefined ? undefined : `runs \`${name}\`, which ${reason}`;
}

/** Programs that run others, or that move: under `xargs` they are left to the user. */
const wrappers: ReadonlySet<string> = new Set([
  'xargs',
  'env',
  'nice',
  'time',
  'timeout',
  'command',
  'builtin',
  'stdbuf',
  'cd',
  'git',
  'find',
]);

const gitFlags = readFlags(gitGlobalFlags);

function whyNotGit(
  given: readonly Argument[],
  {directories, judgePath, output}: Pick<Call, 'directories' | 'output'> & {readonly judgePath: PathJudge},
  paths: PathRules,
): string | undefined {
  let at = 0;
  let places = directories;
  for (;;) {
    const text = plainText(given[at]);
    const rule = text === undefined ? undefined : gitFlags.get(text);
    if (rule === undefined) break;
    at += 1;
    if (rule.value === 'none') continue;
    const folder = plainText(given[at]);
    if (folder === undefined || folder.startsWith('-')) return 'goes to a folder that is not known';
    const after = paths.after(folder, places);
    if (typeof after === 'string') return after;
    places = after;
    at += 1;
  }
  const expanded = expandedNames('git', {given: given.slice(at), directories}, paths);
  if (typeof expanded === 'string') return expanded;
  const reason = whyNotReadOnly('git', expanded, at === 0 ? judgePath : paths.from(places));
  return (
    reason ??
    whyNotFound('git', given) ??
    whyNotShown({name: 'git', given: expanded, directories: places, output}, paths) ??
    paths.repository(places)
  );
}
