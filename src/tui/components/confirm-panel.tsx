import {Text} from 'ink';
import type {ReactNode} from 'react';
import {visibleExactLine} from '../../base/visible.ts';
import type {ConfirmPanel as ConfirmState} from '../state/panels/confirm.ts';
import {Card} from './card.tsx';

interface ConfirmPanelProps {
  readonly panel: ConfirmState;
  readonly width: number;
}

export const ConfirmPanel = ({panel, width}: ConfirmPanelProps): ReactNode => (
  <Card width={width} title={panel.title} hints={hintsOf(panel)}>
    <Text wrap="truncate-middle">{visibleExactLine(panel.subject)}</Text>
  </Card>
);

const hintsOf = ({enter, does, other}: ConfirmState): readonly string[] => [
  `${enter === 'yes' ? 'Enter' : 'y'} ${does}`,
  ...(other === 'none' ? [] : [`${other.letter} ${other.does}`]),
  'Esc cancel',
];
