import type {ReactNode} from 'react';
import {programName} from '../../actions/block-text.ts';
import type {BlockInfo} from '../../actions/ports.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {cardKeys} from '../terminal/keymap.ts';
import {fit} from '../text/cell-width.ts';
import {type Frame, wrapText} from '../text/wrap.ts';
import {Styled, useTheme} from '../theme/styled.tsx';
import {Card} from './card.tsx';
import {Choices} from './choices.tsx';
import {Lines} from './lines.tsx';

interface HandOverCardProps {
  readonly reason: string;
  /** `undefined` when the program has ended already. */
  readonly info: BlockInfo | undefined;
  readonly width: number;
}

/** The agent gives a running program to the user: why, and its last line. */
export function HandOverCard({reason, info, width}: HandOverCardProps): ReactNode {
  const theme = useTheme();
  const frame: Frame = {theme, width: Math.max(8, width - 4)};
  const last = visibleLine(info?.lastLine ?? '').trim();
  return (
    <Card
      width={width}
      title={
        info === undefined
          ? 'The program has ended'
          : `${visibleLine(programName(info.command))} is yours. Enter to take over`
      }
      hints={[`${cardKeys.switchFocus.label} later`, 'Esc stop']}
    >
      <Lines lines={wrapText(visible(reason), [], frame).slice(0, 3)} />
      {last !== '' && <Styled as="dim">{fit(last, frame.width)}</Styled>}
      <Choices
        choices={[
          {label: 'Take over its terminal', detail: 'Ctrl+] back to weft', letter: 'y'},
          {label: 'No', detail: '', letter: 'n'},
        ]}
        selected="none"
      />
    </Card>
  );
}
