import type {Approval} from '../../actions/agent-event.ts';
import type {ApprovalAnswer} from '../../agent/engine.ts';
import {unreachable} from '../../base/unreachable.ts';
import {choicesOf, type ApprovalChoices} from './approval-choices.ts';
import {draftOf, edited, emptyDraft, expanded, isEmptyDraft, pasted, typed, type Draft} from './draft.ts';
import {approvalKeys, cardKeys, type KeyName, type KeyPress} from './keymap.ts';

/** How far the user is with an approval. */
export type ApprovalStage =
  | {readonly stage: 'choosing'; readonly hint: 'none' | 'other-key' | 'nothing-changed'}
  /** Allowing for the session is asked again, for what reaches further than this machine. */
  | {readonly stage: 'session'}
  /** `text` is being typed; `wrong` once it was entered and was not the word. */
  | {readonly stage: 'word'; readonly text: Draft; readonly entered: 'not-yet' | 'wrong'}
  /** The row of the verdict's rules that would be stored. */
  | {readonly stage: 'rule'; readonly row: number}
  | {readonly stage: 'rule-text'; readonly text: Draft}
  | {readonly stage: 'reason'; readonly text: Draft}
  | {readonly stage: 'command'; readonly text: Draft};

export const openApproval: ApprovalStage = {stage: 'choosing', hint: 'none'};

export type ApprovalStep =
  | {readonly kind: 'open'; readonly stage: ApprovalStage}
  | {readonly kind: 'answered'; readonly answer: ApprovalAnswer}
  | {readonly kind: 'stop'}
  | {readonly kind: 'show-all'}
  /** Nothing for the card: `key` belongs to what the user is writing, and with it what the card took for its word before. */
  | {readonly kind: 'not-meant'; readonly key: KeyPress};

export interface ApprovalPress {
  readonly key: KeyPress;
  /** `later` when the terminal delivered other presses with it, before it. */
  readonly place: 'first' | 'later';
}

/** One press on an approval that has the keys. */
export function pressApproval(stage: ApprovalStage, approval: Approval, press: ApprovalPress): ApprovalStep {
  const choices = choicesOf(approval);
  const {key} = press;
  switch (stage.stage) {
    case 'choosing':
      return pressChoosing(choices, key);
    case 'session':
      return pressSession(choices, key);
    case 'word':
      return pressWord(stage, choices, key);
    case 'rule':
      return pressRule(stage.row, choices, press);
    case 'rule-text':
      return pressField(stage, key, rule => (rule === '' ? open(stage) : allowRule(rule, 'always')));
    case 'reason':
      return pressField(stage, key, message => answered({decision: 'refuse', message, voice: 'user'}));
    case 'command':
      return pressField(stage, key, command => runEdited(command, choices));
    default:
      return unreachable(stage);
  }
}

function pressChoosing(choices: ApprovalChoices, key: KeyPress): ApprovalStep {
  if (key.kind === 'paste') return notMeant(key);
  if (key.kind === 'key') {
    if (key.name === 'escape') return {kind: 'stop'};
    if (key.name === cardKeys.edit.name && choices.command !== '') {
      return open({stage: 'command', text: draftOf(choices.command)});
    }
    return deletes.has(key.name) ? notMeant(key) : open(openApproval);
  }
  // An Enter may come in one piece with the answer: it answers nothing, and does not keep the other key from it.
  const text = key.text.replaceAll('\n', '');
  if (choices.accept.by === 'key') return pressLetter(choices, {...key, text});
  return text === '' ? open(openApproval) : pressWord(openWord, choices, {...key, text});
}

function pressLetter({accept, session, rules}: ApprovalChoices, key: TextPress): ApprovalStep {
  switch (key.text.toLowerCase()) {
    case approvalKeys.allowMild:
    case approvalKeys.allowRisky:
      return accept.by === 'key' && accept.key === letterOf(key) ? allow('once') : hintAtKey;
    case approvalKeys.allowSession:
      if (session === 'none') return open(openApproval);
      return session === 'at-once' ? allow('session') : open({stage: 'session'});
    case approvalKeys.allowAlways:
      return open(rules.length === 0 ? openApproval : {stage: 'rule', row: 0});
    case approvalKeys.refuse:
      return answered({decision: 'refuse', message: '', voice: 'user'});
    case approvalKeys.refuseWithReason:
      return open({stage: 'reason', text: emptyDraft});
    case approvalKeys.showAll:
      return {kind: 'show-all'};
    case '':
      return open(openApproval);
    default:
      return heldLetter.test(key.text) ? open(openApproval) : notMeant(key);
  }
}

type TextPress = Extract<KeyPress, {readonly kind: 'text'}>;

/**
 * The word is typed straight away. A letter of the card with which the word begins too is that letter once Enter follows it. What
 * has blanks in it is said to the agent, and goes to the draft whole.
 */
function pressWord(stage: WordStage, choices: ApprovalChoices, key: KeyPress): ApprovalStep {
  if (key.kind === 'text' && isEmptyDraft(stage.text) && !mayBecomeWord(key.text, choices)) {
    const letter = key.text.toLowerCase();
    if (letter === approvalKeys.allowMild || letter === approvalKeys.allowRisky) return hintAtKey;
    const meant = enteredLetters[letter];
    if (meant !== undefined) return meant;
  }
  const step = pressField(stage, key, entered => enterWord(stage, choices, entered));
  if (key.kind !== 'text' || step.kind !== 'open' || step.stage.stage !== 'word') return step;
  const written = expanded(step.stage.text);
  return /\s/u.test(written) && !isWord(written.trim(), choices) ? notMeant({kind: 'text', text: written}) : step;
}

type WordStage = Extract<ApprovalStage, {readonly stage: 'word'}>;

const openWord: WordStage = {stage: 'word', text: emptyDraft, entered: 'not-yet'};

const mayBecomeWord = (text: string, {accept}: ApprovalChoices): boolean =>
  accept.by === 'word' && beginsWord(text, accept.word);

function enterWord(stage: WordStage, choices: ApprovalChoices, entered: string): ApprovalStep {
  if (entered === '') return open(stage);
  if (isWord(entered, choices)) return allow('once');
  return enteredLetters[entered.toLowerCase()] ?? open({...stage, text: emptyDraft, entered: 'wrong'});
}

/** Whether the letters may become the word. */
export const beginsWord = (letters: string, word: string): boolean =>
  letters !== '' && word.normalize().startsWith(letters.normalize());

const heldLetter = /^(\p{Letter})\1+$/u;

/** Keys that can only be about the draft. */
const deletes: ReadonlySet<KeyName> = new Set([
  'delete-left',
  'delete-right',
  'delete-word',
  'delete-to-start',
  'delete-to-end',
]);

function pressSession({accept}: ApprovalChoices, key: KeyPress): ApprovalStep {
  if (key.kind === 'key') return open(key.name === 'escape' ? openApproval : {stage: 'session'});
  const letter = letterOf(key);
  if (accept.by === 'key' && letter === accept.key) return allow('session');
  return letter === approvalKeys.allowSession ? open({stage: 'session'}) : notMeant(key);
}

function pressRule(row: number, {rules}: ApprovalChoices, {key, place}: ApprovalPress): ApprovalStep {
  const rule = rules[row] ?? '';
  if (key.kind !== 'key') {
    const letter = letterOf(key);
    if (letter === approvalKeys.allowSession) return allowRule(rule, 'session');
    return letter === approvalKeys.allowAlways ? open({stage: 'rule', row}) : notMeant(key);
  }
  switch (key.name) {
    case 'left':
    case 'up':
      return open({stage: 'rule', row: Math.max(0, row - 1)});
    case 'right':
    case 'down':
      return open({stage: 'rule', row: Math.min(rules.length - 1, row + 1)});
    case 'enter':
      // One that came along with the key that opened this was pressed before the rule could be read.
      return place === 'first' ? allowRule(rule, 'always') : open({stage: 'rule', row});
    case cardKeys.edit.name:
      return open({stage: 'rule-text', text: draftOf(rule)});
    case 'escape':
      return open(openApproval);
    default:
      return open({stage: 'rule', row});
  }
}

type FieldStage = Extract<ApprovalStage, {readonly text: Draft}>;

/** A press on a field; `enter` gets the trimmed text. */
function pressField(stage: FieldStage, key: KeyPress, enter: (text: string) => ApprovalStep): ApprovalStep {
  const {text} = stage;
  if (key.kind === 'text') return open({...stage, text: typed(text, key.text)});
  if (key.kind === 'paste') return open({...stage, text: pasted(text, key.text)});
  if (key.name === 'enter') return enter(expanded(text).trim());
  if (key.name === 'escape') return open(openApproval);
  return open({...stage, text: edited(text, key.name) ?? text});
}

/** The command as it was goes back to the question: it is accepted as its risk demands, or not at all. */
function runEdited(command: string, {command: before}: ApprovalChoices): ApprovalStep {
  const isChanged = command !== '' && command !== expanded(draftOf(before)).trim();
  return isChanged ? answered({decision: 'allow-edited', command}) : open({stage: 'choosing', hint: 'nothing-changed'});
}

const isWord = (text: string, {accept}: ApprovalChoices): boolean =>
  accept.by === 'word' && text.normalize() === accept.word.normalize();

const letterOf = (key: KeyPress): string => (key.kind === 'text' ? key.text.replaceAll('\n', '').toLowerCase() : '');

const notMeant = (key: KeyPress): ApprovalStep => ({kind: 'not-meant', key});
const open = (stage: ApprovalStage): ApprovalStep => ({kind: 'open', stage});
const hintAtKey = open({stage: 'choosing', hint: 'other-key'});
const answered = (answer: ApprovalAnswer): ApprovalStep => ({kind: 'answered', answer});
const allow = (scope: 'once' | 'session'): ApprovalStep => answered({decision: 'allow', scope});
const allowRule = (rule: string, lasting: 'session' | 'always'): ApprovalStep =>
  answered({decision: 'allow-rule', rule, lasting});

/** The letters of a card that is accepted by a word; those with which its word begins need an Enter. */
const enteredLetters: Readonly<Record<string, ApprovalStep>> = {
  [approvalKeys.refuse]: answered({decision: 'refuse', message: '', voice: 'user'}),
  no: answered({decision: 'refuse', message: '', voice: 'user'}),
  [approvalKeys.refuseWithReason]: open({stage: 'reason', text: emptyDraft}),
  [approvalKeys.showAll]: {kind: 'show-all'},
};
