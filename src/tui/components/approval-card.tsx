import {relativeTo, withTilde} from '../../base/shown-path.ts';
import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import type {Approval} from '../../actions/agent-event.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleExactLine} from '../../base/visible.ts';
import {draftText, emptyDraft} from '../editor/draft.ts';
import {type Editing, initialEditing} from '../editor/text-field.ts';
import {directoryOf} from '../state/selectors.ts';
import {type ApprovalChoices, choicesOf} from '../state/approval-choices.ts';
import {approvalReasons, type ReasonLine, undecidedNote} from '../state/approval-reasons.ts';
import {type ApprovalStage, type HunkStage, initialStage} from '../state/approval-stage.ts';
import {cardFrame, cardRoom, isTight} from '../state/card-room.ts';
import type {View} from '../state/view.ts';
import {approvalKeys, cardKeys, keyHint} from '../terminal/keymap.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {withTildes} from '../text/workspace-paths.ts';
import {type EntryFrame, type Frame, type Layout, noIndent, wrapSpans, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled, useTheme} from '../theme/styled.tsx';
import {approvalBody, approvalTitle, cardHint} from '../scrollback/approval-text.ts';
import {Card, frameRows, hintLines} from './card.tsx';
import {CardField, fieldLayout} from './draft-field.tsx';
import {type Choice, ChoiceLine, choiceLineHeight, Choices, choicesHeight, labelMargin} from './choices.tsx';
import {type Theme, themeOf} from '../theme/theme.ts';
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

/** A card that asks for approval: the action, why weft asks, and the answers. On a low screen it has no frame. */
export function ApprovalCard(props: ApprovalCardProps): ReactNode {
  const theme = useTheme();
  return layoutOf(props, theme).shown;
}

/**
 * True if the card shows at once what the user decides about: the title, the action's main rows, and all of weft's own
 * reasons. Otherwise the user must read them elsewhere before allowing the action.
 */
export function showsDecision(
  {approval, view, rows}: Pick<ApprovalCardProps, 'approval' | 'rows'> & {readonly view: Pick<View, 'session'>},
  {theme, width, home}: Frame & Pick<EntryFrame, 'home'>,
): boolean {
  const folders = {workspace: directoryOf(view), home};
  const editing = initialEditing('emacs');
  return layoutOf({approval, folders, width, rows, waiting: 1, stage: initialStage, editing}, theme).isWhole;
}

interface CardLayout {
  readonly shown: ReactNode;
  /** True if it shows all that the user decides about. */
  readonly isWhole: boolean;
}

/** Returns the first layout that shows the decision. The rule of the answer `Always` is the first to go, then the frame. */
function layoutOf(props: ApprovalCardProps, theme: Theme): CardLayout {
  const usual = framedLayout(props, theme, 'with-rule');
  if (usual.isWhole) return usual;
  const brief = framedLayout(props, theme, 'without-rule');
  if (brief.isWhole) return brief;
  return props.rows < fewRows ? lowLayout(props, theme) : usual;
}

/** Returns how many rows of the body the user must see. The title names the file of an edit. */
const mainRows = ({preview}: Approval, all: number): number => (preview.kind === 'diff' ? 0 : Math.min(all, 2));

function framedLayout(
  {approval, waiting, stage, editing, folders, width, rows}: ApprovalCardProps,
  theme: Theme,
  rule: RuleRows,
): CardLayout {
  const isEdit = approval.preview.kind === 'diff' || approval.preview.kind === 'changes';
  const choices = choicesOf(approval, stage.stage === 'choosing' ? stage.rule : 'suggested');
  const frame = cardFrame({theme, width});
  const answer = answerOf({choices, stage, editing}, {rows, isLine: isEdit || isTight({width, rows}), rule}, frame);
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
  const {own, lines: reasons} = reasonLines(
    approval,
    {...folders, lines: why.lines},
    frame,
    left - Math.max(1, Math.min(full, Math.max(wanted, left - 6))),
  );
  // The action gets its rows first. If a row is left, it separates the action from the answers.
  const gap =
    (choices.accept.by === 'word' || !isTight({width, rows})) && left - reasons.length > Math.min(full, wanted) ? 1 : 0;
  const bodyRows = Math.max(1, left - reasons.length - gap);
  const body = approvalBody(approval, {rows: bodyRows, top}, bodyFrame);
  const inset = isEdit ? 1 : 0;
  const used =
    frameRows + (isNoteInside ? 1 : 0) + body.lines.length + reasons.length + gap + answer.rows + hintRows - 1;
  const least = approval.verdict.detail.criticalRanges.length > 0 ? Math.min(full, wanted) : mainRows(approval, full);
  const isWhole =
    width >= narrowest &&
    used <= rows &&
    own <= reasons.length &&
    bodyRows >= least &&
    (!isNoteInside || cellWidth(note) <= frame.width || width >= narrow) &&
    title === approvalTitle(approval, {cells: Math.max(width - 6, narrow - 6), home});
  const shown = (
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
  return {shown, isWhole};
}

/** With at least so many cells, a shortened title or reason still names its subject. */
const narrow = 36;

/** In fewer cells, an answer does not fit on a row. */
const narrowest = 17;

/**
 * Lays a card out without a frame: the title, the action and weft's own reasons, then the answers. If they do not fit,
 * the last row says how to read them.
 */
function lowLayout({approval, stage, editing, folders, width, rows}: ApprovalCardProps, theme: Theme): CardLayout {
  const {home} = folders;
  const choices = choicesOf(approval, stage.stage === 'choosing' ? stage.rule : 'suggested');
  const frame: Frame = {theme, width: Math.max(8, width)};
  const {note, lines} = approvalReasons(approval);
  const own = [...folderLine(approval, folders), ...lines].filter(({by}) => by !== 'model').map(({text}) => text);
  const reasons = [note, ...own].flatMap(text =>
    text === '' || text === undecidedNote ? [] : wrapText(withTildes(text, home), [], frame),
  );
  const title = wrapText(approvalTitle(approval, {cells: 1000, home}), ['bold'], frame);
  const answer = answerOf({choices, stage, editing}, {rows, isLine: true, rule: 'without-rule'}, frame);
  const {top} = stage.stage === 'choosing' ? stage : initialStage;
  const left = rows - title.length - reasons.length - answer.rows;
  const body = left < 1 ? {lines: [], all: 1} : approvalBody(approval, {rows: left, top}, {...frame, home});
  const least = approval.verdict.detail.criticalRanges.length > 0 ? body.all : mainRows(approval, body.all);
  // A screen of fewer rows than weft draws hides the first of three.
  const isWhole = width >= narrowest && rows > 2 && left >= least;
  const content = [
    ...title,
    ...(isWhole ? body.lines : approvalBody(approval, {rows: 2, top}, {...frame, home}).lines),
  ];
  const isOpen = stage.stage === 'choosing' && !isWhole;
  const below = isOpen ? 1 : answer.rows;
  return {
    isWhole,
    shown: (
      <Box flexDirection="column" width={width}>
        <Lines lines={[...content, ...reasons].slice(0, Math.max(0, rows - below))} />
        {isOpen ? (
          <Styled as="warning">
            {fit(stage.hint === 'none' ? readHint : cardHint(stage.hint, choices), frame.width)}
          </Styled>
        ) : (
          answer.shown
        )}
      </Box>
    ),
  };
}

const readHint = `${approvalKeys.showAll}: read it, ${approvalKeys.refuse}: no`;

/**
 * Returns the reasons below the action in `room` rows, and how many rows weft's own need. A folder other than the workspace
 * comes first. On a dangerous card, and with text from outside, they are bright and all but whole; others are dim and take two rows each. Words
 * of the model are always dim, and give way to weft's.
 */
function reasonLines(
  approval: Approval,
  {workspace, home, lines}: Folders & {readonly lines: readonly ReasonLine[]},
  frame: Frame,
  room: number,
): {readonly lines: readonly string[]; readonly own: number} {
  const all = [...folderLine(approval, {workspace, home}), ...lines].flatMap(({text, by}) => {
    const isBright = by === 'outside' || (approval.verdict.risk === 'destructive' && by === 'weft');
    const maxRows = isBright ? 4 : 2;
    const wrap = (line: string): readonly string[] =>
      wrapSpans([{text: line, roles: isBright ? [] : ['dim']}], frame, noIndent, 'marked');
    const line = withTildes(text, home);
    const wrapped = wrap(line);
    const rows = wrapped.length <= maxRows ? wrapped : wrap(fit(line, frame.width * maxRows - 8));
    return rows.map(row => ({row, by, isCut: wrapped.length > maxRows}));
  });
  const isCut = frame.width < narrow - 4 && all.some(one => one.by !== 'model' && one.isCut);
  const own = isCut ? Number.POSITIVE_INFINITY : all.filter(({by}) => by !== 'model').length;
  let claims = Math.max(0, room - own);
  const kept = all.filter(({by}) => by !== 'model' || claims-- > 0).map(({row}) => row);
  return {lines: kept.slice(0, Math.max(0, room)), own};
}

/** Returns the line that names a folder other than the workspace. */
const folderLine = ({preview}: Approval, {workspace, home}: Folders): readonly ReasonLine[] =>
  (preview.kind !== 'command' && preview.kind !== 'changes') ||
  preview.directory === '' ||
  preview.directory === workspace
    ? []
    : [{text: `in ${visibleExactLine(withTilde(relativeTo(preview.directory, workspace), home))}`, by: 'weft'}];

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
  readonly rule: RuleRows;
}

/** The rule of the answer `Always` has rows of its own above the answers, or none. */
type RuleRows = 'with-rule' | 'without-rule';

/** Returns the lower part of a card: the choices, or the answer that the user is typing. */
function answerOf({choices, stage, editing}: AnswerState, {rows, isLine, rule}: AnswerSpace, frame: Frame): Answer {
  switch (stage.stage) {
    case 'choosing': {
      const hint = cardHint(stage.hint, choices);
      const answer =
        choices.accept.by === 'word'
          ? wordAnswer(choices.accept, {text: emptyDraft, entered: 'not-yet'}, {rows, frame})
          : choiceAnswer(choices, {row: stage.row, isLine, rule}, frame);
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
  {row, isLine, rule: ruleRows}: Omit<AnswerSpace, 'rows'> & {readonly row: number | 'none'},
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
  const rule = ruleLines(offers, ruleRows === 'with-rule' ? Math.max(0, 3 - height) : 0, frame);
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
  const lead = cellWidth(asks) + usual + fieldBorders <= width ? asks : '';
  const above = lead === '' ? wrapSpans([{text: asks.trimEnd(), roles: []}], {theme, width}, noIndent, 'marked') : [];
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
        command === '' && editable === 'no' ? '' : keyHint(cardKeys.edit, key => `${key} ${edit}`, 'card'),
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
      return ['Enter review again', keyHint('newline', key => `${key} new line`, 'card'), 'Esc back'];
    default:
      return unreachable(stage);
  }
}
