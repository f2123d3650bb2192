import type {CommandInfo} from '../commands/command-info.ts';
import {firstShown, listRow} from '../panels/panel.ts';
import {fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';

/** Commands shown at once. */
const mostRows = 8;

/**
 * The commands a draft may become, the chosen one pointed at, on at most `rows` lines; where they are not all shown, the last
 * line says which they are.
 */
export function completionList(
  {offered, row}: {readonly offered: readonly CommandInfo[]; readonly row: number},
  rows: number,
  frame: Frame,
): readonly string[] {
  const widest = Math.min(24, Math.floor(frame.width / 3));
  // What is longer stands out of line, so that the others keep their room.
  const names = Math.max(8, ...offered.map(({usage}) => (usage.length <= widest ? usage.length : 0)));
  const isWhole = offered.length <= Math.min(mostRows, rows);
  const room = isWhole || rows < 2 ? rows : Math.min(mostRows, rows - 1);
  const top = firstShown({row, count: offered.length, room});
  const shown = offered
    .slice(top, top + room)
    .map(({usage, summary}, at) =>
      listRow(`${usage.padEnd(names)} ${summary}`, top + at === row ? 'chosen' : 'other', frame),
    );
  if (isWhole || rows < 2) return shown;
  const place = `  ${top + 1} to ${top + shown.length} of ${offered.length}`;
  return [...shown, frame.theme.paint(['dim'], fit(place, frame.width))];
}
