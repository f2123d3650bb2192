import type {Approval} from '../../../actions/agent-event.ts';
import {unreachable} from '../../../base/unreachable.ts';
import {choicesOf, type ApprovalChoices} from './approval-choices.ts';
import {
  allow,
  answered,
  hintAtKey,
  notMeant,
  open,
  openApproval,
  pressCommon,
  type ApprovalPress,
  type ApprovalStage,
  type ApprovalStep,
  type RuleScope,
  type ChoosingStage,
} from './approval-stage.ts';
import {openHunks, openWord, pressWord} from './approval-word.ts';
import {draftOf, expanded, type Draft} from '../draft.ts';
import {pressHunks} from './hunk-form.ts';
import {approvalKeys, cardKeys, type KeyName, type KeyPress} from '../keymap.ts';

/** One press on an approval that has the keys. */
export function pressApproval(stage: ApprovalStage, approval: Approval, press: ApprovalPress): ApprovalStep {
  const choices = choicesOf(approval);
  const {key} = press;
  switch (stage.stage) {
    case 'choosing':
      return pressChoosing(stage, choices, press);
    case 'hunks':
      return pressHunks(stage, choices, press);
    case 'session':
      return pressSession(choices, key);
    case 'word':
      return pressWord(stage, choices, key);
    case 'rule':
      return pressRule(stage, choices, press);
    case 'rule-text':
      return pressEntry(stage, key, rule => (rule === '' ? open(stage) : allowRule(rule, stage.scope)));
    case 'reason':
      return pressEntry(stage, key, message => answered({decision: 'refuse', message, voice: 'user'}));
    case 'command':
      return pressEntry(stage, key, command => runEdited(command, choices));
    default:
      return unreachable(stage);
  }
}

function pressChoosing(stage: ChoosingStage, choices: ApprovalChoices, press: ApprovalPress): ApprovalStep {
  const {key} = press;
  if (key.kind === 'paste') return notMeant(key);
  if (key.kind === 'key') {
    if (key.name === 'escape') return {kind: 'stop'};
    if (key.name === cardKeys.edit.name && choices.command !== '') {
      return open({stage: 'command', text: draftOf(choices.command)});
    }
    if ((key.name === cardKeys.edit.name || key.name === cardKeys.editor.name) && choices.editable === 'yes') {
      return {kind: 'edit', of: 'all-files', dropped: []};
    }
    const top = scrolled(stage.top, key.name, press);
    if (top !== undefined) return open({...openApproval, top});
    return deletes.has(key.name) ? notMeant(key) : open(openApproval);
  }
  // An Enter may come in one piece with the answer: it answers nothing, and does not keep the other key from it.
  const text = key.text.replaceAll('\n', '');
  if (choices.accept.by === 'key') return pressLetter(choices, {...key, text});
  return text === '' ? open(openApproval) : pressWord(openWord, choices, {...key, text});
}

/** Below the summary lies all of it; `undefined` for keys that do not scroll. */
function scrolled(
  top: ChoosingStage['top'],
  key: KeyName,
  {reach}: Pick<ApprovalPress, 'reach'>,
): ChoosingStage['top'] | undefined {
  if (key !== 'up' && key !== 'down' && key !== 'page-up' && key !== 'page-down') return undefined;
  const found = reach();
  if (found === 'all-shown') return 'summary';
  const {last, page} = found;
  if (top === 'summary') return key === 'down' || key === 'page-down' ? 0 : 'summary';
  const step = key === 'up' || key === 'down' ? 1 : page;
  const next = key === 'up' || key === 'page-up' ? top - step : top + step;
  return next < 0 && top === 0 ? 'summary' : Math.max(0, Math.min(last, next));
}

function pressLetter({accept, session, rules, parts}: ApprovalChoices, key: TextPress): ApprovalStep {
  const letter = key.text.toLowerCase();
  switch (letter) {
    case approvalKeys.allowMild:
    case approvalKeys.allowRisky:
      return accept.by === 'key' && accept.key === letterOf(key) ? allow('once') : hintAtKey;
    case approvalKeys.allowSession:
      if (session === 'none') return open(openApproval);
      return session === 'at-once' ? allow('session') : open({stage: 'session'});
    case approvalKeys.allowAlways:
      return open(rules.length === 0 ? openApproval : {stage: 'rule', row: 0, scope: 'local'});
    case approvalKeys.chooseHunks:
      return parts.length === 0 ? notMeant(key) : open(openHunks);
    case '':
      return open(openApproval);
    default:
      return pressCommon(letter) ?? (heldLetter.test(key.text) ? open(openApproval) : notMeant(key));
  }
}

type TextPress = Extract<KeyPress, {readonly kind: 'text'}>;

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

function pressRule(
  stage: Extract<ApprovalStage, {readonly stage: 'rule'}>,
  {rules}: ApprovalChoices,
  {key, place}: ApprovalPress,
): ApprovalStep {
  const {row, scope} = stage;
  const rule = rules[row] ?? '';
  if (key.kind !== 'key') {
    const letter = letterOf(key);
    if (letter === approvalKeys.allowSession) return allowRule(rule, 'session');
    if (letter === approvalKeys.allowEverywhere) return open({...stage, scope: 'user'});
    return letter === approvalKeys.allowAlways ? open({...stage, scope: 'local'}) : notMeant(key);
  }
  switch (key.name) {
    case 'left':
    case 'up':
      return open({...stage, row: Math.max(0, row - 1)});
    case 'right':
    case 'down':
      return open({...stage, row: Math.min(rules.length - 1, row + 1)});
    case 'enter':
      // One that came along with the key that opened this was pressed before the rule could be read.
      return place === 'first' ? allowRule(rule, scope) : open(stage);
    case cardKeys.edit.name:
      return open({stage: 'rule-text', text: draftOf(rule), scope});
    case 'escape':
      return open(openApproval);
    default:
      return open(stage);
  }
}

/** What a text leaves over of a press; `enter` gets it trimmed. */
function pressEntry(
  stage: Extract<ApprovalStage, {readonly text: Draft}>,
  key: KeyPress,
  enter: (text: string) => ApprovalStep,
): ApprovalStep {
  if (key.kind !== 'key') return open(stage);
  if (key.name === 'enter') return enter(expanded(stage.text).trim());
  return open(key.name === 'escape' ? openApproval : stage);
}

/** The command as it was goes back to the question: it is accepted as its risk demands, or not at all. */
function runEdited(command: string, {command: before}: ApprovalChoices): ApprovalStep {
  const isChanged = command !== '' && command !== expanded(draftOf(before)).trim();
  return isChanged ? answered({decision: 'allow-edited', command}) : open({...openApproval, hint: 'nothing-changed'});
}

const letterOf = (key: KeyPress): string => (key.kind === 'text' ? key.text.replaceAll('\n', '').toLowerCase() : '');

const allowRule = (rule: string, lasting: 'session' | RuleScope): ApprovalStep =>
  answered({decision: 'allow-rule', rule, lasting});
