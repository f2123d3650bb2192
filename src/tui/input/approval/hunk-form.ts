import type {ApprovalChoices} from './approval-choices.ts';
import {
  allow,
  answered,
  notMeant,
  open,
  openApproval,
  pressCommon,
  type ApprovalPress,
  type ApprovalStep,
  type HunkStage,
} from './approval-stage.ts';
import {pressWord} from './approval-word.ts';
import {emptyDraft, isEmptyDraft} from '../draft.ts';
import {droppedParts} from './change-parts.ts';
import {approvalKeys, cardKeys, type KeyPress} from '../keymap.ts';

/** A press while parts of a change are chosen: what accepts the whole accepts what is ticked, and Enter alone never does. */
export function pressHunks(stage: HunkStage, choices: ApprovalChoices, press: ApprovalPress): ApprovalStep {
  const {key} = press;
  const {parts} = choices;
  const calm: HunkStage = {...stage, hint: 'none'};
  if (key.kind === 'paste') return isEmptyDraft(stage.word) ? notMeant(key) : pressTyped(calm, choices, press);
  if (key.kind === 'text') {
    if (isEmptyDraft(stage.word) && blanks.test(key.text)) return open(toggled(calm, key.text));
    return choices.accept.by === 'word' ? pressTyped(calm, choices, press) : pressLetter(calm, choices, press);
  }
  switch (key.name) {
    case 'up':
      return open({...calm, top: 0, row: Math.max(0, stage.row - 1)});
    case 'down':
      return open({...calm, top: 0, row: Math.min(parts.length - 1, stage.row + 1)});
    case 'page-up':
    case 'page-down': {
      const reach = press.reach();
      if (reach === 'all-shown') return open(calm);
      const {last, page} = reach;
      const top = stage.top + (key.name === 'page-up' ? -page : page);
      return open({...calm, top: Math.max(0, Math.min(last, top))});
    }
    case cardKeys.edit.name:
    case cardKeys.editor.name:
      return {kind: 'edit', of: parts[stage.row]?.file ?? 'all-files', dropped: droppedParts(parts, stage.dropped)};
    case 'escape':
      return open(isEmptyDraft(stage.word) ? openApproval : {...calm, word: emptyDraft});
    default:
      return isEmptyDraft(stage.word) ? open(calm) : pressTyped(calm, choices, press);
  }
}

const blanks = /^ +$/u;

/** Each blank is a press. */
function toggled(stage: HunkStage, text: string): HunkStage {
  if (text.length % 2 === 0) return stage;
  const dropped = new Set(stage.dropped);
  if (!dropped.delete(stage.row)) dropped.add(stage.row);
  return {...stage, dropped};
}

type TextPress = ApprovalPress & {readonly key: Extract<KeyPress, {readonly kind: 'text'}>};

const isText = (press: ApprovalPress): press is TextPress => press.key.kind === 'text';

function pressLetter(stage: HunkStage, choices: ApprovalChoices, press: ApprovalPress): ApprovalStep {
  if (!isText(press)) return open(stage);
  const letter = press.key.text.replaceAll('\n', '').toLowerCase();
  switch (letter) {
    case approvalKeys.allowMild:
    case approvalKeys.allowRisky:
      if (choices.accept.by !== 'key' || choices.accept.key !== letter) return open({...stage, hint: 'other-key'});
      // What came along with the key that opened this was pressed before the parts could be read.
      return press.place === 'first' ? accepted(stage, choices) : open(stage);
    case approvalKeys.chooseHunks:
    case '':
      return open(stage);
    default:
      return pressCommon(letter) ?? notMeant(press.key);
  }
}

/** The word, as on the whole card, but that what it accepts is what is ticked. */
function pressTyped(stage: HunkStage, choices: ApprovalChoices, press: ApprovalPress): ApprovalStep {
  const step = pressWord({stage: 'word', text: stage.word, entered: 'not-yet'}, choices, press.key);
  if (step.kind === 'answered' && step.answer.decision === 'allow') {
    return press.place === 'first' ? accepted(stage, choices) : open({...stage, word: emptyDraft});
  }
  if (step.kind !== 'open') return step;
  switch (step.stage.stage) {
    case 'word':
      return open({
        ...stage,
        word: step.stage.text,
        hint: step.stage.entered === 'wrong' ? 'wrong-word' : 'none',
      });
    case 'choosing':
      return open({...stage, word: emptyDraft, hint: 'other-key'});
    case 'hunks':
      return open({...stage, word: emptyDraft});
    default:
      return step;
  }
}

/** Nothing ticked is a no, whose reason is asked for. */
function accepted({dropped}: HunkStage, {parts}: ApprovalChoices): ApprovalStep {
  if (dropped.size === 0) return allow('once');
  if (dropped.size === parts.length) return open({stage: 'reason', text: emptyDraft});
  return answered({
    decision: 'allow-amended',
    amendment: {kind: 'hunks', dropped: droppedParts(parts, dropped)},
  });
}
