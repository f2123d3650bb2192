import type {Approval} from '../../actions/agent-event.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleExactLine} from '../../base/visible.ts';
import {choicesOf, type Acceptance, type ApprovalChoices} from '../input/approval/approval-choices.ts';
import type {ApprovalStage, HunkStage, RuleScope} from '../input/approval/approval-stage.ts';
import {expanded, type Draft} from '../input/draft.ts';
import type {Editing} from '../input/editing-state.ts';
import {approvalKeys, cardKeys} from '../input/keymap.ts';
import {wrapSpans, wrapText, type Frame} from '../text/wrap.ts';
import {composerView, type Placed} from './composer-view.ts';
import {editingLines, selectionIn} from './editing-lines.ts';
import {keyRow, packed} from './key-row.ts';

interface Footer {
  readonly approval: Approval;
  readonly stage: WholeStage;
  /** Of the text that is being written, if one is. */
  readonly editing: Editing;
  /** Whether the card hides something that a key would show. */
  readonly hidden: 'nothing' | 'something';
  /** Lines of the whole card. */
  readonly rows: number;
}

/** Stages in which all of what is asked about is answered at once. */
export type WholeStage = Exclude<ApprovalStage, HunkStage>;

/** The lower part of a card: what can be answered, or what is being answered. */
export function approvalFooter({approval, stage, editing, hidden, rows}: Footer, frame: Frame): Placed {
  const choices = choicesOf(approval);
  const most = rows < 12 ? 2 : 3;
  switch (stage.stage) {
    case 'choosing': {
      const hint = hintLines(stage.hint, choices, frame);
      const keys = keyRow(approval, {most, hidden}, frame);
      return {lines: [...hint, ...keys], cursor: {x: 0, y: hint.length}};
    }
    case 'session': {
      const grant = `For this session: ${visibleExactLine(approval.sessionGrant)}.`;
      const accept = choices.accept.by === 'key' ? [`${choices.accept.key} allows it`] : [];
      return withKeys(wrapText(grant, ['bold'], frame), [...accept, back], frame);
    }
    case 'word': {
      const word = choices.accept.by === 'word' ? visibleExactLine(choices.accept.word) : '';
      const lead =
        stage.entered === 'wrong'
          ? wrapText(`That was not the word, so nothing was allowed. The word is ${word}`, ['warning'], frame)
          : wrapText(`To allow it once, type the word ${word}`, ['bold'], frame);
      const typed = composerView(stage.text, {rows: 1, frame, hint: '', selection: 'none'});
      return below(lead, typed, [enterWord(expanded(stage.text), choices), back], frame);
    }
    case 'rule': {
      const rule = choices.rules[stage.row] ?? '';
      const count = choices.rules.length > 1 ? ` (${stage.row + 1} of ${choices.rules.length})` : '';
      const lead = wrapSpans(
        [
          {text: `Always ${scopeText[stage.scope].where}${count}: `, roles: []},
          {text: visibleExactLine(rule), roles: ['bold', 'warning']},
        ],
        frame,
        hanging,
      );
      const moves = choices.rules.length > 1 ? ['arrows widen'] : [];
      const keys = [
        storing(stage.scope),
        stage.scope === 'local'
          ? `${approvalKeys.allowEverywhere} all your projects`
          : `${approvalKeys.allowAlways} this project`,
        `${approvalKeys.allowSession} this session`,
        ...moves,
      ];
      return withKeys(lead, [...keys, `${cardKeys.edit.label} edit`, back], frame);
    }
    case 'rule-text': {
      const lead = wrapText(`Always ${scopeText[stage.scope].where}, what this rule says:`, [], frame);
      return below(lead, field(stage, editing, {lines: 2, frame}), [storing(stage.scope), back], frame);
    }
    case 'reason':
      return field(stage, editing, {lines: 2, frame});
    case 'command': {
      const keys = ['Enter asks about it', 'Ctrl+J line', back];
      return below([], field(stage, editing, {lines: rows < 12 ? 3 : 6, frame}), keys, frame);
    }
    default:
      return unreachable(stage);
  }
}

const scopeText = {
  local: {where: 'in this project', file: '.weft/settings.local.json'},
  user: {where: 'in all your projects', file: 'your own settings.json'},
} as const satisfies Record<RuleScope, {readonly where: string; readonly file: string}>;

const storing = (scope: RuleScope): string => `Enter stores it in ${scopeText[scope].file}`;

const back = 'Esc back';
const hanging = {first: '', rest: '  ', roles: []} as const;

function hintLines(
  hint: (ApprovalStage & {readonly stage: 'choosing'})['hint'],
  choices: ApprovalChoices,
  frame: Frame,
): readonly string[] {
  switch (hint) {
    case 'none':
      return [];
    case 'other-key':
      return wrapText(`Nothing was allowed: ${acceptanceText(choices.accept)}.`, ['warning'], frame);
    case 'nothing-changed':
      return wrapText(
        `The ${choices.editable === 'yes' ? 'text' : 'command'} is as it was, and nothing was allowed yet.`,
        ['warning'],
        frame,
      );
    case 'unread':
      return wrapText(
        `Nothing was allowed yet: not all that matters here has been on the screen. Down reads on, ${approvalKeys.showAll} shows all.`,
        ['warning'],
        frame,
      );
    default:
      return unreachable(hint);
  }
}

/** What allows it, in words. */
export const acceptanceText = (accept: Acceptance): string =>
  accept.by === 'key'
    ? `for this risk the key is ${accept.key}`
    : `this takes the word ${visibleExactLine(accept.word)}`;

/** What Enter does with what has been typed in place of the word. */
function enterWord(text: string, {accept}: ApprovalChoices): string {
  if (accept.by === 'word' && accept.word === text) return 'Enter allows it';
  switch (text.toLowerCase()) {
    case approvalKeys.refuse:
    case 'no':
      return 'Enter says no';
    case approvalKeys.refuseWithReason:
      return 'Enter asks why not';
    case approvalKeys.showAll:
      return 'Enter shows all';
    default:
      return 'then Enter';
  }
}

const withKeys = (lead: readonly string[], keys: readonly string[], frame: Frame): Placed => ({
  lines: [...lead, ...packed(keys, frame.width).map(line => frame.theme.paint(['accent'], line))],
  cursor: {x: 0, y: 0},
});

/** What is written, between what it is about and its keys. */
function below(lead: readonly string[], {lines, cursor}: Placed, keys: readonly string[], frame: Frame): Placed {
  return {
    lines: [...lead, ...lines, ...withKeys([], keys, frame).lines],
    cursor: {x: cursor.x, y: lead.length + cursor.y},
  };
}

type FieldStage = Exclude<Extract<ApprovalStage, {readonly text: Draft}>, {readonly stage: 'word'}>;

function field(
  {stage, text}: FieldStage,
  editing: Editing,
  {lines, frame}: {readonly lines: number; readonly frame: Frame},
): Placed {
  const written = {draft: text, editing};
  const typed = composerView(text, {rows: lines, frame, hint: hints[stage], selection: selectionIn(written)});
  return {lines: [...typed.lines, ...editingLines(written, frame)], cursor: typed.cursor};
}

const hints: Readonly<Record<FieldStage['stage'], string>> = {
  'rule-text': '',
  reason: 'why not? Enter sends it, Esc goes back',
  command: 'the command to ask about in its place',
};
