import {overrideStream} from './terminal-output.ts';

export type InputPiece =
  | {readonly kind: 'keys'; readonly bytes: string}
  /** `more` goes on with the paste before it. */
  | {readonly kind: 'paste'; readonly text: string; readonly part: 'first' | 'more'};

/** Milliseconds after which `quiet` is to be called; `never` when nothing is held back. */
type Wait = number | 'never';

/**
 * Tells pasted text from typed keys. Where the terminal marks pastes (bracketed paste), the text between the marks is one paste; an
 * end mark that never arrives is assumed after a second without input. Where the terminal does not mark them, a piece of several lines
 * or of more than can be typed at once is a paste, and so are pieces that follow each other faster than typing, once they contain
 * several lines: a line end in a paste is then a line feed and submits nothing. The caller keeps time: it calls `quiet` when `wait`
 * has gone by without input.
 */
interface PasteSplitter {
  push(chunk: string): readonly InputPiece[];
  /** Nothing came for as long as `wait` said. */
  quiet(): readonly InputPiece[];
  readonly wait: Wait;
}

const startMark = '\u001B[200~';
const endMark = '\u001B[201~';

/** A longer piece cannot be typed (UTF-16 units). */
const typedAtMost = 1000;
/** A piece with this many line ends is a paste, not keys typed ahead. */
const sureLines = 3;
/** Milliseconds. Two typed keys are at least `keyGap` apart; two pieces of one paste are at most `burstGap` apart. */
const keyGap = 8;
const burstGap = 15;
const markGap = 20;
const endGap = 1000;
/** Longest pause within a paste without marks, in milliseconds. */
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
  /** The text of the burst or marked paste so far. */
  let held = '';
  /** The same as separate pieces, as long as it may turn out to be typed keys. */
  let pieces: string[] = [];
  /** The end of `held` in which a mark may have begun; searching it avoids flattening `held` for every piece. */
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

  /** Whether an escape sequence stands within a paste without marks, where it is no key. */
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

interface PasteReader {
  readonly stdin: NodeJS.ReadStream;
  close(): void;
}

type OnPaste = (text: string, part: 'first' | 'more') => void;

/**
 * Takes pastes out of stdin, in their place among the keys. Ink's own paste handling reads the whole paste again with every piece,
 * waits for ever for an end mark that never arrives, and takes a paste without marks for keys.
 */
export function openPasteReader(stdin: NodeJS.ReadStream, onPaste: OnPaste): PasteReader {
  const splitter = pasteSplitter();
  const pieces: InputPiece[] = [];
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    clearTimeout(timer);
    const {wait} = splitter;
    timer = wait === 'never' ? undefined : setTimeout(quiet, wait);
  };
  // Input that has arrived but was not read yet is read first.
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
        pieces.push(...splitter.push(chunk));
        watch();
      } else if (piece.kind === 'paste') onPaste(piece.text, piece.part);
      else return piece.bytes.replaceAll(otherKeys, '\u001B[$2;$1u');
    }
  };
  return {
    stdin: overrideStream(stdin, {read}),
    close() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** Keys in the form of xterm's modifyOtherKeys; they are rewritten into the form of the kitty protocol, which Ink reads. */
// oxlint-disable-next-line no-control-regex -- a sequence of the terminal
const otherKeys = /\u001B\[27;(\d+);(\d+)~/gu;
