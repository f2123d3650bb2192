import {firstLine} from '../../base/clip.ts';
import {timeAgo} from '../../base/time-ago.ts';
import {visibleLine} from '../../base/visible.ts';
import type {BlamedFile, BlamedLine} from '../../domain/blame.ts';
import {cellWidth, fit} from './cell-width.ts';
import {hardWrap} from './wrap.ts';

/** The layout of blamed lines: at most `width` cells; `pipe` cuts no code and repeats each author, for other programs. */
export interface BlameLayout {
  readonly width: number | 'pipe';
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The widest authors, in cells, and their share of the line. */
const maxAuthor = 46;
const authorShare = 0.45;

/** The cells of a column that has room for times. */
const minTimed = 24;

/** Returns each line of a file with its author before it, and one line about each author if only one line was asked for. */
export function blameText({path, lines, texts}: BlamedFile, {width, now}: BlameLayout): readonly string[] {
  const room = width === 'pipe' ? maxAuthor : Math.min(maxAuthor, Math.floor(width * authorShare));
  const authors = lines.map(line => authorText(line, room < minTimed ? 'left-out' : now));
  const wide = Math.min(room, Math.max(0, ...authors.map(cellWidth)));
  const digits = String(lines.at(-1)?.line ?? '').length;
  const [only, ...others] = lines;
  const shown = lines.map((line, at) => {
    const isRepeated = width !== 'pipe' && at > 0 && isSameAuthor(line, lines[at - 1]);
    const author = fit(isRepeated ? '' : (authors[at] ?? ''), wide);
    const padded = author + ' '.repeat(Math.max(0, wide - cellWidth(author)));
    const code = visibleLine((texts[at] ?? '').replaceAll('\t', '  '));
    const text = `${padded}  ${String(line.line).padStart(digits)}  ${code}`.trimEnd();
    return width === 'pipe' ? text : fit(text, width);
  });
  if (only === undefined || others.length > 0 || only.by !== 'agent') return shown;
  const facts = detailsOf(only).flatMap(([name, value]) =>
    wrapWords(visibleLine(value), width === 'pipe' ? Number.POSITIVE_INFINITY : width - factIndent).map(
      (text, at) => `${at === 0 ? `  ${name.padEnd(9)} ` : ' '.repeat(factIndent)}${text}`,
    ),
  );
  const place = `${visibleLine(path)}:${String(only.line)}`;
  return [...(width === 'pipe' ? [place] : wrapWords(place, width)), ...shown, ...facts];
}

/** The cells before the value of a fact. */
const factIndent = 12;

/** Wraps a text between words, and a word only if it is longer than a line. */
function wrapWords(text: string, width: number): readonly string[] {
  const lines = [''];
  for (const word of text.split(' ').flatMap(each => (cellWidth(each) > width ? hardWrap(each, width) : [each]))) {
    const longer = lines.at(-1) === '' ? word : `${lines.at(-1) ?? ''} ${word}`;
    if (cellWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Returns the lines for a screen reader: a sentence about each author, before its lines. */
export function blameSentences({lines, texts}: BlamedFile, {now}: Pick<BlameLayout, 'now'>): readonly string[] {
  return lines.flatMap((line, at) => {
    const text = `Line ${String(line.line)}: ${visibleLine(texts[at] ?? '')}`;
    if (at > 0 && isSameAuthor(line, lines[at - 1])) return [text];
    const facts = detailsOf(line).filter(([name]) => name !== 'Session' && name !== 'Time');
    const when = line.at === undefined ? '' : `, ${timeAgo(now - Date.parse(line.at))}`;
    return [
      [`By ${line.by}${when}`, ...facts.map(([name, value]) => `${name}: ${visibleLine(value)}`)].join('. '),
      text,
    ];
  });
}

const isSameAuthor = (a: BlamedLine, b: BlamedLine | undefined): boolean =>
  b !== undefined && a.by === b.by && a.session === b.session && a.prompt === b.prompt && a.call === b.call;

/** Says in a few words who wrote a line. The prompt comes last: it is cut first. */
function authorText({by, at, tool, prompt}: BlamedLine, now: number | 'left-out'): string {
  if (by !== 'agent') return by;
  const asked = prompt === undefined ? 'several prompts' : visibleLine(firstLine(prompt, 80));
  return [
    at === undefined || now === 'left-out' ? '' : timeAgo(now - Date.parse(at)).padEnd(9),
    (tool ?? 'prompt').padEnd(5),
    asked,
  ]
    .filter(part => part !== '')
    .join(' ');
}

const detailsOf = (line: BlamedLine): readonly (readonly [string, string])[] =>
  (
    [
      ['Prompt', line.prompt],
      ['Call', line.tool === undefined ? line.call : `${line.tool} ${line.call ?? ''}`],
      ['Model', line.model],
      ['Session', line.session],
      ['Time', line.at],
      ['Approval', line.approval],
      ['Check', line.receipt],
    ] as const
  ).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
