import type {Approval} from '../../actions/agent-event.ts';
import type {FileDiff} from '../../actions/preview.ts';
import {clip, pluralize} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visible, visibleExactLine} from '../../base/visible.ts';
import {changeVerbs, hasNoLines} from '../scrollback/change-lines.ts';
import {approvalTitle} from '../scrollback/approval-text.ts';
import {numbered, numberOf} from '../scrollback/diff-lines.ts';
import {commandRows, fitRows} from '../scrollback/command-rows.ts';
import {draftFromText} from '../editor/draft.ts';
import {choicesOf, suggestedRule} from '../state/approval-choices.ts';
import {type ApprovalStage, initialStage} from '../state/approval-stage.ts';
import {approvalReasons} from '../state/approval-reasons.ts';
import {exactText, showsCriticalParts} from '../state/card-room.ts';
import {type ChangePart, partCounts, partsOf} from '../state/change-parts.ts';
import {answerEffects, pressApproval} from '../state/press-approval.ts';
import {approvalKeys, cardKeys, type KeyPress} from '../terminal/keymap.ts';
import {type AnswerStep, askAgain, askNext, closeWith, isBack, type LineQuestion, numbersIn} from './line-question.ts';
import {plainLabel, plainTextLine, sentences, spokenFrame} from './spoken-entry.ts';

/** The lines of a command or a change that are said unless all are asked for. */
const room = {rows: 40, cells: Number.POSITIVE_INFINITY};

/** An approval card in lines: what it asks, what would be done, why it asks, and its letters. An entered line is pressed on the card. */
export function approvalQuestion(
  approval: Approval,
  {waiting, workspace}: {readonly waiting: number; readonly workspace: string},
): LineQuestion {
  const body = bodyLines(approval, room.rows, workspace);
  const all = bodyLines(approval, Number.POSITIVE_INFINITY, workspace);
  const {note, lines} = approvalReasons(approval);
  const heard = all.length <= body.length || showsCriticalParts(approval, room) ? 'all' : 'some';
  const asked: Asked = {approval, all, isFolded: all.length > body.length, heard, stage: initialStage};
  return {
    lines: [
      '',
      sentences([
        `Approval needed: ${plainLabel(approvalTitle(approval, {cells: spokenFrame.width, home: spokenFrame.home}))}`,
        ...(waiting > 1 ? [`${waiting - 1} more after it`] : []),
      ]),
      ...body,
      ...[note, ...lines].filter(line => line !== '').map(line => sentences([plainTextLine(line)])),
      howOf(asked),
    ],
    answer: line => answer(line, asked),
  };
}

interface Asked {
  readonly approval: Approval;
  readonly stage: ApprovalStage;
  /** Everything that would be done, in lines. */
  readonly all: readonly string[];
  readonly isFolded: boolean;
  /** `some`: not everything that must be heard before a yes has been said. */
  readonly heard: 'some' | 'all';
}

/** The exact text with its worst parts among at most `most` lines, and the changed lines of files. */
function bodyLines(approval: Approval, most: number, workspace: string): readonly string[] {
  const {preview, impact, verdict} = approval;
  const text = exactText(approval);
  const frame = {theme: spokenFrame.theme, width: Number.POSITIVE_INFINITY};
  // The column of marks and the row of pointers are for the eye.
  const rows = commandRows(text, verdict.detail, frame).map(row => ({...row, line: row.line.slice(2), pointer: ''}));
  const exact = text === '' ? [] : fitRows(rows, {room: most, frame}).map(line => line.trim());
  const changes =
    preview.kind === 'changes'
      ? partsOf(preview).flatMap(changedLines)
      : (preview.kind === 'diff' ? preview.files : impact.diffs).flatMap(fileLines);
  const left = Math.max(0, most - exact.length);
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

/** `Edit src/a.js: 1 line added, 2 removed`; of a file without lines, what there is to say of it. */
function changeText(part: ChangePart): string {
  const {file, change} = part;
  const said = hasNoLines(part)
    ? file.notes.map(visibleExactLine).join(', ')
    : `${pluralize(file.added, 'line')} added, ${file.removed} removed`;
  return `${changeVerbs[change].present} ${visibleExactLine(file.path)}${said === '' ? '' : `: ${said}`}`;
}

/** The changed lines only, each with its number and whether it is added or removed. */
export function fileLines(file: FileDiff): readonly string[] {
  const from = file.movedFrom === undefined ? '' : `, renamed from ${visibleExactLine(file.movedFrom)}`;
  const head = `Change of ${visibleExactLine(file.path)}${from}: ${pluralize(file.added, 'line')} added, ${file.removed} removed.`;
  const lines = file.hunks
    .flatMap(numbered)
    .filter(({line}) => line.kind !== 'context')
    .map(one => `Line ${numberOf(one)} ${one.line.kind}: ${visible(one.line.text)}`);
  return [head, ...lines, ...file.notes.map(note => sentences([visibleExactLine(note)]))];
}

function howOf({approval, stage, heard, isFolded}: Asked): string {
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
        ...(isFolded ? [`${approvalKeys.showAll} say all of it`] : []),
      ].join('; ');
      const unheard = heard === 'some' ? 'Not all that matters here has been said: say all of it before a yes. ' : '';
      return accept.by === 'key'
        ? `${unheard}${letters}. Type a letter and Enter.`
        : `${unheard}To ${accept.does === 'keep' ? 'keep the changes' : 'allow it once'}, type the word ${visibleExactLine(accept.word)} and Enter. ${letters}.`;
    }
    case 'hunks': {
      const yes = accept.by === 'key' ? approvalKeys.allow : visibleExactLine(accept.word);
      const numbers = [...stage.dropped].map(row => row + 1).toSorted((a, b) => a - b);
      const rest = `${yes} ${parts.every(({change}) => change === 'edit') ? 'writes' : 'keeps'} ${numbers.length === 0 ? 'all of it' : `it without ${numbers.join(', ')}`}`;
      return `Type the numbers of the parts to leave out, such as 1 3, and Enter. ${rest}; ${approvalKeys.refuse} No; 0 goes back.`;
    }
    case 'reason':
      return 'What should weft do instead? Type it and Enter; an empty line just says no, 0 goes back.';
    case 'rule-text':
    case 'command':
      return 'Type the command to run instead and Enter; it is checked again. An empty line or 0 goes back.';
    default:
      return unreachable(stage);
  }
}

/** Letters for what has a key without a letter on the card. */
const letterOf = {edit: 'e', otherRule: 'r'} as const;

function answer(line: string, asked: Asked): AnswerStep {
  const {approval, stage} = asked;
  if (stage.stage === 'choosing' && line.toLowerCase() === letterOf.otherRule) return otherRule(asked);
  const {accept, parts} = choicesOf(approval);
  const refused = accept.by === 'word' ? 'Nothing was allowed: this needs its word.' : 'Nothing was answered.';
  const typed = typedOn(stage, line, approval);
  if (stage.stage === 'hunks') {
    const rows = isBack(line) ? undefined : numbersIn(line, parts.length);
    if (rows === 'out-of-range') return askAgain(`There is no such number here. ${howOf(asked)}`);
    if (rows !== undefined) return again({...asked, stage: {...stage, dropped: new Set(rows)}});
  }
  const step = pressApproval(typed.stage, approval, {key: typed.key, batchPosition: 'first', room});
  switch (step.kind) {
    case 'answered': {
      const isYes = step.answer.decision !== 'refuse' && step.answer.decision !== 'allow-edited';
      if (asked.heard === 'some' && isYes) return askAgain(`Nothing was allowed. ${howOf(asked)}`);
      return closeWith(...answerEffects(approval, step.answer));
    }
    case 'show-all': {
      const heard = {...asked, heard: 'all'} as const;
      return {...again(heard), say: asked.all};
    }
    case 'open':
      if (isSame(step.stage, stage)) return askAgain(`${refused} ${howOf(asked)}`);
      return again({...asked, stage: step.stage.stage === 'word' ? initialStage : step.stage});
    case 'stop':
    case 'edit':
    case 'unhandled':
      return askAgain(`Nothing was answered. ${howOf(asked)}`);
    default:
      return unreachable(step);
  }
}

/** The line as it would have been typed on the card: into the open field and entered, or as the letter that it is. */
function typedOn(
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
    return {stage, key: {kind: 'key', name: cardKeys.edit.name}};
  }
  if (line.toLowerCase() === 'no') return {stage: {stage: 'reason', text: draftFromText('')}, key: enter};
  return accept.by === 'word'
    ? {stage: {stage: 'word', text, entered: 'not-yet'}, key: enter}
    : {stage, key: line === '' ? enter : letter};
}

function otherRule(asked: Asked): AnswerStep {
  const {approval, stage} = asked;
  const {rules} = choicesOf(approval);
  if (stage.stage !== 'choosing' || rules.length < 2) return askAgain(`Nothing was answered. ${howOf(asked)}`);
  const now = stage.rule === 'suggested' ? suggestedRule(approval.verdict) : stage.rule;
  return again({...asked, stage: {...stage, rule: (now + 1) % rules.length}});
}

/** Whether the card is as it was; a word that was wrong leaves the choices, and a letter that is not offered. */
const isSame = (after: ApprovalStage, before: ApprovalStage): boolean =>
  after.stage === before.stage || (after.stage === 'word' && before.stage === 'choosing');

/** The question in its short form. */
function again(asked: Asked): AnswerStep {
  const {approval, stage} = asked;
  const {parts} = choicesOf(approval);
  const list =
    stage.stage === 'hunks' && stage.dropped.size === 0 ? parts.map((part, at) => `${at + 1}. ${partText(part)}`) : [];
  return askNext({lines: [...list, howOf(asked)], answer: line => answer(line, asked)});
}

/** `In src/a.js, line 3: 1 line added, 2 removed. Begins: const a = 1;` */
function partText(part: ChangePart): string {
  const {file, hunk, shown} = part;
  const path = visibleExactLine(file.path);
  if (hunk === 'new-name') return `the new name of ${visibleExactLine(file.movedFrom ?? '')}, which is ${path}`;
  if (part.change !== 'edit') return changeText(part);
  if (shown === 'whole-file') return `all of ${path}`;
  const {added, removed} = partCounts(part);
  const first = shown.lines.find(({kind}) => kind !== 'context');
  const begins = first === undefined ? '' : ` Begins: ${clip(visible(first.text).trim(), longestLine)}`;
  return `In ${path}, line ${shown.newStart}: ${pluralize(added, 'line')} added, ${removed} removed.${begins}`;
}

/** The longest first line that identifies a part, in UTF-16 units. */
const longestLine = 120;
