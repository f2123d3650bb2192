import {pluralize} from '../../base/clip.ts';
import {visibleExactly} from '../../base/visible.ts';
import type {TextRange} from '../../domain/risk.ts';
import {fit, graphemes, graphemeWidth} from '../text/cell-width.ts';
import {type Frame, wordCut} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';

/** One row of a command. It has no invisible characters, and marked parts are recognizable without colors. */
export interface CommandRow {
  readonly text: string;
  /** `continued` for a row that continues the line of the row above. */
  readonly start: 'line' | 'continued';
  /** A line of `^` below the marked parts; empty if nothing or everything is marked. */
  readonly pointer: string;
  readonly marked: 'marked' | 'plain';
  /** The rank of the worst critical part in this row. 0 is the worst; infinite if there is none. */
  readonly rank: number;
}

/**
 * The marked ranges of a command, and its critical ranges, worst first. A critical range must be on the screen before
 * the user can allow the command.
 */
export interface HighlightRanges {
  readonly highlights: readonly TextRange[];
  readonly criticalRanges: readonly TextRange[];
}

/** Breaks a command into rows between words and after `&&`, `||`, `|` and `;`. A word longer than a row breaks with a mark. */
export function commandRows(command: string, ranges: HighlightRanges, frame: Frame): readonly CommandRow[] {
  const pieces = piecesOf(command, ranges);
  const isAllMarked = pieces.every(({look, text}) => look !== 'plain' || text.trim() === '');
  const rows = new RowFiller(isAllMarked ? 'without' : 'with', frame);
  for (const piece of pieces) {
    for (const grapheme of graphemes(piece.text)) {
      if (grapheme === '\n') rows.close();
      else rows.add({text: grapheme, cells: graphemeWidth(grapheme), piece});
    }
  }
  return rows.finish();
}

interface Fit {
  readonly room: number;
  /** `without`: the rows have no column for the signs of marked parts. */
  readonly signs: 'with' | 'without';
  readonly frame: Frame;
}

/** Fits the rows on at most `room` lines. Keeps critical rows first, then marked ones. Notes count the hidden rows. */
export function fitRows(rows: readonly CommandRow[], fitting: Fit): readonly string[] {
  const {room, frame} = fitting;
  const pointers = rows.filter(({pointer}) => pointer !== '').length;
  if (rows.length + pointers <= room) return pointedLines(rows, fitting);
  if (rows.length <= room) return rows.map(row => signedLine(row, row.marked, fitting));
  const kept = keptRows(rows, room);
  const lines: string[] = [];
  let before = -1;
  for (const at of [...kept, rows.length]) {
    const hidden = rows.slice(before + 1, at);
    if (hidden.length > 0) lines.push(hiddenNote(hidden, frame));
    const row = rows[at];
    if (row !== undefined) lines.push(signedLine(row, row.marked, fitting));
    before = at;
  }
  return lines;
}

/** Returns all rows with their pointers. A line of the command has one sign, on its first row. */
function pointedLines(rows: readonly CommandRow[], fitting: Fit): readonly string[] {
  const lines: string[] = [];
  let line: CommandRow['marked'] = 'plain';
  for (const row of rows.toReversed()) {
    if (row.marked === 'marked') line = 'marked';
    if (row.pointer !== '') lines.push(row.pointer);
    lines.push(signedLine(row, row.start === 'line' ? line : 'plain', fitting));
    if (row.start === 'line') line = 'plain';
  }
  return lines.toReversed();
}

/** Returns a row after its sign. The sign of a continued row is indented with it. */
function signedLine({text, start}: CommandRow, marked: CommandRow['marked'], {signs, frame: {theme}}: Fit): string {
  const indent = start === 'line' ? '' : continuedIndent;
  if (signs === 'without') return indent + text;
  return indent + (marked === 'marked' ? theme.style(['bold', 'warning'], `${glyphs.warning} `) : plainGutter) + text;
}

/** Returns the indexes of the rows to keep, ascending. With one line for each gap, the rows fit in `room` lines. */
function keptRows(rows: readonly CommandRow[], room: number): readonly number[] {
  const kept = new Set<number>();
  const lines = (): number => {
    const sorted = [...kept].toSorted((a, b) => a - b);
    const gaps = sorted.filter((at, place) => at !== (sorted[place - 1] ?? -1) + 1).length;
    return sorted.length + gaps + (sorted.at(-1) === rows.length - 1 ? 0 : 1);
  };
  let misses = 0;
  for (const at of byWeight(rows)) {
    if (kept.has(at)) continue;
    kept.add(at);
    if (lines() > room && kept.size > 1) {
      kept.delete(at);
      if (++misses > 200) break;
    }
  }
  return [...kept].toSorted((a, b) => a - b);
}

/** Returns row indexes by importance: critical rows (worst first), marked rows, then rows from both ends. */
function byWeight(rows: readonly CommandRow[]): readonly number[] {
  const marked = rows.flatMap((row, at) => (row.marked === 'marked' ? [at] : []));
  const starts = marked.filter(at => rows[at - 1]?.marked !== 'marked');
  const critical = rows
    .flatMap(({rank}, at) => (Number.isFinite(rank) ? [at] : []))
    .toSorted((a, b) => (rows[a]?.rank ?? 0) - (rows[b]?.rank ?? 0) || a - b);
  const criticalStarts = critical.filter(at => rows[at - 1]?.rank !== rows[at]?.rank);
  const ends: number[] = [];
  for (let at = 0; at < Math.min(rows.length, 100); at++) ends.push(at, rows.length - 1 - at);
  return [...criticalStarts, ...critical, ...starts, ...marked, ...ends];
}

function hiddenNote(hidden: readonly CommandRow[], frame: Frame): string {
  const marked = hidden.filter(row => row.marked === 'marked').length;
  const note = `  … ${pluralize(hidden.length, 'more line')}${marked === 0 ? '' : `, ${marked} marked`} · v`;
  return frame.theme.style(['warning'], fit(note, frame.width));
}

type Look = 'plain' | 'marked' | 'note' | 'marked-note';

interface Piece {
  readonly text: string;
  readonly look: Look;
  readonly rank: number;
}

/** Replaces longer runs of blanks or empty lines with a note, because they could push the text after them out of sight. */
const maxBlanks = 16;
const emptiness = new RegExp(`\\n(?: *\\n){3,}| {${maxBlanks + 1},}`, 'gu');

function piecesOf(command: string, {highlights, criticalRanges}: HighlightRanges): readonly Piece[] {
  const ends = [...highlights, ...criticalRanges].flatMap(({from, to}) => [from, to]);
  const cuts = [...new Set([0, ...ends, command.length])].toSorted((a, b) => a - b);
  const marked = covering(highlights);
  const rankAt = covering(criticalRanges);
  return cuts.flatMap((from, at) => {
    const raw = command.slice(from, cuts[at + 1] ?? from);
    return raw === '' ? [] : splitEmptiness(raw, Number.isFinite(marked(from)) ? 'marked' : 'plain', rankAt(from));
  });
}

/** Returns a function from a position to the index of the first range that covers it, or infinity. Call it with ascending positions. */
function covering(ranges: readonly TextRange[]): (position: number) => number {
  const coming = ranges.map((range, rank) => ({...range, rank})).toSorted((a, b) => a.from - b.from);
  let open: typeof coming = [];
  let next = 0;
  return position => {
    for (let range = coming[next]; range !== undefined && range.from <= position; range = coming[++next])
      open.push(range);
    open = open.filter(({to}) => to > position);
    return open.reduce((least, {rank}) => Math.min(least, rank), Number.POSITIVE_INFINITY);
  };
}

function splitEmptiness(raw: string, look: 'plain' | 'marked', rank: number): readonly Piece[] {
  const note = look === 'marked' ? 'marked-note' : 'note';
  const text = visibleExactly(raw);
  const pieces: Omit<Piece, 'rank'>[] = [];
  let at = 0;
  for (const {0: run, index} of text.matchAll(emptiness)) {
    const lines = run.startsWith('\n') ? run.split('\n').length - 2 : 0;
    pieces.push(
      {text: text.slice(at, index), look},
      ...(lines > 0
        ? [{text: '\n', look}, {text: `[${lines} empty lines]`, look: note} as const, {text: '\n', look}]
        : [{text: `[${run.length} blanks]`, look: note} as const]),
    );
    at = index + run.length;
  }
  pieces.push({text: text.slice(at), look});
  return pieces.flatMap(piece => (piece.text === '' ? [] : [{...piece, rank}]));
}

const gutter = 2;
const plainGutter = ' '.repeat(gutter);
const continuedIndent = '  ';

interface Cell {
  readonly text: string;
  readonly cells: number;
  readonly piece: Pick<Piece, 'look' | 'rank'>;
}

class RowFiller {
  readonly #pointers: 'with' | 'without';
  readonly #theme: Frame['theme'];
  readonly #room: number;
  readonly #rows: CommandRow[] = [];
  #row: Cell[] = [];
  #width = 0;
  #start: CommandRow['start'] = 'line';
  /** The row may break after so many of its graphemes. */
  #breakAt = 0;

  constructor(pointers: 'with' | 'without', {theme, width}: Frame) {
    this.#pointers = pointers;
    this.#theme = theme;
    this.#room = Math.max(8, width - gutter);
  }

  add(cell: Cell): void {
    const last = this.#row.at(-1)?.text ?? '';
    const end = this.#row.length;
    if (last === ' ' ? cell.text !== ' ' : isOperatorEnd(this.#row.at(-2)?.text ?? '', last, cell.text))
      this.#breakAt = end;
    while (this.#width + cell.cells > this.#rowRoom()) {
      if (cell.text === ' ' && last !== ' ') {
        // A break between words shows the blank.
        this.#close('continued');
        return;
      }
      this.#break(cell);
    }
    this.#row.push(cell);
    this.#width += cell.cells;
  }

  close(): void {
    this.#close('line');
  }

  #rowRoom(): number {
    return this.#room - (this.#start === 'line' ? 0 : continuedIndent.length);
  }

  /** Closes the row. `next` is the start of the row that follows. */
  #close(next: CommandRow['start']): void {
    this.#rows.push(this.#toRow(this.#row));
    this.#start = next;
    this.#row = [];
    this.#width = 0;
    this.#breakAt = 0;
  }

  finish(): readonly CommandRow[] {
    this.close();
    // Drop empty rows from line feeds at the end of the command.
    while (this.#rows.length > 1 && this.#rows.at(-1)?.text === '') this.#rows.pop();
    return this.#rows;
  }

  /** Closes the row at its last break, or inside the word that fills it. `next` follows the row. */
  #break(next: Cell): void {
    const isLongWord = this.#breakAt === 0;
    const at = isLongWord ? wordCut([...this.#row, next], this.#rowRoom()) : this.#breakAt;
    const rest = this.#row.splice(at);
    if (isLongWord)
      this.#row.push({text: glyphs.brokenWord, cells: 1, piece: {look: 'note', rank: Number.POSITIVE_INFINITY}});
    this.#close('continued');
    this.#row = rest;
    this.#width = rest.reduce((sum, {cells}) => sum + cells, 0);
  }

  #toRow(row: readonly Cell[]): CommandRow {
    const spans: {text: string; readonly look: Look}[] = [];
    let pointer = '';
    let least = Number.POSITIVE_INFINITY;
    for (const {text, cells, piece} of row) {
      // Blanks don't show a critical part.
      if (text !== ' ') least = Math.min(least, piece.rank);
      const last = spans.at(-1);
      if (last?.look === piece.look) last.text += text;
      else spans.push({text, look: piece.look});
      pointer += (isMarked(piece.look) ? '^' : ' ').repeat(cells);
    }
    const marked = spans.some(({look}) => isMarked(look)) ? 'marked' : 'plain';
    const hasPointer = marked === 'marked' && this.#pointers === 'with';
    const indent = (this.#start === 'line' ? '' : continuedIndent) + plainGutter;
    return {
      text: spans.map(span => this.#theme.style(roles[span.look], span.text)).join(''),
      start: this.#start,
      pointer: hasPointer ? indent + this.#theme.style(['warning'], pointer.trimEnd()) : '',
      marked,
      rank: least,
    };
  }
}

/** True between `&&`, `||`, `|` or `;` and what follows without a blank. */
const isOperatorEnd = (before: string, last: string, next: string): boolean =>
  (last === ';' || last === '|' || (last === '&' && before === '&')) && !/[ ;|&]/u.test(next);

const isMarked = (look: Look): boolean => look === 'marked' || look === 'marked-note';

const roles = {
  plain: ['bold'],
  marked: ['bold', 'warning'],
  note: ['dim'],
  'marked-note': ['warning'],
} as const;
