/** What the terminal delivered, in order. */
export type InputPiece =
  | {readonly kind: 'keys'; readonly bytes: string}
  /** `more` goes on with the paste before it. */
  | {readonly kind: 'paste'; readonly text: string; readonly part: 'first' | 'more'};

/** When what is held back is to be looked at again, in milliseconds; `never` when nothing is. */
export type Wait = number | 'never';

/**
 * Tells what was pasted from what was typed. Where the terminal marks pastes, everything between its marks is one; a mark that
 * never comes is taken as read after a while without input. Where it marks nothing, a piece of several lines or of more than
 * anybody types at once is a paste, and so is what comes faster than anybody types, once it has several lines: only then an Enter
 * in it is a line feed and sends nothing. Times are the caller's: `quiet` is called when `wait` has gone by without input.
 */
export interface PasteSplitter {
  push(chunk: string): readonly InputPiece[];
  /** Nothing came for as long as `wait` said. */
  quiet(): readonly InputPiece[];
  readonly wait: Wait;
}

const startMark = '\u001B[200~';
const endMark = '\u001B[201~';

/** Nobody types more than this in one piece (UTF-16 units). */
const typedAtMost = 1000;
/** Nobody's keys typed ahead have so many line ends among them. */
const sureLines = 3;
/** Milliseconds. Nobody's next key comes within `keyGap`; a program's next piece comes within `burstGap`. */
const keyGap = 8;
const burstGap = 15;
const markGap = 20;
const endGap = 1000;
/** A paste without marks may pause for so long. */
const pauseGap = 500;

type State =
  | {readonly at: 'rest'}
  /** A key has just been passed on. */
  | {readonly at: 'typing'}
  /** Held back, until it is clear whether it is typed. */
  | {readonly at: 'burst'; readonly part: 'first' | 'more'}
  /** A paste without marks has just ended, or pauses. */
  | {readonly at: 'pause'}
  | {readonly at: 'marked'};

export function pasteSplitter(): PasteSplitter {
  let state: State = {at: 'rest'};
  /** What was read of the burst or the marked paste; a text that is only ever added to. */
  let held = '';
  /** The same in the pieces in which it came, as long as it may be typed: one key a piece stays one. */
  let pieces: string[] = [];
  /** The end of `held`, as long as a mark that is not whole: `held` itself is put together once. */
  let recent = '';
  /** What may be the beginning of a mark. */
  let tail = '';
  const take = (): string => {
    const text = held;
    held = '';
    pieces = [];
    recent = '';
    return text;
  };

  function endBurst(): readonly InputPiece[] {
    if (state.at !== 'burst') return [];
    const {part} = state;
    const typed = pieces;
    const text = take();
    if (part === 'more' || isPasted(text)) {
      state = {at: 'pause'};
      return [{kind: 'paste', text, part}];
    }
    state = {at: 'typing'};
    return typed.map(bytes => ({kind: 'keys', bytes}));
  }

  /** Sequences in what was pasted without marks are no keys. */
  const isAmongPasted = (text: string): boolean =>
    state.at === 'pause' ||
    (state.at === 'burst' && (state.part === 'more' || isPasted(held))) ||
    text.length > typedAtMost ||
    (text.match(/[\r\n]+(?=[^\r\n])/gu)?.length ?? 0) >= sureLines;

  function readPlain(text: string): readonly InputPiece[] {
    if (text === '') return [];
    const isKey = !plain.test(text) || (text === '\t' && state.at !== 'burst');
    if (isKey && !(text.length > 1 && isAmongPasted(text))) {
      const before = endBurst();
      state = {at: before.length > 0 ? 'typing' : 'rest'};
      return [...before, {kind: 'keys', bytes: text}];
    }
    if (state.at === 'burst') {
      held += text;
      if (held.length <= typedAtMost) pieces.push(text);
      return [];
    }
    const goesOn = state.at === 'pause' && text.length > 1;
    if (goesOn || state.at === 'typing' || isPasted(text)) {
      state = {at: 'burst', part: goesOn ? 'more' : 'first'};
      held = text;
      pieces = [text];
      return [];
    }
    state = {at: 'typing'};
    return [{kind: 'keys', bytes: text}];
  }

  function readMarked(text: string): readonly InputPiece[] {
    // The mark may have begun in what was read before.
    const probe = recent + text;
    const found = probe.indexOf(endMark);
    if (found < 0) {
      held += text;
      recent = probe.slice(1 - endMark.length);
      return [];
    }
    const end = held.length - recent.length + found;
    const whole = held + text;
    take();
    state = {at: 'rest'};
    return [{kind: 'paste', text: whole.slice(0, end), part: 'first'}, ...read(whole.slice(end + endMark.length))];
  }

  function read(text: string): readonly InputPiece[] {
    if (state.at === 'marked') return readMarked(text);
    const start = text.indexOf(startMark);
    if (start < 0) {
      tail = beginningOfMark(text);
      // A mark that comes after its paste was closed ends nothing.
      return readPlain(text.slice(0, text.length - tail.length).replaceAll(endMark, ''));
    }
    const before = [...readPlain(text.slice(0, start).replaceAll(endMark, '')), ...endBurst()];
    state = {at: 'marked'};
    return [...before, ...readMarked(text.slice(start + startMark.length))];
  }

  return {
    push(chunk) {
      const text = tail + chunk;
      tail = '';
      return read(text);
    },
    quiet() {
      if (state.at === 'marked') {
        state = {at: 'pause'};
        return [{kind: 'paste', text: take(), part: 'first'}];
      }
      if (state.at === 'burst') return endBurst();
      state = {at: 'rest'};
      const bytes = tail;
      tail = '';
      return bytes === '' ? [] : [{kind: 'keys', bytes}];
    },
    get wait() {
      if (state.at === 'marked') return endGap;
      if (state.at === 'burst') return burstGap;
      if (tail !== '') return markGap;
      if (state.at === 'pause') return pauseGap;
      return state.at === 'typing' ? keyGap : 'never';
    },
  };
}

/** Text, blanks and line ends: no keys, no sequences. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const plain = /^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]*$/u;

const isPasted = (text: string): boolean => text.length > typedAtMost || /[^\r\n][\r\n]+[^\r\n]/u.test(text);

/** What of the end of a text may be the beginning of a paste's mark. */
function beginningOfMark(text: string): string {
  const at = text.lastIndexOf('\u001B');
  if (at < 0) return '';
  const end = text.slice(at);
  return end.length < startMark.length && (startMark.startsWith(end) || endMark.startsWith(end)) ? end : '';
}
