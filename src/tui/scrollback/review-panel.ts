import type {CodeReview} from '../../agent/client.ts';
import {clip} from '../../base/clip.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {unreachable} from '../../base/unreachable.ts';
import {
  changeComments,
  commentPlace,
  type NewComment,
  type ReviewChange,
  type ReviewComment,
  severities,
} from '../../domain/code-review.ts';
import type {FileDiff} from '../../actions/preview.ts';
import type {KeyPress} from '../terminal/keymap.ts';
import {deletedAtEnd} from '../editor/draft.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {type Frame, type Layout, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {changeTitle, type DiffRow, diffRows} from './diff-lines.ts';
import {keysRow, pagerLetters, type TranscriptPanel} from './transcript-panel.ts';

export interface ReviewHost {
  change(change: ReviewChange): void;
  /** Returns the comments as last saved, or `undefined` before the first change was answered. */
  kept(): readonly ReviewComment[] | undefined;
  /** Puts the open comments into the draft after the review closes. */
  send(comments: readonly ReviewComment[]): void;
}

/** A selectable item: a file, a line of its change, or a comment. */
type ReviewItem =
  | {readonly kind: 'file'; readonly file: FileDiff}
  | {readonly kind: 'line'; readonly file: FileDiff; readonly row: DiffRow}
  /** `elsewhere`: the comment is not shown below its line, so it names the location. */
  | {readonly kind: 'comment'; readonly comment: ReviewComment; readonly stands: 'at-line' | 'elsewhere'};

/** The state of the review on the screen, as plain data. Each key press returns a new state. */
export interface ReviewState {
  readonly review: CodeReview;
  readonly items: readonly ReviewItem[];
  /** The selected item, and the first one on the screen. */
  readonly at: number;
  readonly top: number;
  /** The start of the range of lines to comment on, or -1 for none. */
  readonly from: number;
  readonly typing: 'nothing' | {readonly what: 'comment' | 'answer'; readonly text: string};
  readonly said: string;
}

/** Returns a full-screen review, opened at its first file. */
export const reviewPanel = (review: CodeReview, host: ReviewHost): TranscriptPanel => panelOf(openReview(review), host);

export const openReview = (review: CodeReview): ReviewState => ({
  review,
  items: itemsOf(review),
  at: 0,
  top: 0,
  from: -1,
  typing: 'nothing',
  said: '',
});

/** Lists files with their lines. Comments follow the line at which they end, or the file if the change does not contain that line. */
function itemsOf({files, comments}: CodeReview): readonly ReviewItem[] {
  const known = new Set(files.map(({path}) => path));
  const strays = comments.filter(({path}) => !known.has(path));
  return [
    ...files.flatMap((file): readonly ReviewItem[] => {
      const own = comments.filter(({path}) => path === file.path);
      const rows = rowsOf(file);
      const shown = new Set(rows.filter(({kind}) => kind !== 'removed').map(({number}) => number));
      const isPlaced = ({lines}: ReviewComment): boolean => lines !== 'file' && shown.has(lines.last);
      return [
        {kind: 'file', file},
        ...own.filter(comment => !isPlaced(comment)).map(belowFile),
        ...rows.flatMap((row): readonly ReviewItem[] => [
          {kind: 'line', file, row},
          ...own
            .filter(comment => isPlaced(comment) && isAt(comment, row))
            .map(comment => ({kind: 'comment', comment, stands: 'at-line'}) as const),
        ]),
      ];
    }),
    ...strays.map(elsewhere),
  ];
}

/** A comment on a whole file belongs below the file. */
const belowFile = (comment: ReviewComment): ReviewItem =>
  comment.lines === 'file' ? {kind: 'comment', comment, stands: 'at-line'} : elsewhere(comment);

const elsewhere = (comment: ReviewComment): ReviewItem => ({kind: 'comment', comment, stands: 'elsewhere'});

const isAt = ({lines}: ReviewComment, {kind, number}: DiffRow): boolean =>
  lines !== 'file' && kind !== 'removed' && kind !== 'gap' && lines.last === number;

const drawnFiles = new WeakMap<FileDiff, readonly DiffRow[]>();

/** Returns the rows of a file. Cached, because highlighting is slow. */
function rowsOf(file: FileDiff): readonly DiffRow[] {
  const rows = drawnFiles.get(file) ?? diffRows(file);
  drawnFiles.set(file, rows);
  return rows;
}

const panelOf = (state: ReviewState, host: ReviewHost): TranscriptPanel => ({
  press(key, {rows}) {
    const step = pressReview(withKept(state, host.kept()), key, rows);
    if (step.change !== 'none') host.change(step.change);
    if (step.next === 'sent') host.send(state.review.comments);
    return step.next === 'closed' || step.next === 'sent' ? 'closed' : panelOf(step.next, host);
  },
  lines: ({rows, frame}) => reviewLayout(withKept(state, host.kept()), {rows, frame}),
});

function withKept(state: ReviewState, kept: readonly ReviewComment[] | undefined): ReviewState {
  return kept === undefined || kept === state.review.comments ? state : withComments(state, kept);
}

/** Replaces the comments and keeps the selection. */
function withComments(state: ReviewState, comments: readonly ReviewComment[]): ReviewState {
  const review = {...state.review, comments};
  const items = itemsOf(review);
  const selected = state.items[state.at];
  const same = selected === undefined ? -1 : items.findIndex(item => isSame(item, selected));
  const at = same === -1 ? Math.min(state.at, Math.max(0, items.length - 1)) : same;
  return {...state, review, items, at, top: Math.min(state.top, at)};
}

function isSame(one: ReviewItem, other: ReviewItem): boolean {
  if (one.kind === 'comment') return other.kind === 'comment' && one.comment.id === other.comment.id;
  if (one.kind === 'file') return other.kind === 'file' && one.file === other.file;
  return other.kind === 'line' && one.row === other.row;
}

export interface ReviewStep {
  /** `sent`: the review closes, and its open comments go into the draft. */
  readonly next: ReviewState | 'closed' | 'sent';
  readonly change: ReviewChange | 'none';
}

const stays = (next: ReviewState): ReviewStep => ({next, change: 'none'});

export function pressReview(state: ReviewState, key: KeyPress, rows: number): ReviewStep {
  if (state.typing !== 'nothing') return typed(state, state.typing, key);
  const quiet = {...state, said: ''};
  if (key.kind === 'paste') return stays(quiet);
  if (key.kind === 'text') return pressLetters(quiet, key.text);
  const page = Math.max(1, rows - 3);
  switch (key.name) {
    case 'page-up':
      return stays(moved(quiet, -page));
    case 'page-down':
      return stays(moved(quiet, page));
    case 'complete':
      return pressLetters(quiet, ']');
    default:
      return pressLetters(quiet, pagerLetters[key.name] ?? '');
  }
}

/** Handles letters that arrived in one chunk, as from a held key, one by one. Stops after a change. */
function pressLetters(state: ReviewState, letters: string): ReviewStep {
  let now = state;
  for (const letter of letters) {
    const step = pressLetter(now, letter);
    if (step.change !== 'none' || step.next === 'closed' || step.next === 'sent') return step;
    now = step.next;
    if (now.typing !== 'nothing') return stays(now);
  }
  return stays(now);
}

const moves: Readonly<Partial<Record<string, (state: ReviewState) => ReviewState>>> = {
  j: state => moved(state, 1),
  k: state => moved(state, -1),
  g: state => moved(state, -state.items.length),
  G: state => moved(state, state.items.length),
  ']': state => toNext(state, 'file', 1),
  '[': state => toNext(state, 'file', -1),
  n: state => toNext(state, 'comment', 1),
  N: state => toNext(state, 'comment', -1),
};

function pressLetter(state: ReviewState, letter: string): ReviewStep {
  const move = moves[letter];
  if (move !== undefined) return stays(move(state));
  const selected = state.items[state.at];
  const comment = selected?.kind === 'comment' ? selected.comment : undefined;
  const say = (said: string): ReviewStep => stays({...state, said});
  const type = (what: 'comment' | 'answer'): ReviewStep => stays({...state, typing: {what, text: ''}});
  switch (letter) {
    case 'q':
      return {next: 'closed', change: 'none'};
    case 'v':
      return selected?.kind === 'line' ? stays({...state, from: state.at}) : say('Select a line first.');
    case 'c':
      return placeOf(state) === undefined ? say('Select a line or a file to comment on.') : type('comment');
    case 'a':
      return comment === undefined ? say('Select a comment to answer: n goes to the next one.') : type('answer');
    case 'r':
      return comment === undefined
        ? say('Select a comment to resolve: n goes to the next one.')
        : changed(state, {change: comment.state === 'open' ? 'resolve' : 'reopen', id: comment.id});
    case 's':
      return state.review.comments.some(each => each.state === 'open')
        ? {next: 'sent', change: 'none'}
        : say('No open comment to send.');
    default:
      return stays(state);
  }
}

/** Shows the change at once, while the engine saves it. */
const changed = (state: ReviewState, change: ReviewChange): ReviewStep => ({
  next: {...withComments(state, changeComments(state.review.comments, change)), typing: 'nothing', from: -1},
  change,
});

function moved(state: ReviewState, by: number): ReviewState {
  const at = Math.max(0, Math.min(state.items.length - 1, state.at + by));
  return {...state, at, top: Math.min(state.top, at)};
}

function toNext(state: ReviewState, kind: ReviewItem['kind'], by: 1 | -1): ReviewState {
  for (let at = state.at + by; at >= 0 && at < state.items.length; at += by) {
    if (state.items[at]?.kind === kind) return moved(state, at - state.at);
  }
  return {...state, said: kind === 'file' ? 'No more files.' : 'No more comments.'};
}

const longestText = 4000;

function typed(state: ReviewState, typing: Exclude<ReviewState['typing'], 'nothing'>, key: KeyPress): ReviewStep {
  const as = (text: string): ReviewStep => stays({...state, typing: {...typing, text: text.slice(0, longestText)}});
  if (key.kind !== 'key') return as(typing.text + key.text.replaceAll(/\s+/gu, ' '));
  if (key.name === 'escape') return stays({...state, typing: 'nothing'});
  return key.name === 'enter' ? written(state, typing) : as(deletedAtEnd(typing.text, key.name) ?? typing.text);
}

function written(state: ReviewState, {what, text}: Exclude<ReviewState['typing'], 'nothing'>): ReviewStep {
  const words = text.trim();
  const selected = state.items[state.at];
  const closed = stays({...state, typing: 'nothing'});
  if (words === '') return closed;
  if (what === 'answer') {
    return selected?.kind === 'comment'
      ? changed(state, {change: 'answer', id: selected.comment.id, by: 'user', text: words})
      : closed;
  }
  const place = placeOf(state);
  if (place === undefined) return closed;
  const {text: comment, severity} = readComment(words);
  const lines = place.lines === 'file' ? removedLines(state) : '';
  return changed(state, {change: 'add', by: 'user', comments: [{...place, severity, text: lines + comment}]});
}

/** Reads the severity from a prefix, as in `error: it leaks`. Without a prefix, the comment is a note. */
export function readComment(words: string): Pick<NewComment, 'text' | 'severity'> {
  const [, word = '', rest = ''] = /^(\w+):\s+([^]+)$/u.exec(words) ?? [];
  const severity = severities.find(each => each === word.toLowerCase());
  return severity === undefined ? {text: words, severity: 'note'} : {text: rest, severity};
}

/** Returns the target of a new comment: the selected line, the lines from the marked one to it, or the file. */
function placeOf({
  items,
  at,
  from,
}: Pick<ReviewState, 'items' | 'at' | 'from'>): Pick<NewComment, 'path' | 'lines'> | undefined {
  const selected = items[at];
  if (selected?.kind === 'file') return {path: selected.file.path, lines: 'file'};
  if (selected?.kind !== 'line') return undefined;
  const numbers = selectedRows({items, at, from}).flatMap(({kind, number}) =>
    kind === 'removed' || kind === 'gap' ? [] : [number],
  );
  const [first] = numbers;
  // Removed lines do not exist in the new text, so a comment on them belongs to the file and quotes them.
  return {path: selected.file.path, lines: first === undefined ? 'file' : {first, last: numbers.at(-1) ?? first}};
}

/** Returns the rows from the marked one to the selected one, as far as they are in the same file. */
function selectedRows({items, at, from}: Pick<ReviewState, 'items' | 'at' | 'from'>): readonly DiffRow[] {
  const selected = items[at];
  if (selected?.kind !== 'line') return [];
  const [one, other] = from === -1 || from > at ? [at, from === -1 ? at : from] : [from, at];
  return items
    .slice(one, other + 1)
    .flatMap(item => (item.kind === 'line' && item.file === selected.file ? [item.row] : []));
}

/** Quotes the selected removed lines, as the start of a comment. Empty if there are none. */
function removedLines(state: ReviewState): string {
  const removed = selectedRows(state).filter(({kind}) => kind === 'removed');
  const [first] = removed;
  if (first === undefined) return '';
  const more = removed.length > 1 ? ` and ${removed.length - 1} more` : '';
  return `The removed line ${first.number}${more} (${clip(first.text.trim(), maxQuote)}): `;
}

/** The maximum number of UTF-16 units of a quoted line. */
const maxQuote = 120;

/** Lays out the screen: a title, the items around the selected one, and the key hints or the input field. */
export function reviewLayout(
  state: ReviewState,
  {rows, frame}: {readonly rows: number; readonly frame: Frame},
): Layout {
  const {theme, width} = frame;
  const room = Math.max(1, rows - 2);
  const shown = window(state, room, frame);
  const filled = [...shown, ...Array.from({length: Math.max(0, room - shown.length)}, () => '')].slice(0, room);
  const title = theme.style(['bold'], fit(visibleLine(titleOf(state)), width));
  if (state.typing === 'nothing') {
    const keys = [...(state.said === '' ? [] : [state.said]), ...keysOf(state)];
    return {lines: [title, ...filled, keysRow(keys, frame)], cursor: {x: 0, y: rows - 1}};
  }
  const label = state.typing.what === 'answer' ? 'Answer: ' : 'Comment (error: or warning: before it): ';
  const text = visibleLine(state.typing.text);
  const field = cellWidth(label + text) < width ? label + text : `…${text.slice(-(width - 4))}`;
  return {
    lines: [title, ...filled, fit(field, width)],
    cursor: {x: Math.min(width - 1, cellWidth(field)), y: rows - 1},
  };
}

function titleOf({review: {title, files, more, comments}}: ReviewState): string {
  const open = comments.filter(({state}) => state === 'open').length;
  const parts = [`Review: ${title}`, `${files.length}${more === 0 ? '' : ` of ${files.length + more}`} files`];
  return [...parts, `${open} open of ${comments.length} comments`].join(glyphs.separator);
}

function keysOf(state: ReviewState): readonly string[] {
  const selected = state.items[state.at];
  const own =
    selected?.kind === 'comment'
      ? ['a answer', `r ${selected.comment.state === 'open' ? 'resolve' : 'reopen'}`]
      : ['c comment', 'v select lines'];
  return ['q close', ...own, 's send', 'n N comments', '[ ] files'];
}

/** Returns the rows of the visible items, scrolled so that all rows of the selected item are visible. */
function window({items, at, top, from, review}: ReviewState, room: number, frame: Frame): readonly string[] {
  if (items.length === 0) return [frame.theme.style(['dim'], `No changes: ${visibleLine(review.title)}`)];
  const inner = {...frame, width: Math.max(8, frame.width - 2)};
  const drawn = (index: number): readonly string[] => {
    const item = items[index];
    if (item === undefined) return [];
    const isMarked = from !== -1 && index >= Math.min(from, at) && index <= Math.max(from, at);
    const sign =
      index === at ? frame.theme.style(['accent'], '▌ ') : isMarked ? frame.theme.style(['accent'], '┊ ') : '  ';
    return itemRows(item, inner).map(row => sign + row);
  };
  const before: string[] = [];
  const own = drawn(at);
  // Fill upwards from the selected item, but not above the first item that was on the screen.
  for (let index = at - 1; index >= top && before.length + own.length < room; index -= 1)
    before.unshift(...drawn(index));
  const rows = [...before, ...own].slice(-Math.max(room, own.length)).slice(0, room);
  for (let index = at + 1; index < items.length && rows.length < room; index += 1) rows.push(...drawn(index));
  return rows.slice(0, room);
}

function itemRows(item: ReviewItem, frame: Frame): readonly string[] {
  const {theme} = frame;
  switch (item.kind) {
    case 'file': {
      const notes = item.file.notes.map(note => theme.style(['warning'], fit(visibleLine(note), frame.width)));
      return [theme.style(['bold'], changeTitle([item.file], {cells: frame.width, home: ''})), ...notes];
    }
    case 'line':
      return item.row.rows(frame);
    case 'comment':
      return commentRows(item.comment, item.stands, frame);
    default:
      return unreachable(item);
  }
}

const roles = {error: 'error', warning: 'warning', note: 'accent'} as const;

const who = (writer: 'agent' | 'user'): string => (writer === 'user' ? 'you' : 'agent');

function commentRows(comment: ReviewComment, stands: 'at-line' | 'elsewhere', frame: Frame): readonly string[] {
  const {id, by, severity, state, text, answers} = comment;
  const {theme} = frame;
  const inner = {...frame, width: Math.max(4, frame.width - 6)};
  const body = state === 'resolved' ? (['dim'] as const) : [];
  const head = [
    `${id} ${severity}`,
    who(by),
    ...(stands === 'elsewhere' ? [visibleLine(commentPlace(comment))] : []),
    ...(state === 'resolved' ? ['resolved'] : []),
  ].join(glyphs.separator);
  return [
    `    ${theme.style([state === 'resolved' ? 'dim' : roles[severity]], fit(head, inner.width))}`,
    ...wrapText(visible(text), body, inner).map(row => `      ${row}`),
    ...answers.flatMap(answer =>
      wrapText(visible(`${who(answer.by)}: ${answer.text}`), ['dim'], inner).map(row => `      ${row}`),
    ),
  ];
}
