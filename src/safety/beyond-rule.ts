import type {PermissionRule} from './rules.ts';
import {isAbsolutePath} from './path-parts.ts';
import {realParts, writtenParts, type Ground} from './ground.ts';
import {isHarmlessAwk} from './programs/awk-script.ts';
import {isHarmlessSed} from './programs/sed-script.ts';
import {actingFlags, type ActingFlags} from './programs/flags-that-act.ts';
import {protectedPart} from './protected-paths.ts';
import {looksSecret} from './secret-paths.ts';
import {startsIn} from './wrappers.ts';

/**
 * Whether a simple command goes beyond what the rule that covers its words was written for: by an option that the rule does not
 * spell out it runs another program, loads code from outside of the workspace, or writes a file there or one that is protected.
 * Writing an ordinary file of the workspace is what commands do that rules allow.
 */
export function goesBeyondRule(
  words: readonly string[],
  {about}: PermissionRule,
  where: {readonly directories: readonly string[]; readonly ground: Ground},
): boolean {
  const spelled = new Set(about.kind === 'commands' ? about.pattern.text.replaceAll(/["'\\]/gu, '').split(/\s+/u) : []);
  return commandsIn(words).some(([program = '', ...given]) => {
    const name = program.slice(program.lastIndexOf('/') + 1).replace(/@[\w.^~-]+$/u, '');
    if (/^g?sed$/u.test(name)) return hasSedCommand(given, spelled);
    if (/^[gmn]?awk$/u.test(name) && hasAwkCommand(given, spelled, where)) return true;
    if (databases.test(name) && given.some(word => !spelled.has(word) && leavesDatabase.test(word))) return true;
    return rowsFor(name, given).some(row =>
      flagsIn(given, row).some(
        ({flag, word, act, value}) =>
          !spelled.has(flag) && !spelled.has(word) && (act === 'runs' || !isOrdinary(value, act, where)),
      ),
    );
  });
}

/** The command, and what it runs where it leads up to another one: `npx eslint`, `timeout 5 pytest`, `python -m pytest`. */
function commandsIn(words: readonly string[]): readonly (readonly string[])[] {
  const [program = '', ...given] = words;
  const name = program.slice(program.lastIndexOf('/') + 1);
  const starts = startsIn(words.map(plain => ({raw: plain, plain}))).filter(at => at > 0);
  const first = Math.min(...starts, words.length);
  // What follows the name of a package is for that alone.
  const own = /^(?:npx|pnpx|bunx)$/u.test(name) ? words.slice(0, first) : words;
  const module = /^python[\d.]*$/u.test(name) ? given.indexOf('-m') : -1;
  const script = /^(?:yarn|pnpm|bun)$/u.test(name)
    ? given.findIndex(word => !/^(?:-.*|run|exec|x|dlx)$/u.test(word))
    : -1;
  return [
    own,
    ...starts.map(at => words.slice(at)),
    ...(module < 0 ? [] : [given.slice(module + 1)]),
    ...(script < 0 ? [] : [given.slice(script)]),
  ];
}

/** Files that a simple command writes by its options. */
export function filesWritten([program = '', ...given]: readonly string[]): readonly string[] {
  const name = program.slice(program.lastIndexOf('/') + 1);
  return rowsFor(name, given).flatMap(row =>
    flagsIn(given, row).flatMap(({act, value}) => (act === 'writes' && value !== undefined ? [value] : [])),
  );
}

interface FoundFlag {
  readonly flag: string;
  readonly word: string;
  readonly act: 'runs' | 'writes' | 'loads';
  readonly value: string | undefined;
}

function flagsIn(given: readonly string[], row: ActingFlags): readonly FoundFlag[] {
  const end = row.doubleDash === 'ends' ? given.indexOf('--') : -1;
  const words = end < 0 ? given : given.slice(0, end);
  const found = words.flatMap((word, at) =>
    acts.flatMap(act => {
      const read = readFlag(word, row, row[act].split(' '));
      return read === undefined ? [] : [{...read, word, act, value: read.value ?? words[at + 1]}];
    }),
  );
  if (row.writtenOperand === 'none') return found;
  const operands = words.filter(
    (word, at) => !/^-./u.test(word) && !row.valued.split(' ').includes(words[at - 1] ?? ''),
  );
  const [, written] = operands;
  return written === undefined ? found : [...found, {flag: written, word: written, act: 'writes', value: written}];
}

const acts = ['runs', 'writes', 'loads'] as const;

/** The option in a word, one of `flags`: by itself, with `=` and a value, or, a letter, among others in one word. */
function readFlag(
  word: string,
  {long, valued}: ActingFlags,
  flags: readonly string[],
): {readonly flag: string; readonly value: string | undefined} | undefined {
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  const behind = equals < 0 ? undefined : word.slice(equals + 1);
  const whole = flags.find(flag => {
    if (flag === '') return false;
    if (flag.includes('*')) return asPattern(flag).test(word);
    if (flag.endsWith('=')) return equals >= 0 && `${name.replace(/[:+?!]$/u, '')}=` === flag;
    // Shorter beginnings are those of many options.
    const isShort = long === 'abbreviated' && name.length > 4 && name.startsWith('--') && !ordinary.has(name);
    return name === flag || (isShort && flag.startsWith(name));
  });
  if (whole !== undefined) return {flag: name, value: behind};
  if (!/^-[A-Za-z]/u.test(word)) return undefined;
  for (let at = 1; at < word.length; at += 1) {
    const letter = `-${word.charAt(at)}`;
    const value = word.slice(at + 1);
    if (flags.includes(letter)) return {flag: letter, value: value === '' ? undefined : value};
    if (valued.split(' ').includes(letter)) return undefined;
  }
  return undefined;
}

/** Options of their own that others begin with. */
const ordinary: ReadonlySet<string> = new Set(['--text', '--cache', '--check', '--work', '--dir', '--call']);

const asPattern = (flag: string): RegExp =>
  new RegExp(`^${flag.replaceAll(/[.+?^${}()|[\]\\]/gu, String.raw`\$&`).replaceAll('*', '.*')}$`, 'u');

function isOrdinary(
  value: string | undefined,
  act: 'writes' | 'loads',
  {directories, ground}: {readonly directories: readonly string[]; readonly ground: Ground},
): boolean {
  if (value === undefined || value === '' || value === '-' || /^\/dev\/(?:null|stdout|stderr)$/u.test(value))
    return true;
  if (directories.length === 0 || /^~(?!\/|$)|[$`]/u.test(value)) return false;
  return directories.every(directory => {
    const path = isAbsolutePath(value) || value.startsWith('~') ? value : `${directory}/${value}`;
    const {place} = ground.resolve(path);
    if (place === 'outside-workspace') return false;
    if (act === 'loads') return true;
    return [realParts(path, ground), writtenParts(path, ground)].every(
      parts => protectedPart(parts, ground) === undefined && !looksSecret(parts.join('/')),
    );
  });
}

/** Scripts of sed may run commands and write files; a script from a file may be anything. */
function hasSedCommand(given: readonly string[], spelled: ReadonlySet<string>): boolean {
  const scripts: string[] = [];
  let operands = 0;
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? '';
    const [, attached] = /^(?:-[A-Za-df-z]*e|--expression=)([\s\S]+)$/u.exec(word) ?? [];
    if (/^(?:-[A-Za-z]*f|--file)/u.test(word) && !spelled.has(word)) return true;
    if (attached !== undefined) scripts.push(attached);
    else if (/^-[A-Za-z]*e$|^--expression$/u.test(word)) {
      at += 1;
      scripts.push(given[at] ?? '');
    } else if (!word.startsWith('-') || word === '-') {
      if (operands === 0 && scripts.length === 0) scripts.push(word);
      operands += 1;
    }
  }
  return scripts.some(script => !spelled.has(script) && !isHarmlessSed(script) && sedActs.test(script));
}

/** Where a command `e` or `w` may stand, or a flag of that name. */
const sedActs =
  /(?:^|[;{}\n\d$!/|#,@]\s*)[gpiIM\d]*(?:[wW]|e(?=$|[\s;}]))|(?:^|[;{}\n])\s*(?:[\d,$]+|\/[^/]*\/)\s*!?\s*e/u;

/** Scripts of awk may run commands, load code and write files. */
function hasAwkCommand(
  given: readonly string[],
  spelled: ReadonlySet<string>,
  where: {readonly directories: readonly string[]; readonly ground: Ground},
): boolean {
  const scripts: string[] = [];
  let isFromFile = false;
  for (let at = 0; at < given.length; at += 1) {
    const word = given[at] ?? '';
    if (/^(?:-[il]|--include|--load)/u.test(word)) return !spelled.has(word);
    if (/^(?:-[Fv]|--field-separator|--assign)$/u.test(word)) at += 1;
    else if (/^(?:-f|--file)/u.test(word)) {
      isFromFile = true;
      const value = /^(?:-f|--file=)(.+)$/u.exec(word)?.[1] ?? given[(at += 1)];
      if (!isOrdinary(value, 'loads', where)) return true;
    } else if (/^(?:-e|--source)/u.test(word))
      scripts.push(/^(?:-e|--source=)(.+)$/su.exec(word)?.[1] ?? given[(at += 1)] ?? '');
    else if (!word.startsWith('-')) {
      if (!isFromFile && scripts.length === 0) scripts.push(word);
      break;
    }
  }
  return scripts.some(script => {
    if (spelled.has(script) || isHarmlessAwk(script)) return false;
    if (/\bsystem\b|\bgetline\b|@|(?<!\|)\|(?!\|)/u.test(script)) return true;
    return [...script.matchAll(/\bprintf?\b[^;}\n]*?>{1,2}\s*(?:"([^"\\]*)")?/gu)].some(
      ([, file]) => file === undefined || !isOrdinary(file, 'writes', where),
    );
  });
}

const databases = /^(?:psql|mysql|mariadb|sqlite3|duckdb)$/u;

/** What in a query, or in a command of the program's own, runs something or writes a file. */
const leavesDatabase =
  /\\[!ow]|\\copy\b|^\s*\.(?:shell|system|sh|load|output|once|backup|save|log|excel|read)\b|\b(?:writefile|load_extension|readfile|edit)\s*\(|\binto\s+(?:out|dump)file\b|\b(?:to|from)\s+program\b|^\s*system\b/iu;

/** The rows of a program and of its sub-command. */
function rowsFor(name: string, given: readonly string[]): readonly ActingFlags[] {
  const subcommand = given.find(word => !word.startsWith('-'));
  return [...(rows.get(name) ?? []), ...(subcommand === undefined ? [] : (rows.get(`${name} ${subcommand}`) ?? []))];
}

const rows = new Map<string, ActingFlags[]>();
for (const each of actingFlags) {
  for (const name of each.names.split(', ')) rows.set(name, [...(rows.get(name) ?? []), each]);
}
