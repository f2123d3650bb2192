import type {PermissionRule} from './rules.ts';
import {isAbsolutePath} from './path-parts.ts';
import {realParts, writtenParts, type Ground} from './ground.ts';
import {isHarmlessSed} from './programs/sed-script.ts';
import {actingFlags, type ActingFlags} from './programs/flags-that-act.ts';
import {protectedPart} from './protected-paths.ts';
import {looksSecret} from './secret-paths.ts';

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
  const [program = '', ...given] = words;
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (/^g?sed$/u.test(name)) return hasSedCommand(given, spelled);
  return rowsFor(name, given).some(row =>
    flagsIn(given, row).some(
      ({flag, word, act, value}) =>
        !spelled.has(flag) && !spelled.has(word) && (act === 'runs' || !isOrdinary(value, act, where)),
    ),
  );
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
    const [, attached] = /^(?:-[A-Za-z]*e|--expression=)([\s\S]+)$/u.exec(word) ?? [];
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
const sedActs = /(?:^|[;{}\n\d$!/|#,@]\s*)[gpiIM\d]*(?:[wW]|e(?=$|[\s;}]))/u;

/** The rows of a program and of its sub-command. */
function rowsFor(name: string, given: readonly string[]): readonly ActingFlags[] {
  const subcommand = given.find(word => !word.startsWith('-'));
  return [...(rows.get(name) ?? []), ...(subcommand === undefined ? [] : (rows.get(`${name} ${subcommand}`) ?? []))];
}

const rows = new Map<string, ActingFlags[]>();
for (const each of actingFlags) {
  for (const name of each.names.split(', ')) rows.set(name, [...(rows.get(name) ?? []), each]);
}
