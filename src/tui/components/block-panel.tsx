import type {ReactNode} from 'react';
import type {BlockInfo} from '../../actions/ports.ts';
import {visibleLine} from '../../base/visible.ts';
import {ageText, type BlocksPanel, blockStateLabel, selectedRow} from '../state/panels/blocks.ts';
import {openPicker, plainItem} from '../state/panels/picker.ts';
import {blockKeys} from '../terminal/keymap.ts';
import {PickerCard} from './picker-card.tsx';

interface BlockPanelProps {
  readonly panel: BlocksPanel;
  readonly blocks: readonly BlockInfo[];
  readonly rows: number;
  readonly width: number;
}

export function BlockPanel({panel, blocks, rows, width}: BlockPanelProps): ReactNode {
  const items = blocks.map(block => ({
    ...plainItem(block.id, block.command),
    details: [
      [
        blockStateLabel(block.state),
        ageText(block.ageMs),
        ...(block.ports.length === 0 ? [] : [`:${block.ports.join(' :')}`]),
        ...(block.life === 'kept' ? ['kept'] : []),
      ].join(' · '),
      visibleLine(block.lastLine).slice(0, mostLastLine),
    ],
  }));
  const list = openPicker({items, search: 'off', empty: 'No background commands', selected: 'current'});
  return (
    <PickerCard
      title="Background commands"
      picker={{...list, row: selectedRow(panel, blocks)}}
      hints={
        blocks.length === 0
          ? ['Esc close']
          : ['Enter attach', 'Esc close', `${blockKeys.stop} stop`, `${blockKeys.keep} keep after weft ends`]
      }
      rows={rows}
      width={width}
    />
  );
}

const mostLastLine = 40;
