import {visibleExactLine} from '../../base/visible.ts';
import {fit} from '../text/cell-width.ts';
import {closed, goOn, isWayOut, keysRow, titleRow, type Panel} from './panel.ts';

/** Asks whether `/export` may replace a file; `argument` is what the command is then given. Enter does not. */
export function overwritePanel(path: string, argument: string): Panel {
  const panel: Panel = {
    press(key, {place}) {
      if (isWayOut(key) || (key.kind === 'text' && key.text === 'n')) {
        return closed({do: 'tell', text: 'Nothing was written.'});
      }
      if (key.kind !== 'text' || key.text !== 'y' || place === 'later') return goOn(panel);
      return closed({do: 'command', line: {kind: 'command', name: 'export', argument}});
    },
    lines: ({frame}) => ({
      lines: [
        titleRow('This file is there already:', frame),
        fit(visibleExactLine(path), frame.width),
        keysRow(['y overwrites it', 'n or Esc leaves it'], frame),
      ],
      cursor: {x: 0, y: 2},
    }),
  };
  return panel;
}
