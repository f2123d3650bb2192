import {visibleLine} from '../../base/visible.ts';
import type {MentionList} from '../input/mention-list.ts';
import {firstShown, listRow} from '../panels/panel.ts';
import type {Frame} from '../text/wrap.ts';

/** Files shown at once. */
const mostRows = 8;

/** The files that a mention may mean, the chosen one pointed at; at most `rows` lines. */
export function mentionRows(list: MentionList, rows: number, frame: Frame): readonly string[] {
  if (list.kind !== 'open') return [];
  const {paths, state} = list.found;
  if (paths.length === 0) {
    const text = state === 'looking' ? '  looking for files' : '  no file has these letters; it goes as it is written';
    return [frame.theme.paint(['dim'], text)].slice(0, rows);
  }
  const room = Math.max(0, Math.min(mostRows, rows));
  const top = firstShown({row: list.row, count: paths.length, room});
  return paths
    .slice(top, top + room)
    .map((path, at) => listRow(visibleLine(path), top + at === list.row ? 'chosen' : 'other', frame));
}
