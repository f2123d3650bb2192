import {unreachable} from '../../base/unreachable.ts';
import type {Todo} from '../../domain/todo.ts';
import {todoRows} from '../state/select.ts';
import type {View} from '../state/view.ts';
import {fit} from '../text/cell-width.ts';
import {visibleLine} from '../../base/visible.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';

/** The todo list around what runs now, at most `rows` entries and a title; nothing once all is done. */
export function todoPanel(view: View, rows: number, frame: Frame): readonly string[] {
  const {shown, done, all} = todoRows(view, rows);
  if (shown.length === 0) return [];
  return [frame.theme.paint(['bold'], `Todos ${done} of ${all} done`), ...shown.map(todo => todoLine(todo, frame))];
}

function todoLine(todo: Todo, frame: Frame): string {
  const {theme} = frame;
  const room = frame.width - 4;
  const title = fit(visibleLine(todo.title), room);
  switch (todo.status) {
    case 'completed':
      return `  ${theme.paint(['success'], glyphs.success)} ${theme.paint(['dim'], title)}`;
    case 'cancelled':
      return `  ${theme.paint(['dim'], `${glyphs.cancelled} ${title}`)}`;
    case 'in_progress': {
      const doing = todo.description === '' ? title : fit(visibleLine(todo.description), room);
      return `  ${theme.paint(['running'], glyphs.running)} ${theme.paint(['bold'], doing)}`;
    }
    case 'pending':
      return `  ${theme.paint(['dim'], glyphs.queued)} ${title}`;
    default:
      return unreachable(todo.status);
  }
}
