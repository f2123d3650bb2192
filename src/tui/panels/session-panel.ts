import {visible, visibleLine} from '../../base/visible.ts';
import type {SessionId} from '../../domain/ids.ts';
import type {SessionSummary} from '../../domain/journal.ts';
import type {SaidMessage, SessionTexts} from '../command-ports.ts';
import type {KeyPress} from '../input/keymap.ts';
import {cellWidth, fit, graphemes} from '../text/cell-width.ts';
import {wrapSpans, type Frame} from '../text/wrap.ts';
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

/**
 * Sessions to go on with, and the last words of the chosen one; typing narrows them to those whose title or first prompt has all the
 * words that were typed.
 */
export function sessionPanel(sessions: readonly SessionSummary[], texts: SessionTexts): Panel {
  let searched: ReadonlyMap<SessionId, string> | undefined;
  const searchedIn = (): ReadonlyMap<SessionId, string> => (searched ??= searchedTexts(sessions, texts.firstPrompts()));
  return chosen({sessions, matching: sessions, row: 0, filter: '', said: [], searchedIn, texts}, 0);
}

const searchedTexts = (
  sessions: readonly SessionSummary[],
  prompts: ReadonlyMap<SessionId, string>,
): ReadonlyMap<SessionId, string> =>
  new Map(sessions.map(({id, title}) => [id, `${title}\n${prompts.get(id) ?? ''}`.toLowerCase()]));

interface SessionList {
  readonly sessions: readonly SessionSummary[];
  readonly matching: readonly SessionSummary[];
  /** The chosen one of those that match. */
  readonly row: number;
  readonly filter: string;
  /** The last words of the chosen one. */
  readonly said: readonly SaidMessage[];
  /** What is searched of each, in small letters; made with the first letter that is typed. */
  searchedIn(): ReadonlyMap<SessionId, string>;
  readonly texts: SessionTexts;
}

const panelOf = (list: SessionList): Panel => ({
  press: key => press(list, key),
  lines: place => lines(list, place),
});

function chosen(list: SessionList, row: number): Panel {
  const session = list.matching[row];
  return panelOf({...list, row, said: session === undefined ? [] : list.texts.lastMessages(session.id)});
}

/** A digit opens the session of that number as long as nothing narrows the list; then it is part of what is looked for. */
function press(list: SessionList, key: KeyPress): PanelStep {
  if (isWayOut(key)) return closed();
  const row = steppedRow(key, {row: list.row, count: list.matching.length});
  if (row !== undefined) return goOn(chosen(list, row));
  if (key.kind === 'text') {
    const numbered = list.filter === '' && /^[1-9]$/u.test(key.text) ? list.sessions[Number(key.text) - 1] : undefined;
    return numbered === undefined
      ? goOn(narrowed(list, (list.filter + key.text.replaceAll('\n', '')).trimStart()))
      : opened(numbered);
  }
  if (key.kind === 'paste') return goOn(panelOf(list));
  const last = list.matching.length - 1;
  switch (key.name) {
    case 'enter': {
      const session = list.matching[list.row];
      return session === undefined ? goOn(panelOf(list)) : opened(session);
    }
    case 'page-up':
      return goOn(chosen(list, Math.max(0, list.row - sessionsShown)));
    case 'page-down':
      return goOn(chosen(list, Math.max(0, Math.min(last, list.row + sessionsShown))));
    case 'delete-left':
      return goOn(narrowed(list, graphemes(list.filter).slice(0, -1).join('')));
    case 'delete-word':
    case 'delete-to-start':
      return goOn(narrowed(list, ''));
    default:
      return goOn(panelOf(list));
  }
}

const opened = ({id}: SessionSummary): PanelStep =>
  closed({do: 'op', op: {op: 'open-session', session: {kind: 'resume', id}}});

/** A longer search looks only at what the shorter one found. */
function narrowed(list: SessionList, filter: string): Panel {
  const words = filter
    .toLowerCase()
    .split(/\s+/u)
    .filter(word => word !== '');
  const among = filter.startsWith(list.filter) ? list.matching : list.sessions;
  const searched = words.length === 0 ? undefined : list.searchedIn();
  const matching =
    searched === undefined
      ? list.sessions
      : among.filter(({id}) => {
          const text = searched.get(id) ?? '';
          return words.every(word => text.includes(word));
        });
  return chosen({...list, matching, filter}, 0);
}

/** Sessions shown at once: the list moves under them, so that closing it leaves little to take away. */
const sessionsShown = 10;
const previewShown = 8;

/** The cursor stands behind what is looked for. */
function lines({matching, row, filter, said}: SessionList, {rows, frame}: PanelPlace): Placed {
  const room = Math.max(1, Math.min(sessionsShown, rows - 2));
  const top = firstShown({row, count: matching.length, room});
  const digits = String(matching.length).length;
  const looking = filter === '' ? '' : `${glyphs.prompt} ${visibleLine(filter)}`;
  const title = fit(`Go on with which session? ${looking}`, frame.width);
  const found = matching.length > room ? [`${matching.length} sessions`] : [];
  const listed = matching.slice(top, top + room).map((session, at) => {
    const count = `${session.messages} ${session.messages === 1 ? 'message' : 'messages'}`;
    const number = String(top + at + 1).padStart(digits);
    const text = `${number}. ${timeText(session.updatedAt)}  ${visibleLine(session.title)}  (${count})`;
    return listRow(text, top + at === row ? 'chosen' : 'other', frame);
  });
  return {
    lines: [
      titleRow(title, frame),
      ...listed,
      ...(matching.length === 0 ? [frame.theme.paint(['dim'], '  no session has that')] : []),
      ...previewLines(said, Math.min(previewShown, rows - 2 - listed.length), frame),
      keysRow(['Enter opens', 'type to search', 'Esc goes back', ...found], frame),
    ],
    cursor: {x: Math.min(frame.width - 1, cellWidth(title)), y: 0},
  };
}

/** The end of what was said, below a blank line; nothing where there is little room. */
function previewLines(said: readonly SaidMessage[], room: number, frame: Frame): readonly string[] {
  if (room < 3 || said.length === 0) return [];
  const rows = said.flatMap(({by, text}) =>
    wrapSpans([{text: visible(text).replaceAll(/\n\s*\n/gu, '\n'), roles: ['dim']}], frame, {
      first: by === 'user' ? `  ${glyphs.prompt} ` : '    ',
      rest: '    ',
      roles: ['dim'],
    }).slice(0, messageRows),
  );
  return ['', ...rows.slice(1 - room)];
}

/** Of one message. */
const messageRows = 3;

/** The user's own time. */
function timeText(milliseconds: number): string {
  const time = new Date(milliseconds);
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

const two = (number: number): string => String(number).padStart(2, '0');
