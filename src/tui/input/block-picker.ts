import {isGoing} from '../../actions/block-text.ts';
import type {BlockInfo} from '../../actions/ports.ts';
import type {BlockId} from '../../domain/ids.ts';
import {blockKeys, type KeyPress} from './keymap.ts';

/** The list of blocks; which they are is asked anew for every frame, so the chosen one is remembered by its id. */
export interface BlockPicker {
  readonly chosen: BlockId | undefined;
}

export type BlockStep =
  | {readonly kind: 'open'; readonly picker: BlockPicker}
  | {readonly kind: 'attach' | 'stop' | 'keep'; readonly id: BlockId; readonly picker: BlockPicker}
  | {readonly kind: 'closed'};

export const openBlocks: BlockPicker = {chosen: undefined};

/** The row of the chosen block; the first one when it is gone. */
export const chosenRow = ({chosen}: BlockPicker, blocks: readonly BlockInfo[]): number =>
  Math.max(
    0,
    blocks.findIndex(({id}) => id === chosen),
  );

export function pressBlocks(picker: BlockPicker, key: KeyPress, blocks: readonly BlockInfo[]): BlockStep {
  const row = chosenRow(picker, blocks);
  const block = blocks[row];
  const open: BlockStep = {kind: 'open', picker: {chosen: block?.id}};
  if (key.kind === 'paste') return open;
  if (key.kind === 'text') {
    if (block === undefined) return open;
    const does = key.text === blockKeys.stop ? 'stop' : key.text === blockKeys.keep ? 'keep' : undefined;
    return does === undefined || !isGoing(block.state) ? open : {kind: does, id: block.id, picker: {chosen: block.id}};
  }
  const moved = (by: number): BlockStep => ({
    kind: 'open',
    picker: {chosen: blocks[(row + by + blocks.length) % Math.max(1, blocks.length)]?.id},
  });
  switch (key.name) {
    case 'up':
      return moved(-1);
    case 'down':
    case 'complete':
      return moved(1);
    case 'enter':
      return block === undefined || !isGoing(block.state)
        ? open
        : {kind: 'attach', id: block.id, picker: {chosen: block.id}};
    case 'escape':
    case 'end-of-input':
      return {kind: 'closed'};
    default:
      return open;
  }
}
