import {overrideStream} from './terminal-output.ts';

export type InputPiece =
  | {readonly kind: 'keys'; readonly bytes: string}
  /** `more` continues the previous paste. */
  | {readonly kind: 'paste'; readonly text: string; readonly part: 'first' | 'more'};

/** The milliseconds after which to call `quiet`, or `never` if nothing is held back. */
type Wait = number | 'never';

/**
 * Distinguishes pasted text from typed keys. With bracketed paste, the text between the marks is one paste. After a second without
 * input, a missing end mark is assumed.
 * Without marks, a piece counts as a paste if it has several lines or is longer than can be typed at once. Pieces that follow each other
 * faster than typing count as a paste once they contain several lines. Line ends in a paste are line feeds and submit nothing.
 * The caller keeps time: it calls `quiet` after `wait` milliseconds without input.
 */
interface PasteSplitter {
  push(chunk: string): readonly InputPiece[];
  /** Must be called when no input came for `wait` milliseconds. */
  quiet(): readonly InputPiece[];
  readonly wait: Wait;
}

const startMark = '\u001B[200~';
const endMark = '\u001B[201~';

/** The maximum number of UTF-16 units of a piece that can be typed. */
const maxTypedLength = 1000;
/** A piece with this many line ends is a paste, not keys typed ahead. */
const sureLines = 3;
/** Milliseconds. Two typed keys are at least `keyGap` apart; two pieces of one paste are at most `burstGap` apart. */
const keyGap = 8;
const burstGap = 15;
const markGap = 20;
const endGap = 1000;
/** The longest pause within a paste without marks, in milliseconds. */
const pauseGap = 500;

type State =
  | {readonly at: 'rest'}
  /** A key was just passed on. */
  | {readonly at: 'typing'}
  /** Input is held back until it is clear whether it was typed. */
  | {readonly at: 'burst'; readonly part: 'first' | 'more'}
  /** A paste without marks has just ended or paused. */
  | {readonly at: 'pause'}
  | {readonly at: 'marked'};

export function pasteSplitter(): PasteSplitter {
  let state: State = {at: 'rest'};
  /** The text of the burst or marked paste so far. */
  let held = '';
  /** Splits a text into separate pieces while it may be typed keys. */
  let pieces: string[] = [];
  /** The end of `held`, in which a mark may have begun. Searching only this part avoids flattening `held` for every piece. */
  let recent = '';
  /** A possible beginning of a mark. */
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

  /** True if an escape sequence is inside a paste without marks, where it is not a key. */
  const isAmongPasted = (text: string): boolean =>
    state.at === 'pause' ||
    (state.at === 'burst' && (state.part === 'more' || isPasted(held))) ||
    text.length > maxTypedLength ||
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
      if (held.length <= maxTypedLength) pieces.push(text);
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
    // The mark may have begun in the previous piece.
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
      // Ignore a mark that comes after its paste was closed.
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

/** Matches text, blanks and line ends, without keys and escape sequences. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const plain = /^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]*$/u;

const isPasted = (text: string): boolean => text.length > maxTypedLength || /[^\r\n][\r\n]+[^\r\n]/u.test(text);

function beginningOfMark(text: string): string {
  const at = text.lastIndexOf('\u001B');
  if (at < 0) return '';
  const end = text.slice(at);
  return end.length < startMark.length && (startMark.startsWith(end) || endMark.startsWith(end)) ? end : '';
}

/**
 * Returns the lines of the first input as keys if they were typed before weft read the terminal. Until then, the
 * terminal turns Enter into a line feed. `undefined` if the input was typed later, or pasted.
 */
function linesTypedAhead(text: string): readonly InputPiece[] | undefined {
  const lines = text.split('\n');
  if (lines.length === 1 || lines.length > sureLines + 1 || text.length > maxTypedLength) return undefined;
  if (text.includes('\r') || !plain.test(text)) return undefined;
  const last = lines.pop() ?? '';
  return [...lines.map(line => `${line}\r`), last].flatMap(bytes => (bytes === '' ? [] : [{kind: 'keys', bytes}]));
}

interface PasteReader {
  readonly stdin: NodeJS.ReadStream;
  /** The first frame is drawn: lines that come later are keys and pastes as usual. */
  started(): void;
  close(): void;
}

type OnPaste = (text: string, part: 'first' | 'more') => void;

/**
 * Takes pastes out of stdin, in order with the keys. Ink's own paste handling reads the whole paste again with every
 * piece of input, waits forever for a missing end mark, and treats a paste without marks as keys.
 */
export function openPasteReader(stdin: NodeJS.ReadStream, onPaste: OnPaste): PasteReader {
  const splitter = pasteSplitter();
  const pieces: InputPiece[] = [];
  let mayBeTypedAhead = true;
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    clearTimeout(timer);
    const {wait} = splitter;
    timer = wait === 'never' ? undefined : setTimeout(quiet, wait);
  };
  // First read input that has already arrived.
  const quiet = (): void => {
    const asked = timer;
    setImmediate(() => {
      if (timer !== asked || asked === undefined) return;
      pieces.push(...splitter.quiet());
      watch();
      // Signals the reader that there is more to read.
      if (pieces.length > 0) stdin.emit('readable');
    });
  };
  const read = (): string | null => {
    for (;;) {
      const piece = pieces.shift();
      if (piece === undefined) {
        const chunk: unknown = stdin.read();
        if (typeof chunk !== 'string') return null;
        pieces.push(...((mayBeTypedAhead ? linesTypedAhead(chunk) : undefined) ?? splitter.push(chunk)));
        mayBeTypedAhead = false;
        watch();
      } else if (piece.kind === 'paste') onPaste(piece.text, piece.part);
      else return piece.bytes.replaceAll(otherKeys, '\u001B[$2;$1u');
    }
  };
  return {
    stdin: overrideStream(stdin, {read}),
    // First read input that has already arrived.
    started() {
      if (!mayBeTypedAhead) return;
      setImmediate(() => {
        mayBeTypedAhead = false;
      });
    },
    close() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** Matches keys in xterm's modifyOtherKeys format. They are rewritten to the kitty protocol, which Ink reads. */
// oxlint-disable-next-line no-control-regex -- a sequence of the terminal
const otherKeys = /\u001B\[27;(\d+);(\d+)~/gu;
