import type {Approval} from '../../actions/agent-event.ts';
import type {ApprovalAnswer} from '../../agent/engine.ts';
import type {FileDiff} from '../../actions/preview.ts';
import {clip} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visible, visibleExactly, visibleExactLine} from '../../base/visible.ts';
import {choicesOf, type ApprovalChoices} from '../input/approval/approval-choices.ts';
import {riskSpans} from '../views/risk-text.ts';
import {countOf, sentences, spokenLabel} from './action-words.ts';
import {backs, choice, closes, goesOn, isBack, isNo, waits, type Dialogue, type DialogueStep} from './dialogue.ts';
import {partsDialogue} from './parts-dialogue.ts';
import {spokenLine} from './plain-markdown.ts';

/**
 * What is asked, what it would do and why that is asked, and the numbers that answer. A number means the same at every approval.
 * What destroys has no number that accepts it: its word is typed. The risk of anything else does not need another number, since
 * a typed number and Enter is no slip of a finger.
 */
export function approvalDialogue(approval: Approval, waiting: number): Dialogue {
  const choices = choicesOf(approval);
  const all = bodyLines(approval);
  const shown = all.length > bodyShown ? all.slice(0, bodyShown) : all;
  const more = all.length - shown.length;
  const answers = answersLine(choices, {approval, more});
  const heard = more > 0 && hidesGrave(approval) ? 'some' : 'all';
  return {
    lines: [
      '',
      headLine(approval, waiting),
      ...(more > 0 ? worstParts(approval) : []),
      ...shown,
      ...(more > 0 ? [`${countOf(more, 'more line')}.`] : []),
      ...reasonLines(approval),
      answers,
    ],
    answer: line => answer(line, {approval, choices, all, answers, heard}),
  };
}

/** Lines of a command or a change that are said without being asked for. */
const bodyShown = 40;

/** The text that the grave parts are stretches of. */
function writtenIn({preview, action}: Approval): string {
  if (preview.kind === 'command') return preview.command;
  return action.name === 'write-to-long-running-shell-command' ? action.input.input : '';
}

/** Grave parts that are said before all else, the worst first. */
function worstParts(approval: Approval): readonly string[] {
  const text = writtenIn(approval);
  const {grave} = approval.verdict.detail;
  const parts = grave
    .slice(0, worstShown)
    .map(({from, to}) => clip(visibleExactLine(text.slice(from, to)), worstLength));
  const rest = grave.length - parts.length;
  return grave.length === 0
    ? []
    : ['What matters most of it:', ...parts, ...(rest > 0 ? [`${countOf(rest, 'more part')} that matter.`] : [])];
}

/** Whether parts that nobody should allow unheard are neither among those nor among the lines that are said. */
function hidesGrave(approval: Approval): boolean {
  const {grave} = approval.verdict.detail;
  const isSaid = grave.length <= worstShown && grave.every(({from, to}) => to - from <= worstLength);
  return !isSaid && visibleExactly(writtenIn(approval)).split('\n').length >= bodyShown;
}

const worstShown = 10;
const worstLength = 400;

function headLine(approval: Approval, waiting: number): string {
  const {victims} = approval;
  const rest = waiting > 1 ? [`${countOf(waiting - 1, 'more approval')} behind it`] : [];
  const changed = approval.wording === 'user' ? ', as you changed it' : '';
  const head = `Approval needed${changed}: ${spokenLabel(approval.label)}`;
  if (victims.summary === '' && victims.paths.length === 0) return sentences([head, ...rest]);
  const named = victims.paths.map(visibleExactLine).join(', ');
  const more = victims.more > 0 ? ` and ${victims.more} more` : '';
  const said = visibleExactLine(victims.summary).replace(/\.$/u, '');
  return sentences([head, `A dry run says it ${said === '' ? 'would hit' : said}: ${named}${more}`, ...rest]);
}

function reasonLines(approval: Approval): readonly string[] {
  const {rationale, citations} = approval;
  const risk = riskSpans(approval)
    .map(({text}) => text)
    .join('');
  return [
    ...(rationale === '' ? [] : [`Why: ${spokenLine(rationale)}`]),
    risk.trim(),
    ...(citations.length === 0 ? [] : [`Based on: ${citations.map(visibleExactLine).join(', ')}`]),
  ];
}

/** What would be done, to the letter. */
function bodyLines({preview, action, victims}: Approval): readonly string[] {
  switch (preview.kind) {
    case 'command':
      return [
        ...lettered('Command', preview.command),
        ...(preview.directory === '' ? [] : [`In the folder ${visibleExactLine(preview.directory)}.`]),
        ...victims.diffs.flatMap(fileLines),
      ];
    case 'arguments':
      return lettered('With', preview.text);
    case 'diff':
      return preview.files.flatMap(fileLines);
    case 'none':
      return action.name === 'write-to-long-running-shell-command'
        ? lettered(`Typed into ${visibleExactLine(action.input.blockId)}`, action.input.input)
        : [];
    default:
      return unreachable(preview);
  }
}

function lettered(name: string, text: string): readonly string[] {
  const lines = visibleExactly(text).split('\n');
  return lines.length === 1 ? [`${name}: ${lines[0] ?? ''}`] : [`${name}, ${lines.length} lines:`, ...lines];
}

/** The changed lines alone, each with its number and what becomes of it. */
function fileLines(file: FileDiff): readonly string[] {
  const from = file.movedFrom === undefined ? '' : `, renamed from ${visibleExactLine(file.movedFrom)}`;
  const head = `Change of ${visibleExactLine(file.path)}${from}: ${countOf(file.added, 'line')} added, ${file.removed} removed.`;
  const lines = file.hunks.flatMap(hunk => {
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    return hunk.lines.flatMap(({kind, text}) => {
      const number = kind === 'removed' ? oldLine : newLine;
      if (kind !== 'added') oldLine++;
      if (kind !== 'removed') newLine++;
      return kind === 'context' ? [] : [`Line ${number} ${kind}: ${visible(text)}`];
    });
  });
  return [head, ...lines, ...file.notes.map(note => sentences([visibleExactLine(note)]))];
}

function answersLine(
  {accept, session, rules, command, parts}: ApprovalChoices,
  {approval, more}: {readonly approval: Approval; readonly more: number},
): string {
  const grant = visibleExactLine(approval.sessionGrant);
  const numbers = [
    ...(accept.by === 'key' ? ['1 allow once'] : []),
    ...(session === 'none' ? [] : [`2 allow for this session (${grant})`]),
    '3 refuse',
    '4 refuse with a reason',
    ...(rules.length === 0 ? [] : ['5 always allow']),
    ...(command === '' ? [] : ['6 edit the command']),
    ...(more > 0 ? ['7 say all of it'] : []),
    ...(offersParts(accept, parts) ? ['8 leave out parts'] : []),
  ].join(', ');
  return accept.by === 'key'
    ? `${numbers}. Type a number and Enter.`
    : `To allow it once, type the word ${visibleExactLine(accept.word)} and Enter. ${numbers}.`;
}

/** What needs its word is taken as it is, or not. */
const offersParts = ({by}: ApprovalChoices['accept'], {length}: ApprovalChoices['parts']): boolean =>
  by === 'key' && length > 1;

interface Asked {
  readonly approval: Approval;
  readonly choices: ApprovalChoices;
  readonly all: readonly string[];
  readonly answers: string;
  /** What must be heard first is refused a yes. */
  readonly heard: 'some' | 'all';
}

function answer(line: string, asked: Asked): DialogueStep {
  const {approval, choices, all, answers} = asked;
  const {accept} = choices;
  if (asked.heard === 'some' && (isYes(line, choices) || line === '5')) {
    return waits(`Nothing was allowed: not all that matters here has been said. 7 says all of it. ${answers}`);
  }
  if (accept.by === 'word' && line.normalize() === accept.word.normalize()) return answered(approval, allowOnce);
  if (isNo(line)) return answered(approval, refusal(''));
  switch (line) {
    case '1':
      return accept.by === 'key'
        ? answered(approval, allowOnce)
        : waits(`Nothing was allowed: this needs its word. ${answers}`);
    case '2':
      if (choices.session === 'none') break;
      return choices.session === 'at-once'
        ? answered(approval, {decision: 'allow', scope: 'session'})
        : goesOn(sessionDialogue(asked));
    case '3':
      return answered(approval, refusal(''));
    case '4':
      return goesOn(reasonDialogue(asked));
    case '5':
      if (choices.rules.length === 0) break;
      return goesOn(ruleDialogue(asked));
    case '6':
      if (choices.command === '') break;
      return goesOn(commandDialogue(asked));
    case '7':
      return {...backTo({...asked, heard: 'all'}, ''), say: all};
    case '8':
      if (!offersParts(accept, choices.parts)) break;
      return goesOn(partsDialogue(approval, choices.parts, () => backTo(asked, 'Nothing is left out.')));
    default:
  }
  return waits(`Nothing was answered. ${answers}`);
}

const isYes = (line: string, {accept}: ApprovalChoices): boolean =>
  line === '1' || line === '2' || (accept.by === 'word' && line.normalize() === accept.word.normalize());

/** What reaches further than this machine is asked again before it is allowed for longer. */
const sessionDialogue = (asked: Asked): Dialogue => ({
  lines: [
    `For this session: ${visibleExactLine(asked.approval.sessionGrant)}. Type 2 again and Enter to allow that, or 0 to go back.`,
  ],
  answer: line =>
    line === '2' ? answered(asked.approval, {decision: 'allow', scope: 'session'}) : backTo(asked, 'Not allowed yet.'),
});

const reasonDialogue = (asked: Asked): Dialogue => ({
  lines: ['What should the agent know? Type the reason and Enter; an empty line goes back.'],
  answer: line => (line === '' ? backTo(asked, 'Not refused yet.') : answered(asked.approval, refusal(line))),
});

const ruleDialogue = (asked: Asked): Dialogue =>
  choice(
    {
      title: 'Always allow what one of these rules says, for you in this project (.weft/settings.local.json):',
      rows: [
        ...asked.choices.rules.map(visibleExactLine),
        ...asked.choices.rules.map(rule => `${visibleExactLine(rule)}, in all your projects (your own settings.json)`),
      ],
      ask: 'Type its number and Enter, or 0 to allow nothing.',
    },
    row => {
      const {rules} = asked.choices;
      const rule = rules[row % rules.length];
      const lasting = row < rules.length ? 'local' : 'user';
      return rule === undefined ? backs('') : answered(asked.approval, {decision: 'allow-rule', rule, lasting});
    },
  );

const commandDialogue = (asked: Asked): Dialogue => ({
  lines: ['Type the command to ask about in its place and Enter; an empty line or 0 goes back.'],
  answer(line) {
    if (line === '' || isBack(line)) return backTo(asked, 'The command is as it was.');
    if (line === asked.choices.command.trim()) return backTo(asked, 'That is the command as it was.');
    return answered(asked.approval, {decision: 'allow-edited', command: line});
  },
});

/** The question again, in its short form. */
const backTo = (asked: Asked, say: string): DialogueStep => ({
  next: {lines: [asked.answers], answer: line => answer(line, asked)},
  say: [say],
  effects: [],
});

const allowOnce: ApprovalAnswer = {decision: 'allow', scope: 'once'};
const refusal = (message: string): ApprovalAnswer => ({decision: 'refuse', message, voice: 'user'});

const answered = ({id}: Approval, given: ApprovalAnswer): DialogueStep =>
  closes({do: 'op', op: {op: 'answer-approval', id, answer: given}});
