import type {FileDiff, Preview} from '../../actions/preview.ts';
import {firstLine, pluralize} from '../../base/clip.ts';
import {visibleExactLine, visibleLine} from '../../base/visible.ts';
import {type ChangePart, partCounts, partsOf} from '../state/change-parts.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {fitPath, withTildes} from '../text/workspace-paths.ts';
import {type EntryFrame, type Frame, spansText, type StyledSpan} from '../text/wrap.ts';
import {hasDiffColours} from './syntax/highlight.ts';
import {
  cachedDiffLines,
  countSpans,
  countsText,
  type DiffOptions,
  foldLines,
  layoutCache,
  type TitleRoom,
} from './diff-lines.ts';

export type CommandChanges = Extract<Preview, {kind: 'changes'}>;

/** The verb for a change to a file, before and after the decision about it. */
export const changeVerbs: Readonly<Record<ChangePart['change'], {readonly present: string; readonly past: string}>> = {
  edit: {present: 'Edit', past: 'Edited'},
  created: {present: 'Create', past: 'Created'},
  changed: {present: 'Edit', past: 'Edited'},
  deleted: {present: 'Delete', past: 'Deleted'},
  mode: {present: 'Set mode of', past: 'Set mode of'},
  link: {present: 'Link', past: 'Linked'},
};

/** The tense of the headings: `present` before the user's decision. */
export type Tense = 'present' | 'past';

/** Returns `changed 2 files` or `deleted 1 file`. `unnamed` files are added to the count. */
export function changedWords(kinds: readonly ChangePart['change'][], unnamed = 0): string {
  const [first, ...others] = kinds;
  const alike = first !== undefined && others.every(kind => kind === first) ? first : 'changed';
  const verb = alike === 'created' || alike === 'deleted' ? alike : 'changed';
  return `${verb} ${pluralize(kinds.length + unnamed, 'file')}`;
}

/**
 * Returns the changed lines of the parts as `+3 -1`, after `lead`. Empty if a part's file is not in `known`, so the count would
 * be incomplete.
 */
export function countsOf(parts: readonly ChangePart[], known: readonly FileDiff[], lead: string): string {
  const withLines = new Set(known);
  if (parts.length === 0 || parts.some(({file}) => !withLines.has(file))) return '';
  return countsText(
    parts.map(({file}) => file),
    lead,
  );
}

/** Returns `` `npm test` changed 2 files  +3 -1 ``. If it does not fit, first clips the command, then drops the counts. */
export function changesTitle(preview: CommandChanges, cells: number): string {
  const words = ` ${changedWords(preview.asked.map(({kind}) => kind))}`;
  const counts = countsOf(partsOf(preview), preview.files, '  ');
  const command = visibleExactLine(firstLine(preview.command, maxCommandLength));
  const named = (end: string): string => `\`${fit(command, Math.max(1, cells - cellWidth(end) - 2))}\`${end}`;
  const least = Math.min(cellWidth(command), minCommandCells);
  return fit(named(cells - cellWidth(words + counts) - 2 < least ? words : words + counts), cells);
}

/**
 * The maximum number of UTF-16 units of a command in a title, and the minimum number of cells that it gets before the counts
 * are dropped.
 */
const maxCommandLength = 200;
const minCommandCells = 8;

/** Returns `Edit src/a.ts  +2 -1`, or the notes of a file without lines: `Edit logo.png  binary`. */
export function changeHeading(part: ChangePart, tense: Tense, room: TitleRoom): string {
  const {title, rest} = headingOf(part, tense, room);
  return title + spansText(rest);
}

function headingOf(part: ChangePart, tense: Tense, {cells, home}: TitleRoom) {
  const {file, change} = part;
  const verb = `${changeVerbs[change][tense]} `;
  const path = visibleLine(withTildes(file.path, home));
  // The file name matters more than what follows it.
  const name = Math.min(cellWidth(path), Math.max(cellWidth(path.split('/').at(-1) ?? ''), minNameCells));
  const left = cells - cellWidth(verb) - name - 2;
  const notes = fit(file.notes.map(visibleLine).join(', '), Math.max(0, left));
  const said: readonly StyledSpan[] = hasNoLines(part)
    ? [{text: notes, roles: ['dim']}]
    : countSpans([partCounts(part)]);
  const saidCells = cellWidth(spansText(said));
  const rest = saidCells === 0 || saidCells > left ? [] : [{text: '  ', roles: []}, ...said];
  const room = cells - cellWidth(verb) - (rest.length === 0 ? 0 : saidCells + 2);
  return {title: verb + fitPath(path, Math.max(1, room)), rest};
}

/** The minimum number of cells of a path that are kept before the text after it. */
const minNameCells = 12;

export const hasNoLines = ({file: {hunks, added, removed}}: ChangePart): boolean =>
  hunks.length === 0 && added + removed === 0;

type BodyFrame = Frame & Pick<EntryFrame, 'home'>;

function headingRow(part: ChangePart, tense: Tense, {theme, width, home}: BodyFrame): string {
  const {title, rest} = headingOf(part, tense, {cells: width, home});
  const lead = tense === 'present' ? theme.style(['bold'], title) : title;
  return lead + rest.map(({text, roles}) => theme.style(roles, text)).join('');
}

const linesOf = (part: ChangePart, form: Pick<DiffOptions, 'shown' | 'long'>, frame: BodyFrame): readonly string[] =>
  hasNoLines(part)
    ? []
    : cachedDiffLines(part.ownDiff, {...form, maxLines: Number.POSITIVE_INFINITY, home: frame.home}, frame);

const cachedLines = layoutCache<readonly ChangePart[], readonly string[]>();

/** Returns all changes, each below its heading. Cached, because there may be thousands and each key press redraws them. */
export function changeLines(parts: readonly ChangePart[], tense: Tense, frame: BodyFrame): readonly string[] {
  const coloured = parts.filter(({file}) => hasDiffColours(file)).length;
  const long = tense === 'past' ? 'whole' : 'clipped';
  return cachedLines(parts, {form: `${tense} ${frame.home}`, coloured, frame}, () =>
    parts.flatMap(part => [headingRow(part, tense, frame), ...linesOf(part, {shown: 'all', long}, frame)]),
  );
}

/** Fits the changes into `rows` rows: as many files as fit, deletions first, then changed lines. `more` is the number of files left out. */
export function changeSummary(
  parts: readonly ChangePart[],
  {rows, tense}: {readonly rows: number; readonly tense: Tense},
  frame: BodyFrame,
): {readonly lines: readonly string[]; readonly more: number} {
  if (parts.length > rows) {
    const first = [...parts.filter(isDeletion), ...parts.filter(part => !isDeletion(part))].slice(0, rows);
    return {lines: first.map(part => headingRow(part, tense, frame)), more: parts.length - first.length};
  }
  let left = rows - parts.length;
  const lines = parts.flatMap((part, at) => {
    const all = linesOf(part, {shown: 'changes', long: 'clipped'}, frame);
    const share = Math.max(minLines, Math.floor(left / (parts.length - at)));
    const most = Math.min(all.length, share, left);
    // A note about omitted lines needs lines beside it.
    const shown = most === all.length || most >= minLines ? foldLines(all, most, frame) : [];
    left -= shown.length;
    return [headingRow(part, tense, frame), ...shown];
  });
  return {lines, more: 0};
}

const minLines = 3;

const isDeletion = ({change}: ChangePart): boolean => change === 'deleted';
