import type {CommandInfo} from '../input/commands.ts';
import type {Picker} from '../input/ui.ts';
import {fit} from '../text/cell-width.ts';
import {visibleLine} from '../../base/visible.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';

/** The commands a draft may become, the chosen one pointed at. */
export const completionList = (offered: readonly CommandInfo[], row: number, frame: Frame): readonly string[] =>
  offered.map(({usage, summary}, at) =>
    listRow(`${usage.padEnd(16)} ${summary}`, at === row ? 'chosen' : 'other', frame),
  );

/** Sessions to go on with, at most `rows` lines around the chosen one. */
export function sessionList(
  picker: Picker & {readonly kind: 'sessions'},
  rows: number,
  frame: Frame,
): readonly string[] {
  const room = Math.max(1, rows - 2);
  const top = Math.max(0, Math.min(picker.row - Math.floor(room / 2), picker.sessions.length - room));
  return [
    frame.theme.paint(['bold'], 'Go on with which session?'),
    ...picker.sessions.slice(top, top + room).map((session, at) => {
      const day = new Date(session.updatedAt).toISOString().slice(0, 16).replace('T', ' ');
      const text = `${top + at + 1}. ${day}  ${visibleLine(session.title)}  (${session.messages} messages)`;
      return listRow(text, top + at === picker.row ? 'chosen' : 'other', frame);
    }),
    frame.theme.paint(['dim'], `Enter opens${glyphs.between}Esc goes back`),
  ];
}

function listRow(text: string, state: 'chosen' | 'other', frame: Frame): string {
  const room = frame.width - 2;
  return state === 'chosen'
    ? frame.theme.paint(['accent'], `${glyphs.pointer} ${fit(text, room)}`)
    : `  ${fit(text, room)}`;
}
