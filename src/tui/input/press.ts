import {unreachable} from '../../base/unreachable.ts';
import type {Approval} from '../../actions/agent-event.ts';
import type {ApprovalAnswer} from '../../agent/engine.ts';
import {attentionOf} from '../state/select.ts';
import {edited, emptyDraft, expanded, isEmptyDraft, pasted, typed} from './draft.ts';
import {approvalKeys, type KeyPress} from './keymap.ts';
import {pressComposer} from './press-composer.ts';
import {pressForm} from './question-form.ts';
import {pressPicker, type SessionPicker} from './session-picker.ts';
import {typingPauseMs, type Card, type Effect, type PressContext, type Step, type Ui} from './ui.ts';

/** Two presses of the interrupt key within this time (milliseconds) leave. */
export const leaveWithinMs = 2000;

/** A held key repeats faster than this; a repeat never answers the next card. */
const heldKeyMs = 40;

/**
 * One press. It goes, in this order, to: the interrupt key's own meaning, a list that is open, the card that asks
 * something, the composer.
 */
export function press(before: Ui, key: KeyPress, context: PressContext): Step {
  const ui = withGuard(before, context.now);
  if (key.kind === 'key' && key.name === 'interrupt') return touched(interrupt(ui, context), 'card', context);
  const calm: Ui = {...ui, leaving: {kind: 'no'}};
  if (calm.picker.kind === 'sessions') return touched(pressList(calm, calm.picker.picker, key), 'card', context);
  if (calm.card.kind === 'none' || calm.card.guard === 'typing') {
    return touched(pressComposer(calm, key, context), 'draft', context);
  }
  const held = ui.lastKey.kind === 'pressed' && ui.lastKey.on === 'answer' && context.now - ui.lastKey.at < heldKeyMs;
  return touched(held ? {ui: calm, effects: []} : pressCard(calm, calm.card, key, context), 'card', context);
}

/** A pause in the typing hands the keys to the card. */
function withGuard(ui: Ui, now: number): Ui {
  const {card, lastKey} = ui;
  if (card.kind === 'none' || card.guard === 'open') return ui;
  const paused = lastKey.kind === 'none' || now - lastKey.at >= typingPauseMs;
  return paused ? {...ui, card: {...card, guard: 'open'}} : ui;
}

function touched({ui, effects}: Step, on: 'draft' | 'card', {now}: PressContext): Step {
  const kind = on === 'draft' ? 'draft' : effects.length > 0 ? 'answer' : 'other';
  return {ui: {...ui, lastKey: {kind: 'pressed', at: now, on: kind}}, effects};
}

/** Clears the draft, or stops what runs; the second press soon after leaves. */
function interrupt(ui: Ui, {view, now}: PressContext): Step {
  if (ui.leaving.kind === 'armed' && now - ui.leaving.at <= leaveWithinMs) return {ui, effects: [{do: 'leave'}]};
  const armed: Ui = {...ui, leaving: {kind: 'armed', at: now}, picker: {kind: 'none'}};
  if (ui.picker.kind !== 'none') return {ui: armed, effects: []};
  if (!isEmptyDraft(ui.draft) && ui.card.kind === 'none') return {ui: {...armed, draft: emptyDraft}, effects: []};
  return {ui: armed, effects: view.run.state === 'idle' ? [] : stop};
}

const stop: readonly Effect[] = [{do: 'op', op: {op: 'interrupt'}}];

function pressList(ui: Ui, picker: SessionPicker, key: KeyPress): Step {
  const step = pressPicker(picker, key);
  switch (step.kind) {
    case 'open':
      return {ui: {...ui, picker: {kind: 'sessions', picker: step.picker}}, effects: []};
    case 'chosen': {
      const op = {op: 'open-session', session: {kind: 'resume', id: step.session.id}} as const;
      return {ui: {...ui, picker: {kind: 'none'}}, effects: [{do: 'op', op}]};
    }
    case 'closed':
      return {ui: {...ui, picker: {kind: 'none'}}, effects: []};
    default:
      return unreachable(step);
  }
}

function pressCard(ui: Ui, card: Exclude<Card, {readonly kind: 'none'}>, key: KeyPress, context: PressContext): Step {
  switch (card.kind) {
    case 'approval': {
      const attention = attentionOf(context.view);
      if (attention.kind !== 'approval') return {ui, effects: []};
      return card.refusal.kind === 'writing'
        ? pressReason(ui, {...card, reason: card.refusal.reason}, key)
        : pressApproval(ui, {card, approval: attention.approval}, key);
    }
    case 'question': {
      const step = pressForm(card.form, key);
      if (step.kind === 'open') return {ui: {...ui, card: {...card, form: step.form}}, effects: []};
      return {
        ui: {...ui, card: {kind: 'none'}},
        effects: [{do: 'op', op: {op: 'answer-question', id: card.id, answer: step.response}}],
      };
    }
    default:
      return unreachable(card);
  }
}

type ApprovalCard = Card & {readonly kind: 'approval'};

function pressApproval(
  ui: Ui,
  {card, approval}: {readonly card: ApprovalCard; readonly approval: Approval},
  key: KeyPress,
): Step {
  if (key.kind === 'key' && key.name === 'escape') return {ui, effects: stop};
  if (key.kind !== 'text') return {ui, effects: []};
  // An Enter may come in one piece with the answer: it answers nothing, and does not keep the other key from it.
  switch (key.text.replaceAll('\n', '').toLowerCase()) {
    case approvalKeys.allowOnce:
      return answer(ui, card, {decision: 'allow', scope: 'once'});
    case approvalKeys.allowSession:
      return answer(ui, card, {decision: 'allow', scope: 'session'});
    case approvalKeys.refuse:
      return answer(ui, card, {decision: 'refuse', message: ''});
    case approvalKeys.refuseWithReason:
      return {ui: {...ui, card: {...card, refusal: {kind: 'writing', reason: emptyDraft}}}, effects: []};
    case approvalKeys.showAll:
      return {ui, effects: [{do: 'show-all', approval}]};
    default:
      return {ui, effects: []};
  }
}

function pressReason(ui: Ui, card: ApprovalCard & {readonly reason: Ui['draft']}, key: KeyPress): Step {
  const {reason, ...plain} = card;
  const writing = (next: Ui['draft']): Step => ({
    ui: {...ui, card: {...plain, refusal: {kind: 'writing', reason: next}}},
    effects: [],
  });
  if (key.kind === 'text') return writing(typed(reason, key.text));
  if (key.kind === 'paste') return writing(pasted(reason, key.text));
  if (key.name === 'enter') return answer(ui, card, {decision: 'refuse', message: expanded(reason).trim()});
  if (key.name === 'escape') return {ui: {...ui, card: {...plain, refusal: {kind: 'none'}}}, effects: []};
  return writing(edited(reason, key.name) ?? reason);
}

/** The card is left in place: it goes when the engine says that the approval is settled, by this answer or another one. */
const answer = (ui: Ui, {id}: ApprovalCard, given: ApprovalAnswer): Step => ({
  ui,
  effects: [{do: 'op', op: {op: 'answer-approval', id, answer: given}}],
});
