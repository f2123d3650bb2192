import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import {rewindText} from '../../domain/rewind-text.ts';
import {scopeKeys, type RewindPicker} from '../input/rewind-picker.ts';
import {fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Placed} from './composer-view.ts';

/** Prompts shown at once. */
const promptsShown = 10;

/** The steps of going back, at most `rows` lines; `directory` is the workspace folder. */
export function rewindView(
  {picker, directory}: {readonly picker: RewindPicker; readonly directory: string},
  rows: number,
  frame: Frame,
): Placed {
  const bold = (text: string): string => frame.theme.paint(['bold'], fit(text, frame.width));
  const keysLine = (...keys: readonly string[]): string =>
    frame.theme.paint(['dim'], fit(keys.join(glyphs.between), frame.width));
  switch (picker.stage) {
    case 'prompt': {
      const {points, row} = picker;
      const room = Math.max(1, Math.min(promptsShown, rows - 2));
      const top = Math.max(0, Math.min(row - Math.floor(room / 2), points.length - room));
      const lines = points.slice(top, top + room).map(({number, prompt, files}, at) => {
        const text = `${number}. ${visibleLine(prompt)}${files === 'changed' ? '  (changed files)' : ''}`;
        return top + at === row
          ? frame.theme.paint(['accent'], `${glyphs.pointer} ${fit(text, frame.width - 2)}`)
          : `  ${fit(text, frame.width - 2)}`;
      });
      const count = points.length > room ? [`${points.length} prompts`] : [];
      return {
        lines: [
          bold('Go back to before which prompt?'),
          ...lines,
          keysLine('Enter chooses', 'Esc goes back', ...count),
        ],
        cursor: {x: 0, y: 1 + row - top},
      };
    }
    case 'scope': {
      const keys = scopeKeys.map(({key, word}) => `${key} ${word}`);
      const title = `Go back to before: ${visibleLine(picker.point.prompt)}`;
      return {lines: [bold(title), keysLine(...keys, 'Esc goes back')], cursor: {x: 0, y: 1}};
    }
    case 'confirm': {
      const text = rewindText(picker.report, {directory, when: 'preview'}).split('\n');
      const room = Math.max(1, rows - 1);
      const [head = '', ...rest] = text;
      const shown = rest.length < room ? rest : [...rest.slice(0, Math.max(0, room - 2)), '  …'];
      const body = [bold(head), ...shown.slice(0, room - 1).map(line => fit(line, frame.width))];
      return {lines: [...body, keysLine('y do it', 'n leave everything as it is')], cursor: {x: 0, y: body.length}};
    }
    default:
      return unreachable(picker);
  }
}
