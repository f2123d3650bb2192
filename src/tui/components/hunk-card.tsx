import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import type {Approval} from '../../actions/agent-event.ts';
import type {DiffHunk, FileDiff} from '../../actions/preview.ts';
import {nameOf} from '../../actions/request-file-edits.ts';
import {pluralize} from '../../base/clip.ts';
import {visibleExactLine, visibleLine} from '../../base/visible.ts';
import {draftText} from '../editor/draft.ts';
import {type ApprovalChoices, choicesOf} from '../state/approval-choices.ts';
import type {HunkStage} from '../state/approval-stage.ts';
import {type ChangePart, changeParts, partCounts} from '../state/change-parts.ts';
import {cardKeys, keyHint} from '../terminal/keymap.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {fitPath, withTildes} from '../text/workspace-paths.ts';
import {cardFrame} from '../state/card-room.ts';
import {type Frame, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled, useTheme} from '../theme/styled.tsx';
import {cardHint} from '../scrollback/approval-text.ts';
import {Card, frameRows, hintLines} from './card.tsx';
import {type Choice, ChoiceLine, choiceLineHeight} from './choices.tsx';
import {changeHeading, countsOf} from '../scrollback/change-lines.ts';
import {cachedDiffLines, changeTitle, pageOf, type TitleRoom} from '../scrollback/diff-lines.ts';
import {Lines} from './lines.tsx';
import {firstShown} from './picker-card.tsx';

interface HunkCardProps {
  readonly approval: Approval;
  readonly stage: HunkStage;
  readonly home: string;
  readonly width: number;
  readonly rows: number;
}

const maxListed = 8;

/** A card with a checkbox for each part of a change, and the diff of the selected part. Only checked parts are written. */
export function HunkCard({approval, stage, home, width, rows}: HunkCardProps): ReactNode {
  const theme = useTheme();
  const choices = choicesOf(approval);
  const {parts, accept, editable} = choices;
  const frame = cardFrame({theme, width});
  const answers = answersOf(stage, choices);
  const hint = cardHint(stage.hint, choices);
  const below = (hint === '' ? 0 : 1) + choiceLineHeight(answers, frame.width) + (accept.by === 'word' ? 1 : 0);
  const hints = [
    'Space toggle',
    `↑↓ other ${approval.preview.kind === 'changes' ? 'file' : 'hunk'}`,
    'Esc back',
    editable === 'yes' ? keyHint(cardKeys.edit, key => `${key} edit the file first`, 'card') : '',
    'PgUp PgDn scroll',
  ];
  const hintRows = rows < 12 ? 1 : hintLines(hints, width).length;
  const room = Math.max(2, rows - frameRows - below + 1 - hintRows);
  const listed = Math.max(1, Math.min(maxListed, parts.length, Math.floor(room / 2)));
  const top = firstShown({row: stage.row, count: parts.length, room: listed});
  const diffFrame: Frame = {theme, width: Math.max(8, width - 3)};
  const shown = pageOf(
    partLines(parts[stage.row], {frame: diffFrame, home}),
    {top: stage.top, rows: Math.max(1, room - listed)},
    diffFrame,
    (first, last, all) => `  lines ${first} to ${last} of ${all}`,
  );
  return (
    <Card
      width={width}
      title={titleOf(stage, parts, {approval, cells: Math.max(8, width - 6), home})}
      hints={hints}
      hintRows={hintRows}
      tone={accept.by === 'word' ? 'danger' : 'calm'}
      inset={0}
    >
      {parts.slice(top, top + listed).map((part, at) => (
        <PartRow key={top + at} part={part} stage={stage} at={top + at} room={{cells: frame.width, home}} />
      ))}
      <Lines lines={shown.map(line => ` ${line}`)} />
      <Box flexDirection="column" paddingX={1}>
        {hint !== '' && <Styled as="warning">{fit(hint, frame.width)}</Styled>}
        {accept.by === 'word' ? <WordRow {...accept} stage={stage} /> : null}
        <ChoiceLine choices={answers} selected="none" cells={frame.width} />
      </Box>
    </Card>
  );
}

interface WordRowProps {
  readonly word: string;
  readonly does: 'allow' | 'keep';
  readonly stage: HunkStage;
}

function WordRow({word, does, stage}: WordRowProps): ReactNode {
  const lead = `type "${visibleExactLine(word)}" to ${does === 'keep' ? 'keep' : 'write'} the selection `;
  const typed = visibleExactLine(draftText(stage.word));
  return <Lines lines={[lead + typed]} cursor={{x: cellWidth(lead + typed), y: 0}} />;
}

function answersOf({dropped}: HunkStage, {accept, editable, parts}: ApprovalChoices): readonly Choice[] {
  const left = parts.length - dropped.size;
  const [yes, no] = editable === 'yes' ? ['Write', 'No'] : ['Keep', 'Discard all'];
  const write = left === 0 ? `None selected: ${no.toLowerCase()}` : `${yes} ${left} of ${parts.length}`;
  return [
    ...(accept.by === 'key' ? [{label: write, detail: '', letter: 'y'}] : []),
    {label: no, detail: '', letter: 'n'},
  ];
}

function titleOf(
  {dropped}: HunkStage,
  parts: readonly ChangePart[],
  {approval, cells, home}: TitleRoom & {readonly approval: Approval},
): string {
  const {preview} = approval;
  const left = parts.length - dropped.size;
  if (preview.kind === 'changes') {
    const ticked = parts.filter((_, at) => !dropped.has(at));
    const counts = left === 0 ? '  None selected' : countsOf(ticked, preview.files, '  ');
    return fit(`Keep ${left} of ${pluralize(parts.length, 'file')}?${counts}`, cells);
  }
  const lead = `Write ${left} of ${parts.length} hunks? `;
  const files = preview.kind === 'diff' ? preview.files : [];
  const ticked = files.flatMap(file =>
    withTickedParts(
      file,
      parts.filter((part, at) => part.file === file && !dropped.has(at)),
    ),
  );
  return (
    lead +
    (ticked.length === 0 ? 'None selected' : changeTitle(ticked, {cells: Math.max(1, cells - lead.length), home}))
  );
}

function withTickedParts(file: FileDiff, parts: readonly ChangePart[]): readonly FileDiff[] {
  if (parts.length === 0) return [];
  if (file.hunks.length === 0 || parts.length === changeParts([file]).length) return [file];
  const counts = parts.map(partCounts);
  const {movedFrom, path} = file;
  const isMoved = parts.some(({hunk}) => hunk === 'new-name');
  return [
    {
      ...file,
      path: movedFrom === undefined || isMoved ? path : movedFrom,
      movedFrom: isMoved ? movedFrom : undefined,
      added: counts.reduce((sum, {added}) => sum + added, 0),
      removed: counts.reduce((sum, {removed}) => sum + removed, 0),
    },
  ];
}

interface PartRowProps {
  readonly part: ChangePart;
  readonly stage: HunkStage;
  readonly at: number;
  readonly room: TitleRoom;
}

/** One row of the list: `> [x] src/a.ts:10  +3 -1`. */
function PartRow({part, stage, at, room: {cells, home}}: PartRowProps): ReactNode {
  const isSelected = at === stage.row;
  const tick = stage.dropped.has(at) ? glyphs.emptyBox : glyphs.checkedBox;
  const lead = `${isSelected ? glyphs.pointer : ' '} ${tick} `;
  const row = lead + partTitle(part, {cells: Math.max(1, cells - cellWidth(lead)), home});
  return <Text wrap="truncate"> {isSelected ? <Styled as={['bold', 'accent']}>{row}</Styled> : row}</Text>;
}

/** Returns the title of a part: the change to a whole file, or the file and its first changed line. */
function partTitle(part: ChangePart, {cells, home}: TitleRoom): string {
  const {file, hunk, shown} = part;
  if (part.change !== 'edit') return changeHeading(part, 'present', {cells, home});
  if (hunk === 'new-name') return fit(visibleLine(`Rename ${withTildes(nameOf(file), home)}`), cells);
  if (shown === 'whole-file' || file.before === 'absent' || file.after === 'absent')
    return changeTitle([file], {cells, home});
  const {added, removed} = partCounts(part);
  const place = `:${firstChanged(shown)}  ${glyphs.added}${added} ${glyphs.removed}${removed}`;
  return fitPath(visibleLine(withTildes(file.path, home)), Math.max(1, cells - place.length)) + place;
}

/** Returns the first changed line as the diff numbers it: the old number for a removed line. */
function firstChanged({oldStart, newStart, lines}: DiffHunk): number {
  const before = lines.findIndex(({kind}) => kind !== 'context');
  return (lines[before]?.kind === 'removed' ? oldStart : newStart) + Math.max(0, before);
}

function partLines(
  part: ChangePart | undefined,
  {frame, home}: {readonly frame: Frame; readonly home: string},
): readonly string[] {
  if (part === undefined) return [];
  const {file, change, shown, ownDiff} = part;
  if (shown === 'whole-file' && (change === 'edit' || file.hunks.length === 0)) {
    const renamed = file.movedFrom === undefined ? [] : [`from ${file.movedFrom}`, `to   ${file.path}`];
    const room = {cells: frame.width - 2, home};
    const title =
      change === 'edit'
        ? changeTitle([file], room)
        : changeHeading({...part, file: {...file, notes: []}}, 'present', room);
    const heading = renamed.length === 0 ? [title] : renamed.map(line => withTildes(line, home));
    return [...heading, ...file.notes].flatMap(line => wrapText(`  ${visibleLine(line)}`, [], frame));
  }
  return cachedDiffLines(ownDiff, {maxLines: Number.POSITIVE_INFINITY, shown: 'all', long: 'clipped', home}, frame);
}
