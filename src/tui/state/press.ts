import type {UserChanges} from '../../domain/file-edit.ts';
import {accessOf} from '../../actions/catalogue.ts';
import type {ScrollStep} from './scroll-position.ts';
import type {Effect, PressContext, ShownOffer} from './effect.ts';
import type {Approval} from '../../actions/agent-event.ts';
import {isRunning} from '../../actions/block-text.ts';
import type {ApprovalAnswer} from '../../agent/client.ts';
import {unreachable} from '../../base/unreachable.ts';
import {draftWidth, emptyDraft, isEmptyDraft} from '../editor/draft.ts';
import {
  type Editing,
  editingForNewField,
  pressField,
  type TextField,
  withoutUndo,
  recordChange,
} from '../editor/text-field.ts';
import {vimKeys} from '../editor/vim-keys.ts';
import {approvalKeys, cardKeys, type KeyPress} from '../terminal/keymap.ts';
import {answerEffects, pressApproval} from './press-approval.ts';
import {blocksPanel, noBlocksText} from './panels/blocks.ts';
import {offerIn} from './panels/compact.ts';
import {isForComposer} from './panels/connect.ts';
import {pressPanel} from './panels/panel.ts';
import {initialStage, resetStage} from './approval-stage.ts';
import {
  cardFrame,
  type CardRoom,
  cardRoom,
  draftRowsBelowCard,
  exactText,
  rowsNeeded,
  showsCriticalParts,
} from './card-room.ts';
import {pressComposer} from './press-composer.ts';
import {pressForm} from './question-form.ts';
import {attentionOf, foregroundCommand, isIdle} from './selectors.ts';
import {type Card, focusCard, type UiStep, typingPauseMs, type Ui} from './ui.ts';

/** Two presses of the interrupt key within this time (milliseconds) exit weft. */
export const leaveWithinMs = 2000;

/** Handles one key press. Returns the new UI, with the draft's changes recorded for undo, and the effects to perform. */
export function press(ui: Ui, key: KeyPress, context: PressContext): UiStep {
  const vim = vimOf(ui);
  const [first, rest] = vim === 'off' ? [key] : vimKeys().splitVimKeys(key, vim);
  const step = recordUndo(ui, routePress(ui, first, context), first, context);
  if (rest === undefined) return step;
  const then = press(step.ui, rest, {...context, batchPosition: 'following'});
  return {ui: then.ui, effects: [...step.effects, ...then.effects]};
}

function vimOf({panel, card, editing}: Ui): Editing['vim'] {
  if (panel !== 'none') return 'off';
  if (card.kind === 'none' || card.focus !== 'card') return editing.vim;
  return fieldOf(card)?.field.editing.vim ?? 'off';
}

/** Routes a press to the first that applies: interrupt and suspend, an open panel, the card if it has the focus, the composer. */
function routePress(ui: Ui, key: KeyPress, context: PressContext): UiStep {
  if (key.kind === 'key' && key.name === 'interrupt') return withLastKey(interrupt(ui, context), key, context);
  if (key.kind === 'key' && key.name === 'suspend') return withLastKey({ui, effects: [{do: 'suspend'}]}, key, context);
  const disarmed: Ui = {...ui, leaving: {kind: 'no'}, rewinding: isEscape(key) ? ui.rewinding : {kind: 'no'}};
  if (disarmed.panel !== 'none') {
    if (disarmed.panel.panel === 'connect' && isForComposer(disarmed.panel, key))
      return withLastKey(pressComposer({...disarmed, panel: 'none'}, key, context), key, context);
    const offer = offerIn(disarmed.panel);
    if (disarmed.panel.panel === 'compact' && offer !== 'none' && !isEscape(key) && isTypingOn(offer, context)) {
      const {ui: typed, effects: done} = pressComposer({...disarmed, panel: 'none'}, key, context);
      const panel = {...disarmed.panel, offer: {...offer, since: context.now}};
      return withLastKey({ui: {...typed, panel}, effects: done}, key, context);
    }
    const {panel, effects} = pressPanel(disarmed.panel, key, context);
    return withLastKey({ui: {...disarmed, panel}, effects}, key, context);
  }
  if (key.kind === 'key' && key.name === 'to-background') return toBackground(ui, context);
  if (key.kind === 'key' && key.name === 'take-terminal')
    return withLastKey(takeTerminal(disarmed, context), key, context);
  if (isPartOfAnswer(ui, key, context))
    return {ui: {...disarmed, lastKey: lastKeyOf(key, context, 'answer')}, effects: []};
  const scrolled = isCardScrollKey(disarmed, key) ? undefined : scrollStep(key);
  if (scrolled !== undefined)
    return withLastKey({ui: disarmed, effects: [{do: 'scroll', step: scrolled}]}, key, context);
  const {card} = disarmed;
  if (card.kind === 'none' || card.focus === 'answered')
    return withLastKey(pressComposer(disarmed, key, context), key, context);
  if (card.focus !== 'card') {
    return withLastKey(
      switchesToCard(disarmed, key, context) ? noEffects(focusCard(disarmed)) : pressComposer(disarmed, key, context),
      key,
      context,
    );
  }
  const step = pressCard(disarmed, card, {key, context});
  if ('unhandled' in step) {
    return withLastKey(pressComposer(withCard(disarmed, card, 'soon'), step.unhandled, context), key, context);
  }
  const kind = step.effects.some(effect => effect.do === 'op' || effect.do === 'print-approval') ? 'answer' : 'other';
  return {...step, ui: {...step.ui, lastKey: lastKeyOf(key, context, kind)}};
}

/** True if the user types on although the panel of an offered compaction has opened. */
const isTypingOn = ({since}: ShownOffer, {now}: PressContext): boolean => since > 0 && now - since < typingPauseMs;

const isEscape = (key: KeyPress): boolean => key.kind === 'key' && key.name === 'escape';

/** True for scroll keys that a focused card handles itself. */
const isCardScrollKey = ({card}: Ui, key: KeyPress): boolean =>
  (card.kind === 'approval' || (card.kind === 'question' && card.form.files.length > 0)) &&
  card.focus === 'card' &&
  key.kind === 'key' &&
  (key.name === 'page-up' || key.name === 'page-down');

/** Returns the scroll step of a key. Scroll keys move the transcript regardless of the focus. */
function scrollStep(key: KeyPress): ScrollStep | undefined {
  if (key.kind !== 'key') return undefined;
  return scrollSteps.find(step => step === key.name);
}

const scrollSteps = ['page-up', 'page-down', 'top', 'bottom'] as const satisfies readonly ScrollStep[];

const noEffects = (ui: Ui): UiStep => ({ui, effects: []});

const withLastKey = ({ui, effects}: UiStep, key: KeyPress, context: PressContext): UiStep => ({
  ui: {...ui, lastKey: lastKeyOf(key, context, 'other')},
  effects,
});

const lastKeyOf = (key: KeyPress, {now}: PressContext, on: 'answer' | 'other'): Ui['lastKey'] => ({
  kind: 'pressed',
  at: now,
  key: keyNameOf(key),
  on,
});

/** Names a key so that a held-down letter keeps its name, however often it arrives in one chunk. */
const keyNameOf = (key: KeyPress): string => (key.kind === 'key' ? key.name : [...new Set(key.text)].join(''));

/** True if the press belongs to the press that answered a card: the key is held down, or both arrived in one chunk. */
function isPartOfAnswer({lastKey}: Ui, key: KeyPress, {now, batchPosition}: PressContext): boolean {
  if (lastKey.kind === 'none' || lastKey.on !== 'answer') return false;
  return batchPosition === 'following' || (lastKey.key === keyNameOf(key) && now - lastKey.at < typingPauseMs);
}

/** True if Tab switches to the card. Tab doesn't switch while the user is typing a draft. Pressed twice, it switches there and back. */
const switchesToCard = ({draft, lastKey}: Ui, key: KeyPress, {now}: PressContext): boolean =>
  key.kind === 'key' &&
  key.name === cardKeys.switchFocus &&
  (isEmptyDraft(draft) ||
    lastKey.kind === 'none' ||
    lastKey.key === cardKeys.switchFocus ||
    now - lastKey.at >= typingPauseMs);

/** Handles Ctrl+C: clears the draft, or interrupts an agent that would stop on exit. A second press soon after exits. */
function interrupt(ui: Ui, {view, now, workAfter}: PressContext): UiStep {
  if (ui.leaving.kind === 'armed' && now - ui.leaving.at <= leaveWithinMs) return {ui, effects: [{do: 'leave'}]};
  const armed: Ui = {...ui, leaving: {kind: 'armed', at: now}, panel: 'none'};
  if (offerIn(ui.panel) !== 'none') return {ui: armed, effects: stop};
  if (ui.panel !== 'none') return noEffects(armed);
  const cardHasKeys = ui.card.kind !== 'none' && ui.card.focus === 'card';
  const isEmpty = isEmptyDraft(ui.draft) && ui.images.length === 0;
  if (!isEmpty && !cardHasKeys) return noEffects({...armed, draft: emptyDraft, images: []});
  return {ui: armed, effects: isIdle(view) || workAfter === 'goes-on' ? [] : stop};
}

const stop: readonly Effect[] = [{do: 'op', op: {op: 'interrupt'}}];

/** Handles Ctrl+T: attaches to the user's command that needs a terminal, or to the running block. If several run, opens the list. */
function takeTerminal(ui: Ui, {blocks, view: {terminalNeeded}}: PressContext): UiStep {
  if (terminalNeeded !== 'none') return {ui, effects: [{do: 'attach', block: terminalNeeded.block}]};
  const [first, ...more] = blocks.filter(({state}) => isRunning(state));
  if (first === undefined) return {ui, effects: [{do: 'notify', text: noBlocksText}]};
  return more.length === 0 ? {ui, effects: [{do: 'attach', block: first.id}]} : noEffects({...ui, panel: blocksPanel});
}

/** Handles Ctrl+B: moves the running command to the background. If none runs, it moves the cursor left, as in a shell. */
function toBackground(ui: Ui, context: PressContext): UiStep {
  const running = foregroundCommand(context.view);
  if (running === undefined) return routePress(ui, {kind: 'key', name: 'left'}, context);
  return {ui, effects: [{do: 'op', op: {op: 'move-to-background', id: running}}]};
}

type OpenCard = Exclude<Card, {readonly kind: 'none'}>;
type ApprovalCard = Extract<Card, {readonly kind: 'approval'}>;

interface CardPress {
  readonly key: KeyPress;
  readonly context: PressContext;
}

/** A press that the card doesn't handle. It goes to the draft. */
interface Unhandled {
  readonly unhandled: KeyPress;
}

/** Handles a press on a card. An open text field handles typing and editing keys first. */
function pressCard(ui: Ui, card: OpenCard, {key, context}: CardPress): UiStep | Unhandled {
  const written = fieldOf(card);
  if (written === undefined) return pressOpenCard(ui, card, {key, context});
  const step = pressField(written.field, key, {...context, width: draftWidth(cardFrame(context.frame))});
  const after = written.withField(step.field);
  return step.kind === 'handled' ? noEffects({...ui, card: after}) : pressOpenCard(ui, after, {key, context});
}

function pressOpenCard(ui: Ui, card: OpenCard, {key, context}: CardPress): UiStep | Unhandled {
  switch (card.kind) {
    case 'approval':
      return pressApprovalCard(ui, card, {key, context});
    case 'question': {
      const step = pressForm(card.form, key, row => context.showsOption(card.form, row, cardRows(ui, context)));
      if (step.kind === 'open') {
        const isSame = step.form.answers.length === card.form.answers.length;
        const editing = isSame ? card.editing : editingForNewField(ui);
        return noEffects({...ui, card: {...card, form: step.form, editing}});
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
): UiStep | Unhandled {
  if (key.kind === 'key' && key.name === cardKeys.switchFocus) return noEffects(withCard(ui, card, 'aside'));
  if (key.kind === 'key' && key.name === 'escape') return {ui, effects: stop};
  if (context.batchPosition === 'following') return {unhandled: key};
  const isEnter = key.kind === 'key' && key.name === 'enter';
  const letter = key.kind === 'text' ? key.text.toLowerCase() : '';
  if (isEnter || letter === approvalKeys.allow || letter === '1') {
    return {ui: withCard(ui, card, 'answered'), effects: [{do: 'attach', block: card.block}]};
  }
  if (letter === approvalKeys.refuse || letter === '2') {
    const op = {op: 'answer-hand-over', id: card.id, end: 'declined'} as const;
    return {ui: withCard(ui, card, 'answered'), effects: [{do: 'op', op}]};
  }
  return {unhandled: key};
}

/** The rows of a card above the draft. */
const cardRows = ({draft}: Ui, {rows}: PressContext): number =>
  rows - (isEmptyDraft(draft) ? 0 : draftRowsBelowCard(rows));

function pressApprovalCard(ui: Ui, card: ApprovalCard, {key, context}: CardPress): UiStep | Unhandled {
  const attention = attentionOf(context.view);
  if (attention.kind !== 'approval') return noEffects(ui);
  const {stage, editing} = card;
  const rows = cardRows(ui, context);
  const room = cardRoom({width: context.frame.width, rows});
  const batchPosition = isTooSoon(ui, context) ? 'following' : context.batchPosition;
  const read = batchPosition === 'first' ? readAfter(card, room) : card.read;
  const approval = card.revision.kind === 'revised' ? card.revision.approval : attention.approval;
  if (
    (stage.stage === 'choosing' || stage.stage === 'hunks') &&
    key.kind === 'key' &&
    key.name === cardKeys.switchFocus
  ) {
    return noEffects(withCard(ui, card, 'aside'));
  }
  const step = pressApproval(stage, approval, {key, batchPosition, room});
  switch (step.kind) {
    case 'open': {
      const isSame = step.stage.stage === stage.stage;
      const next = {...card, read, stage: step.stage, editing: isSame ? editing : editingForNewField(ui)};
      return noEffects({...ui, card: next});
    }
    case 'answered':
      // weft prints first what hasn't been on screen. The user must answer again.
      if (
        allowsProposal(step.answer) &&
        read !== 'all' &&
        (read < rowsToRead(approval, room) || !context.showsDecision(approval, rows))
      ) {
        return {
          ui: {...ui, card: {...card, stage: {...initialStage, hint: 'unread'}, read: 'all'}},
          effects: [{do: 'print-approval', approval}],
        };
      }
      return {
        ui: withCard(ui, card, 'answered'),
        effects: answerEffects(approval, step.answer),
      };
    case 'stop':
      return {ui, effects: stop};
    case 'edit': {
      const {preview} = approval;
      if (preview.kind === 'plan') {
        return {ui, effects: [{do: 'edit-externally', what: {kind: 'plan', id: card.id, plan: preview.plan}}]};
      }
      const access = accessOf(approval.action);
      if (access.kind !== 'edit') return noEffects(ui);
      const {edits} = access;
      const userChanges: UserChanges =
        step.dropped.length === 0 ? access.userChanges : {kind: 'hunks', dropped: step.dropped};
      const request = {edits, userChanges};
      return {ui, effects: [{do: 'edit-externally', what: {id: card.id, request, of: step.of}}]};
    }
    case 'show-all':
      // Opening the full text doesn't count as reading it to the end.
      return {ui: {...ui, card: {...card, stage: resetStage(stage)}}, effects: [{do: 'show-all', approval}]};
    case 'unhandled':
      return {unhandled: step.key};
    default:
      return unreachable(step);
  }
}

/** True if the answer runs the proposal as shown. weft asks again about an edited command. */
const allowsProposal = ({decision}: ApprovalAnswer): boolean => decision !== 'refuse' && decision !== 'allow-edited';

/**
 * Returns how many rows of the text must have been on screen before the user can allow the action. Zero if all critical
 * parts show at once.
 */
const rowsToRead = (approval: Approval, room: CardRoom): number =>
  showsCriticalParts(approval, room) ? 0 : rowsNeeded(exactText(approval), room);

/** Returns how many rows from the top have been on screen before this press. The card was drawn after the previous press. */
function readAfter({read, stage}: ApprovalCard, {rows}: CardRoom): ApprovalCard['read'] {
  if (read === 'all' || stage.stage !== 'choosing' || stage.top === 'summary') return read;
  return stage.top <= read ? Math.max(read, stage.top + rows) : read;
}

/** True if the press came too soon after the previous one for the user to have seen its result. */
const isTooSoon = ({lastKey}: Ui, {now}: PressContext): boolean =>
  lastKey.kind === 'pressed' && now - lastKey.at < reactionMs;

/** The shortest time, in milliseconds, in which a user can react to a frame. */
const reactionMs = 50;

const withCard = (ui: Ui, card: OpenCard, focus: OpenCard['focus']): Ui => ({
  ...ui,
  card: card.kind === 'approval' ? {...card, focus, stage: resetStage(card.stage)} : {...card, focus},
});

/** Returns the open text field of a card, and a function that returns the card with a new field. `undefined` if no field is open. */
function fieldOf(
  card: OpenCard,
): {readonly field: TextField; readonly withField: (after: TextField) => OpenCard} | undefined {
  if (card.kind === 'approval') {
    const {stage, editing} = card;
    if (stage.stage !== 'reason' && stage.stage !== 'command' && stage.stage !== 'rule-text') return undefined;
    const withField = (after: TextField): OpenCard => ({
      ...card,
      editing: after.editing,
      stage: {...stage, text: after.draft},
    });
    return {field: {draft: stage.text, editing}, withField};
  }
  if (card.kind !== 'question' || card.form.state !== 'typing') return undefined;
  const {form, editing} = card;
  const withField = (after: TextField): OpenCard => ({
    ...card,
    editing: after.editing,
    form: {...form, other: after.draft},
  });
  return {field: {draft: form.other, editing}, withField};
}

/** Records the press's change to the draft for undo. A sent draft leaves no undo steps behind. */
function recordUndo(before: Ui, {ui, effects}: UiStep, key: KeyPress, {now}: PressContext): UiStep {
  const next = recordChange(before, ui, {key, now});
  const isSent = ui.draft.buffer.text !== before.draft.buffer.text && isEmptyDraft(ui.draft) && effects.length > 0;
  return {ui: isSent ? withoutUndo(next, before.draft) : next, effects};
}
