import type {ApprovalChoices} from './approval-choices.ts';
import {
  allow,
  hintAtKey,
  notMeant,
  open,
  openApproval,
  pressCommon,
  type ApprovalStage,
  type ApprovalStep,
  type WordStage,
} from './approval-stage.ts';
import {edited, emptyDraft, expanded, isEmptyDraft, pasted, typed} from '../draft.ts';
import {approvalKeys, type KeyPress} from '../keymap.ts';

export const openWord: WordStage = {stage: 'word', text: emptyDraft, entered: 'not-yet'};

/**
 * The word is typed straight away. A letter of the card with which the word begins too is that letter once Enter follows it. What
 * has blanks in it is said to the agent, and goes to the draft whole.
 */
export function pressWord(stage: WordStage, choices: ApprovalChoices, key: KeyPress): ApprovalStep {
  if (key.kind === 'text' && isEmptyDraft(stage.text) && !mayBecomeWord(key.text, choices)) {
    const letter = key.text.toLowerCase();
    if (letter === approvalKeys.allowMild || letter === approvalKeys.allowRisky) return hintAtKey;
    const meant = enteredLetter(letter, choices);
    if (meant !== undefined) return meant;
  }
  const step = pressLetters(stage, key, entered => enterWord(stage, choices, entered));
  if (key.kind !== 'text' || step.kind !== 'open' || step.stage.stage !== 'word') return step;
  const written = expanded(step.stage.text);
  return /\s/u.test(written) && !isWord(written.trim(), choices) ? notMeant({kind: 'text', text: written}) : step;
}

const mayBecomeWord = (text: string, {accept}: ApprovalChoices): boolean =>
  accept.by === 'word' && beginsWord(text, accept.word);

function enterWord(stage: WordStage, choices: ApprovalChoices, entered: string): ApprovalStep {
  if (entered === '') return open(stage);
  if (isWord(entered, choices)) return allow('once');
  return enteredLetter(entered.toLowerCase(), choices) ?? open({...stage, text: emptyDraft, entered: 'wrong'});
}

/** Whether the letters may become the word. */
export const beginsWord = (letters: string, word: string): boolean =>
  letters !== '' && word.normalize().startsWith(letters.normalize());

const isWord = (text: string, {accept}: ApprovalChoices): boolean =>
  accept.by === 'word' && text.normalize() === accept.word.normalize();

/** The letters of a card that is accepted by a word; those with which its word begins need an Enter. */
function enteredLetter(letter: string, {parts}: ApprovalChoices): ApprovalStep | undefined {
  if (letter === approvalKeys.chooseHunks) return parts.length === 0 ? undefined : open(openHunks);
  return pressCommon(letter === 'no' ? approvalKeys.refuse : letter);
}

/** All that is proposed is ticked. */
export const openHunks = {
  stage: 'hunks',
  row: 0,
  top: 0,
  dropped: new Set<number>(),
  word: emptyDraft,
  hint: 'none',
} as const satisfies ApprovalStage;

/** A press on the word, which is too short for more than the plain keys; `enter` gets the trimmed text. */
function pressLetters(stage: WordStage, key: KeyPress, enter: (text: string) => ApprovalStep): ApprovalStep {
  const {text} = stage;
  if (key.kind === 'text') return open({...stage, text: typed(text, key.text)});
  if (key.kind === 'paste') return open({...stage, text: pasted(text, key.text)});
  if (key.name === 'enter') return enter(expanded(text).trim());
  if (key.name === 'escape') return open(openApproval);
  return open({...stage, text: edited(text, key.name) ?? text});
}
