import {clip} from '../../base/clip.ts';
import {toAsciiPunctuation, type TextPair} from './find-text.ts';

/** The maximum number of lines of the old text to compare with the file. */
const maxCompared = 200;

/** The length, in characters, from which a text is unlikely to occur in a file by chance. */
const minDistinctive = 12;

/** The maximum number of locations in a message, the maximum number of quoted lines of the first one, and the longest quoted line. */
const maxNamed = 3;
const maxQuoted = 12;

const maxQuotedLine = 300;

/** The maximum number of lines to compare letter by letter. */
const maxLinesCompared = 5000;

/** The minimum similarity (0 to 1) at which two lines are probably the same line. */
const minSimilarity = 0.5;

/** Whether a message may quote the file. It may not if the user would have to approve the read first. */
export type QuotePolicy = 'quotes' | 'line-numbers-only';

/** Explains why the old text was not found, and quotes the nearest text in the file so that the next try succeeds. */
export function explainMiss(text: string, {oldText, newText}: TextPair, quoting: QuotePolicy): string {
  if (isAlreadyApplied(text, {oldText, newText})) {
    return 'the old text is not in the file, but the new text is: the change seems to be already made.';
  }
  const fileLines = text.split('\n');
  const starts = nearestStarts(fileLines, oldText);
  const [best] = starts;
  if (best === undefined) return 'the old text was not found, not even one line of it; read the file again.';
  const others = starts.slice(1).map(start => start + 1);
  const where = `line ${best + 1}${others.length === 0 ? '' : ` (then ${others.join(', ')})`}`;
  if (quoting === 'line-numbers-only') {
    return `the old text was not found; the nearest is at ${where}: read it there and copy it exactly.`;
  }
  return [
    `the old text was not found; the nearest is at ${where}. Old text (-) and file (+) differ there:`,
    ...compareLines(fileLines, {wanted: oldText.split('\n'), start: best}),
  ].join('\n');
}

function isAlreadyApplied(text: string, {oldText, newText}: TextPair): boolean {
  if (newText.trim().length >= minDistinctive) return text.includes(newText);
  const [old, fresh] = [collapseSpace(oldText), collapseSpace(newText)];
  // A short text occurs in many files by chance, but one that resembles the old text rarely does.
  const first = text.indexOf(newText);
  const isThereOnce = first >= 0 && first === text.lastIndexOf(newText);
  return fresh.length >= 4 && isThereOnce && similarity(bigramsOf(old), old, fresh) >= minSimilarity;
}

/** Returns the lines where the old text was probably meant to begin, best first: most of its lines match there apart from white space. */
function nearestStarts(fileLines: readonly string[], oldText: string): readonly number[] {
  const oldLines = oldText.split('\n').slice(0, maxCompared);
  const wanted = new Map<string, number[]>();
  for (const [at, line] of oldLines.entries()) {
    const bare = collapseSpace(line);
    if (bare.length < 4) continue;
    const offsets = wanted.get(bare) ?? [];
    offsets.push(at);
    wanted.set(bare, offsets);
  }
  const votes = new Map<number, number>();
  for (const [at, line] of fileLines.entries()) {
    for (const offset of wanted.get(collapseSpace(line)) ?? []) {
      if (at >= offset) votes.set(at - offset, (votes.get(at - offset) ?? 0) + 1);
    }
  }
  const voted = [...votes]
    .toSorted(([startA, a], [startB, b]) => b - a || startA - startB)
    .slice(0, maxNamed)
    .map(([start]) => start);
  return voted.length > 0 ? voted : similarStarts(fileLines, oldLines);
}

/** Returns the lines most similar to the old text's longest line, for an old text with no matching line. */
function similarStarts(fileLines: readonly string[], oldLines: readonly string[]): readonly number[] {
  const bare = oldLines.map(collapseSpace);
  const longest = bare.reduce((best, line, at) => (line.length > (bare[best]?.length ?? 0) ? at : best), 0);
  const wanted = bare[longest] ?? '';
  if (wanted.length < 4) return [];
  const parts = bigramsOf(wanted);
  const found: {readonly start: number; readonly alike: number}[] = [];
  const words = wanted.split(/\W+/u).filter(word => word.length > 2);
  let compared = 0;
  for (const [at, line] of fileLines.entries()) {
    if (at < longest || line.length > 4 * maxQuotedLine) continue;
    if (words.length > 0 && !words.some(word => line.includes(word))) continue;
    compared += 1;
    if (compared > maxLinesCompared) break;
    const alike = similarity(parts, wanted, collapseSpace(line));
    if (alike >= minSimilarity) found.push({start: at - longest, alike});
  }
  return found
    .toSorted((a, b) => b.alike - a.alike || a.start - b.start)
    .slice(0, maxNamed)
    .map(({start}) => start);
}

const bigramsOf = (line: string): ReadonlySet<string> =>
  new Set(Array.from({length: line.length - 1}, (_, at) => line.slice(at, at + 2)));

/** The share of letter pairs that two lines have in common; 1 if the line contains the wanted one. */
function similarity(pairs: ReadonlySet<string>, wanted: string, line: string): number {
  if (line.length < 4) return 0;
  if (line.includes(wanted)) return 1;
  let common = 0;
  const theirs = bigramsOf(line);
  for (const pair of theirs) if (pairs.has(pair)) common += 1;
  return (2 * common) / (pairs.size + theirs.size);
}

/** Compares line by line. Equal lines appear once, different ones twice with the difference below. */
function compareLines(
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
    if (there === line) shown.push(`  ${number}\t${truncateLine(line)}`);
    else if (there === undefined) shown.push(`- (past the end)\t${truncateLine(line)}`);
    else
      shown.push(
        `- ${number}\t${truncateLine(line)}`,
        `+ ${number}\t${truncateLine(there)}`,
        `  (${describeDifference(line, there)})`,
      );
  }
  return shown;
}

/** Describes the first differing character, by name if it is invisible. */
function describeDifference(line: string, there: string): string {
  let at = 0;
  while (at < Math.min(line.length, there.length) && line[at] === there[at]) at += 1;
  const signs = toAsciiPunctuation(line) === toAsciiPunctuation(there) ? ', typographic signs only' : '';
  const space = collapseSpace(line) === collapseSpace(there) ? ', white space only' : '';
  return `from column ${at + 1}: ${describeCharacter(there, at)} in the file, ${describeCharacter(line, at)} in the old text${signs}${space}`;
}

function describeCharacter(line: string, at: number): string {
  const code = line.codePointAt(at);
  if (code === undefined) return 'the end of the line';
  if (code === 0x09) return 'a tab';
  if (code === 0x20) return 'a space';
  const sign = String.fromCodePoint(code);
  if (code >= 0xdc00 && code <= 0xdcff) return `a byte that is not text (0x${(code & 0xff).toString(16)})`;
  if (code > 0x7e || code < 0x20)
    return `U+${code.toString(16).toUpperCase().padStart(4, '0')}${code > 0xa0 ? ` ${sign}` : ''}`;
  return sign;
}

const truncateLine = (line: string): string => clip(line, maxQuotedLine).toWellFormed();

/** Compares only the start of a long line: one huge line must not cost more than many small ones. */
const collapseSpace = (line: string): string => line.slice(0, 2000).trim().replace(/\s+/gu, ' ');
