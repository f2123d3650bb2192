import type {Approval} from '../../actions/agent-event.ts';
import {visible, visibleExactLine} from '../../base/visible.ts';
import {clip} from '../../base/clip.ts';
import {droppedParts, partCounts, type ChangePart} from '../input/approval/change-parts.ts';
import {countOf} from './action-words.ts';
import {closes, goesOn, isBack, rowOf, waits, type Dialogue, type DialogueStep} from './dialogue.ts';

/** Which parts of a change are left out, then whether the rest is written; `back` leads to the question before. */
export const partsDialogue = (
  approval: Approval,
  parts: readonly ChangePart[],
  back: () => DialogueStep,
): Dialogue => ({
  lines: ['Which parts are left out?', ...parts.map((part, at) => `${at + 1}. ${partText(part)}`), how],
  answer(line) {
    if (line === '' || isBack(line)) return back();
    const rows = line
      .split(/[\s,;]+/u)
      .filter(word => word !== '')
      .map(word => rowOf(word, parts.length));
    const dropped = new Set(rows.filter(row => row !== undefined));
    if (rows.includes(undefined) || dropped.size === 0) return waits(`There is no such number here. ${how}`);
    if (dropped.size === parts.length) return waits(`That leaves nothing to write. ${how}`);
    return goesOn(restDialogue(approval, {parts, dropped}, back));
  },
});

const how = 'Type their numbers, such as 1 3, and Enter, or 0 to go back.';

interface Left {
  readonly parts: readonly ChangePart[];
  readonly dropped: ReadonlySet<number>;
}

function restDialogue({id}: Approval, {parts, dropped}: Left, back: () => DialogueStep): Dialogue {
  const numbers = [...dropped].toSorted((a, b) => a - b).map(row => row + 1);
  const ask = `Left out: ${numbers.join(', ')}. 1 write the rest, 0 go back. Type a number and Enter.`;
  const amendment = {kind: 'hunks', dropped: droppedParts(parts, dropped)} as const;
  return {
    lines: [ask],
    answer(line) {
      if (line === '1') {
        return closes({do: 'op', op: {op: 'answer-approval', id, answer: {decision: 'allow-amended', amendment}}});
      }
      return isBack(line) ? back() : waits(`Nothing was written. ${ask}`);
    },
  };
}

/** `In src/a.js, line 3: 1 line added, 2 removed. Begins: const a = 1;` */
function partText(part: ChangePart): string {
  const {file, hunk, shown} = part;
  const path = visibleExactLine(file.path);
  if (hunk === 'new-name') return `the new name of ${visibleExactLine(file.movedFrom ?? '')}, which is ${path}`;
  if (shown === 'whole-file') return `all of ${path}`;
  const {added, removed} = partCounts(part);
  const first = shown.lines.find(({kind}) => kind !== 'context');
  const begins = first === undefined ? '' : ` Begins: ${clip(visible(first.text).trim(), longestLine)}`;
  return `In ${path}, line ${shown.newStart}: ${countOf(added, 'line')} added, ${removed} removed.${begins}`;
}

/** UTF-16 units of the line by which a part is known. */
const longestLine = 120;
