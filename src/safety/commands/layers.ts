import {isShell, rowOf, valuesOf, wrappingPrograms} from './known-programs.ts';
import {wordsOf} from './program-table.ts';

/** Shell keywords that come before a command. */
export const keywords: ReadonlySet<string> = new Set(
  wordsOf('! { } if then elif else while until do coproc function noglob nocorrect'),
);

export type CommandPlace = 'here' | 'elsewhere';

/** True if the program runs the command after its own options. */
export const isWrapper = (name: string): boolean => {
  const wraps = rowOf(name)?.wraps;
  return (wraps !== undefined && wraps.behind === undefined && wraps.options === undefined) || isLoader(name);
};

/** Returns the words before the command for each wrapper, with `1` for operands: `nice`, `timeout 1`, `npm exec`. */
export const wrapperBeginnings = (): readonly string[] =>
  wrappingPrograms().flatMap(name => {
    const {behind, options, operands = 0} = rowOf(name)?.wraps ?? {};
    const beginnings = behind === undefined ? [name] : wordsOf(behind).map(subcommand => `${name} ${subcommand}`);
    return options === undefined ? beginnings.map(words => words + ' 1'.repeat(operands)) : [];
  });

/** True if one operand comes before the command: `5` in `timeout 5 ls`. */
export const takesOperand = (name: string): boolean => rowOf(name)?.wraps?.operands === 1;

/** True for the dynamic loader: `/lib64/ld-linux-x86-64.so.2 /bin/rm x` runs `rm`. */
const isLoader = (name: string): boolean => /^ld(?:-linux[\w.-]*|-musl[\w.-]*|-[\d.]+)?\.so(?:\.\d+)?$/u.test(name);

/** The maximum number of starts that are tried in one command: `sudo env nice rm` has four. */
export const maxLayers = 64;

/** A command within a command: the whole command, or one that a wrapper in it may run. */
export interface Layer {
  /** The position of the command's program. */
  readonly at: number;
  /** The command's own words, the program first. */
  readonly words: readonly string[];
  /** The program's name without its path. */
  readonly program: string;
  /** Whether the command's paths lead to the same files as the first command's. */
  readonly where: CommandPlace;
}

/**
 * Returns the command, and each command that may begin after a wrapper in it. Only this function removes wrappers. If
 * it is not known whether an option takes a value, a command may begin at the next word and at the one after it.
 */
export function layers(words: readonly string[]): readonly Layer[] {
  const starts = new Map<number, CommandPlace>([[0, 'here']]);
  for (const [start, where] of starts) {
    const isElsewhere = where === 'elsewhere' || placeBehind(words, start) === 'elsewhere';
    for (const next of startsAfter(words, start)) {
      if (starts.size < maxLayers && next < words.length && !starts.has(next))
        starts.set(next, isElsewhere ? 'elsewhere' : 'here');
    }
  }
  return [...starts].map(([at, where]) => ({
    at,
    words: words.slice(at),
    program: programName(words[at] ?? ''),
    where,
  }));
}

/** Returns the positions of the layers. */
export const commandStarts = (words: readonly string[]): readonly number[] => layers(words).map(({at}) => at);

/** Returns where the wrapper at a word runs its command. Options can enter another folder: `env -C folder`. */
function placeBehind(words: readonly string[], at: number): CommandPlace {
  const where = rowOf(programName(words[at] ?? ''))?.wraps?.where ?? 'here';
  const changesFolder = /^(?:-[CD]|--(?:chdir|cwd|chroot|root|directory|working-directory|prefix)(?:=|$))/u;
  const end = words.findIndex((word, index) => index > at && !word.startsWith('-'));
  return words.slice(at + 1, end < 0 ? words.length : end).some(word => changesFolder.test(word)) ? 'elsewhere' : where;
}

/** Returns the start of the innermost command if a rule may leave its arguments open, or `undefined` if it may not. */
export function innerCommand(words: readonly string[]): number | undefined {
  const starts = new Set([0]);
  for (const start of starts) {
    for (const next of startsAfter(words, start, 'here')) {
      const wraps = rowOf(programName(words[start] ?? ''))?.wraps;
      if (wraps === undefined || wraps.rule === 'exact') return undefined;
      if (next < words.length) starts.add(next);
    }
  }
  return Math.max(...starts);
}

/**
 * Returns the wrapper that may run a word at or after `at`: `sudo`, `npm exec`. Returns `undefined` if all words that name
 * programs come before. Programs that options of git and find run do not count, nor do programs on the machine that `ssh` names.
 */
export function wrapperOpenAt(words: readonly string[], at: number): string | undefined {
  const starts = new Set([0]);
  for (const start of starts) {
    const next = startsAfter(words, start, 'here');
    if (next.some(each => each >= at && each < words.length)) {
      const name = programName(words[start] ?? '');
      const subcommands = wordsOf(rowOf(name)?.wraps?.behind);
      return [name, ...words.slice(start + 1).filter(word => subcommands.includes(word))].slice(0, 2).join(' ');
    }
    for (const each of next) if (starts.size < maxLayers) starts.add(each);
  }
  return undefined;
}

/** Returns the program that a word calls if its expansions are empty: `/bin/rm`, `"$BIN"/rm` and `rm$X` are `rm`. */
export function programName(word: string): string {
  const fixed = word.replaceAll(/\$(?:\(\)|\{[^{}]*\}|\w+|[@*#?!$-])/gu, '');
  return fixed.slice(fixed.lastIndexOf('/') + 1);
}

/** Returns where the wrapped command may begin. If it is not known whether an option takes a value, both positions count. */
function startsAfter(words: readonly string[], at: number, place: 'anywhere' | 'here' = 'anywhere'): readonly number[] {
  const plain = words[at] ?? '';
  if (isAssignment(plain)) return [skipAssignments(words, at)];
  const name = programName(plain);
  // After a word that may be empty, the next one may be the command.
  if (name === '' || keywords.has(name)) return [at + 1];
  // `command -v` only prints what a name means.
  if (name === 'command' && /^-[vV]$/u.test(words[at + 1] ?? '')) return [];
  const wraps = rowOf(name)?.wraps;
  if (wraps === undefined) return isLoader(name) ? afterOptions(words, at + 1, {}) : [];
  const {behind, options, where, operands = 0} = wraps;
  if (options !== undefined) return place === 'here' ? [] : afterEach(words, at + 1, options);
  const own = place === 'here' && where === 'elsewhere' ? 0 : operands;
  const from = behind === undefined ? [at + 1] : afterEach(words, at + 1, behind);
  return from.flatMap(each => afterOptions(words, each, {operands: own, flags: wraps.flags}));
}

/** Returns the scripts that the command at `at` passes to a shell: `bash -c "…"`, `eval …`. */
export function shellTextsFrom(words: readonly string[], at: number): readonly string[] {
  const rest = words.slice(at + 1);
  const name = programName(words[at] ?? '');
  if (isShell(name)) {
    return rest.some(takesText)
      ? rest.map(word => (word.startsWith('-') ? word.replace(/^(?:--command=?|-[A-Za-z]*c)/u, '') : word))
      : [];
  }
  if (name === 'env') {
    const splits = rest.some(word => /^(?:-\w*S|--s|\$)/u.test(word));
    return splits ? rest.map(word => word.replace(/^(?:-S|--split-string=?)/u, '')).filter(hasSpace) : [];
  }
  if (name === 'trap') return rest.slice(0, 1);
  const row = rowOf(name);
  if (row?.scripts !== undefined) return valuesOf(rest, row, row.scripts);
  if (name === 'git') {
    return rest.flatMap((word, index) => {
      const before = rest[index - 1] ?? '';
      if (/^(?:foreach|-x|--exec)$/u.test(before)) return [word];
      if (word.startsWith('--exec=')) return [word.slice(7)];
      // An alias that begins with `!` is a shell command.
      const [, alias] = before === '-c' ? (/^alias\.[^=]*=\s*!([\s\S]*)$/iu.exec(word) ?? []) : [];
      return alias === undefined ? [] : [alias];
    });
  }
  if (/^(?:hyperfine|tmux|concurrently|cross-env-shell)$/u.test(name)) return rest.filter(hasSpace);
  return name === 'eval' || name === 'watch' || name === 'parallel' || name === 'ssh' ? [rest.join(' ')] : [];
}

/** Returns the file whose commands a shell call runs: `bash -e a.sh`, `. a.sh`. `undefined` for other programs. */
export const scriptFileOf = ([program = '', ...words]: readonly string[]): readonly string[] | undefined =>
  isShell(programName(program)) || /^(?:source|\.)$/u.test(program)
    ? words.filter(word => !/^[-+]/u.test(word)).slice(0, 1)
    : undefined;

/**
 * Returns the values of the matching options: the next word, the text after `=`, or, for a single letter, the text directly after
 * it.
 */
export const optionValues = (args: readonly string[], option: RegExp): readonly string[] =>
  args.flatMap((word, at) => {
    if (option.test(word)) return args.slice(at + 1, at + 2);
    const [, name = '', value = ''] = /^(--[^=]+)=([\s\S]*)$/u.exec(word) ?? /^(-[A-Za-z])([\s\S]+)$/u.exec(word) ?? [];
    return name !== '' && option.test(name) ? [value] : [];
  });

/** True if a word before a command sets a variable: `A=b`, `A+=b`, `A[1]=b`. */
export const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/u.test(word);

const takesText = (word: string): boolean => /^(?:--command|-[A-Za-z]*c)/u.test(word);

const hasSpace = (word: string): boolean => /\s/u.test(word);

function skipAssignments(words: readonly string[], from: number): number {
  const end = words.findIndex((word, at) => at > from && !isAssignment(word));
  return end < 0 ? words.length : end;
}

/** Returns the positions after each of the listed words. */
function afterEach(words: readonly string[], from: number, listed: string): readonly number[] {
  const wanted = wordsOf(listed);
  return words.flatMap((word, at) => (at >= from && wanted.includes(word) ? [at + 1] : []));
}

function afterOptions(
  words: readonly string[],
  from: number,
  {operands = 0, flags}: {readonly operands?: number; readonly flags?: string | undefined},
): readonly number[] {
  const withoutValue = wordsOf(flags);
  const starts: number[] = [];
  let left = operands;
  let value: 'possible' | 'no' = 'no';
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (/^-./u.test(word)) {
      value = word === '--' || word.includes('=') || withoutValue.includes(word) ? 'no' : 'possible';
      continue;
    }
    if (isAssignment(word)) continue;
    starts.push(at);
    if (value === 'no' && left === 0) break;
    if (value === 'no') left -= 1;
    value = 'no';
  }
  return starts;
}
