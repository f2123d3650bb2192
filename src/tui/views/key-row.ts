import type {Approval} from '../../actions/agent-event.ts';
import {visibleLine} from '../../base/visible.ts';
import {approvalKeys} from '../input/keymap.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';

/**
 * The keys that answer an approval, on at most `most` lines where that can be: in full, else in short, and never broken inside
 * a key's words. With something `hidden`, the key that shows it is among them.
 */
export function keyRow(
  {sessionGrant}: Approval,
  {most, hidden}: {readonly most: number; readonly hidden: 'nothing' | 'something'},
  frame: Frame,
): readonly string[] {
  const grant = sessionGrant === '' ? '' : ` (${visibleLine(sessionGrant)})`;
  const forms = [inFull(grant), inShort(grant), inShort('')]
    .map(keys => keys.filter(([key]) => key !== approvalKeys.showAll || hidden === 'something'))
    .map(keys => keys.map(([key, words]) => `${key} ${words}`));
  const bare = forms.at(-1) ?? [];
  const form = forms.find(
    keys => keys.every(key => cellWidth(key) <= frame.width) && packed(keys, frame.width).length <= most,
  );
  return packed(form ?? bare, frame.width).map(line => frame.theme.paint(['accent'], line));
}

type KeyWords = readonly (readonly [key: string, words: string])[];

const inFull = (grant: string): KeyWords => [
  [approvalKeys.allowOnce, 'yes, once'],
  [approvalKeys.allowSession, `yes, for this session${grant}`],
  [approvalKeys.refuse, 'no'],
  [approvalKeys.refuseWithReason, 'no, with a reason'],
  [approvalKeys.showAll, 'shows all'],
  ['Esc', 'stop'],
];

const inShort = (grant: string): KeyWords => [
  [approvalKeys.allowOnce, 'once'],
  [approvalKeys.allowSession, `session${grant}`],
  [approvalKeys.refuse, 'no'],
  [approvalKeys.refuseWithReason, 'reason'],
  [approvalKeys.showAll, 'all'],
  ['Esc', 'stop'],
];

function packed(keys: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const key of keys) {
    const last = lines.at(-1);
    const longer = `${last}${glyphs.between}${key}`;
    if (last !== undefined && cellWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(fit(key, width));
  }
  return lines;
}
