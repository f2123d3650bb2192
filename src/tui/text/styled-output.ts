import {withoutInvisible} from '../../base/visible.ts';
import type {Theme} from '../theme/theme.ts';
import {graphemes, graphemeWidth} from './cell-width.ts';

/* oxlint-disable no-control-regex -- escape sequences are the subject of this file */

/** Matches a whole escape sequence: CSI, then OSC, DCS, APC, PM and SOS strings, then short ones. */
const sequence = /(\u001B\[[0-?]*[ -/]*[@-~]|\u001B[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[ -/]*[0-~]?)/gu;
const color = /^\u001B\[[\d;]*m$/u;
const link = /^\u001B\]8;[!-~]*;([!-~]*)(?:\u0007|\u001B\\)$/u;

/**
 * Returns the first line of a program's output that has text, cut to `cells`. Keeps its colors and links as far as the theme has them,
 * closes them at the end, and takes out every other escape sequence and control character.
 */
export function styledOutput(
  output: string,
  {theme, cells}: {readonly theme: Pick<Theme, 'name' | 'links'>; readonly cells: number},
): string {
  const lines = output.split('\n').map(line => line.replaceAll('\t', ' ').split(sequence));
  const parts = lines.find(line => line.some((part, at) => at % 2 === 0 && part.trim() !== '')) ?? [];
  let shown = '';
  let width = 0;
  let isColored = false;
  let isLinked = false;
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 1) {
      const address = link.exec(part)?.[1];
      if (color.test(part) && theme.name !== 'plain') {
        isColored = true;
        shown += part;
      } else if (address !== undefined && theme.links === 'osc8') {
        isLinked = address !== '';
        shown += part;
      }
      continue;
    }
    const text = cutAt(withoutInvisible(part).replaceAll('\n', ''), cells - width);
    shown += text.kept;
    width += text.width;
    if (text.isCut) break;
  }
  return `${shown}${isColored ? '\u001B[0m' : ''}${isLinked ? '\u001B]8;;\u001B\\' : ''}`;
}

/** Returns the beginning of a text that fits. A cut text ends in `…`, which takes the last cell. */
function cutAt(text: string, cells: number): {readonly kept: string; readonly width: number; readonly isCut: boolean} {
  let kept = '';
  let width = 0;
  let beforeLast = {kept: '', width: 0};
  for (const grapheme of graphemes(text)) {
    const next = width + graphemeWidth(grapheme);
    if (next > cells) return {kept: cells > 0 ? `${beforeLast.kept}…` : '', width: cells, isCut: true};
    kept += grapheme;
    width = next;
    if (width < cells) beforeLast = {kept, width};
  }
  return {kept, width, isCut: false};
}
