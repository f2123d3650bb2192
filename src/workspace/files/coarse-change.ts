import type {DiffHunk, DiffLine} from '../../actions/preview.ts';

/** One hunk from the first line that differs to the last; what it shows can be less than what it counts. */
export interface CoarseChange {
  readonly hunk: DiffHunk;
  readonly added: number;
  readonly removed: number;
}

export interface CoarseForm {
  /** Lines that are shown around it. */
  readonly context: number;
  /** Lines that go, and lines that come, of which the hunk shows the first ones. */
  readonly mostShown: number;
}

/** Texts can be millions of lines long: only the lines that are shown are made. A line end at the end begins no further line. */
export function coarseChange(before: string, after: string, {context, mostShown}: CoarseForm): CoarseChange {
  const start = commonLines(before, after);
  const old = rest(before, start);
  const fresh = rest(after, start);
  const tail = old === undefined || fresh === undefined ? 0 : commonEnd(old, fresh);
  const removed = withoutTail(old, tail);
  const added = withoutTail(fresh, tail);
  const count = {removed: countLines(removed), added: countLines(added)};
  const isCut = Math.max(count.removed, count.added) > mostShown;
  const head = start === 0 ? undefined : before.slice(0, before[start - 1] === '\n' ? start - 1 : start);
  const lead = head === undefined ? [] : lastLines(head, context);
  // What stands after lines that are left out would be numbered as if it stood in their place.
  const trail = isCut || tail === 0 || old === undefined ? [] : firstLines(old.slice(old.length - tail + 1), context);
  const first = countLines(head) - lead.length + 1;
  return {
    ...count,
    hunk: {
      oldStart: first,
      newStart: first,
      lines: [
        ...asLines('context', lead),
        ...asLines('removed', removed === undefined ? [] : firstLines(removed, mostShown)),
        ...asLines('added', added === undefined ? [] : firstLines(added, mostShown)),
        ...asLines('context', trail),
      ],
    },
  };
}

/** Where the first line that differs begins; a text can end before it. */
function commonLines(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before.charCodeAt(same) === after.charCodeAt(same)) same += 1;
  const line = same === 0 ? 0 : before.lastIndexOf('\n', same - 1) + 1;
  const isWhole = line < most && endsLine(before, same) && endsLine(after, same);
  return isWhole ? same + 1 : line;
}

const endsLine = (text: string, at: number): boolean => at === text.length || text[at] === '\n';

/** The lines from there on without the last line end; `undefined` where there are none. */
const rest = (text: string, start: number): string | undefined =>
  start >= text.length ? undefined : text.slice(start, text.endsWith('\n') ? text.length - 1 : text.length);

/** Characters of the lines that both end with, each with the line end before it; that of the first one is imagined. */
function commonEnd(old: string, fresh: string): number {
  const most = Math.min(old.length, fresh.length);
  let same = 0;
  while (same < most && old.charCodeAt(old.length - 1 - same) === fresh.charCodeAt(fresh.length - 1 - same)) same += 1;
  if (beginsLine(old, old.length - same) && beginsLine(fresh, fresh.length - same)) return same + 1;
  const end = old.indexOf('\n', old.length - same);
  return end < 0 ? 0 : old.length - end;
}

const beginsLine = (text: string, at: number): boolean => at === 0 || text[at - 1] === '\n';

/** `undefined` where no line is left. */
const withoutTail = (text: string | undefined, tail: number): string | undefined =>
  text === undefined || tail > text.length ? undefined : text.slice(0, text.length - tail);

function countLines(text: string | undefined): number {
  if (text === undefined) return 0;
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** To `split` no number is larger than 32 bits. */
const firstLines = (text: string, most: number): readonly string[] => text.split('\n', Math.min(most, 0xffffffff));

function lastLines(text: string, most: number): readonly string[] {
  const lines: string[] = [];
  let end = text.length;
  while (lines.length < most) {
    const start = end === 0 ? 0 : text.lastIndexOf('\n', end - 1) + 1;
    lines.unshift(text.slice(start, end));
    if (start === 0) break;
    end = start - 1;
  }
  return lines;
}

const asLines = (kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] =>
  texts.map(text => ({kind, text: text.replace(/\r$/u, ''), changed: unmarked}));

/** Shared by all the lines that have no marks: there may be very many. */
export const unmarked: DiffLine['changed'] = [];
