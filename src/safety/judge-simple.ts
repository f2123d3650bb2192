import type {PathRules} from './judge-path.ts';
import {gitGlobalFlags} from './programs/git.ts';
import {plainText, whyNotReadOnly, type PathJudge} from './programs/judge-program.ts';
import {whyNotSpecial} from './programs/special-programs.ts';
import {readFlags} from './programs/flags.ts';
import {tellsLittle} from './programs/names-of-files.ts';
import {chosenBy} from './programs/toolchains.ts';
import type {Argument, Printed} from './shell/argument.ts';

/** One program and what it is called with, where it runs, and what comes to it through a pipe. */
export interface Call {
  readonly words: readonly Argument[];
  readonly directories: readonly string[];
  /** What comes to it. */
  readonly input: () => Printed;
}

/** Why a call is not known to only read; `undefined` when it is. The reason goes on after the command: "`rm a` deletes files". */
export function whyNotCall({words, directories, input}: Call, paths: PathRules): string | undefined {
  const judgePath = paths.from(directories);
  let rest = words;
  // Each step takes a wrapper off; what is left is shorter.
  for (;;) {
    const name = programOf(rest[0]);
    if (name === undefined) return 'runs a program that is only known when it runs';
    const given = rest.slice(1);
    if (name === 'command' && /^-[vV]$/u.test(plainText(given[0]) ?? ''))
      return whyNotReadOnly('which', given.slice(1), judgePath);
    if (name === 'xargs') return whyNotXargs(given, {directories, input}, paths);
    if (name === 'git') return whyNotGit(given, {directories, judgePath}, paths);
    const inner = unwrapped(name, given);
    if (inner === 'unsure') return `runs another program through \`${name}\``;
    if (inner === 'none') {
      const taken = tellsLittle.has(name) ? given.map(asSearched) : given;
      const special = whyNotSpecial(name, taken, judgePath);
      const reason = special === 'none' ? whyNotReadOnly(name, taken, judgePath) : special.reason;
      return reason ?? whyNotFound(name, given) ?? whyNotHere({name, given, directories}, paths);
    }
    rest = inner;
  }
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
function whyNotHere(
  {name, given, directories}: {readonly name: string; readonly given: readonly Argument[]} & Pick<Call, 'directories'>,
  paths: PathRules,
): string | undefined {
  const chosen = chosenBy.get(name);
  const file = chosen === undefined ? undefined : paths.near(chosen, directories);
  if (file !== undefined) return `may run a program that \`${file}\` chooses`;
  const texts = given.map(each => plainText(each) ?? '');
  if (name !== 'diff' || !texts.some(text => /^(?:-[A-Za-z]*r|--recursive$)/u.test(text))) return undefined;
  // It follows links.
  const tells = texts.some(text => /^(?:-[A-Za-z]*q[A-Za-z]*|--brief)$/u.test(text)) ? 'named' : 'read';
  return paths.from(directories)({text: '*', style: 'found'}, tells);
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
  {directories, input}: Omit<Call, 'words'>,
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
    {words: placeholder === undefined ? [...words, fed] : words, directories, input: () => 'anything'},
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
  {directories, judgePath}: {readonly directories: readonly string[]; readonly judgePath: PathJudge},
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
  const reason = whyNotReadOnly('git', given.slice(at), at === 0 ? judgePath : paths.from(places));
  return reason ?? whyNotFound('git', given) ?? paths.repository(places);
}
