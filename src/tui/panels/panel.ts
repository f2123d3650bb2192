import type {BlockInfo} from '../../actions/ports.ts';
import type {KeyPress} from '../input/keymap.ts';
import type {Effect, PressContext} from '../input/effect.ts';
import type {View} from '../state/view.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Placed} from '../views/composer-view.ts';

/**
 * Something that has the composer's place and all keys but the interrupt key until it is closed: a list to choose from, a
 * preview to agree to. Its state does not change: a press answers with the panel that comes next.
 */
export interface Panel {
  press(key: KeyPress, context: PressContext): PanelStep;
  /** At most `place.rows` lines. */
  lines(place: PanelPlace): Placed;
}

export interface PanelStep {
  readonly panel: Panel | 'closed';
  readonly effects: readonly Effect[];
}

export interface PanelPlace {
  readonly rows: number;
  readonly frame: Frame;
  readonly view: View;
  /** The commands beside the conversation, the running ones first. */
  readonly blocks: readonly BlockInfo[];
}

export const goOn = (panel: Panel): PanelStep => ({panel, effects: []});

/** Closes the panel, and asks for `effects` where there are any. */
export const closed = (...effects: readonly Effect[]): PanelStep => ({panel: 'closed', effects});

/** The row a press leads to in a list of `count` rows, around its ends; `undefined` where the press is about no row. */
export function steppedRow(key: KeyPress, {row, count}: {readonly row: number; readonly count: number}) {
  if (key.kind !== 'key' || !['up', 'down', 'complete'].includes(key.name)) return undefined;
  return (row + (key.name === 'up' ? -1 : 1) + count) % Math.max(1, count);
}

/** Whether the press leaves a panel with nothing done. */
export const isWayOut = (key: KeyPress): boolean =>
  key.kind === 'key' && (key.name === 'escape' || key.name === 'end-of-input');

/** The first of `room` rows that are shown of `count`, so that `row` is among them. */
export const firstShown = ({row, count, room}: {readonly row: number; readonly count: number; readonly room: number}) =>
  Math.max(0, Math.min(row - Math.floor(room / 2), count - room));

/** One row of a list. */
export function listRow(text: string, state: 'chosen' | 'other', frame: Frame): string {
  const room = Math.max(1, frame.width - 2);
  return state === 'chosen'
    ? frame.theme.paint(['accent'], `${glyphs.pointer} ${fit(text, room)}`)
    : `  ${fit(text, room)}`;
}

export const titleRow = (text: string, frame: Frame): string => frame.theme.paint(['bold'], fit(text, frame.width));

/** What the keys of a panel do, on its last line: where not all fit, the first and the way out come before the others. */
export function keysRow(keys: readonly string[], frame: Frame): string {
  const shown = [...keys];
  while (cellWidth(shown.join(glyphs.between)) > frame.width) {
    const least = shown.findLastIndex(key => !waysOut.test(key));
    if (least <= 0) break;
    shown.splice(least, 1);
  }
  return frame.theme.paint(['dim'], fit(shown.join(glyphs.between), frame.width));
}

const waysOut = /\bEsc\b|^[nq] /u;
