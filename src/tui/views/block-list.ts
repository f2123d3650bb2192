import type {BlockInfo, BlockState} from '../../actions/ports.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import {chosenRow, type BlockPicker} from '../input/block-picker.ts';
import {blockKeys} from '../input/keymap.ts';
import {fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Placed} from './composer-view.ts';

/** Commands that run beside the conversation, two lines each, at most `rows` lines around the chosen one. */
export function blockList(
  {picker, blocks}: {readonly picker: BlockPicker; readonly blocks: readonly BlockInfo[]},
  rows: number,
  frame: Frame,
): Placed {
  const {theme} = frame;
  const title = theme.paint(['bold'], fit('Commands beside the conversation', frame.width));
  const row = chosenRow(picker, blocks);
  const room = Math.max(1, Math.floor((rows - 2) / 2));
  const top = Math.max(0, Math.min(row - Math.floor(room / 2), blocks.length - room));
  const keys = ['Enter takes its terminal', `${blockKeys.stop} stop`, `${blockKeys.keep} keep running`, 'Esc back'];
  const shown = blocks.slice(top, top + room).flatMap((block, at) => linesOf(block, top + at === row, frame));
  const none = [theme.paint(['dim'], '  none is running')];
  return {
    lines: [
      title,
      ...(blocks.length === 0 ? none : shown),
      theme.paint(['dim'], fit(keys.join(glyphs.between), frame.width)),
    ],
    cursor: {x: 0, y: blocks.length === 0 ? 0 : 1 + 2 * (row - top)},
  };
}

function linesOf(block: BlockInfo, chosen: boolean, frame: Frame): readonly string[] {
  const room = Math.max(1, frame.width - 2);
  const line = fit(`${block.id}  ${visibleLine(block.command)}`, room);
  const facts = [
    stateText(block.state),
    ageText(block.ageMs),
    ...(block.ports.length === 0 ? [] : [`port ${block.ports.join(', ')}`]),
    ...(block.life === 'kept' ? ['stays when weft ends'] : []),
    visibleLine(block.lastLine),
  ];
  return [
    chosen ? frame.theme.paint(['accent'], `${glyphs.pointer} ${line}`) : `  ${line}`,
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
