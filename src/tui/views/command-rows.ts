import {visibleExactly} from '../../base/visible.ts';
import type {TextRange} from '../../domain/risk.ts';
import {approvalKeys} from '../input/keymap.ts';
import {cellWidth, fit, graphemes, graphemeWidth} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';

/**
 * A command as it is judged by eye, one row for each line of the screen: nothing in it is invisible, long stretches of nothing are
 * told in words, and the marked parts are seen without colours too.
 */
export interface CommandRow {
  readonly line: string;
  /** A line of `^` below the marked parts; empty where nothing is marked, or all of the command is. */
  readonly pointer: string;
  readonly marked: 'marked' | 'plain';
  /** Of the grave parts that it shows, the place of the worst; infinite where it shows none. */
  readonly rank: number;
}

/** What of a command is marked, and the parts that nobody should allow unread, the worst first. */
export interface Weighed {
  readonly marks: readonly TextRange[];
  readonly grave: readonly TextRange[];
}

export function commandRows(command: string, weighed: Weighed, frame: Frame): readonly CommandRow[] {
  const pieces = piecesOf(command, weighed);
  const isAllMarked = pieces.every(({look, text}) => look !== 'plain' || text.trim() === '');
  const room = Math.max(8, frame.width - gutter);
  const rows: CommandRow[] = [];
  let row = new RowFiller();
  const next = (): void => {
    rows.push(row.finish(isAllMarked ? 'without' : 'with', frame));
    row = new RowFiller();
  };
  for (const piece of pieces) {
    for (const grapheme of graphemes(piece.text)) {
      const cells = grapheme === '\n' ? 0 : graphemeWidth(grapheme);
      if (grapheme === '\n' || row.width + cells > room) next();
      if (grapheme !== '\n') row.add(grapheme, cells, piece);
    }
  }
  next();
  // What ends in line feeds needs no empty lines for them.
  while (rows.length > 1 && rows.at(-1)?.line === plainGutter) rows.pop();
  return rows;
}

/**
 * The rows on at most `room` lines. Where they do not fit, the worst are kept first, then the marked ones, and it is said what is hidden; with
 * too little room even for those, that some of the hidden ones are marked.
 */
export function fittedRows(
  rows: readonly CommandRow[],
  {room, note, frame}: {readonly room: number; readonly note: HiddenNote; readonly frame: Frame},
): readonly string[] {
  const pointed = rows.flatMap(({line, pointer}) => (pointer === '' ? [line] : [line, pointer]));
  if (pointed.length <= room) return pointed;
  if (rows.length <= room) return rows.map(({line}) => line);
  const kept = keptRows(rows, room);
  const lines: string[] = [];
  let before = -1;
  for (const at of [...kept, rows.length]) {
    const hidden = rows.slice(before + 1, at);
    if (hidden.length > 0) lines.push(hiddenNote(hidden, note, frame));
    const row = rows[at];
    if (row !== undefined) lines.push(row.line);
    before = at;
  }
  return lines;
}

/** Indexes of the rows that stay, ascending: with a line for every gap between them they fit `room`. */
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

/** Where grave parts begin, the worst first, and the rest of them; where marked parts begin, then the rest of them, the first and last rows, and what lies around all these. */
function byWeight(rows: readonly CommandRow[]): readonly number[] {
  const marked = rows.flatMap((row, at) => (row.marked === 'marked' ? [at] : []));
  const starts = marked.filter(at => rows[at - 1]?.marked !== 'marked');
  const grave = rows
    .flatMap(({rank}, at) => (Number.isFinite(rank) ? [at] : []))
    .toSorted((a, b) => (rows[a]?.rank ?? 0) - (rows[b]?.rank ?? 0) || a - b);
  const graveStarts = grave.filter(at => rows[at - 1]?.rank !== rows[at]?.rank);
  const ends: number[] = [];
  for (let at = 0; at < Math.min(rows.length, 100); at++) ends.push(at, rows.length - 1 - at);
  return [...graveStarts, ...grave, ...starts, ...marked, ...ends];
}

/** Whether the note on what is hidden names the key that shows it: where that is a key. */
export type HiddenNote = 'with-key' | 'bare';

function hiddenNote(hidden: readonly CommandRow[], form: HiddenNote, frame: Frame): string {
  const marked = hidden.filter(row => row.marked === 'marked').length;
  const words = `  … ${hidden.length} ${hidden.length === 1 ? 'line' : 'lines'} hidden${marked === 0 ? '' : `, ${marked} marked`}`;
  const note = `${words}, ${approvalKeys.showAll} shows all`;
  return frame.theme.paint(
    ['warning'],
    fit(form === 'with-key' && cellWidth(note) <= frame.width ? note : words, frame.width),
  );
}

type Look = 'plain' | 'marked' | 'note' | 'marked-note';

interface Piece {
  readonly text: string;
  readonly look: Look;
  readonly rank: number;
}

/** Longer stretches of blanks or empty lines could push what follows out of sight. */
const longestBlank = 16;
const emptiness = new RegExp(`\\n(?: *\\n){3,}| {${longestBlank + 1},}`, 'gu');

function piecesOf(command: string, {marks, grave}: Weighed): readonly Piece[] {
  const ends = [...marks, ...grave].flatMap(({from, to}) => [from, to]);
  const cuts = [...new Set([0, ...ends, command.length])].toSorted((a, b) => a - b);
  const marked = covering(marks);
  const weighed = covering(grave);
  return cuts.flatMap((from, at) => {
    const raw = command.slice(from, cuts[at + 1] ?? from);
    return raw === '' ? [] : told(raw, Number.isFinite(marked(from)) ? 'marked' : 'plain', weighed(from));
  });
}

/** The place of the first range that covers a position; infinite where none does. To be asked with rising positions. */
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

function told(raw: string, look: 'plain' | 'marked', rank: number): readonly Piece[] {
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

/** One row while it fills up: stretches of one look, and the pointer below them. */
class RowFiller {
  readonly #stretches: {text: string; readonly look: Look}[] = [];
  #pointer = '';
  #rank = Number.POSITIVE_INFINITY;
  width = 0;

  add(grapheme: string, cells: number, {look, rank}: Piece): void {
    // A row of nothing but blanks tells nothing of the part that they are in.
    if (grapheme !== ' ') this.#rank = Math.min(this.#rank, rank);
    const last = this.#stretches.at(-1);
    if (last?.look === look) last.text += grapheme;
    else this.#stretches.push({text: grapheme, look});
    this.#pointer += (isMarked(look) ? '^' : ' ').repeat(cells);
    this.width += cells;
  }

  finish(pointers: 'with' | 'without', {theme}: Frame): CommandRow {
    const marked = this.#stretches.some(({look}) => isMarked(look)) ? 'marked' : 'plain';
    const sign = marked === 'marked' ? theme.paint(['bold', 'warning'], `${glyphs.warning} `) : plainGutter;
    const text = this.#stretches.map(stretch => theme.paint(roles[stretch.look], stretch.text)).join('');
    const hasPointer = marked === 'marked' && pointers === 'with';
    return {
      line: sign + text,
      pointer: hasPointer ? plainGutter + theme.paint(['warning'], this.#pointer.trimEnd()) : '',
      marked,
      rank: this.#rank,
    };
  }
}

const isMarked = (look: Look): boolean => look === 'marked' || look === 'marked-note';

const roles = {
  plain: ['bold'],
  marked: ['bold', 'warning'],
  note: ['dim'],
  'marked-note': ['warning'],
} as const;
