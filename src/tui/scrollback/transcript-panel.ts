import {unreachable} from '../../base/unreachable.ts';
import type {Approval} from '../../actions/agent-event.ts';
import {visibleLine} from '../../base/visible.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import type {MarkdownLexer} from './render-markdown.ts';
import {itemLines} from './transcript-items.ts';
import {highlightMatches, type Position, TranscriptPages} from './transcript-pages.ts';
import type {KeyPress} from '../terminal/keymap.ts';
import {deletedAtEnd} from '../editor/draft.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import type {Frame, Layout} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';

/** The transcript on the whole screen. It is immutable: a press returns the next one. */
export interface TranscriptPanel {
  press(key: KeyPress, place: TranscriptPlace): TranscriptPanel | 'closed';
  /** `place.rows` lines. */
  lines(place: TranscriptPlace): Layout;
}

interface TranscriptPlace {
  readonly rows: number;
  readonly frame: Frame;
}

/**
 * The transcript of a session, opened at its end. Only visible items are rendered. `records` is called again with every press, because the
 * session may have grown.
 */
export function transcriptPanel(records: () => readonly JournalRecord[], lexer: MarkdownLexer): TranscriptPanel {
  const pages = new TranscriptPages((item, frame) => itemLines(item, lexer, frame));
  const update = (): void => pages.show(records());
  return panelOf({...opened, update, pages, top: 'end'});
}

/** What a card asks, in full, opened at its beginning. */
export function approvalPanel(approval: Approval, lexer: MarkdownLexer): TranscriptPanel {
  const pages = new TranscriptPages((item, frame) => itemLines(item, lexer, frame));
  pages.showItems([{kind: 'approval', approval}]);
  return panelOf({...opened, update: () => {}, pages, top: {item: 0, line: 0}});
}

const opened = {query: '', sought: undefined, said: ''} as const;

interface Reading {
  /** Takes up what has come since. */
  readonly update: () => void;
  readonly pages: TranscriptPages;
  /** The first line on screen. */
  readonly top: Position | 'end';
  readonly query: string;
  /** The search that is being typed after `/`; `undefined` if none is. */
  readonly sought: string | undefined;
  /** The message about the last search. */
  readonly said: string;
}

const panelOf = (reading: Reading): TranscriptPanel => ({
  press: (key, place) => press(reading, key, place),
  lines: place => panelLayout(reading, place),
});

/** The last row is for the keys or the search field. */
const roomOf = (rows: number): number => Math.max(1, rows - 1);

function press(reading: Reading, key: KeyPress, place: TranscriptPlace): TranscriptPanel | 'closed' {
  reading.update();
  if (reading.sought !== undefined) return pressSearch(reading, reading.sought, {key, place});
  if (key.kind === 'paste') return panelOf(reading);
  if (key.kind === 'key') {
    const command = commandOfKey[key.name];
    if (key.name === 'escape' || key.name === 'end-of-input') return 'closed';
    return panelOf(command === undefined ? reading : moved(reading, command, place));
  }
  let next = reading;
  for (const [at, letter] of key.text.split('').entries()) {
    if (letter === letters.close) return 'closed';
    if (letter === letters.search) return panelOf({...next, sought: key.text.slice(at + 1), said: ''});
    const command = commandOfLetter[letter];
    if (command !== undefined) next = moved(next, command, place);
  }
  return panelOf(next);
}

const letters = {close: 'q', search: '/'} as const;

type Command =
  | 'line-up'
  | 'line-down'
  | 'page-up'
  | 'page-down'
  | 'half-up'
  | 'half-down'
  | 'top'
  | 'end'
  | 'next'
  | 'previous';

const commandOfKey: Readonly<Partial<Record<string, Command>>> = {
  up: 'line-up',
  down: 'line-down',
  enter: 'line-down',
  'page-up': 'page-up',
  'page-down': 'page-down',
  'line-start': 'top',
  'line-end': 'end',
  top: 'top',
  bottom: 'end',
};

const commandOfLetter: Readonly<Partial<Record<string, Command>>> = {
  k: 'line-up',
  j: 'line-down',
  b: 'page-up',
  ' ': 'page-down',
  u: 'half-up',
  d: 'half-down',
  g: 'top',
  G: 'end',
  n: 'next',
  N: 'previous',
};

function moved(reading: Reading, command: Command, {frame, rows}: TranscriptPlace): Reading {
  const {pages} = reading;
  const room = roomOf(rows);
  const end = pages.lastTop(room, frame);
  const top = reading.top === 'end' ? end : reading.top;
  const by = (count: number): Reading => {
    const to = pages.moved(top, count, frame);
    return {...reading, said: '', top: pages.isBefore(to, end) ? to : 'end'};
  };
  switch (command) {
    case 'line-up':
      return by(-1);
    case 'line-down':
      return by(1);
    case 'page-up':
      return by(1 - room);
    case 'page-down':
      return by(Math.max(1, room - 1));
    case 'half-up':
      return by(-Math.ceil(room / 2));
    case 'half-down':
      return by(Math.ceil(room / 2));
    case 'top':
      return {...reading, said: '', top: {item: 0, line: 0}};
    case 'end':
      return {...reading, said: '', top: 'end'};
    case 'next':
      return found(reading, {from: top, direction: 1, frame});
    case 'previous':
      return found(reading, {from: top, direction: -1, frame});
    default:
      return unreachable(command);
  }
}

/** Scrolls to the next match, which becomes the first line of the screen, so that the search after it begins behind it. */
function found(
  reading: Reading,
  {from, direction, frame}: {readonly from: Position; readonly direction: 1 | -1; readonly frame: Frame},
): Reading {
  const {query, pages} = reading;
  if (query === '') return {...reading, said: 'Nothing is sought: / and words look for them.'};
  const seek = {query, from, direction, frame};
  const match = pages.find(seek);
  if (match !== undefined) return {...reading, top: match, said: ''};
  const around = direction === 1 ? pages.start : pages.end;
  const other = pages.find({...seek, from: around});
  if (other === undefined) return {...reading, said: 'Not found.'};
  return {...reading, top: other, said: direction === 1 ? 'Went on from the start.' : 'Went on from the end.'};
}

/** Searches from the first line of the screen; an empty search repeats the previous one. */
function pressSearch(
  reading: Reading,
  sought: string,
  {key, place}: {readonly key: KeyPress; readonly place: TranscriptPlace},
): TranscriptPanel | 'closed' {
  const typed = (text: string): TranscriptPanel | 'closed' => panelOf({...reading, sought: text});
  if (key.kind !== 'key') return typed(sought + key.text.replaceAll(/\s+/gu, ' ').slice(0, longestQuery));
  switch (key.name) {
    case 'escape':
      return panelOf({...reading, sought: undefined});
    case 'enter': {
      const query = sought === '' ? reading.query : sought;
      const {pages} = reading;
      const {frame, rows} = place;
      const top = reading.top === 'end' ? pages.lastTop(roomOf(rows), frame) : reading.top;
      const before = pages.moved(top, -1, frame);
      return panelOf(found({...reading, query, sought: undefined}, {from: before, direction: 1, frame}));
    }
    default: {
      if (key.name === 'delete-left' && sought === '') return panelOf({...reading, sought: undefined});
      const text = deletedAtEnd(sought, key.name);
      return text === undefined ? panelOf(reading) : typed(text);
    }
  }
}

const longestQuery = 200;

function panelLayout({update, pages, top, query, sought, said}: Reading, {rows, frame}: TranscriptPlace): Layout {
  update();
  const room = roomOf(rows);
  const from = top === 'end' ? pages.lastTop(room, frame) : top;
  const shown = pages.lines(from, room, frame);
  const marked = query === '' ? shown : shown.map(line => highlightMatches(line, query, frame.theme));
  const filled = [...marked, ...Array.from({length: room - marked.length}, () => '')];
  if (sought !== undefined) {
    const field = fit(`/${visibleLine(sought)}`, frame.width);
    return {lines: [...filled, field], cursor: {x: Math.min(frame.width - 1, cellWidth(field)), y: room}};
  }
  const place = top === 'end' ? 'end' : `${pages.percent(from)}%`;
  const keys = [
    said === '' ? place : `${place}: ${said}`,
    'q closes',
    '/ searches',
    ...(query === '' ? [] : ['n N go on']),
    'g G start and end',
    'PgUp PgDn',
  ];
  return {lines: [...filled, keysRow(keys, frame)], cursor: {x: 0, y: room}};
}

/** The key hints of a panel, on its last line; where not all fit, the first and the one that closes the panel stay. */
export function keysRow(keys: readonly string[], frame: Frame): string {
  const shown = [...keys];
  while (cellWidth(shown.join(glyphs.between)) > frame.width) {
    const least = shown.findLastIndex(key => !closeHints.test(key));
    if (least <= 0) break;
    shown.splice(least, 1);
  }
  return frame.theme.style(['dim'], fit(shown.join(glyphs.between), frame.width));
}

const closeHints = /\bEsc\b|^[nq] /u;
