/** A file or folder that a prompt names with `@`: `@src/a.ts`, `@src/a.ts:10-20`, `@"my file.txt"`, `@my\ file.txt`. */
export interface Mention {
  /** Where it stands in the prompt, from its `@` on; half open, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
  /**
   * What it may mean, the likeliest first: a path can end in what looks like a range of lines, and a sentence can go on right
   * behind a path.
   */
  readonly readings: readonly MentionReading[];
}

export interface MentionReading {
  readonly path: string;
  readonly lines: MentionLines;
}

/** 1-based, both ends included; `end` is the last line of the file. */
export type MentionLines = 'all' | {readonly first: number; readonly last: number | 'end'};

/** Longest path that is taken for one. */
const longestPath = 1000;

/** The mentions of a prompt, in order. Only at the start of a word is `@` one, so that addresses are none. */
export function mentionsIn(text: string): readonly Mention[] {
  const mentions: Mention[] = [];
  for (const match of text.matchAll(written)) {
    const [whole, quoted, quotedLines = '', bare = ''] = match;
    const from = match.index;
    if (!isWordStart(text, from) || whole.length > longestPath) continue;
    const readings = quoted === undefined ? readingsOf(bare) : [{path: quoted, lines: linesOf(quotedLines) ?? 'all'}];
    if (readings.length > 0) mentions.push({from, to: from + whole.length, readings});
  }
  return mentions;
}

const written =
  /@(?:"([^"\n]+)"((?::\d+(?:-\d*)?|#L\d+(?:-L?\d+)?)?)|((?:\\[^\n]|[^\s@"'`\\])(?:\\[^\n]|[^\s"'`\\])*))/gu;

/** Whether a mention can begin here: at the start, behind white space or an opening bracket or quote. */
export const isWordStart = (text: string, at: number): boolean =>
  at === 0 || /[\s([{<"'`,;=:]/u.test(text[at - 1] ?? '');

function readingsOf(bare: string): readonly MentionReading[] {
  const readings: MentionReading[] = [];
  const ended = bare.replace(/(?:[.,;:!?)\]}>…]|\*\*)+$/u, '');
  for (const text of ended === bare || ended === '' ? [bare] : [bare, ended]) {
    const range = lineEnding.exec(text);
    const lines = range === null ? undefined : linesOf(range[0]);
    if (lines !== undefined) readings.push({path: unescaped(text.slice(0, -(range?.[0].length ?? 0))), lines});
    readings.push({path: unescaped(text), lines: 'all'});
  }
  return readings.filter(({path}) => path !== '');
}

const lineEnding = /(?::\d+(?:-\d*)?|#L\d+(?:-L?\d+)?)$/u;

const unescaped = (text: string): string => text.replaceAll(/\\([ \t()[\]{}'"&;@#\\])/gu, '$1');

/** `:10`, `:10-`, `:10-20`, `#L10`, `#L10-L20`; `undefined` for what is no range. */
function linesOf(text: string): MentionLines | undefined {
  const match = /^(?::|#L)(\d{1,9})(?:(-)L?(\d{0,9}))?$/u.exec(text);
  if (match === null) return undefined;
  const first = Math.max(1, Number(match[1]));
  if (match[2] === undefined) return {first, last: first};
  return match[3] === undefined || match[3] === ''
    ? {first, last: 'end'}
    : {first: Math.min(first, Math.max(1, Number(match[3]))), last: Math.max(first, Number(match[3]))};
}

/** A path as a mention is written: in quotes where it has blanks or other signs that would end it. */
export const mentionOf = (path: string): string =>
  /[\s"'`\\]|[.,;:!?)\]}>…]$|^@|:\d+(?:-\d*)?$|#L/u.test(path) && !path.includes('"')
    ? `@"${path}"`
    : `@${path.replaceAll(/([ \t"'\\])/gu, '\\$1')}`;
