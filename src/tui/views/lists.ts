import type {CommandInfo} from '../input/commands.ts';
import {matchingSessions, type SessionPicker} from '../input/session-picker.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {visibleLine} from '../../base/visible.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Placed} from './composer-view.ts';

/** The commands a draft may become, the chosen one pointed at. */
export const completionList = (offered: readonly CommandInfo[], row: number, frame: Frame): readonly string[] =>
  offered.map(({usage, summary}, at) =>
    listRow(`${usage.padEnd(16)} ${summary}`, at === row ? 'chosen' : 'other', frame),
  );

/** Sessions shown at once: the list moves under them, so that closing it leaves little to take away. */
const sessionsShown = 10;

/** Sessions to go on with, at most `rows` lines around the chosen one; the cursor stands behind what is looked for. */
export function sessionList(picker: SessionPicker, rows: number, frame: Frame): Placed {
  const matching = matchingSessions(picker);
  const room = Math.max(1, Math.min(sessionsShown, rows - 2));
  const top = Math.max(0, Math.min(picker.row - Math.floor(room / 2), matching.length - room));
  const digits = String(matching.length).length;
  const looking = picker.filter === '' ? '' : `${glyphs.prompt} ${visibleLine(picker.filter)}`;
  const title = fit(`Go on with which session? ${looking}`, frame.width);
  const keys = ['Enter opens', 'type to search', 'Esc goes back'].join(glyphs.between);
  const found = matching.length > room ? `${glyphs.between}${matching.length} sessions` : '';
  const lines = [
    frame.theme.paint(['bold'], title),
    ...matching.slice(top, top + room).map((session, at) => {
      const day = new Date(session.updatedAt).toISOString().slice(0, 16).replace('T', ' ');
      const count = `${session.messages} ${session.messages === 1 ? 'message' : 'messages'}`;
      const number = String(top + at + 1).padStart(digits);
      const text = `${number}. ${day}  ${visibleLine(session.title)}  (${count})`;
      return listRow(text, top + at === picker.row ? 'chosen' : 'other', frame);
    }),
    ...(matching.length === 0 ? [frame.theme.paint(['dim'], '  no session has that in its title')] : []),
    frame.theme.paint(['dim'], fit(keys + found, frame.width)),
  ];
  return {lines, cursor: {x: cellWidth(title), y: 0}};
}

function listRow(text: string, state: 'chosen' | 'other', frame: Frame): string {
  const room = frame.width - 2;
  return state === 'chosen'
    ? frame.theme.paint(['accent'], `${glyphs.pointer} ${fit(text, room)}`)
    : `  ${fit(text, room)}`;
}
