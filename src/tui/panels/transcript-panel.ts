import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import type {KeyPress} from '../input/keymap.ts';
import type {PressContext} from '../input/effect.ts';
import type {MarkdownLexer} from '../markdown/render-markdown.ts';
import {cellWidth, fit, graphemes} from '../text/cell-width.ts';
import {withMatches} from '../text/marked-line.ts';
import type {Frame} from '../text/wrap.ts';
import {itemLines} from '../transcript/item-lines.ts';
import {Pages, type Position} from '../transcript/pages.ts';
import {searchedText, transcriptItems} from '../transcript/transcript-items.ts';
import type {Placed} from '../views/composer-view.ts';
import {closed, goOn, keysRow, type Panel, type PanelPlace, type PanelStep} from './panel.ts';

/** All of a session, from its end on; only what is looked at is rendered. `records` are asked again with every press: they may have grown. */
export function transcriptPanel(records: () => readonly JournalRecord[], lexer: MarkdownLexer): Panel {
  const shown = new Pages((item, frame) => itemLines(item, lexer, frame));
  return panelOf({records, pages: shown, top: 'end', query: '', sought: undefined, said: ''});
}

interface Reading {
  readonly records: () => readonly JournalRecord[];
  readonly pages: Pages;
  /** The first line on screen. */
  readonly top: Position | 'end';
  readonly query: string;
  /** What is being typed behind `/`; `undefined` when nothing is. */
  readonly sought: string | undefined;
  /** Of the last search. */
  readonly said: string;
}

const panelOf = (reading: Reading): Panel => ({
  press: (key, context) => press(reading, key, context),
  lines: place => lines(reading, place),
});

/** The last row has the keys, or what is sought. */
const roomOf = (rows: number): number => Math.max(1, rows - 1);

function press(reading: Reading, key: KeyPress, context: PressContext): PanelStep {
  reading.pages.show(reading.records, transcriptItems);
  if (reading.sought !== undefined) return pressSearch(reading, reading.sought, {key, context});
  if (key.kind === 'paste') return goOn(panelOf(reading));
  if (key.kind === 'key') {
    const command = commandOfKey[key.name];
    if (key.name === 'escape' || key.name === 'end-of-input') return closed();
    return goOn(panelOf(command === undefined ? reading : moved(reading, command, context)));
  }
  let next = reading;
  for (const [at, letter] of key.text.split('').entries()) {
    if (letter === letters.close) return closed();
    if (letter === letters.search) return goOn(panelOf({...next, sought: key.text.slice(at + 1), said: ''}));
    const command = commandOfLetter[letter];
    if (command !== undefined) next = moved(next, command, context);
  }
  return goOn(panelOf(next));
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

function moved(reading: Reading, command: Command, {frame, rows}: PressContext): Reading {
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

/** A match has the first line of the screen, so that the next one is looked for behind it. */
function found(
  reading: Reading,
  {from, direction, frame}: {readonly from: Position; readonly direction: 1 | -1; readonly frame: Frame},
): Reading {
  const {query, pages} = reading;
  if (query === '') return {...reading, said: 'Nothing is sought: / and words look for them.'};
  const seek = {query, from, direction, frame, textOf: searchedText};
  const match = pages.find(seek);
  if (match !== undefined) return {...reading, top: match, said: ''};
  const around = direction === 1 ? pages.start : pages.end;
  const other = pages.find({...seek, from: around});
  if (other === undefined) return {...reading, said: 'Not found.'};
  return {...reading, top: other, said: direction === 1 ? 'Went on from the start.' : 'Went on from the end.'};
}

/** Looks from the start of the screen on; an empty search repeats the one before. */
function pressSearch(
  reading: Reading,
  sought: string,
  {key, context}: {readonly key: KeyPress; readonly context: PressContext},
): PanelStep {
  const typed = (text: string): PanelStep => goOn(panelOf({...reading, sought: text}));
  if (key.kind !== 'key') return typed(sought + key.text.replaceAll(/\s+/gu, ' ').slice(0, longestQuery));
  switch (key.name) {
    case 'escape':
      return goOn(panelOf({...reading, sought: undefined}));
    case 'enter': {
      const query = sought === '' ? reading.query : sought;
      const {pages} = reading;
      const {frame, rows} = context;
      const top = reading.top === 'end' ? pages.lastTop(roomOf(rows), frame) : reading.top;
      const before = pages.moved(top, -1, frame);
      return goOn(panelOf(found({...reading, query, sought: undefined}, {from: before, direction: 1, frame})));
    }
    case 'delete-left':
      return sought === ''
        ? goOn(panelOf({...reading, sought: undefined}))
        : typed(graphemes(sought).slice(0, -1).join(''));
    case 'delete-word':
    case 'delete-to-start':
      return typed('');
    default:
      return goOn(panelOf(reading));
  }
}

const longestQuery = 200;

function lines({records, pages, top, query, sought, said}: Reading, {rows, frame}: PanelPlace): Placed {
  pages.show(records, transcriptItems);
  const room = roomOf(rows);
  const from = top === 'end' ? pages.lastTop(room, frame) : top;
  const shown = pages.lines(from, room, frame);
  const marked = query === '' ? shown : shown.map(line => withMatches(line, query, frame.theme));
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
