import type {Approval} from '../../actions/agent-event.ts';
import {accessOf, planAction, withUserChanges} from '../../actions/catalogue.ts';
import type {ApprovalAnswer} from '../../agent/client.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {PlanDraft} from '../../domain/plan.ts';
import type {ActionId} from '../../domain/ids.ts';
import {
  applyEditKey,
  type Draft,
  draftFromText,
  draftText,
  emptyDraft,
  isEmptyDraft,
  pasteText,
  typeText,
} from '../editor/draft.ts';
import {approvalKeys, cardKeys, type KeyName, type KeyPress} from '../terminal/keymap.ts';
import {type ApprovalChoices, choicesOf, type Offer, suggestedRule} from './approval-choices.ts';
import {
  answeredStep,
  type ApprovalPress,
  type ApprovalStage,
  type ApprovalStep,
  type ChoosingStage,
  type HunkStage,
  initialStage,
  openStep,
  resetStage,
  unhandledStep,
  type WordStage,
} from './approval-stage.ts';
import {type CardRoom, exactText, rowsNeeded} from './card-room.ts';
import {type ChangePart, droppedParts} from './change-parts.ts';
import type {Effect, ProposalEditResult} from './effect.ts';
import type {Ui} from './ui.ts';

export function pressApproval(stage: ApprovalStage, approval: Approval, press: ApprovalPress): ApprovalStep {
  const choices = choicesOf(approval, stage.stage === 'choosing' ? stage.rule : 'suggested');
  const {key} = press;
  switch (stage.stage) {
    case 'choosing':
      return pressChoosing(stage, {approval, choices}, press);
    case 'hunks':
      return pressHunks(stage, choices, press);
    case 'word':
      return pressWord(stage, choices, key);
    case 'rule-text':
      return pressEntry(stage, key, rule => (rule === '' ? openStep(stage) : allowAlways(rule)));
    case 'reason':
      return pressEntry(stage, key, refuse);
    case 'command':
      return pressEntry(stage, key, command => runEdited(command, choices));
    default:
      return unreachable(stage);
  }
}

interface Asked {
  readonly approval: Approval;
  readonly choices: ApprovalChoices;
}

function pressChoosing(stage: ChoosingStage, {approval, choices}: Asked, press: ApprovalPress): ApprovalStep {
  const {key} = press;
  const cleared: ChoosingStage = {...stage, hint: 'none'};
  if (key.kind === 'paste') return unhandledStep(key);
  if (key.kind === 'text') {
    // An Enter in the same chunk as the answer is ignored.
    const text = key.text.replaceAll('\n', '');
    if (text === '') return openStep(cleared);
    return choices.accept.by === 'key'
      ? pressLetter(choices, {...key, text})
      : pressWord(initialWordStage, choices, {...key, text});
  }
  switch (key.name) {
    case 'escape':
      // On a card that needs a word, Esc refuses.
      return choices.accept.by === 'word' ? refuse('') : {kind: 'stop'};
    case cardKeys.edit: {
      const selected = stage.row === 'none' ? undefined : choices.offers[stage.row];
      if (selected?.does.kind === 'always')
        return openStep({stage: 'rule-text', text: draftFromText(selected.does.rule)});
      if (choices.command !== '') return openStep({stage: 'command', text: draftFromText(choices.command)});
      return choices.editable === 'yes' ? editAll : openStep(cleared);
    }
    case cardKeys.editor:
      return choices.editable === 'yes' ? editAll : openStep(cleared);
    case 'up':
    case 'down':
      return openStep(selectOffer(cleared, choices, key.name === 'up' ? -1 : 1));
    case 'left':
    case 'right':
      return openStep(
        choices.rules.length > 1
          ? {...cleared, rule: neighborRule(stage, approval, key.name === 'left' ? -1 : 1)}
          : selectOffer(cleared, choices, key.name === 'left' ? -1 : 1),
      );
    case 'page-up':
    case 'page-down':
      return openStep({...cleared, top: scrollTop(stage.top, key.name, {text: bodyText(approval), room: press.room})});
    case 'enter': {
      const selected = stage.row === 'none' ? undefined : choices.offers[stage.row];
      if (selected === undefined) {
        return openStep({...stage, hint: choices.accept.by === 'word' ? 'needs-word' : 'no-choice'});
      }
      // An Enter in the same chunk as the arrow was pressed before the user could see the selection.
      return press.batchPosition === 'following' ? openStep(cleared) : takeOffer(selected);
    }
    default:
      return deletionKeys.has(key.name) ? unhandledStep(key) : openStep(cleared);
  }
}

/** Selects the next or previous offer. If none is selected yet, selects the first or last one. */
function selectOffer(stage: ChoosingStage, {accept, offers}: ApprovalChoices, step: 1 | -1): ChoosingStage {
  if (accept.by === 'word') return stage;
  const {row} = stage;
  if (row === 'none') return {...stage, row: step === 1 ? 0 : offers.length - 1};
  return {...stage, row: (row + step + offers.length) % offers.length};
}

const neighborRule = ({rule}: ChoosingStage, {verdict}: Approval, step: 1 | -1): number =>
  Math.max(0, Math.min(verdict.detail.rules.length - 1, (rule === 'suggested' ? suggestedRule(verdict) : rule) + step));

/**
 * Returns the first visible row after a scroll key. The limit is the maximum number of rows that the text can need. The card
 * never draws past the end.
 */
function scrollTop(
  top: ChoosingStage['top'],
  key: 'page-up' | 'page-down',
  {text, room}: {readonly text: string; readonly room: CardRoom},
): ChoosingStage['top'] {
  const needed = rowsNeeded(text, room);
  if (needed <= room.rows) return 'summary';
  const page = Math.max(1, room.rows - 1);
  if (top === 'summary') return key === 'page-down' ? 0 : 'summary';
  if (key === 'page-up') return top === 0 ? 'summary' : Math.max(0, top - page);
  return Math.min(Math.max(0, needed - page), top + page);
}

/** Returns the text that a card scrolls: the exact text and the lines of the change. */
const bodyText = (approval: Approval): string => {
  const {preview, impact} = approval;
  const files = preview.kind === 'diff' || preview.kind === 'changes' ? preview.files : impact.diffs;
  const headings = preview.kind === 'changes' ? preview.asked.map(() => '') : [];
  const lines = files.flatMap(({hunks}) => hunks.flatMap(hunk => ['', ...hunk.lines.map(({text}) => `      ${text}`)]));
  return [exactText(approval), ...headings, ...lines].join('\n');
};

function pressLetter(choices: ApprovalChoices, key: TextPress): ApprovalStep {
  const letter = key.text.toLowerCase();
  if (letter === approvalKeys.showAll) return {kind: 'show-all'};
  const digit = /^[1-9]$/u.test(letter) ? Number(letter) : 0;
  const offer = choices.offers.find((one, at) => one.letter === letter || at === digit - 1);
  if (offer !== undefined) return takeOffer(offer);
  // A held-down letter, or a card letter that this card doesn't offer, isn't the start of a prompt.
  const isCardLetter = Object.values<string>(approvalKeys).includes(letter) || repeatedLetter.test(key.text);
  return isCardLetter ? openStep(initialStage) : unhandledStep(key);
}

function takeOffer({does}: Offer): ApprovalStep {
  switch (does.kind) {
    case 'answer':
      return answeredStep(does.answer);
    case 'always':
      return allowAlways(does.rule);
    case 'choose-hunks':
      return openStep(initialHunkStage);
    case 'refuse':
      return openStep({stage: 'reason', text: emptyDraft});
    default:
      return unreachable(does);
  }
}

type TextPress = Extract<KeyPress, {readonly kind: 'text'}>;

const repeatedLetter = /^(\p{Letter})\1+$/u;

/** Deletion keys. They always edit the draft. */
const deletionKeys: ReadonlySet<KeyName> = new Set([
  'delete-left',
  'delete-right',
  'delete-word',
  'delete-to-start',
  'delete-to-end',
]);

const editAll: ApprovalStep = {kind: 'edit', of: 'all-files', dropped: []};

/** Handles the keys that a text field doesn't. `enter` receives the trimmed text. */
function pressEntry(
  stage: Extract<ApprovalStage, {readonly text: Draft}>,
  key: KeyPress,
  enter: (text: string) => ApprovalStep,
): ApprovalStep {
  if (key.kind !== 'key') return openStep(stage);
  if (key.name === 'enter') return enter(draftText(stage.text).trim());
  return openStep(key.name === 'escape' ? initialStage : stage);
}

/** Submits an edited command. An unchanged command returns to the choices, because its risk decides how it is accepted. */
function runEdited(command: string, {command: before}: ApprovalChoices): ApprovalStep {
  const isChanged = command !== '' && command !== draftText(draftFromText(before)).trim();
  return isChanged
    ? answeredStep({decision: 'allow-edited', command})
    : openStep({...initialStage, hint: 'nothing-changed'});
}

const letterOf = (key: KeyPress): string => (key.kind === 'text' ? key.text.replaceAll('\n', '').toLowerCase() : '');

const allowAlways = (rule: string): ApprovalStep => answeredStep({decision: 'allow-rule', rule, scope: 'local'});
const refuse = (message: string): ApprovalStep => answeredStep({decision: 'refuse', message, by: 'user'});
const allowOnce: ApprovalStep = answeredStep({decision: 'allow', scope: 'once'});

const initialWordStage: WordStage = {stage: 'word', text: emptyDraft, entered: 'not-yet'};

/** Handles typing the confirm word. A card letter that is also the word's first letter needs Enter. Text with spaces goes to the draft. */
function pressWord(stage: WordStage, choices: ApprovalChoices, key: KeyPress): ApprovalStep {
  if (key.kind === 'text' && isEmptyDraft(stage.text) && !canBecomeWord(key.text, choices)) {
    const meant = stepForLetter(key.text.toLowerCase(), choices);
    if (meant !== undefined) return meant;
  }
  const step = pressLetters(stage, key, entered => enterWord(stage, choices, entered));
  if (key.kind !== 'text' || step.kind !== 'open' || step.stage.stage !== 'word') return step;
  const written = draftText(step.stage.text);
  return /\s/u.test(written) && !isWord(written.trim(), choices) ? unhandledStep({kind: 'text', text: written}) : step;
}

const canBecomeWord = (text: string, {accept}: ApprovalChoices): boolean =>
  accept.by === 'word' && text !== '' && accept.word.normalize().startsWith(text.normalize());

function enterWord(stage: WordStage, choices: ApprovalChoices, entered: string): ApprovalStep {
  if (entered === '') return openStep(stage);
  if (isWord(entered, choices)) return allowOnce;
  return stepForLetter(entered.toLowerCase(), choices) ?? openStep({...stage, text: emptyDraft, entered: 'wrong'});
}

const isWord = (text: string, {accept}: ApprovalChoices): boolean =>
  accept.by === 'word' && text.normalize() === accept.word.normalize();

/** Returns the step for a letter on a card that needs a confirm word. A letter that begins the word needs Enter. */
function stepForLetter(letter: string, {offers}: ApprovalChoices): ApprovalStep | undefined {
  if (letter === approvalKeys.showAll) return {kind: 'show-all'};
  const offer = offers.find(one => one.letter === (letter === 'no' ? approvalKeys.refuse : letter));
  if (offer !== undefined) return takeOffer(offer);
  return letter === approvalKeys.allow ? openStep({...initialStage, hint: 'needs-word'}) : undefined;
}

export const initialHunkStage = {
  stage: 'hunks',
  row: 0,
  top: 0,
  dropped: new Set<number>(),
  word: emptyDraft,
  hint: 'none',
} as const satisfies ApprovalStage;

/** Edits the confirm word. `enter` receives the trimmed text. */
function pressLetters(stage: WordStage, key: KeyPress, enter: (text: string) => ApprovalStep): ApprovalStep {
  const {text} = stage;
  if (key.kind === 'text') return openStep({...stage, text: typeText(text, key.text)});
  if (key.kind === 'paste') return openStep({...stage, text: pasteText(text, key.text)});
  if (key.name === 'enter') return enter(draftText(text).trim());
  if (key.name === 'escape') return refuse('');
  return openStep({...stage, text: applyEditKey(text, key.name) ?? text});
}

/**
 * Handles a press while the user selects hunks. The key or word that accepts the whole change accepts the selected hunks. Enter
 * alone never does.
 */
function pressHunks(stage: HunkStage, choices: ApprovalChoices, press: ApprovalPress): ApprovalStep {
  const {key} = press;
  const {parts} = choices;
  const cleared: HunkStage = {...stage, hint: 'none'};
  if (key.kind === 'paste')
    return isEmptyDraft(stage.word) ? unhandledStep(key) : pressHunkWord(cleared, choices, press);
  if (key.kind === 'text') {
    if (isEmptyDraft(stage.word) && spacesOnly.test(key.text)) return openStep(togglePart(cleared, key.text));
    return choices.accept.by === 'word'
      ? pressHunkWord(cleared, choices, press)
      : pressHunkLetter(cleared, choices, press);
  }
  switch (key.name) {
    case 'up':
      return openStep({...cleared, top: 0, row: Math.max(0, stage.row - 1)});
    case 'down':
      return openStep({...cleared, top: 0, row: Math.min(parts.length - 1, stage.row + 1)});
    case 'page-up':
    case 'page-down': {
      const last = Math.max(0, minLinesOf(parts[stage.row]) - hunkPageLines);
      const top = stage.top + (key.name === 'page-up' ? -hunkPageLines : hunkPageLines);
      return openStep({...cleared, top: Math.max(0, Math.min(last, top))});
    }
    case cardKeys.edit:
    case cardKeys.editor:
      return choices.editable === 'no'
        ? openStep(cleared)
        : {kind: 'edit', of: parts[stage.row]?.file ?? 'all-files', dropped: droppedParts(parts, stage.dropped)};
    case 'escape':
      return openStep(isEmptyDraft(stage.word) ? initialStage : {...cleared, word: emptyDraft});
    default:
      return isEmptyDraft(stage.word) ? openStep(cleared) : pressHunkWord(cleared, choices, press);
  }
}

/** Returns the fewest lines that a part takes. Hunks are separated by one row. */
const minLinesOf = (part: ChangePart | undefined): number =>
  part === undefined || (part.shown === 'whole-file' && part.change === 'edit')
    ? 0
    : part.ownDiff.flatMap(({hunks}) => hunks).reduce((sum, {lines}) => sum + lines.length + 1, -1);

/** The lines by which a long hunk scrolls. At least as many stay visible at its end. */
const hunkPageLines = 4;

const spacesOnly = /^ +$/u;

/** Toggles the selected part once for each space in the text. */
function togglePart(stage: HunkStage, text: string): HunkStage {
  if (text.length % 2 === 0) return stage;
  const dropped = new Set(stage.dropped);
  if (!dropped.delete(stage.row)) dropped.add(stage.row);
  return {...stage, dropped};
}

function pressHunkLetter(
  stage: HunkStage,
  choices: ApprovalChoices,
  {key, batchPosition}: ApprovalPress,
): ApprovalStep {
  switch (letterOf(key)) {
    case approvalKeys.allow:
      // A key in the same chunk as the one that opened this stage was pressed before the user could read the parts.
      return batchPosition === 'first' ? acceptTicked(stage, choices) : openStep(stage);
    case approvalKeys.refuse:
      return openStep({stage: 'reason', text: emptyDraft});
    case approvalKeys.showAll:
      return {kind: 'show-all'};
    case approvalKeys.chooseHunks:
    case '':
      return openStep(stage);
    default:
      return unhandledStep(key);
  }
}

/** Handles the confirm word in the hunk stage. The word accepts only the selected parts. */
function pressHunkWord(stage: HunkStage, choices: ApprovalChoices, press: ApprovalPress): ApprovalStep {
  const step = pressWord({stage: 'word', text: stage.word, entered: 'not-yet'}, choices, press.key);
  if (step.kind === 'answered' && step.answer.decision === 'allow') {
    return press.batchPosition === 'first' ? acceptTicked(stage, choices) : openStep({...stage, word: emptyDraft});
  }
  if (step.kind !== 'open') return step;
  switch (step.stage.stage) {
    case 'word':
      return openStep({
        ...stage,
        word: step.stage.text,
        hint: step.stage.entered === 'wrong' ? 'wrong-word' : 'none',
      });
    case 'choosing':
      return openStep({...stage, word: emptyDraft, hint: 'needs-word'});
    case 'hunks':
      return openStep({...stage, word: emptyDraft});
    default:
      return step;
  }
}

/** Accepts the selected parts. If none is selected, refuses and asks what to do instead. */
function acceptTicked({dropped}: HunkStage, {parts}: ApprovalChoices): ApprovalStep {
  if (dropped.size === 0) return allowOnce;
  if (dropped.size === parts.length) return openStep({stage: 'reason', text: emptyDraft});
  const left = parts.filter((_, at) => !dropped.has(at));
  if (left.every(({change}) => change !== 'edit')) {
    return answeredStep({decision: 'allow-files', paths: left.map(({file}) => file.path)});
  }
  return answeredStep({
    decision: 'allow-with-changes',
    userChanges: {kind: 'hunks', dropped: droppedParts(parts, dropped)},
  });
}

/** Returns the approval for the user's edited proposal. It no longer offers rules or a session grant. */
function revisedApproval(
  approval: Approval,
  {request, files}: Extract<ProposalEditResult, {readonly kind: 'revised'}>,
): Approval {
  const {verdict} = approval;
  return {
    ...approval,
    action: withUserChanges(approval.action, request.userChanges) ?? approval.action,
    preview: {kind: 'diff', files},
    verdict: {...verdict, detail: {...verdict.detail, rules: []}},
    sessionGrant: '',
  };
}

/** Returns the effects of an answer. Allowing a plan for the session also switches to `acceptEdits`. */
export function answerEffects(approval: Approval, answer: ApprovalAnswer): readonly Effect[] {
  const op = {op: 'answer-approval', id: approval.id, answer: answerForRevision(approval, answer)} as const;
  const acceptsEdits = approval.preview.kind === 'plan' && answer.decision === 'allow' && answer.scope === 'session';
  return [...(acceptsEdits ? [{do: 'op', op: {op: 'set-mode', mode: 'acceptEdits'}} as const] : []), {do: 'op', op}];
}

/** Adds the user's changes to an answer that accepts an edited proposal. */
function answerForRevision(approval: Approval, answer: ApprovalAnswer): ApprovalAnswer {
  const {preview, wording} = approval;
  if (preview.kind === 'plan') return wording === 'user' ? answerForPlan(preview.plan, answer) : answer;
  const access = accessOf(approval.action);
  if (access.kind !== 'edit' || access.userChanges.kind === 'none') return answer;
  return answer.decision === 'allow' ? {decision: 'allow-with-changes', userChanges: access.userChanges} : answer;
}

/** Returns the approval for the user's edited plan. */
const revisedPlan = (approval: Approval, plan: PlanDraft): Approval => ({
  ...approval,
  action: planAction(plan),
  preview: {kind: 'plan', plan},
  wording: 'user',
});

const answerForPlan = ({goal, steps, notes}: PlanDraft, answer: ApprovalAnswer): ApprovalAnswer =>
  answer.decision === 'allow' ? {decision: 'allow-updated', input: {goal, steps, notes}, rules: []} : answer;

/**
 * Updates the card after the editor closes. The card takes the focus again after a pause, so that keys typed before
 * don't answer it. An edit that changes no file counts as a refusal, and the card asks for the reason. If the text is
 * unchanged, the hunk selection stays.
 */
export function afterProposalEdit(ui: Ui, {id, approval, end, now}: EditorReturn): Ui {
  const {card} = ui;
  if (card.kind !== 'approval' || card.id !== id || card.focus === 'answered') return ui;
  const again = {...card, since: now, focus: 'soon', stage: resetStage(card.stage)} as const;
  switch (end.kind) {
    case 'revised':
      return end.files.length === 0
        ? {...ui, card: {...again, stage: {stage: 'reason', text: emptyDraft}}}
        : {
            ...ui,
            card: {
              ...again,
              stage: initialStage,
              revision: {kind: 'revised', approval: revisedApproval(approval, end)},
            },
          };
    case 'revised-plan':
      return {
        ...ui,
        card: {...again, stage: initialStage, revision: {kind: 'revised', approval: revisedPlan(approval, end.plan)}},
      };
    case 'unchanged':
      return {...ui, card: {...again, stage: stageAfterNoChange(again.stage)}};
    case 'failed':
      return {...ui, card: again};
    default:
      return unreachable(end);
  }
}

const stageAfterNoChange = (stage: ApprovalStage): ApprovalStage =>
  stage.stage === 'hunks' ? {...stage, hint: 'nothing-changed'} : {...initialStage, hint: 'nothing-changed'};

interface EditorReturn {
  readonly id: ActionId;
  readonly approval: Approval;
  readonly end: ProposalEditResult;
  /** Milliseconds, as in `Ui`. */
  readonly now: number;
}
