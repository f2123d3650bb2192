import type {FileEdit, PatchLine} from '../../domain/file-edit.ts';
import type {DiffHunk, DiffLine, FileDiff} from '../../actions/preview.ts';
import type {TextRange} from '../../domain/risk.ts';
import {changeOf, nameOf} from '../../actions/request-file-edits.ts';
import {pluralize} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {diffTokens, hasDiffColours, highlightDiff} from './syntax/highlight.ts';
import {cellWidth, fit, styledWidth} from '../text/cell-width.ts';
import {fitPath, withTildes} from '../text/workspace-paths.ts';
import {type EntryFrame, type Frame, hardWrap, spansText, type StyledSpan, wrapCode, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Role} from '../theme/palette.ts';

export interface DiffOptions {
  /** The maximum number of lines of a file. Beyond it, lines in the middle are folded. */
  readonly maxLines: number;
  /** `changes` leaves out the context lines. */
  readonly shown: 'all' | 'changes';
  /** `clipped`: very long lines show only the part around the change. */
  readonly long: 'clipped' | 'whole';
  /** The user's home directory, shown as `~` in headings. Empty if unknown. */
  readonly home: string;
}

/** Renders the changes of files with line numbers. If there are several files, each has a heading. */
export function diffLines(files: readonly FileDiff[], form: DiffOptions, frame: Frame): readonly string[] {
  return files.flatMap(file => {
    highlightDiff(file);
    const rows = rowsOf(file, form).flatMap(row => row.rows(frame));
    const lines = [
      ...foldLines(rows, form.maxLines, frame),
      ...file.notes.flatMap(note => wrapText(visibleLine(note), ['warning'], frame)),
    ];
    return files.length === 1
      ? lines
      : [frame.theme.style(['bold'], changeTitle([file], {cells: frame.width, home: form.home})), ...lines];
  });
}

/** Keeps the first and last lines. Between them, `note` says how many lines are left out. */
export function foldLines(
  lines: readonly string[],
  most: number,
  frame: Frame,
  note: {readonly role: Role; readonly text: string} = {role: 'dim', text: 'lines not shown'},
): readonly string[] {
  if (lines.length <= most) return lines;
  const head = Math.max(0, Math.ceil((most - 1) / 2));
  const tail = Math.max(0, most - 1 - head);
  const text = `  … ${lines.length - head - tail} ${note.text}`;
  return [
    ...lines.slice(0, head),
    frame.theme.style([note.role], fit(text, frame.width)),
    ...lines.slice(lines.length - tail),
  ];
}

/** Returns the lines from `top` that fit on `rows`. The last row shows the position. */
export function pageOf(
  lines: readonly string[],
  {top, rows}: {readonly top: number; readonly rows: number},
  frame: Frame,
  placeText = (from: number, to: number, all: number): string => ` ${from}–${to} of ${all} lines · PgUp PgDn`,
): readonly string[] {
  if (lines.length <= rows) return lines;
  const page = Math.max(1, rows - 1);
  const first = Math.max(0, Math.min(top, lines.length - page));
  const shown = lines.slice(first, first + page);
  if (rows === 1) return shown;
  return [
    ...shown,
    frame.theme.style(['dim'], fit(placeText(first + 1, first + shown.length, lines.length), frame.width)),
  ];
}

export interface NumberedLine {
  readonly line: DiffLine;
  readonly oldLine: number;
  readonly newLine: number;
}

export function numberLines({oldStart, newStart, lines}: DiffHunk): readonly NumberedLine[] {
  let [oldLine, newLine] = [oldStart, newStart];
  return lines.map(line => {
    const found = {line, oldLine, newLine};
    if (line.kind !== 'added') oldLine++;
    if (line.kind !== 'removed') newLine++;
    return found;
  });
}

/** Returns the number of a line: in the old text if removed, otherwise in the new text. */
export const numberOf = ({line, oldLine, newLine}: NumberedLine): number =>
  line.kind === 'removed' ? oldLine : newLine;

function changedRuns(lines: readonly NumberedLine[]): readonly (readonly NumberedLine[])[] {
  const runs: NumberedLine[][] = [];
  for (const [at, one] of lines.entries()) {
    if (one.line.kind === 'context') continue;
    const before = lines[at - 1]?.line.kind ?? 'context';
    if (before === 'context') runs.push([one]);
    else runs.at(-1)?.push(one);
  }
  return runs;
}

/** A line of a file's change, identified by its number. */
export interface DiffRow {
  readonly kind: DiffLine['kind'] | 'gap';
  readonly number: number;
  /** The line without its sign; empty for a gap. */
  readonly text: string;
  readonly rows: (frame: Frame) => readonly string[];
}

/** Returns the lines of a change one by one. Each is drawn on demand. */
export function diffRows(file: FileDiff): readonly DiffRow[] {
  highlightDiff(file);
  return rowsOf(file, {shown: 'all', long: 'clipped'});
}

function rowsOf(file: FileDiff, {shown, long}: Pick<DiffOptions, 'shown' | 'long'>): readonly DiffRow[] {
  const hunks = file.hunks.map(numberLines).flatMap(lines => (shown === 'all' ? [lines] : changedRuns(lines)));
  const last = hunks.at(-1) ?? [];
  const digits = String(Math.max(last[0]?.oldLine ?? 1, last[0]?.newLine ?? 1) + last.length).length;
  const gap: DiffRow = {
    kind: 'gap',
    number: 0,
    text: '',
    rows: ({theme}) => [theme.style(['dim'], `${' '.repeat(digits)}  ⋮`)],
  };
  return hunks.flatMap((lines, at) => [
    ...(at === 0 ? [] : [gap]),
    ...lines.map((one): DiffRow => ({
      kind: one.line.kind,
      number: numberOf(one),
      text: one.line.text,
      rows: frame => lineRows(one, {digits, long}, frame),
    })),
  ]);
}

interface Mark {
  readonly sign: string;
  readonly role: Role;
  readonly background: readonly Role[];
  readonly word: readonly Role[];
}

/** The signs carry the same information as the colors, for users without colors. */
const marks: Readonly<Record<DiffLine['kind'], Mark>> = {
  context: {sign: ' ', role: 'dim', background: [], word: ['dim']},
  added: {sign: glyphs.added, role: 'added', background: ['added-line'], word: ['added-word']},
  removed: {sign: glyphs.removed, role: 'removed', background: ['removed-line'], word: ['removed-word']},
};

function lineRows(
  one: NumberedLine,
  {digits, long}: {readonly digits: number; readonly long: DiffOptions['long']},
  {theme, width}: Frame,
): readonly string[] {
  const {line} = one;
  const mark = marks[line.kind];
  const room = Math.max(1, width - digits - 3);
  const clip = long === 'whole' ? whole(line) : clipAround(line, room);
  const spans = [...noteSpans(clip.before), ...lineSpans(line, clip, mark), ...noteSpans(clip.after)];
  const background = theme.lineBackgrounds === 'none' ? [] : mark.background;
  const isPlain = theme.lineBackgrounds === 'plain' && background.length > 0;
  return wrapCode(
    spans.map(({text, roles}) => ({
      text,
      roles: isPlain && roles !== mark.word ? background : [...background, ...roles],
    })),
    {theme, width: room},
    {mark: glyphs.brokenWord, roles: isPlain ? background : [...background, 'dim']},
  ).map((row, at) => {
    const gutter = theme.style(['dim'], at === 0 ? String(numberOf(one)).padStart(digits) : ' '.repeat(digits));
    const sign = ` ${at === 0 ? mark.sign : ' '}`;
    if (background.length > 0) {
      // Fill the background from the sign to the right edge.
      const rest = theme.style(background, ' '.repeat(Math.max(0, room - styledWidth(row))));
      return `${gutter}${theme.style([...background, mark.role], `${sign} `)}${row}${rest}`;
    }
    return row === ''
      ? (gutter + theme.style([mark.role], sign)).trimEnd()
      : `${gutter}${theme.style([mark.role], sign)} ${row}`;
  });
}

interface Clip extends TextRange {
  /** The number of UTF-16 units left out on each side. */
  readonly before: number;
  readonly after: number;
}

const whole = ({text}: DiffLine): Clip => ({from: 0, to: text.length, before: 0, after: 0});

/** The maximum number of rows of a line that is shown whole, and the number of rows shown of a longer one. */
const longRows = 6;
const clippedRows = 3;

function clipAround(line: DiffLine, room: number): Clip {
  const {text, changed} = line;
  if (text.length <= longRows * room) return whole(line);
  const shown = clippedRows * room;
  const first = changed[0]?.from ?? 0;
  const lead = Math.floor(room / 2);
  const from = clampToCharacter(text, Math.max(0, Math.min(first - lead, text.length - shown)));
  const to = clampToCharacter(text, Math.min(text.length, from + shown));
  return {from, to, before: from, after: text.length - to};
}

const noteSpans = (count: number): readonly StyledSpan[] =>
  count === 0 ? [] : [{text: `… ${pluralize(count, 'character')} not shown …`, roles: ['warning']}];

/** Returns the spans of the line inside `clip`, with invisible characters made visible. */
function lineSpans(line: DiffLine, clip: Clip, mark: Mark): readonly StyledSpan[] {
  const {text} = line;
  const tokens = diffTokens(line) ?? [{text, role: 'none' as const}];
  const changed = line.changed.map(range => withoutOuterBlanks(text, range));
  const spans: StyledSpan[] = [];
  let start = 0;
  for (const token of tokens) {
    const end = start + token.text.length;
    const roles: readonly Role[] = token.role === 'none' ? [mark.role] : token.role === 'plain' ? [] : [token.role];
    for (const part of partsOf({from: Math.max(start, clip.from), to: Math.min(end, clip.to)}, changed)) {
      const shown = visible(text.slice(clampToCharacter(text, part.from), clampToCharacter(text, part.to)));
      if (shown !== '') spans.push({text: shown, roles: part.isChanged ? mark.word : roles});
    }
    start = end;
  }
  return spans;
}

/** Leaves out the blanks around changed words. A change of only blanks stays. */
function withoutOuterBlanks(text: string, {from, to}: TextRange): TextRange {
  const words = /[^ \t](?:.*[^ \t])?/su.exec(text.slice(from, to));
  return words === null ? {from, to} : {from: from + words.index, to: from + words.index + words[0].length};
}

/** Splits a range at the boundaries of the changed words. */
function partsOf(
  {from, to}: TextRange,
  changed: readonly TextRange[],
): readonly (TextRange & {readonly isChanged: boolean})[] {
  const parts: (TextRange & {readonly isChanged: boolean})[] = [];
  let at = from;
  for (const range of changed) {
    if (range.to <= at || range.from >= to) continue;
    if (range.from > at) parts.push({from: at, to: range.from, isChanged: false});
    const end = Math.min(to, range.to);
    parts.push({from: Math.max(at, range.from), to: end, isChanged: true});
    at = end;
  }
  if (at < to) parts.push({from: at, to, isChanged: false});
  return parts;
}

/** Returns the index, or the next one if it would split a surrogate pair. */
function clampToCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const before = at > 0 ? text.charCodeAt(at - 1) : 0;
  return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff ? at + 1 : at;
}

/** Returns files on one line, such as `Create new.txt  +2 -0`. Clips folders before file names. */
export function changeTitle(files: readonly FileDiff[], {cells, home}: TitleRoom): string {
  const counts = countsText(files, '  ');
  const verb = `${editVerb(files, 'present')} `;
  const room = cells - verb.length;
  const name = visibleLine(files[0]?.path.split('/').at(-1) ?? '');
  // The file name matters more than the counts.
  const kept = room - cellWidth(counts) < cellWidth(name) ? '' : counts;
  return fit(verb + pathsIn(files, {cells: room - cellWidth(kept), home}) + kept, cells);
}

export interface TitleRoom {
  readonly cells: number;
  /** The user's home directory, shown as `~` in paths. Empty if unknown. */
  readonly home: string;
}

/** Returns the title as a question: `Make this edit to src/a.ts?  +2 -1`. Shortens the words before it clips the path. */
export function changeQuestion(files: readonly FileDiff[], {cells, home}: TitleRoom): string {
  const counts = countsText(files, '?  ');
  const verb = editVerb(files, 'present');
  const long = verb !== 'Edit' ? verb : files.length === 1 ? 'Make this edit to' : 'Make these edits to';
  const asks = [long, verb].map(words => {
    const room = cells - cellWidth(counts) - words.length - 1;
    const paths = pathsIn(files, {cells: room, home});
    const isWhole = paths === pathsIn(files, {cells: Number.POSITIVE_INFINITY, home});
    return {question: `${words} ${paths}${counts}`, isWhole};
  });
  return fit((asks.find(({isWhole}) => isWhole) ?? asks.at(-1))?.question ?? '', cells);
}

interface Counts {
  readonly added: number;
  readonly removed: number;
}

/** Returns the added and removed lines of all files as two spans, `+3 -1`, after `lead`. */
export function countSpans(files: readonly Counts[], lead = ''): readonly StyledSpan[] {
  const sum = (count: (file: Counts) => number): number => files.reduce((total, file) => total + count(file), 0);
  return [
    {text: `${lead}${glyphs.added}${sum(({added}) => added)}`, roles: ['added']},
    {text: ` ${glyphs.removed}${sum(({removed}) => removed)}`, roles: ['removed']},
  ];
}

export const countsText = (files: readonly Counts[], lead: string): string => spansText(countSpans(files, lead));

/** Returns the paths that fit in `cells`, and how many more files there are. */
function pathsIn(files: readonly FileDiff[], {cells, home}: TitleRoom): string {
  const paths = files.map(file => visibleLine(withTildes(nameOf(file), home)));
  const [first = ''] = paths;
  if (paths.length === 1) return fitPath(first, cells);
  const all = paths.join(', ');
  if (cellWidth(all) <= cells) return all;
  const names = files.map(file => visibleLine(file.path).split('/').at(-1) ?? '');
  for (let count = names.length; count > 1; count--) {
    const left = names.length - count;
    const said = names.slice(0, count).join(', ') + (left === 0 ? '' : ` and ${left} more`);
    if (cellWidth(said) <= cells) return said;
  }
  const more = ` and ${names.length - 1} more`;
  return fitPath(first, cells - more.length) + more;
}

const editVerbs = {
  past: {Created: 'Created', Deleted: 'Deleted', Renamed: 'Renamed', Changed: 'Edited'},
  present: {Created: 'Create', Deleted: 'Delete', Renamed: 'Rename', Changed: 'Edit'},
} as const;

/** Returns the verb that fits all files, or `Edit` if they differ. */
export function editVerb(files: readonly FileDiff[], tense: keyof typeof editVerbs): string {
  const [first = 'Changed', ...others] = files.map(changeOf);
  return editVerbs[tense][others.every(other => other === first) ? first : 'Changed'];
}

/** Caches layouts by subject and `form`, until the width, the theme or the number of highlighted files changes. */
export function layoutCache<Subject extends WeakKey, Laid>() {
  const kept = new WeakMap<Subject, {frame: Frame; coloured: number; readonly made: Map<string, Laid>}>();
  return (
    subject: Subject,
    {form, coloured, frame}: {readonly form: string; readonly coloured: number; readonly frame: Frame},
    layOut: () => Laid,
  ): Laid => {
    const known = kept.get(subject);
    const {width, theme} = frame;
    const isFresh = known?.coloured === coloured && known.frame.width === width && known.frame.theme === theme;
    const made = isFresh ? known.made : new Map<string, Laid>();
    if (!isFresh) kept.set(subject, {frame, coloured, made});
    const laid = made.get(form) ?? layOut();
    made.set(form, laid);
    return laid;
  };
}

const cachedDiff = layoutCache<readonly FileDiff[], readonly string[]>();

export function cachedDiffLines(files: readonly FileDiff[], options: DiffOptions, frame: Frame): readonly string[] {
  const {maxLines, shown, long, home} = options;
  const form = `${maxLines} ${shown} ${long} ${home}`;
  const coloured = files.filter(hasDiffColours).length;
  return cachedDiff(files, {form, coloured, frame}, () => diffLines(files, options, frame));
}

/** Renders an edit as the model requested it: old and new text. */
export function editLines(edit: FileEdit, frame: Frame & Pick<EntryFrame, 'home'>): readonly string[] {
  const shown = (path: string): string => visibleLine(withTildes(path, frame.home));
  const heading = textLines(shown(edit.path), 'bold', frame);
  switch (edit.kind) {
    case 'replace':
      return [
        ...heading,
        ...edit.replacements.flatMap(replacement => {
          const {oldText, newText} = changedLines(replacement);
          return [...signed('removed', oldText, frame), ...signed('added', newText, frame)];
        }),
      ];
    case 'replace-lines':
      return [...heading, ...signed('added', edit.newText, frame)];
    case 'write':
      return [...heading, ...signed('added', edit.content, frame)];
    case 'patch':
      return [
        ...heading,
        ...edit.hunks.flatMap(hunk => hunk.lines.flatMap(({kind, text}) => signed(kind, `${text}\n`, frame))),
      ];
    case 'delete':
      return signed('removed', shown(edit.path), frame);
    case 'rename':
      return [...heading, ...textLines(`to ${shown(edit.to)}`, 'dim', frame)];
    default:
      return unreachable(edit);
  }
}

const signed = (kind: PatchLine['kind'], text: string, frame: Frame): readonly string[] =>
  textLines(visible(text), kind === 'context' ? 'dim' : kind, frame, signs[kind]);

const signs = {context: '  ', added: `${glyphs.added} `, removed: `${glyphs.removed} `} as const;

/** Removes the common first and last lines of both texts. Models repeat the lines around a change. */
function changedLines({oldText, newText}: {readonly oldText: string; readonly newText: string}) {
  const before = oldText.split('\n');
  const after = newText.split('\n');
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const changed = (lines: readonly string[]): string => lines.slice(head, lines.length - tail).join('\n');
  return {oldText: changed(before), newText: changed(after)};
}

export function textLines(text: string, role: Role, frame: Frame, sign = ''): readonly string[] {
  if (text === '') return [];
  const width = Math.max(1, frame.width - sign.length);
  return text
    .replace(/\n$/u, '')
    .split('\n')
    .flatMap(line => hardWrap(line, width))
    .map(row => frame.theme.style([role], sign + row));
}
