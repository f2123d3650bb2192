import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import type {Todo} from '../../domain/todo.ts';
import {todosOf} from '../../tasks/task-view.ts';
import {todoRows, type TodoRows} from '../state/select.ts';
import type {View} from '../state/view.ts';
import {fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';

/**
 * The todo list around what runs now: a title that counts all, and at most `rows` todos. Once all is done only the title is
 * left, and that goes with the end of the prompt.
 */
export function todoPanel(view: View, rows: number, frame: Frame): readonly string[] {
  const counted = todoRows(todosOf(view.tasks), rows);
  if (counted.all === 0) return [];
  if (counted.done === counted.all) return view.run.state === 'idle' ? [] : [todoTitle(counted, frame)];
  if (counted.shown.length === 0) return [];
  return [todoTitle(counted, frame), ...counted.shown.map(todo => todoLine(todo, runningForm(todo), frame))];
}

/** How much is done of how much, and how many todos of the list are not among those shown. */
export function todoTitle({shown, done, all}: TodoRows, frame: Frame): string {
  const hidden = all - shown.length;
  const rest = hidden === 0 || done === all ? '' : `, ${hidden} not shown`;
  return frame.theme.paint(['bold'], fit(`Todos ${done} of ${all} done${rest}`, frame.width));
}

/** What TodoWrite has as `activeForm`. */
const runningForm = ({title, status, description}: Todo): string =>
  status === 'in_progress' && description !== '' ? description : title;

/** One todo in one line, in the words given. */
export function todoLine(todo: Todo, words: string, frame: Frame): string {
  const {theme} = frame;
  const title = fit(visibleLine(words), frame.width - 4);
  switch (todo.status) {
    case 'completed':
      return `  ${theme.paint(['success'], glyphs.success)} ${theme.paint(['dim'], title)}`;
    case 'cancelled':
      return `  ${theme.paint(['dim'], `${glyphs.cancelled} ${title}`)}`;
    case 'in_progress':
      return `  ${theme.paint(['running'], glyphs.running)} ${theme.paint(['bold'], title)}`;
    case 'pending':
      return `  ${theme.paint(['dim'], glyphs.queued)} ${title}`;
    default:
      return unreachable(todo.status);
  }
}
