import type {Approval} from '../../actions/agent-event.ts';
import {isGoing} from '../../actions/block-text.ts';
import {unreachable} from '../../base/unreachable.ts';
import {blockPanel} from '../panels/block-panel.ts';
import type {Panel} from '../panels/panel.ts';
import type {ApprovalAnswer} from '../../agent/engine.ts';
import {attentionOf} from '../state/select.ts';
import {pressApproval} from './approval/approval-form.ts';
import {openApproval, restarted} from './approval/approval-stage.ts';
import {emptyDraft, isEmptyDraft} from './draft.ts';
import {fieldOf, withField} from './card-field.ts';
import {followed} from './editing.ts';
import type {Editing} from './editing-state.ts';
import {editingBeside} from './editing-beside.ts';
import {answerOf} from './approval/revision.ts';
import {approvalReach, graveRows} from '../views/approval-card.ts';
import {cardRows} from '../views/screen.ts';
import {blockKeys, cardKeys, type KeyPress} from './keymap.ts';
import {pressComposer} from './press-composer.ts';
import {pressForm} from './question-form.ts';
import type {ScrollStep} from '../fullscreen/kept-lines.ts';
import type {Effect, PressContext} from './effect.ts';
import {pressField} from './text-field.ts';
import {oneByOne} from './vim/one-by-one.ts';
import {focused, typingPauseMs, type Card, type Step, type Ui} from './ui.ts';

/** Two presses of the interrupt key within this time (milliseconds) leave. */
export const leaveWithinMs = 2000;

/** One press, and what it has changed in the draft is kept to be taken back. */
export function press(ui: Ui, key: KeyPress, context: PressContext): Step {
  const [first, rest] = oneByOne(key, vimOf(ui));
  const step = followed(ui, directed(ui, first, context), first, context);
  if (rest === undefined) return step;
  const then = press(step.ui, rest, {...context, place: 'later'});
  return {ui: then.ui, effects: [...step.effects, ...then.effects]};
}

/** Of the text that is being written. */
function vimOf({panel, card, editing}: Ui): Editing['vim'] {
  if (panel !== 'none') return 'off';
  if (card.kind === 'none' || card.focus !== 'card') return editing.vim;
  return fieldOf(card)?.editing.vim ?? 'off';
}

/**
 * A press goes, in this order, to: the interrupt key's own meaning, a panel that is open, the card if it has the keys, the
 * composer. What is left of a press that has answered a card goes nowhere.
 */
function directed(ui: Ui, key: KeyPress, context: PressContext): Step {
  if (key.kind === 'key' && key.name === 'interrupt') return touched(interrupt(ui, context), key, context);
  if (key.kind === 'key' && key.name === 'suspend') return touched({ui, effects: [{do: 'suspend'}]}, key, context);
  const calm: Ui = {...ui, leaving: {kind: 'no'}};
  if (calm.panel !== 'none') return touched(pressPanel(calm, calm.panel, {key, context}), key, context);
  if (key.kind === 'key' && key.name === 'take-terminal') return touched(takeTerminal(calm, context), key, context);
  if (isRestOfAnswer(ui, key, context))
    return {ui: {...calm, lastKey: pressedNow(key, context, 'answer')}, effects: []};
  const scrolled = isOfCard(calm, key) ? undefined : scrollStep(key);
  if (scrolled !== undefined) return touched({ui: calm, effects: [{do: 'scroll', step: scrolled}]}, key, context);
  const {card} = calm;
  if (card.kind === 'none' || card.focus === 'answered')
    return touched(pressComposer(calm, key, context), key, context);
  if (card.focus !== 'card') {
    return touched(
      callsCard(calm, key, context) ? still(focused(calm)) : pressComposer(calm, key, context),
      key,
      context,
    );
  }
  const step = pressCard(calm, card, {key, context});
  if ('notMeant' in step) {
    return touched(pressComposer(withCard(calm, card, 'soon'), step.notMeant, context), key, context);
  }
  const kind = step.effects.some(effect => effect.do === 'op') ? 'answer' : 'other';
  return {...step, ui: {...step.ui, lastKey: pressedNow(key, context, kind)}};
}

/** A card with the keys scrolls itself. */
const isOfCard = ({card}: Ui, key: KeyPress): boolean =>
  card.kind === 'approval' &&
  card.focus === 'card' &&
  key.kind === 'key' &&
  (key.name === 'page-up' || key.name === 'page-down');

/** Keys that are about what was written above whoever has the others. */
function scrollStep(key: KeyPress): ScrollStep | undefined {
  if (key.kind !== 'key') return undefined;
  return scrollSteps.find(step => step === key.name);
}

const scrollSteps = ['page-up', 'page-down', 'top', 'bottom'] as const satisfies readonly ScrollStep[];

const still = (ui: Ui): Step => ({ui, effects: []});

const touched = ({ui, effects}: Step, key: KeyPress, context: PressContext): Step => ({
  ui: {...ui, lastKey: pressedNow(key, context, 'other')},
  effects,
});

const pressedNow = (key: KeyPress, {now}: PressContext, on: 'answer' | 'other'): Ui['lastKey'] => ({
  kind: 'pressed',
  at: now,
  key: nameOf(key),
  on,
});

/** A letter goes by the same name however often it came in one piece. */
const nameOf = (key: KeyPress): string => (key.kind === 'key' ? key.name : [...new Set(key.text)].join(''));

/** The same key still held, or what came in one piece with it: meant neither for the next card nor for the draft. */
function isRestOfAnswer({lastKey}: Ui, key: KeyPress, {now, place}: PressContext): boolean {
  if (lastKey.kind === 'none' || lastKey.on !== 'answer') return false;
  return place === 'later' || (lastKey.key === nameOf(key) && now - lastKey.at < typingPauseMs);
}

/** While a draft is being written that key is not about the card; pressed twice it goes there and back. */
const callsCard = ({draft, lastKey}: Ui, key: KeyPress, {now}: PressContext): boolean =>
  key.kind === 'key' &&
  key.name === cardKeys.switchFocus.name &&
  (isEmptyDraft(draft) ||
    lastKey.kind === 'none' ||
    lastKey.key === cardKeys.switchFocus.name ||
    now - lastKey.at >= typingPauseMs);

/** Clears the draft, or stops what runs; the second press soon after leaves. */
function interrupt(ui: Ui, {view, now}: PressContext): Step {
  if (ui.leaving.kind === 'armed' && now - ui.leaving.at <= leaveWithinMs) return {ui, effects: [{do: 'leave'}]};
  const armed: Ui = {...ui, leaving: {kind: 'armed', at: now}, panel: 'none'};
  if (ui.panel !== 'none') return still(armed);
  const cardHasKeys = ui.card.kind !== 'none' && ui.card.focus === 'card';
  const isNothing = isEmptyDraft(ui.draft) && ui.images.length === 0;
  if (!isNothing && !cardHasKeys) return still({...armed, draft: emptyDraft, images: []});
  return {ui: armed, effects: view.run.state === 'idle' ? [] : stop};
}

const stop: readonly Effect[] = [{do: 'op', op: {op: 'interrupt'}}];

function pressPanel(ui: Ui, panel: Panel, {key, context}: CardPress): Step {
  const step = panel.press(key, context);
  return {ui: {...ui, panel: step.panel === 'closed' ? 'none' : step.panel}, effects: step.effects};
}

/** Of one running block its terminal; of several the list. */
function takeTerminal(ui: Ui, {blocks}: PressContext): Step {
  const [first, ...more] = blocks.filter(({state}) => isGoing(state));
  if (first === undefined) return {ui, effects: [{do: 'tell', text: 'No command runs beside the conversation.'}]};
  return more.length === 0 ? {ui, effects: [{do: 'attach', block: first.id}]} : still({...ui, panel: blockPanel()});
}

type OpenCard = Exclude<Card, {readonly kind: 'none'}>;
type ApprovalCard = Extract<Card, {readonly kind: 'approval'}>;

interface CardPress {
  readonly key: KeyPress;
  readonly context: PressContext;
}

/** A press that is nothing for the card; what goes to the draft in its place. */
interface NotMeant {
  readonly notMeant: KeyPress;
}

/** A text that is being written in the card takes what writes and edits. */
function pressCard(ui: Ui, card: OpenCard, {key, context}: CardPress): Step | NotMeant {
  const field = fieldOf(card);
  if (field === undefined) return pressOpenCard(ui, card, {key, context});
  const step = pressField(field, key, context);
  const after = withField(card, step.field);
  return step.kind === 'went-on' ? still({...ui, card: after}) : pressOpenCard(ui, after, {key, context});
}

function pressOpenCard(ui: Ui, card: OpenCard, {key, context}: CardPress): Step | NotMeant {
  switch (card.kind) {
    case 'approval':
      return pressAsked(ui, card, {key, context});
    case 'question': {
      const step = pressForm(card.form, key);
      if (step.kind === 'open') {
        const isSame = step.form.answers.length === card.form.answers.length;
        const editing = isSame ? card.editing : editingBeside(ui);
        return still({...ui, card: {...card, form: step.form, editing}});
      }
      const op =
        step.kind === 'stopped'
          ? ({op: 'interrupt'} as const)
          : ({op: 'answer-question', id: card.id, answer: step.response} as const);
      return {ui: withCard(ui, card, 'answered'), effects: [{do: 'op', op}]};
    }
    case 'hand-over':
      return pressHandOver(ui, card, {key, context});
    default:
      return unreachable(card);
  }
}

function pressHandOver(
  ui: Ui,
  card: OpenCard & {readonly kind: 'hand-over'},
  {key, context}: CardPress,
): Step | NotMeant {
  if (key.kind === 'key' && key.name === cardKeys.switchFocus.name) return still(withCard(ui, card, 'aside'));
  if (key.kind === 'key' && key.name === 'escape') return {ui, effects: stop};
  if (key.kind !== 'text' || context.place === 'later') return {notMeant: key};
  switch (key.text) {
    case blockKeys.take:
      return {ui: withCard(ui, card, 'answered'), effects: [{do: 'attach', block: card.block}]};
    case blockKeys.decline: {
      const op = {op: 'answer-hand-over', id: card.id, end: 'declined'} as const;
      return {ui: withCard(ui, card, 'answered'), effects: [{do: 'op', op}]};
    }
    default:
      return {notMeant: key};
  }
}

function pressAsked(ui: Ui, card: ApprovalCard, {key, context}: CardPress): Step | NotMeant {
  const attention = attentionOf(context.view);
  if (attention.kind !== 'approval') return still(ui);
  const {waiting} = attention;
  const {stage, editing} = card;
  const approval = card.revision.kind === 'revised' ? card.revision.approval : attention.approval;
  if (
    (stage.stage === 'choosing' || stage.stage === 'hunks') &&
    key.kind === 'key' &&
    key.name === cardKeys.switchFocus.name
  ) {
    return still(withCard(ui, card, 'aside'));
  }
  const {frame, place} = context;
  const step = pressApproval(stage, approval, {
    key,
    place,
    reach: () => approvalReach({approval, waiting, stage, editing}, cardRows(ui, context.rows, frame), frame),
  });
  switch (step.kind) {
    case 'open': {
      const isSame = step.stage.stage === stage.stage;
      return still({...ui, card: {...card, stage: step.stage, editing: isSame ? editing : editingBeside(ui)}});
    }
    case 'answered':
      if (runsWith(step.answer) && unread(card, approval, frame).length > 0) {
        const here = stage.stage === 'choosing' ? stage : openApproval;
        return still({...ui, card: {...card, stage: {...here, hint: 'unread'}}});
      }
      return {ui: withCard(ui, card, 'answered'), effects: [answering(card, answerOf(approval, step.answer))]};
    case 'stop':
      return {ui, effects: stop};
    case 'edit': {
      if (approval.action.name !== 'request-file-edits') return still(ui);
      const {input} = approval.action;
      const request =
        step.dropped.length === 0 ? input : {...input, amendment: {kind: 'hunks', dropped: step.dropped} as const};
      return {ui, effects: [{do: 'edit-outside', what: {id: card.id, request, of: step.of}}]};
    }
    case 'show-all':
      return {
        ui: {...ui, card: {...card, stage: restarted(stage), read: 'all'}},
        effects: [{do: 'show-all', approval}],
      };
    case 'not-meant':
      return {notMeant: step.key};
    default:
      return unreachable(step);
  }
}

/** Whether what was asked about runs with that answer; what was edited is asked about again. */
const runsWith = ({decision}: ApprovalAnswer): boolean => decision !== 'refuse' && decision !== 'allow-edited';

const unread = ({read}: ApprovalCard, approval: Approval, frame: PressContext['frame']): readonly string[] =>
  read === 'all' ? [] : graveRows(approval, frame).filter(row => !read.has(row));

/** To be told of the lines that stand on the screen. */
export function shownOn(ui: Ui, lines: readonly string[], {view, frame}: Pick<PressContext, 'view' | 'frame'>): Ui {
  const {card} = ui;
  const attention = attentionOf(view);
  if (card.kind !== 'approval' || attention.kind !== 'approval' || card.asked !== attention.approval) return ui;
  const {read} = card;
  if (read === 'all') return ui;
  const grave = new Set(unread(card, card.asked, frame));
  const fresh = grave.size === 0 ? [] : lines.filter(line => grave.has(line));
  return fresh.length === 0 ? ui : {...ui, card: {...card, read: new Set([...read, ...fresh])}};
}

/** Whoever has the keys, an approval is asked from its beginning. */
const withCard = (ui: Ui, card: OpenCard, focus: OpenCard['focus']): Ui => ({
  ...ui,
  card: card.kind === 'approval' ? {...card, focus, stage: restarted(card.stage)} : {...card, focus},
});

const answering = ({id}: OpenCard, answer: ApprovalAnswer): Effect => ({
  do: 'op',
  op: {op: 'answer-approval', id, answer},
});
