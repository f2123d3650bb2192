import type {LiveRegion} from '../terminal/surface.ts';
import {fit} from '../text/cell-width.ts';
import {clipStyled} from '../text/clip-styled.ts';
import type {Painted} from './paint.ts';
import type {KeptLines, ScrollStep} from './kept-lines.ts';

/** Where the user looks: at what comes, or from the line of a number on; `end` is where the lines ended when that began. */
export type Place = {readonly at: 'end'} | {readonly at: 'line'; readonly first: number; readonly end: number};

export const atEnd: Place = {at: 'end'};

/** What is to be shown; lines that do not fit are clipped, as they came for another width. */
export interface Shown {
  readonly kept: KeptLines;
  readonly live: LiveRegion;
  readonly place: Place;
  readonly size: {readonly columns: number; readonly rows: number};
}

/** A whole screen, and how many of its rows move together when the text does. */
export interface Composed extends Painted {
  readonly scrolling: number;
}

/** The kept lines above, then what is open; below what is asked, the composer and the status line. */
export function compose(given: Shown): Composed {
  const {kept, live, size} = given;
  const {below, room} = parts(live, size);
  const place = settled(given);
  const shown =
    place.at === 'end'
      ? textLines({kept, live}, end({kept, live}) - room, room)
      : [...textLines({kept, live}, place.first, Math.max(0, room - 1)), marker({kept, live, place, size})];
  const above = shown.slice(0, room);
  while (above.length < room) above.push('');
  // One column stays free, as everywhere: not all terminals wrap after their last one alike.
  const width = Math.max(1, size.columns - 1);
  const cut = live.lines.length - below.length;
  return {
    rows: [...above, ...below].map(line => clipStyled(line, width)),
    cursor: {x: Math.min(live.cursor.x, width), y: Math.max(0, room + live.cursor.y - cut)},
    scrolling: room,
  };
}

/** Where a step leads; from the end nothing leads further, and who gets there stays there. */
export function scrolled({kept, live, place, size}: Shown, step: ScrollStep): Place {
  const {room} = parts(live, size);
  const last = Math.max(kept.start, end({kept, live}) - room);
  // Two lines of the page before help to find the place again.
  const page = Math.max(1, room - 3);
  const first = place.at === 'end' ? last : place.first;
  const next = {'page-up': first - page, 'page-down': first + page, top: kept.start, bottom: last}[step];
  const to = Math.max(kept.start, next);
  if (to >= last) return atEnd;
  return {at: 'line', first: to, end: place.at === 'end' ? end({kept, live}) : place.end};
}

/** A place may have been dropped meanwhile, or have come to be the end on a larger screen. */
function settled({kept, live, place, size}: Shown): Place {
  if (place.at === 'end') return place;
  const {room} = parts(live, size);
  const first = Math.max(kept.start, place.first);
  return first >= Math.max(kept.start, end({kept, live}) - room) ? atEnd : {...place, first};
}

/** The rows below stay; they never take the whole screen. */
function parts(live: LiveRegion, {rows}: Shown['size']): {readonly below: readonly string[]; readonly room: number} {
  const below = live.lines.slice(Math.max(live.open.shown, live.lines.length - Math.max(1, rows - 1)));
  return {below, room: Math.max(0, rows - below.length)};
}

const end = ({kept, live}: Pick<Shown, 'kept' | 'live'>): number => kept.end + live.open.lines.length;

function textLines({kept, live}: Pick<Shown, 'kept' | 'live'>, first: number, count: number): string[] {
  const from = Math.max(kept.start, first);
  return [
    ...kept.lines(from, first + count),
    ...live.open.lines.slice(Math.max(0, from - kept.end), Math.max(0, first + count - kept.end)),
  ];
}

function marker({kept, live, place, size}: Shown): string {
  if (place.at === 'end') return '';
  const now = end({kept, live});
  const fresh = now - place.end;
  const {room} = parts(live, size);
  const below = Math.max(0, now - place.first - room + 1);
  const text = fresh > 0 ? `${fresh} new ${lineWord(fresh)} below` : `${below} ${lineWord(below)} below`;
  return fit(`── ${text} · PgDn, or Ctrl+End to the end ──`, size.columns - 1);
}

const lineWord = (count: number): string => (count === 1 ? 'line' : 'lines');
