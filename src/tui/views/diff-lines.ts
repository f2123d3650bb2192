import type {DiffHunk, DiffLine, FileDiff, TextRange} from '../../actions/preview.ts';
import {fit} from '../text/cell-width.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {diffTokens, readDiff} from '../syntax/colour-diff.ts';
import {hardWrapSpans, wrapText, type Frame, type Span} from '../text/wrap.ts';
import type {Role} from '../theme/theme.ts';
import {changeTitle} from './change-title.ts';

export interface DiffForm {
  /** More lines than this are folded in the middle of each file. */
  readonly most: number;
  /** `changes` leaves out what did not change. */
  readonly shown: 'all' | 'changes';
  /** Whether of a very long line only the part around its change is shown. */
  readonly long: 'clipped' | 'whole';
}

/**
 * The change of some files with line numbers, below the title that a card gives to all of it: several files have headings of
 * their own.
 */
export function diffLines(files: readonly FileDiff[], form: DiffForm, frame: Frame): readonly string[] {
  const {most, shown} = form;
  return files.flatMap(file => {
    readDiff(file);
    const notes = file.notes.flatMap(note => wrapText(visibleLine(note), ['warning'], frame));
    const lines = [...folded(fileLines(shown === 'all' ? file : changesOf(file), form, frame), most, frame), ...notes];
    return files.length === 1 ? lines : [frame.theme.paint(['bold'], changeTitle([file], frame.width)), ...lines];
  });
}

/** Keeps the first and the last lines and says how many are left out between them. */
export function folded(lines: readonly string[], most: number, frame: Frame): readonly string[] {
  if (lines.length <= most) return lines;
  const head = Math.max(0, Math.ceil((most - 1) / 2));
  const tail = Math.max(0, most - 1 - head);
  const note = `  … ${lines.length - head - tail} lines not shown`;
  return [
    ...lines.slice(0, head),
    frame.theme.paint(['dim'], fit(note, frame.width)),
    ...lines.slice(lines.length - tail),
  ];
}

/** The file's change without its context lines: each run of changed lines is a hunk of its own. */
function changesOf(file: FileDiff): FileDiff {
  const hunks = file.hunks.flatMap(({oldStart, newStart, lines}) => {
    const runs: {oldStart: number; newStart: number; lines: DiffLine[]}[] = [];
    let oldLine = oldStart;
    let newLine = newStart;
    let run: DiffLine[] | undefined;
    for (const line of lines) {
      if (line.kind === 'context') {
        run = undefined;
      } else if (run === undefined) {
        run = [line];
        runs.push({oldStart: oldLine, newStart: newLine, lines: run});
      } else {
        run.push(line);
      }
      if (line.kind !== 'added') oldLine++;
      if (line.kind !== 'removed') newLine++;
    }
    return runs;
  });
  return {...file, hunks};
}

function fileLines(file: FileDiff, {long}: DiffForm, frame: Frame): readonly string[] {
  const last = file.hunks.at(-1);
  const digits = last === undefined ? 1 : String(Math.max(last.oldStart, last.newStart) + last.lines.length).length;
  return file.hunks.flatMap((hunk, at) => [
    ...(at === 0 ? [] : [frame.theme.paint(['dim'], `${' '.repeat(digits)}  ⋮`)]),
    ...numbered(hunk).flatMap(line => lineRows(line, {digits, long}, frame)),
  ]);
}

interface NumberedLine {
  readonly line: DiffLine;
  readonly number: number;
}

function numbered(hunk: DiffHunk): readonly NumberedLine[] {
  let oldLine = hunk.oldStart;
  let newLine = hunk.newStart;
  return hunk.lines.map(line => {
    const number = line.kind === 'removed' ? oldLine : newLine;
    if (line.kind !== 'added') oldLine++;
    if (line.kind !== 'removed') newLine++;
    return {line, number};
  });
}

interface Mark {
  readonly sign: string;
  readonly role: Role;
  readonly ground: readonly Role[];
  readonly word: readonly Role[];
}

/** The signs say the same as the colours, for whoever sees none. */
const marks: Readonly<Record<DiffLine['kind'], Mark>> = {
  context: {sign: ' ', role: 'dim', ground: [], word: ['dim']},
  added: {sign: '+', role: 'added', ground: ['added-line'], word: ['added-word']},
  removed: {sign: '-', role: 'removed', ground: ['removed-line'], word: ['removed-word']},
};

function lineRows(
  {line, number}: NumberedLine,
  {digits, long}: {readonly digits: number; readonly long: DiffForm['long']},
  frame: Frame,
): readonly string[] {
  const {theme} = frame;
  const mark = marks[line.kind];
  const room = Math.max(1, frame.width - digits - 3);
  const clip = long === 'whole' ? whole(line) : clipAround(line, room);
  const spans = [...noteSpans(clip.before), ...lineSpans(line, clip, mark), ...noteSpans(clip.after)];
  const ground = theme.grounds === 'some' && diffTokens(line) !== undefined ? mark.ground : [];
  return hardWrapSpans(
    spans.map(({text, roles}) => ({text, roles: [...ground, ...roles]})),
    {theme, width: room},
  ).map((row, at) => {
    const gutter = theme.paint(['dim'], at === 0 ? String(number).padStart(digits) : ' '.repeat(digits));
    const sign = ` ${at === 0 ? mark.sign : ' '}`;
    return row === ''
      ? (gutter + theme.paint([mark.role], sign)).trimEnd()
      : `${gutter}${theme.paint([mark.role], sign)} ${row}`;
  });
}

interface Clip extends TextRange {
  /** Characters left out on either side. */
  readonly before: number;
  readonly after: number;
}

const whole = ({text}: DiffLine): Clip => ({from: 0, to: text.length, before: 0, after: 0});

/** Rows that a line may take before only the part around its change is shown, and those it gets then. */
const longRows = 6;
const clippedRows = 3;

function clipAround(line: DiffLine, room: number): Clip {
  const {text, changed} = line;
  if (text.length <= longRows * room) return whole(line);
  const shown = clippedRows * room;
  const first = changed[0]?.from ?? 0;
  const lead = Math.floor(room / 2);
  const from = onCharacter(text, Math.max(0, Math.min(first - lead, text.length - shown)));
  const to = onCharacter(text, Math.min(text.length, from + shown));
  return {from, to, before: from, after: text.length - to};
}

const noteSpans = (count: number): readonly Span[] =>
  count === 0 ? [] : [{text: `… ${count} characters not shown …`, roles: ['warning']}];

/** What of the line lies in `clip`, cut where its looks change; characters that cannot be seen come out visible. */
function lineSpans(line: DiffLine, clip: Clip, mark: Mark): readonly Span[] {
  const {text} = line;
  const tokens = diffTokens(line) ?? [{text, role: 'none' as const}];
  const spans: Span[] = [];
  let start = 0;
  for (const token of tokens) {
    const end = start + token.text.length;
    const roles: readonly Role[] = token.role === 'none' ? [mark.role] : token.role === 'plain' ? [] : [token.role];
    for (const part of partsOf({from: Math.max(start, clip.from), to: Math.min(end, clip.to)}, line.changed)) {
      const shown = visible(text.slice(onCharacter(text, part.from), onCharacter(text, part.to)));
      if (shown !== '') spans.push({text: shown, roles: part.isChanged ? mark.word : roles});
    }
    start = end;
  }
  return spans;
}

/** A range cut at the edges of what changed. */
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

/** The same place, or the one after it where it would cut a character of two units in half. */
function onCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const before = at > 0 ? text.charCodeAt(at - 1) : 0;
  return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff ? at + 1 : at;
}
