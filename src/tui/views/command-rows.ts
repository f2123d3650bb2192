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
}

export function commandRows(command: string, marks: readonly TextRange[], frame: Frame): readonly CommandRow[] {
  const pieces = piecesOf(command, marks);
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
      if (grapheme !== '\n') row.add(grapheme, cells, piece.look);
    }
  }
  next();
  // What ends in line feeds needs no empty lines for them.
  while (rows.length > 1 && rows.at(-1)?.line === plainGutter) rows.pop();
  return rows;
}

/**
 * The rows on at most `room` lines. Where they do not fit, the marked ones are kept first, and it is said what is hidden; with
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

/** Where marked parts begin, then the rest of them, the first and last rows, and what lies around all these. */
function byWeight(rows: readonly CommandRow[]): readonly number[] {
  const marked = rows.flatMap((row, at) => (row.marked === 'marked' ? [at] : []));
  const starts = marked.filter(at => rows[at - 1]?.marked !== 'marked');
  const ends: number[] = [];
  for (let at = 0; at < Math.min(rows.length, 100); at++) ends.push(at, rows.length - 1 - at);
  return [...starts, ...marked, ...ends];
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
}

/** Longer stretches of blanks or empty lines could push what follows out of sight. */
const longestBlank = 16;
const emptiness = new RegExp(`\\n(?: *\\n){3,}| {${longestBlank + 1},}`, 'gu');

function piecesOf(command: string, marks: readonly TextRange[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const {from, to} of marks.toSorted((a, b) => a.from - b.from)) {
    pieces.push(...told(command.slice(at, Math.max(at, from)), 'plain'));
    pieces.push(...told(command.slice(Math.max(at, from), to), 'marked'));
    at = Math.max(at, to);
  }
  pieces.push(...told(command.slice(at), 'plain'));
  return pieces;
}

function told(raw: string, look: 'plain' | 'marked'): readonly Piece[] {
  const note = look === 'marked' ? 'marked-note' : 'note';
  const text = visibleExactly(raw);
  const pieces: Piece[] = [];
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
  return pieces.filter(piece => piece.text !== '');
}

const gutter = 2;
const plainGutter = ' '.repeat(gutter);

/** One row while it fills up: stretches of one look, and the pointer below them. */
class RowFiller {
  readonly #stretches: {text: string; readonly look: Look}[] = [];
  #pointer = '';
  width = 0;

  add(grapheme: string, cells: number, look: Look): void {
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
