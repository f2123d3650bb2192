export interface BoundedText {
  add(text: string): void;
  /** Whether something had to be left out. */
  readonly overflowed: boolean;
  /** Lines of what `text` leaves out. */
  leftOutLines(): number;
  /** Head, a line that says how many bytes are missing (and `reason`, when not empty), tail; or all of it. */
  text(reason: string): string;
}

/** Keeps the first 2/5 and the last 3/5 of `bound` UTF-16 units of whatever is added, in memory of that order. */
export function makeBoundedText(bound: number): BoundedText {
  const headRoom = Math.floor((bound * 2) / 5);
  const tailRoom = bound - headRoom;
  let head = '';
  let tail = '';
  let length = 0;
  let bytes = 0;
  let lines = 0;
  const shown = (): readonly [first: string, last: string] => [endAtLine(head), startAtLine(tail.slice(-tailRoom))];

  return {
    add(text) {
      length += text.length;
      bytes += Buffer.byteLength(text);
      lines += linesIn(text);
      const toHead = text.slice(0, headRoom - head.length);
      head += toHead;
      tail = text.length - toHead.length >= tailRoom ? text.slice(-tailRoom) : tail + text.slice(toHead.length);
      if (tail.length > tailRoom * 2) tail = tail.slice(-tailRoom);
    },
    get overflowed() {
      return length > bound;
    },
    leftOutLines: () => (length <= bound ? 0 : lines - shown().reduce((sum, part) => sum + linesIn(part), 0)),
    text(reason) {
      if (length <= bound) return head + tail;
      const [first, last] = shown();
      const missing = bytes - Buffer.byteLength(first) - Buffer.byteLength(last);
      const gap = `[… ${missing} bytes left out${reason === '' ? '' : `; ${reason}`} …]`;
      return `${first}${first.endsWith('\n') ? '' : '\n'}${gap}\n${last}`;
    },
  };
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** A whole line is worth this much text (UTF-16 units) at a border. */
const lineSearch = 1000;

function endAtLine(text: string): string {
  const end = text.lastIndexOf('\n') + 1;
  if (end > 0 && text.length - end <= lineSearch) return text.slice(0, end);
  return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
}

function startAtLine(text: string): string {
  const start = text.indexOf('\n') + 1;
  if (start > 0 && start <= lineSearch) return text.slice(start);
  return isLowSurrogate(text.charCodeAt(0)) ? text.slice(1) : text;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
