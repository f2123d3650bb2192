import {relativeTo, withTilde} from '../../base/shown-path.ts';
import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import type {Approval} from '../../actions/agent-event.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleExactLine} from '../../base/visible.ts';
import {draftText, emptyDraft} from '../editor/draft.ts';
import type {Editing} from '../editor/text-field.ts';
import {type ApprovalChoices, choicesOf} from '../state/approval-choices.ts';
import {approvalReasons, type ReasonLine, undecidedNote} from '../state/approval-reasons.ts';
import type {ApprovalStage, HunkStage} from '../state/approval-stage.ts';
import {cardFrame, cardRoom, isTight} from '../state/card-room.ts';
import {approvalKeys, cardKeys, keyHint} from '../terminal/keymap.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {withTildes} from '../text/workspace-paths.ts';
import {type Frame, type Layout, noIndent, wrapSpans} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled, useTheme} from '../theme/styled.tsx';
import {approvalBody, approvalTitle, cardHint} from '../scrollback/approval-text.ts';
import {Card, frameRows, hintLines} from './card.tsx';
import {CardField, fieldLayout} from './draft-field.tsx';
import {type Choice, ChoiceLine, choiceLineHeight, Choices, choicesHeight, labelMargin} from './choices.tsx';
import {themeOf} from '../theme/theme.ts';
import {Lines} from './lines.tsx';

type WholeStage = Exclude<ApprovalStage, HunkStage>;

export interface Folders {
  /** The session's folder. The card shows a command's folder only if it is a different one. */
  readonly workspace: string;
  /** The user's home, shown as `~`. */
  readonly home: string;
}

interface ApprovalCardProps {
  readonly approval: Approval;
  /** How many approvals wait, including this one. */
  readonly waiting: number;
  readonly stage: WholeStage;
  /** Editing state of the text field, if one is open. */
  readonly editing: Editing;
  readonly folders: Folders;
  readonly width: number;
  readonly rows: number;
}

/** A card that asks for approval: the action, why weft asks, and the answers. */
export function ApprovalCard({approval, waiting, stage, editing, folders, width, rows}: ApprovalCardProps): ReactNode {
  const theme = useTheme();
  const isEdit = approval.preview.kind === 'diff' || approval.preview.kind === 'changes';
  const choices = choicesOf(approval, stage.stage === 'choosing' ? stage.rule : 'suggested');
  const frame = cardFrame({theme, width});
  const answer = answerOf({choices, stage, editing}, {rows, isLine: isEdit || isTight({width, rows})}, frame);
  const why = approvalReasons(approval);
  const title = approvalTitle(approval, {cells: Math.max(8, width - 6), home: folders.home});
  const fits = (text: string): boolean => cellWidth(title) + 3 + cellWidth(text) <= width - 6;
  const notes = [...(waiting > 1 ? [`1 of ${waiting}`] : []), ...(why.note === '' ? [] : [why.note])];
  const all = notes.join(glyphs.separator);
  const note = fits(all) ? all : notes.filter(one => one !== undecidedNote).join(glyphs.separator);
  const isNoteInside = note !== '' && !fits(note);
  const wanted = cardRoom({width, rows}).rows;
  const {home} = folders;
  const bodyFrame = isEdit ? {theme, home, width: Math.max(8, width - 3)} : {...frame, home};
  const top = stage.stage === 'choosing' ? stage.top : 'summary';
  const full = approvalBody(approval, {rows: Number.POSITIVE_INFINITY, top: 'summary'}, bodyFrame).all;
  const room = rows - frameRows - answer.rows - (isNoteInside ? 1 : 0);
  const hints = hintLines(hintsOf(stage, choices, {isEdit, isCut: full > wanted}), width);
  const hintRows = 1 + (rows < fewRows ? 0 : Math.max(0, Math.min(hints.length - 1, room - Math.min(full, wanted))));
  const left = room + 1 - hintRows;
  const reasons = reasonLines(approval, {...folders, lines: why.lines}, frame).slice(
    0,
    Math.max(0, left - Math.max(1, Math.min(full, Math.max(wanted, left - 6)))),
  );
  // The action gets its rows first. If a row is left, it separates the action from the answers.
  const gap =
    (choices.accept.by === 'word' || !isTight({width, rows})) && left - reasons.length > Math.min(full, wanted) ? 1 : 0;
  const body = approvalBody(approval, {rows: Math.max(1, left - reasons.length - gap), top}, bodyFrame);
  const inset = isEdit ? 1 : 0;
  return (
    <Card
      width={width}
      title={title}
      note={note}
      hints={hintsOf(stage, choices, {isEdit, isCut: body.all > body.lines.length})}
      hintRows={hintRows}
      tone={choices.accept.by === 'word' ? 'danger' : 'calm'}
      inset={isEdit ? 0 : 1}
    >
      <Lines lines={isEdit ? body.lines.map(line => ` ${line}`) : body.lines} />
      <Box flexDirection="column" paddingX={inset}>
        <Lines lines={reasons} />
        <Box flexDirection="column" paddingTop={gap}>
          {answer.shown}
        </Box>
      </Box>
    </Card>
  );
}

/**
 * Returns the reasons below the action. A folder other than the workspace comes first. On a dangerous card they are bright and
 * all but whole; on others they are dim and take two rows each. Words of the model are always dim.
 */
function reasonLines(
  {preview, verdict}: Approval,
  {workspace, home, lines}: Folders & {readonly lines: readonly ReasonLine[]},
  frame: Frame,
): readonly string[] {
  const where =
    (preview.kind !== 'command' && preview.kind !== 'changes') ||
    preview.directory === '' ||
    preview.directory === workspace
      ? []
      : [
          {
            text: `in ${visibleExactLine(withTilde(relativeTo(preview.directory, workspace), home))}`,
            by: 'weft',
          } as const,
        ];
  return [...where, ...lines].flatMap(({text, by}) => {
    const isBright = verdict.risk === 'destructive' && by === 'weft';
    const maxRows = isBright ? 4 : 2;
    const wrap = (line: string): readonly string[] =>
      wrapSpans([{text: line, roles: isBright ? [] : ['dim']}], frame, noIndent, 'marked');
    const line = withTildes(text, home);
    const wrapped = wrap(line);
    return wrapped.length <= maxRows ? wrapped : wrap(fit(line, frame.width * maxRows - 8));
  });
}

/** With fewer rows, the action gets those of the hints that do not fit on one. */
const fewRows = 12;

interface Answer {
  readonly rows: number;
  readonly shown: ReactNode;
}

interface AnswerState {
  readonly choices: ApprovalChoices;
  readonly stage: WholeStage;
  readonly editing: Editing;
}

interface AnswerSpace {
  readonly rows: number;
  readonly isLine: boolean;
}

/** Returns the lower part of a card: the choices, or the answer that the user is typing. */
function answerOf({choices, stage, editing}: AnswerState, {rows, isLine}: AnswerSpace, frame: Frame): Answer {
  switch (stage.stage) {
    case 'choosing': {
      const hint = cardHint(stage.hint, choices);
      const answer =
        choices.accept.by === 'word'
          ? wordAnswer(choices.accept, {text: emptyDraft, entered: 'not-yet'}, {rows, frame})
          : choiceAnswer(choices, {row: stage.row, isLine}, frame);
      return hint === '' ? answer : withHint(fit(hint, frame.width), answer);
    }
    case 'word': {
      const answer = wordAnswer(choices.accept, stage, {rows, frame});
      return stage.entered === 'wrong' ? withHint(fit(cardHint('wrong-word', choices), frame.width), answer) : answer;
    }
    case 'rule-text':
      return fieldAnswer('Always allow in this project:', {draft: stage.text, editing, hint: ''}, {rows, frame});
    case 'reason':
      return fieldAnswer(
        '',
        {draft: stage.text, editing, hint: 'What should weft do instead? (Enter to skip)'},
        {rows, frame},
      );
    case 'command':
      return fieldAnswer('', {draft: stage.text, editing, hint: 'Command to run'}, {rows, frame});
    default:
      return unreachable(stage);
  }
}

function choiceAnswer(
  {offers}: ApprovalChoices,
  {row, isLine}: {readonly row: number | 'none'; readonly isLine: boolean},
  frame: Frame,
): Answer {
  if (!isLine) {
    const label = {theme: themeOf('plain'), width: Math.max(1, frame.width - labelMargin)};
    const choices = offers.map(({label: text, letter}): Choice => {
      const rows = wrapSpans([{text, roles: []}], label, noIndent, 'marked');
      return {label: rows.join('\n'), letter, detail: ''};
    });
    return {rows: choicesHeight(choices, frame.width), shown: <Choices choices={choices} selected={row} />};
  }
  const written = [
    offers.map(offer => ({...offer, label: lineLabel(offer.label)})),
    offers.map(offer => ({...offer, label: offer.short})),
  ];
  const fitting = written.find(one => choiceLineHeight(one.map(asChoice), frame.width) === 1) ?? written.at(-1) ?? [];
  const choices = fitting.map(asChoice);
  const height = choiceLineHeight(choices, frame.width);
  // The room for the action leaves three rows for the answers.
  const rule = ruleLines(offers, Math.max(0, 3 - height), frame);
  return {
    rows: rule.length + height,
    shown: (
      <>
        <Lines lines={rule} />
        <ChoiceLine choices={choices} selected={row} cells={frame.width} />
      </>
    ),
  };
}

/** Returns the rule that the answer `Always` keeps, in at most so many rows. */
function ruleLines(offers: ApprovalChoices['offers'], rows: number, frame: Frame): readonly string[] {
  const label = offers.find(({does}) => does.kind === 'always')?.label ?? '';
  if (label === '') return [];
  const wrap = (text: string): readonly string[] => wrapSpans([{text, roles: ['dim']}], frame, noIndent, 'marked');
  const lines = wrap(label);
  return lines.length <= rows ? lines : wrap(fit(label, frame.width * rows - (rows > 1 ? 8 : 0))).slice(0, rows);
}

const asChoice = ({label, letter}: {readonly label: string; readonly letter: string}): Choice => ({
  label,
  letter,
  detail: '',
});

/** Shortens the label of the refusing answer for choices side by side. */
const lineLabel = (label: string): string => label.replace(/^(No|Discard),.*$/u, '$1');

/** Renders `type "build" to allow [ build   ]`, with the terminal's cursor after the typed text. */
function wordAnswer(
  accept: ApprovalChoices['accept'],
  {text, entered}: Pick<Extract<ApprovalStage, {readonly stage: 'word'}>, 'text' | 'entered'>,
  {rows, frame: {theme, width}}: {readonly rows: number; readonly frame: Frame},
): Answer {
  const {word, does} = accept.by === 'word' ? accept : {word: '', does: 'allow'};
  const asks = `type "${visibleExactLine(word)}" to ${does} `;
  const typed = visibleExactLine(draftText(text));
  const before = visibleExactLine(text.buffer.text.slice(0, text.buffer.cursor));
  const end = 'Esc = no';
  // One cell more than the word, for the cursor.
  const usual = cellWidth(word) + 1;
  const isBeside = cellWidth(asks) + usual + fieldBorders <= width;
  const above = isBeside ? [] : wrapSpans([{text: asks.trimEnd(), roles: []}], {theme, width}, noIndent, 'marked');
  const lead = isBeside ? asks : '';
  const inside = Math.max(usual, cellWidth(typed) + 1);
  const rest = ' '.repeat(inside - cellWidth(typed));
  const line = `${lead}[${theme.style(['prompt-row'], ` ${theme.style(['bold'], typed)}${rest}`)}]`;
  const used = cellWidth(lead) + inside + fieldBorders;
  const isOneRow = used + cellWidth(end) + 1 <= width;
  const gap = ' '.repeat(Math.max(1, width - used - cellWidth(end)));
  const dimEnd = theme.style(['dim'], end);
  // On a low card, the room for the action leaves three rows for the answer.
  const hasRoom = rows >= lowRows || above.length + (entered === 'wrong' ? 3 : 2) <= 3;
  const field: Layout = {
    lines: [...above, ...(isOneRow ? [line + gap + dimEnd] : hasRoom ? [line, dimEnd] : [line])],
    cursor: {x: Math.min(width - 1, cellWidth(lead) + 2 + cellWidth(before)), y: above.length},
  };
  return {rows: field.lines.length, shown: <CardField field={field} />};
}

const fieldBorders = 3;
const lowRows = 18;

const withHint = (hint: string, {rows, shown}: Answer): Answer => ({
  rows: rows + 1,
  shown: (
    <>
      <Styled as="warning">{hint}</Styled>
      {shown}
    </>
  ),
});

interface FieldOptions {
  readonly draft: Parameters<typeof fieldLayout>[0]['draft'];
  readonly editing: Editing;
  readonly hint: string;
}

function fieldAnswer(
  title: string,
  {draft, editing, hint}: FieldOptions,
  {rows, frame}: {readonly rows: number; readonly frame: Frame},
): Answer {
  const field = fieldLayout({draft, editing}, {hint, rows: rows < 12 ? 3 : 6}, frame);
  return {
    rows: (title === '' ? 0 : 1) + field.lines.length,
    shown: (
      <>
        {title !== '' && <Text>{fit(title, frame.width)}</Text>}
        <CardField field={field} />
      </>
    ),
  };
}

/** Returns the hint for the refusing answer. If the confirm word starts with the same letter, the letter needs Enter. */
const refuseHint = (word: string): string =>
  `${approvalKeys.refuse}${word.startsWith(approvalKeys.refuse) ? ' Enter' : ''} no, and say why`;

function hintsOf(
  stage: WholeStage,
  choices: ApprovalChoices,
  {isEdit, isCut}: {readonly isEdit: boolean; readonly isCut: boolean},
): readonly string[] {
  switch (stage.stage) {
    case 'choosing': {
      const {command, editable, rules, accept, offers} = choices;
      const selected = stage.row === 'none' ? undefined : offers[stage.row];
      const edit = selected?.does.kind === 'always' ? 'edit rule' : editable === 'yes' ? 'change it first' : 'edit';
      return [
        ...(command === '' && editable === 'no'
          ? []
          : [keyHint(cardKeys.edit, key => `${key} ${edit}`, 'card')].filter(hint => hint !== '')),
        ...(isEdit ? [`${approvalKeys.showAll} whole diff`] : isCut ? [`${approvalKeys.showAll} show all`] : []),
        ...(isCut ? ['PgDn more'] : []),
        ...(rules.length > 1 ? ['←→ other rule'] : []),
        ...(accept.by === 'word' ? [refuseHint(accept.word)] : ['Esc stop']),
      ];
    }
    case 'word':
      return ['Enter confirm'];
    case 'rule-text':
      return ['Enter save to .weft/settings.local.json', 'Esc back'];
    case 'reason':
      return ['Enter send', 'Esc back'];
    case 'command':
      return [
        'Enter review again',
        ...[keyHint('newline', key => `${key} new line`, 'card')].filter(hint => hint !== ''),
        'Esc back',
      ];
    default:
      return unreachable(stage);
  }
}
