import {isGoing} from '../../actions/block-text.ts';
import type {BlockInfo, BlockState} from '../../actions/ports.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import type {BlockId} from '../../domain/ids.ts';
import {blockKeys, type KeyPress} from '../input/keymap.ts';
import {fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import type {Placed} from '../views/composer-view.ts';
import {
  closed,
  firstShown,
  goOn,
  isWayOut,
  keysRow,
  listRow,
  steppedRow,
  titleRow,
  type Panel,
  type PanelPlace,
  type PanelStep,
} from './panel.ts';

/** The commands beside the conversation; which they are is asked anew for every frame, so the chosen one is kept by its id. */
export const blockPanel = (): Panel => panelOf(undefined);

const panelOf = (chosen: BlockId | undefined): Panel => ({
  press: (key, {blocks}) => press(chosen, key, blocks),
  lines: place => lines(chosen, place),
});

/** The row of the chosen block; the first one when it is gone. */
const rowOf = (chosen: BlockId | undefined, blocks: readonly BlockInfo[]): number =>
  Math.max(
    0,
    blocks.findIndex(({id}) => id === chosen),
  );

function press(chosen: BlockId | undefined, key: KeyPress, blocks: readonly BlockInfo[]): PanelStep {
  if (isWayOut(key)) return closed();
  const row = rowOf(chosen, blocks);
  const next = steppedRow(key, {row, count: blocks.length});
  if (next !== undefined) return goOn(panelOf(blocks[next]?.id));
  const block = blocks[row];
  if (block === undefined || !isGoing(block.state)) return goOn(panelOf(block?.id));
  if (key.kind === 'key' && key.name === 'enter') return closed({do: 'attach', block: block.id});
  const does = key.kind === 'text' ? actions[key.text] : undefined;
  return {panel: panelOf(block.id), effects: does === undefined ? [] : [{do: does, block: block.id}]};
}

const actions: Readonly<Record<string, 'stop-block' | 'keep-block'>> = {
  [blockKeys.stop]: 'stop-block',
  [blockKeys.keep]: 'keep-block',
};

/** Two lines each, around the chosen one. */
function lines(chosen: BlockId | undefined, {rows, frame, blocks}: PanelPlace): Placed {
  const row = rowOf(chosen, blocks);
  const room = Math.max(1, Math.floor((rows - 2) / 2));
  const top = firstShown({row, count: blocks.length, room});
  const none = [frame.theme.paint(['dim'], '  none is running')];
  const shown = blocks
    .slice(top, top + room)
    .flatMap((block, at) => linesOf(block, top + at === row ? 'chosen' : 'other', frame));
  const keys = ['Enter takes its terminal', `${blockKeys.stop} stop`, `${blockKeys.keep} keep running`, 'Esc back'];
  return {
    lines: [
      titleRow('Commands beside the conversation', frame),
      ...(blocks.length === 0 ? none : shown),
      keysRow(keys, frame),
    ],
    cursor: {x: 0, y: blocks.length === 0 ? 0 : 1 + 2 * (row - top)},
  };
}

function linesOf(block: BlockInfo, state: 'chosen' | 'other', frame: Frame): readonly string[] {
  const facts = [
    stateText(block.state),
    ageText(block.ageMs),
    ...(block.ports.length === 0 ? [] : [`port ${block.ports.join(', ')}`]),
    ...(block.life === 'kept' ? ['stays when weft ends'] : []),
    visibleLine(block.lastLine),
  ];
  return [
    listRow(`${block.id}  ${visibleLine(block.command)}`, state, frame),
    frame.theme.paint(['dim'], fit(`    ${facts.filter(fact => fact !== '').join(', ')}`, frame.width)),
  ];
}

/** How a block stands, in words. */
export function stateText(state: BlockState): string {
  switch (state.kind) {
    case 'running':
      return 'running';
    case 'waiting':
      return 'waits for input';
    case 'exited':
      return `ended with exit code ${state.code}`;
    case 'signalled':
      return `ended by ${state.signal}`;
    case 'ended':
      return 'ended';
    default:
      return unreachable(state);
  }
}

/** `4 s`, `12 min`, `3 h`. */
function ageText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}
