import {Text} from 'ink';
import type {ReactNode} from 'react';
import {firstLine} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleExactLine, visibleLine} from '../../base/visible.ts';
import type {Attention} from '../state/selectors.ts';
import {cardKeys} from '../terminal/keymap.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled} from '../theme/styled.tsx';
import {approvalSubject} from '../scrollback/approval-text.ts';
import type {TitleRoom} from '../scrollback/diff-lines.ts';

/** One line that says what waits for the user while the keys go to the draft, and how to switch to it. */
export function AttentionLine({attention, home, width}: AttentionLineProps): ReactNode {
  const room = Math.max(8, width - cellWidth(callKey));
  return (
    <Text wrap="truncate">
      <Styled as={['bold', 'warning']}>{fit(whatWaits(attention, {cells: room, home}), room)}</Styled>
      <Styled as="accent">{callKey}</Styled>
    </Text>
  );
}

interface AttentionLineProps {
  readonly attention: Attention;
  readonly home: string;
  readonly width: number;
}

const callKey = `${glyphs.between}${cardKeys.switchFocus.label}: answer`;

/** Below this width the notice is shortened in favour of its subject. */
const narrow = 40;

function whatWaits(attention: Attention, {cells: room, home}: TitleRoom): string {
  switch (attention.kind) {
    case 'composer':
      return '';
    case 'approval': {
      const count = attention.waiting > 1 ? ` (1 of ${attention.waiting})` : '';
      const {approval} = attention;
      if (room < narrow && approval.preview.kind === 'command') {
        return `${glyphs.waiting} Approval${count}: ${visibleExactLine(firstLine(approval.preview.command, narrow))}`;
      }
      const lead = `${glyphs.waiting} ${room < narrow ? 'Approval' : 'Approval needed'}${count}: `;
      return lead + approvalSubject(approval, {cells: room - lead.length, home});
    }
    case 'question':
      return `${glyphs.waiting} Question: ${visibleLine(attention.open.questions[0]?.question ?? '')}`;
    case 'hand-over':
      return `${glyphs.waiting} A command is yours to talk to: ${visibleLine(attention.open.reason)}`;
    default:
      return unreachable(attention);
  }
}
