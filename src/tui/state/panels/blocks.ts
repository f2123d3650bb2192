import {isRunning} from '../../../actions/block-text.ts';
import type {BlockInfo, BlockState} from '../../../actions/ports.ts';
import {unreachable} from '../../../base/unreachable.ts';
import type {BlockId} from '../../../domain/ids.ts';
import {blockKeys, type KeyPress} from '../../terminal/keymap.ts';
import {closePanel, type PanelStep} from './picker.ts';

/** The panel of background commands. They are read again for every frame, so the selection is stored as an id. */
export interface BlocksPanel {
  readonly panel: 'blocks';
  readonly selected: BlockId | 'first';
}

export const noBlocksText = 'No background commands';

export const blocksPanel: BlocksPanel = {panel: 'blocks', selected: 'first'};

export const selectedRow = ({selected}: BlocksPanel, blocks: readonly BlockInfo[]): number =>
  Math.max(
    0,
    blocks.findIndex(({id}) => id === selected),
  );

export function pressBlocks(panel: BlocksPanel, key: KeyPress, blocks: readonly BlockInfo[]): PanelStep<BlocksPanel> {
  const row = selectedRow(panel, blocks);
  const block = blocks[row];
  const keep = {panel: {...panel, selected: block?.id ?? ('first' as const)}, effects: []};
  if (key.kind === 'paste') return keep;
  if (key.kind === 'text') {
    const numbered = /^[1-9]$/u.test(key.text) ? blocks[Number(key.text) - 1] : undefined;
    if (numbered !== undefined && isRunning(numbered.state)) return closePanel({do: 'attach', block: numbered.id});
    const op = ops[key.text];
    return block === undefined || op === undefined || !isRunning(block.state)
      ? keep
      : {...keep, effects: [{do: 'op', op: {op, id: block.id}}]};
  }
  switch (key.name) {
    case 'escape':
    case 'end-of-input':
      return closePanel();
    case 'up':
    case 'down':
    case 'complete': {
      const next = blocks[(row + (key.name === 'up' ? -1 : 1) + blocks.length) % Math.max(1, blocks.length)];
      return {panel: {...panel, selected: next?.id ?? 'first'}, effects: []};
    }
    case 'enter':
      return block !== undefined && isRunning(block.state) ? closePanel({do: 'attach', block: block.id}) : keep;
    default:
      return keep;
  }
}

const ops: Readonly<Record<string, 'stop-terminal' | 'keep-terminal'>> = {
  [blockKeys.stop]: 'stop-terminal',
  [blockKeys.keep]: 'keep-terminal',
};

export function blockStateLabel(state: BlockState): string {
  switch (state.kind) {
    case 'running':
      return 'running';
    case 'waiting':
      return 'needs input';
    case 'exited':
      return `exit ${state.code}`;
    case 'signalled':
      return `killed by ${state.signal}`;
    case 'ended':
      return 'ended';
    default:
      return unreachable(state);
  }
}

/** Formats an age: `4 s`, `12 min`, `3 h`. */
export function ageText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}
