import {visibleLine} from '../../base/visible.ts';
import type {SessionSummary} from '../../domain/journal.ts';
import type {KeyPress} from '../input/keymap.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Placed} from '../views/composer-view.ts';
import {
  closed,
  firstShown,
  goOn,
  isWayOut,
  keysRow,
  listRow,
  steppedRow,
  titleRow,
  type Panel,
  type PanelPlace,
  type PanelStep,
} from './panel.ts';

/** Sessions to go on with; typing narrows them to those whose title holds what was typed. */
export const sessionPanel = (sessions: readonly SessionSummary[]): Panel =>
  panelOf({sessions, matching: sessions, row: 0, filter: ''});

interface SessionList {
  readonly sessions: readonly SessionSummary[];
  readonly matching: readonly SessionSummary[];
  /** The chosen one of those that match. */
  readonly row: number;
  readonly filter: string;
}

const panelOf = (list: SessionList): Panel => ({
  press: key => press(list, key),
  lines: place => lines(list, place),
});

/** A digit opens the session of that number as long as nothing narrows the list; then it is part of what is looked for. */
function press(list: SessionList, key: KeyPress): PanelStep {
  if (isWayOut(key)) return closed();
  const row = steppedRow(key, {row: list.row, count: list.matching.length});
  if (row !== undefined) return goOn(panelOf({...list, row}));
  if (key.kind === 'text') {
    const numbered = list.filter === '' && /^[1-9]$/u.test(key.text) ? list.sessions[Number(key.text) - 1] : undefined;
    return numbered === undefined
      ? goOn(narrowed(list, (list.filter + key.text.replaceAll('\n', '')).trimStart()))
      : opened(numbered);
  }
  if (key.kind === 'paste') return goOn(panelOf(list));
  switch (key.name) {
    case 'enter': {
      const session = list.matching[list.row];
      return session === undefined ? goOn(panelOf(list)) : opened(session);
    }
    case 'delete-left':
      return goOn(narrowed(list, list.filter.slice(0, -1)));
    case 'delete-word':
    case 'delete-to-start':
      return goOn(narrowed(list, ''));
    default:
      return goOn(panelOf(list));
  }
}

const opened = ({id}: SessionSummary): PanelStep =>
  closed({do: 'op', op: {op: 'open-session', session: {kind: 'resume', id}}});

function narrowed({sessions}: SessionList, filter: string): Panel {
  const wanted = filter.toLowerCase();
  const matching = sessions.filter(({title}) => title.toLowerCase().includes(wanted));
  return panelOf({sessions, matching, row: 0, filter});
}

/** Sessions shown at once: the list moves under them, so that closing it leaves little to take away. */
const sessionsShown = 10;

/** The cursor stands behind what is looked for. */
function lines({matching, row, filter}: SessionList, {rows, frame}: PanelPlace): Placed {
  const room = Math.max(1, Math.min(sessionsShown, rows - 2));
  const top = firstShown({row, count: matching.length, room});
  const digits = String(matching.length).length;
  const looking = filter === '' ? '' : `${glyphs.prompt} ${visibleLine(filter)}`;
  const title = fit(`Go on with which session? ${looking}`, frame.width);
  const found = matching.length > room ? [`${matching.length} sessions`] : [];
  return {
    lines: [
      titleRow(title, frame),
      ...matching.slice(top, top + room).map((session, at) => {
        const day = new Date(session.updatedAt).toISOString().slice(0, 16).replace('T', ' ');
        const count = `${session.messages} ${session.messages === 1 ? 'message' : 'messages'}`;
        const number = String(top + at + 1).padStart(digits);
        const text = `${number}. ${day}  ${visibleLine(session.title)}  (${count})`;
        return listRow(text, top + at === row ? 'chosen' : 'other', frame);
      }),
      ...(matching.length === 0 ? [frame.theme.paint(['dim'], '  no session has that in its title')] : []),
      keysRow(['Enter opens', 'type to search', 'Esc goes back', ...found], frame),
    ],
    cursor: {x: cellWidth(title), y: 0},
  };
}
