import type {Approval} from '../../actions/agent-event.ts';
import type {FileDiff} from '../../actions/preview.ts';
import {clip, pluralize} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visible, visibleExactLine} from '../../base/visible.ts';
import {changeVerbs, hasNoLines} from '../scrollback/change-lines.ts';
import {approvalTitle} from '../scrollback/approval-text.ts';
import {numberLines, numberOf} from '../scrollback/diff-lines.ts';
import {commandRows, fitRows} from '../scrollback/command-rows.ts';
import {draftFromText} from '../editor/draft.ts';
import {choicesOf, suggestedRule} from '../state/approval-choices.ts';
import {type ApprovalStage, initialStage} from '../state/approval-stage.ts';
import {reasonTexts} from '../state/approval-reasons.ts';
import {exactText, showsCriticalParts} from '../state/card-room.ts';
import {type ChangePart, partCounts, partsOf} from '../state/change-parts.ts';
import {answerEffects, pressApproval} from '../state/press-approval.ts';
import {approvalKeys, cardKeys, type KeyPress} from '../terminal/keymap.ts';
import {type AnswerStep, askAgain, askNext, closeWith, isBack, type LineQuestion, numbersIn} from './line-question.ts';
import {plainLabel, plainTextLine, sentences, plainFrame} from './plain-entry.ts';

/** How much of a command or a change is printed until the user asks for all of it. */
const room = {rows: 40, cells: Number.POSITIVE_INFINITY};

/** Turns an approval card into lines: the question, what would run, the reason, and the letters. An answer works like keys on the card. */
export function approvalQuestion(
  approval: Approval,
  {waiting, workspace}: {readonly waiting: number; readonly workspace: string},
): LineQuestion {
  const body = bodyLines(approval, room.rows, workspace);
  const all = bodyLines(approval, Number.POSITIVE_INFINITY, workspace);
  const heard = all.length <= body.length || showsCriticalParts(approval, room) ? 'all' : 'some';
  const asked: OpenApproval = {approval, all, isFolded: all.length > body.length, heard, stage: initialStage};
  return {
    lines: [
      '',
      sentences([
        `Approval needed: ${plainLabel(approvalTitle(approval, {cells: plainFrame.width, home: plainFrame.home}))}`,
        ...(waiting > 1 ? [`${waiting - 1} more waiting`] : []),
      ]),
      ...body,
      ...reasonTexts(approval).map(text => sentences([plainTextLine(text)])),
      instructionsFor(asked),
    ],
    answer: line => answer(line, asked),
  };
}

interface OpenApproval {
  readonly approval: Approval;
  readonly stage: ApprovalStage;
  /** The command and all changes, in full. */
  readonly all: readonly string[];
  readonly isFolded: boolean;
  /** `some`: parts that the user must hear before allowing have not been printed yet. */
  readonly heard: 'some' | 'all';
}

/** Returns at most `maxLines` lines: the exact command with its most dangerous parts, then the changed lines of files. */
function bodyLines(approval: Approval, maxLines: number, workspace: string): readonly string[] {
  const {preview, impact, verdict} = approval;
  const text = exactText(approval);
  const frame = {theme: plainFrame.theme, width: Number.POSITIVE_INFINITY};
  // Signs and pointer rows are visual.
  const rows = commandRows(text, verdict.detail, frame).map(row => ({...row, pointer: ''}));
  const exact = text === '' ? [] : fitRows(rows, {room: maxLines, signs: 'without', frame}).map(line => line.trim());
  const changes =
    preview.kind === 'changes'
      ? partsOf(preview).flatMap(changedLines)
      : (preview.kind === 'diff' ? preview.files : impact.diffs).flatMap(fileLines);
  const left = Math.max(0, maxLines - exact.length);
  return [
    ...exact,
    ...((preview.kind === 'command' || preview.kind === 'changes') &&
    preview.directory !== '' &&
    preview.directory !== workspace
      ? [`In the folder ${visibleExactLine(preview.directory)}.`]
      : []),
    ...changes.slice(0, left),
    ...(changes.length > left ? [`${pluralize(changes.length - left, 'more line')}.`] : []),
  ];
}

const changedLines = (part: ChangePart): readonly string[] => [
  sentences([changeText(part)]),
  ...(hasNoLines(part) ? [] : fileLines(part.file).slice(1)),
];

/** Returns `Edit src/a.js: 1 line added, 2 removed`, or the file's notes if it has no lines. */
function changeText(part: ChangePart): string {
  const {file, change} = part;
  const said = hasNoLines(part)
    ? file.notes.map(visibleExactLine).join(', ')
    : `${pluralize(file.added, 'line')} added, ${file.removed} removed`;
  return `${changeVerbs[change].present} ${visibleExactLine(file.path)}${said === '' ? '' : `: ${said}`}`;
}

/** Returns only the changed lines, each with its number and `added` or `removed`. */
export function fileLines(file: FileDiff): readonly string[] {
  const from = file.movedFrom === undefined ? '' : `, renamed from ${visibleExactLine(file.movedFrom)}`;
  const head = `Change in ${visibleExactLine(file.path)}${from}: ${pluralize(file.added, 'line')} added, ${file.removed} removed.`;
  const lines = file.hunks
    .flatMap(numberLines)
    .filter(({line}) => line.kind !== 'context')
    .map(one => `Line ${numberOf(one)} ${one.line.kind}: ${visible(one.line.text)}`);
  return [head, ...lines, ...file.notes.map(note => sentences([visibleExactLine(note)]))];
}

function instructionsFor({approval, stage, heard, isFolded}: OpenApproval): string {
  const {accept, offers, command, rules, parts} = choicesOf(
    approval,
    stage.stage === 'choosing' ? stage.rule : 'suggested',
  );
  switch (stage.stage) {
    case 'choosing':
    case 'word': {
      const letters = [
        ...offers.map(({letter, label}) => `${letter} ${label}`),
        ...(rules.length > 1 ? [`${letterOf.otherRule} another rule for ${approvalKeys.allowAlways}`] : []),
        ...(command === '' ? [] : [`${letterOf.edit} edit the command`]),
        ...(isFolded ? [`${approvalKeys.showAll} read all of it`] : []),
      ].join('; ');
      const unheard = heard === 'some' ? 'You have not heard all of it. Hear it before you say yes. ' : '';
      return accept.by === 'key'
        ? `${unheard}${letters}. Type a letter and press Enter.`
        : `${unheard}To ${accept.does === 'keep' ? 'keep the changes' : 'allow it once'}, type the word ${visibleExactLine(accept.word)} and press Enter. ${letters}.`;
    }
    case 'hunks': {
      const yes = accept.by === 'key' ? approvalKeys.allow : visibleExactLine(accept.word);
      const numbers = [...stage.dropped].map(row => row + 1).toSorted((a, b) => a - b);
      const rest = `${yes} ${parts.every(({change}) => change === 'edit') ? 'writes' : 'keeps'} ${numbers.length === 0 ? 'all of it' : `it without ${numbers.join(', ')}`}`;
      return `Type the numbers of the parts to leave out, such as 1 3, and press Enter. ${rest}; ${approvalKeys.refuse} No; 0 goes back.`;
    }
    case 'reason':
      return 'What should weft do instead? Type it and press Enter. An empty line just says no; 0 goes back.';
    case 'rule-text':
    case 'command':
      return 'Type the command to run instead and press Enter. It is checked again. An empty line or 0 goes back.';
    default:
      return unreachable(stage);
  }
}

/** Letters for the keys of the card that are not letters. */
const letterOf = {edit: 'e', otherRule: 'r'} as const;

function answer(line: string, asked: OpenApproval): AnswerStep {
  const {approval, stage} = asked;
  if (stage.stage === 'choosing' && line.toLowerCase() === letterOf.otherRule) return otherRule(asked);
  const {accept, parts} = choicesOf(approval);
  const refused = accept.by === 'word' ? 'Nothing was allowed: type the word.' : 'Not answered yet.';
  const typed = toCardKey(stage, line, approval);
  if (stage.stage === 'hunks') {
    const rows = isBack(line) ? undefined : numbersIn(line, parts.length);
    if (rows === 'out-of-range') return askAgain(`No such number. ${instructionsFor(asked)}`);
    if (rows !== undefined) return askShortly({...asked, stage: {...stage, dropped: new Set(rows)}});
  }
  const step = pressApproval(typed.stage, approval, {key: typed.key, batchPosition: 'first', room});
  switch (step.kind) {
    case 'answered': {
      const isYes = step.answer.decision !== 'refuse' && step.answer.decision !== 'allow-edited';
      if (asked.heard === 'some' && isYes) return askAgain(`Nothing was allowed. ${instructionsFor(asked)}`);
      return closeWith(...answerEffects(approval, step.answer));
    }
    case 'show-all': {
      const heard = {...asked, heard: 'all'} as const;
      return {...askShortly(heard), say: asked.all};
    }
    case 'open':
      if (isUnchanged(step.stage, stage)) return askAgain(`${refused} ${instructionsFor(asked)}`);
      return askShortly({...asked, stage: step.stage.stage === 'word' ? initialStage : step.stage});
    case 'stop':
    case 'edit':
    case 'unhandled':
      return askAgain(`Not answered yet. ${instructionsFor(asked)}`);
    default:
      return unreachable(step);
  }
}

/** Converts the line to a key on the card: a letter, or Enter with the line in the open field. */
function toCardKey(
  stage: ApprovalStage,
  line: string,
  approval: Approval,
): {readonly stage: ApprovalStage; readonly key: KeyPress} {
  const text = draftFromText(line);
  const enter: KeyPress = {kind: 'key', name: 'enter'};
  const letter: KeyPress = {kind: 'text', text: line};
  const {accept, command} = choicesOf(approval);
  const isField = stage.stage !== 'choosing' && stage.stage !== 'hunks';
  if (stage.stage !== 'choosing' && isBack(line)) return {stage, key: {kind: 'key', name: 'escape'}};
  if (isField) return {stage: {...stage, text}, key: enter};
  if (stage.stage === 'hunks') {
    return accept.by === 'word' ? {stage: {...stage, word: text}, key: enter} : {stage, key: letter};
  }
  if (line.toLowerCase() === letterOf.edit && command !== '') {
    return {stage, key: {kind: 'key', name: cardKeys.edit}};
  }
  if (line.toLowerCase() === 'no') return {stage: {stage: 'reason', text: draftFromText('')}, key: enter};
  return accept.by === 'word'
    ? {stage: {stage: 'word', text, entered: 'not-yet'}, key: enter}
    : {stage, key: line === '' ? enter : letter};
}

function otherRule(asked: OpenApproval): AnswerStep {
  const {approval, stage} = asked;
  const {rules} = choicesOf(approval);
  if (stage.stage !== 'choosing' || rules.length < 2) return askAgain(`Not answered yet. ${instructionsFor(asked)}`);
  const now = stage.rule === 'suggested' ? suggestedRule(approval.verdict) : stage.rule;
  return askShortly({...asked, stage: {...stage, rule: (now + 1) % rules.length}});
}

/** True if the line changed nothing: a wrong word, or a letter that the card does not offer. */
const isUnchanged = (after: ApprovalStage, before: ApprovalStage): boolean =>
  after.stage === before.stage || (after.stage === 'word' && before.stage === 'choosing');

/** Asks again, in short form. */
function askShortly(asked: OpenApproval): AnswerStep {
  const {approval, stage} = asked;
  const {parts} = choicesOf(approval);
  const list =
    stage.stage === 'hunks' && stage.dropped.size === 0 ? parts.map((part, at) => `${at + 1}. ${partText(part)}`) : [];
  return askNext({lines: [...list, instructionsFor(asked)], answer: line => answer(line, asked)});
}

/** Returns for example `In src/a.js, line 3: 1 line added, 2 removed. Begins: const a = 1;` */
function partText(part: ChangePart): string {
  const {file, hunk, shown} = part;
  const path = visibleExactLine(file.path);
  if (hunk === 'new-name') return `the new name of ${visibleExactLine(file.movedFrom ?? '')}, which is ${path}`;
  if (part.change !== 'edit') return changeText(part);
  if (shown === 'whole-file') return `all of ${path}`;
  const {added, removed} = partCounts(part);
  const first = shown.lines.find(({kind}) => kind !== 'context');
  const begins = first === undefined ? '' : ` Begins: ${clip(visible(first.text).trim(), maxLineLength)}`;
  return `In ${path}, line ${shown.newStart}: ${pluralize(added, 'line')} added, ${removed} removed.${begins}`;
}

/** The maximum number of UTF-16 units of the first line that identifies a part. */
const maxLineLength = 120;
