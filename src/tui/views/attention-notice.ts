import {firstLine} from '../../base/clip.ts';
import {visibleExactLine, visibleLine} from '../../base/visible.ts';
import {unreachable} from '../../base/unreachable.ts';
import {cardKeys} from '../input/keymap.ts';
import type {Attention} from '../state/select.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {approvalTarget} from './approval-card.ts';

/** What waits for the user while the keys still go to the draft, on one line, and how to get to it. */
export function attentionNotice(attention: Attention, frame: Frame): string {
  const room = Math.max(8, frame.width - cellWidth(callKey));
  return (
    frame.theme.paint(['bold', 'warning'], fit(whatWaits(attention, room), room)) +
    frame.theme.paint(['accent'], callKey)
  );
}

const callKey = `${glyphs.between}${cardKeys.switchFocus.label} answers`;

/** Cells below which the words make room for what they are about. */
const narrow = 40;

function whatWaits(attention: Attention, room: number): string {
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
      return lead + approvalTarget(approval, room - lead.length);
    }
    case 'question':
      return `${glyphs.waiting} Question: ${visibleLine(attention.open.questions[0]?.question ?? '')}`;
    case 'hand-over':
      return `${glyphs.waiting} A command is yours to talk to: ${visibleLine(attention.open.reason)}`;
    default:
      return unreachable(attention);
  }
}
