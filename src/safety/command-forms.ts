import {oneSpaced} from './one-spaced.ts';
import {readShell, type ShellWord} from './read-shell.ts';
import {mostStarts, programName, startsIn, textsFrom} from './wrappers.ts';

/** What a rule that asks or denies is held against: the command, every part of it, and each without what wraps it. */
export interface CommandForms {
  /** One space between words, no doubles. */
  readonly forms: readonly string[];
  /**
   * Those of them that are run, where that can be told: without the lines of a here-document and what else is only text.
   * All of `forms` where it cannot.
   */
  readonly run: () => readonly string[];
  /** Every word in it without quotes, as far as it can be told: what may be the name of a file among them. */
  readonly words: ReadonlySet<string>;
  /** The words after `>` and its like, in the same way. */
  readonly redirected: ReadonlySet<string>;
  /** `partial`: too tangled to be read to the end. */
  readonly extent: 'whole' | 'partial';
}

/** What texts inside texts (`bash -c "…"`) may amount to, in characters; it bounds the time. */
const innerAllowance = (command: string): number => 8 * command.length + 10_000;

/**
 * The forms of a command. Read in every way it is read three times, whole, line by line and cut at every sign that divides
 * commands, quoted or not: whichever reading the shell takes, its commands are among them. `as it stands` is for a text whose
 * commands are surely those of the plain reading; what it hands to a shell is read in every way all the same.
 */
export function commandForms(command: string, reading: 'in every way' | 'as it stands' = 'in every way'): CommandForms {
  const forms = new Set<string>();
  const named = new Set<string>();
  const redirected = new Set<string>();
  // The three readings, and long chains, have many commands more than once.
  const known = new Set<string>();
  const texts = new Set([command]);
  let allowance = innerAllowance(command);
  let extent: CommandForms['extent'] = 'whole';
  // What a text hands to a shell is appended while the loop runs.
  for (const text of texts) {
    for (const piece of reading === 'as it stands' && text === command ? [text] : piecesOf(text)) {
      forms.add(oneSpaced(piece));
      const read = readShell(piece);
      if (read.extent === 'partial') extent = 'partial';
      for (const {plain} of read.redirected) redirected.add(plain);
      for (const words of read.commands) {
        const written = words.length === 1 ? (words[0]?.raw ?? '') : words.map(({raw}) => raw).join('\0');
        if (known.has(written)) continue;
        known.add(written);
        for (const {plain} of words) named.add(plain);
        const starts = startsIn(words);
        if (starts.length >= mostStarts) extent = 'partial';
        for (const form of formsOf(words, starts)) forms.add(form);
        for (const inner of starts.flatMap(at => textsFrom(words, at))) {
          if (texts.has(inner)) continue;
          allowance -= inner.length;
          if (allowance < 0) extent = 'partial';
          else texts.add(inner);
        }
      }
    }
  }
  const read = [...forms];
  return {forms: read, run: () => read, words: named, redirected, extent};
}

const piecesOf = (text: string): ReadonlySet<string> =>
  new Set([text, ...text.split('\n'), ...text.split(/[;&|\n(){}`]/u)]);

/** From each start to the end: as written, without quotes, and with the program's bare name. */
function formsOf(words: readonly ShellWord[], starts: readonly number[]): readonly string[] {
  const written = tails(words.map(({raw}) => oneSpaced(raw)));
  const plain = tails(words.map(word => oneSpaced(word.plain)));
  return starts.flatMap(at => {
    const program = words[at]?.plain ?? '';
    const name = programName(program);
    const bare = name === program ? [] : [oneSpaced(`${name} ${plain(at + 1)}`)];
    const direct = subcommandStarts(words, at).map(from => oneSpaced(`${name} ${plain(from)}`));
    return [written(at), plain(at), ...bare, ...direct];
  });
}

/** Where the words go on after the options of the program itself: at `push` in `git -C x push`. */
function subcommandStarts(words: readonly ShellWord[], at: number): readonly number[] {
  const starts = new Set<number>();
  let from = at + 1;
  while (from < words.length && from - at < mostStarts && /^-./u.test(words[from]?.plain ?? '')) {
    // Whether an option takes a value is not known: both count.
    starts.add(from + 1).add(from + 2);
    const isValue = !/^-./u.test(words[from + 1]?.plain ?? '-') && /^-./u.test(words[from + 2]?.plain ?? '');
    from += isValue ? 2 : 1;
  }
  return [...starts].filter(start => start < words.length && !/^-./u.test(words[start]?.plain ?? ''));
}

/** The words from one on, joined; the whole is joined only once. */
function tails(words: readonly string[]): (from: number) => string {
  const joined = words.join(' ');
  let length = 0;
  const offsets = words.map(word => {
    const offset = length;
    length += word.length + 1;
    return offset;
  });
  return from => joined.slice(offsets[from] ?? joined.length);
}
