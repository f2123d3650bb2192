import type {BlockInfo} from '../../actions/ports.ts';
import type {BlockId} from '../../domain/ids.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {blockKeys, cardKeys} from '../input/keymap.ts';
import {fit} from '../text/cell-width.ts';
import {wrapText, type Frame} from '../text/wrap.ts';
import {stateText} from '../panels/block-panel.ts';
import type {Placed} from './composer-view.ts';
import {keyLines} from './key-row.ts';

interface HandOver {
  readonly block: BlockId;
  readonly reason: string;
  /** `undefined` when the block is gone already. */
  readonly info: BlockInfo | undefined;
}

/** The agent offers the user the terminal of a block: which, why, what it shows, and the keys. */
export function handOverCard({block, reason, info}: HandOver, frame: Frame): Placed {
  const {theme, width} = frame;
  const command = info === undefined ? 'it has ended' : visibleLine(info.command);
  const last = info === undefined || info.lastLine === '' ? [] : [`  ${visibleLine(info.lastLine)}`];
  const keys = [
    [blockKeys.take, 'take its terminal', 'take it'],
    [blockKeys.decline, 'no', 'no'],
    [cardKeys.switchFocus.label, 'later', 'later'],
    ['Esc', 'stop', 'stop'],
  ] as const;
  const lines = [
    theme.paint(['bold', 'warning'], fit(`Talk to this command? ${block}: ${command}`, width)),
    ...wrapText(`Why: ${visible(reason)}`, [], frame).slice(0, 3),
    ...(info === undefined ? [] : [theme.paint(['dim'], fit(`Now: ${stateText(info.state)}`, width))]),
    ...last.map(line => theme.paint(['dim'], fit(line, width))),
    ...keyLines(keys, {most: 1, frame}),
  ];
  return {lines, cursor: {x: 0, y: lines.length - 1}};
}
