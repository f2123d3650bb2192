import {clip} from '../../base/clip.ts';
import {plainSigns, type TextPair} from './find-text.ts';

/** Lines of the old text compared with the file. */
const maxCompared = 200;

/** Characters from which on a text is unlikely to occur in a file by chance. */
const minTelling = 12;

/** Places named in a message, and lines of the first one that are quoted. */
const maxNamed = 3;
const maxQuoted = 12;

const longestQuoted = 300;

/** Lines whose letters are compared. */
const maxAlike = 5000;

/** Two lines at least this alike (0 to 1) may be meant to be the same. */
const minAlike = 0.5;

/** Whether a message may quote the file. It may not if the user would have to be asked before the model reads the file. */
export type QuotePolicy = 'quotes' | 'line-numbers-only';

/** Explains why the old text was not found, and quotes the nearest place as the file has it, so that the next try succeeds. */
export function explainMiss(text: string, {oldText, newText}: TextPair, quoting: QuotePolicy): string {
  if (isMadeAlready(text, {oldText, newText})) {
    return 'the old text is not in the file, but the new text is: the change seems to be made already.';
  }
  const fileLines = text.split('\n');
  const starts = nearestStarts(fileLines, oldText);
  const [best] = starts;
  if (best === undefined) return 'the old text was not found, nor a line of it; read the file again.';
  const others = starts.slice(1).map(start => start + 1);
  const where = `line ${best + 1}${others.length === 0 ? '' : ` (then ${others.join(', ')})`}`;
  if (quoting === 'line-numbers-only') {
    return `the old text was not found; the nearest is at ${where}: read it there and copy it exactly.`;
  }
  return [
    `the old text was not found; the nearest is at ${where}. There the file has (+) where the old text has (-):`,
    ...comparison(fileLines, {wanted: oldText.split('\n'), start: best}),
  ].join('\n');
}

function isMadeAlready(text: string, {oldText, newText}: TextPair): boolean {
  if (newText.trim().length >= minTelling) return text.includes(newText);
  const [old, fresh] = [squeeze(oldText), squeeze(newText)];
  // A short text stands in many files by chance; one much like the old one hardly does.
  const first = text.indexOf(newText);
  const isThereOnce = first >= 0 && first === text.lastIndexOf(newText);
  return fresh.length >= 4 && isThereOnce && alikeness(pairsOf(old), old, fresh) >= minAlike;
}

/** The lines at which the old text was probably meant to begin, best first: those where most of its lines match apart from white space. */
function nearestStarts(fileLines: readonly string[], oldText: string): readonly number[] {
  const oldLines = oldText.split('\n').slice(0, maxCompared);
  const wanted = new Map<string, number[]>();
  for (const [at, line] of oldLines.entries()) {
    const bare = squeeze(line);
    if (bare.length < 4) continue;
    const places = wanted.get(bare) ?? [];
    places.push(at);
    wanted.set(bare, places);
  }
  const votes = new Map<number, number>();
  for (const [at, line] of fileLines.entries()) {
    for (const place of wanted.get(squeeze(line)) ?? []) {
      if (at >= place) votes.set(at - place, (votes.get(at - place) ?? 0) + 1);
    }
  }
  const voted = [...votes]
    .toSorted(([startA, a], [startB, b]) => b - a || startA - startB)
    .slice(0, maxNamed)
    .map(([start]) => start);
  return voted.length > 0 ? voted : alikeStarts(fileLines, oldLines);
}

/** For an old text none of whose lines matches: the lines that are most similar to its longest line. */
function alikeStarts(fileLines: readonly string[], oldLines: readonly string[]): readonly number[] {
  const bare = oldLines.map(squeeze);
  const longest = bare.reduce((best, line, at) => (line.length > (bare[best]?.length ?? 0) ? at : best), 0);
  const wanted = bare[longest] ?? '';
  if (wanted.length < 4) return [];
  const parts = pairsOf(wanted);
  const found: {readonly start: number; readonly alike: number}[] = [];
  const words = wanted.split(/\W+/u).filter(word => word.length > 2);
  let compared = 0;
  for (const [at, line] of fileLines.entries()) {
    if (at < longest || line.length > 4 * longestQuoted) continue;
    if (words.length > 0 && !words.some(word => line.includes(word))) continue;
    compared += 1;
    if (compared > maxAlike) break;
    const alike = alikeness(parts, wanted, squeeze(line));
    if (alike >= minAlike) found.push({start: at - longest, alike});
  }
  return found
    .toSorted((a, b) => b.alike - a.alike || a.start - b.start)
    .slice(0, maxNamed)
    .map(({start}) => start);
}

const pairsOf = (line: string): ReadonlySet<string> =>
  new Set(Array.from({length: line.length - 1}, (_, at) => line.slice(at, at + 2)));

/** The share of neighbouring letters that two lines have in common; 1 where one line holds the other. */
function alikeness(pairs: ReadonlySet<string>, wanted: string, line: string): number {
  if (line.length < 4) return 0;
  if (line.includes(wanted)) return 1;
  let common = 0;
  const theirs = pairsOf(line);
  for (const pair of theirs) if (pairs.has(pair)) common += 1;
  return (2 * common) / (pairs.size + theirs.size);
}

/** Compares line by line: equal lines are shown once, different ones twice with the place of the difference below. */
function comparison(
  fileLines: readonly string[],
  {wanted, start}: {readonly wanted: readonly string[]; readonly start: number},
): readonly string[] {
  const shown: string[] = [];
  const lines = wanted.at(-1) === '' ? wanted.slice(0, -1) : wanted;
  for (const [at, line] of lines.entries()) {
    if (shown.length >= maxQuoted * 2) {
      shown.push('…');
      break;
    }
    const there = fileLines[start + at];
    const number = start + at + 1;
    if (there === line) shown.push(`  ${number}\t${cut(line)}`);
    else if (there === undefined) shown.push(`- (past the end)\t${cut(line)}`);
    else shown.push(`- ${number}\t${cut(line)}`, `+ ${number}\t${cut(there)}`, `  (${difference(line, there)})`);
  }
  return shown;
}

/** The first character that differs, named where it cannot be seen. */
function difference(line: string, there: string): string {
  let at = 0;
  while (at < Math.min(line.length, there.length) && line[at] === there[at]) at += 1;
  const signs = plainSigns(line) === plainSigns(there) ? ', typographic signs only' : '';
  const space = squeeze(line) === squeeze(there) ? ', white space only' : '';
  return `from column ${at + 1}: ${named(there, at)} in the file, ${named(line, at)} in the old text${signs}${space}`;
}

function named(line: string, at: number): string {
  const code = line.codePointAt(at);
  if (code === undefined) return 'the end of the line';
  if (code === 0x09) return 'a tab';
  if (code === 0x20) return 'a space';
  const sign = String.fromCodePoint(code);
  if (code >= 0xdc00 && code <= 0xdcff) return `a byte that is no text (0x${(code & 0xff).toString(16)})`;
  if (code > 0x7e || code < 0x20)
    return `U+${code.toString(16).toUpperCase().padStart(4, '0')}${code > 0xa0 ? ` ${sign}` : ''}`;
  return sign;
}

const cut = (line: string): string => clip(line, longestQuoted).toWellFormed();

/** Lines this long are compared by their start: one huge line must not cost more than many small ones. */
const squeeze = (line: string): string => line.slice(0, 2000).trim().replace(/\s+/gu, ' ');
