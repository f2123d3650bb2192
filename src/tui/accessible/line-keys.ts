/** What the keyboard of a line-based conversation tells. */
export type LineKey =
  | {readonly key: 'text'; readonly text: string}
  /** `more`: other lines came in one piece behind it, as of a paste. */
  | {readonly key: 'enter'; readonly behind: 'nothing' | 'more'}
  | {readonly key: 'delete-left' | 'delete-word' | 'delete-all'}
  | {readonly key: 'interrupt' | 'end-of-input' | 'escape' | 'earlier' | 'later' | 'complete' | 'suspend'};

/** Reads what a terminal in raw mode sends, piece by piece; sequences of keys that mean nothing here are dropped whole. */
export class LineKeyReader {
  /** The beginning of a sequence whose rest has not come yet. */
  #held = '';

  read(chunk: string): readonly LineKey[] {
    const text = this.#held + chunk;
    this.#held = '';
    // Alone it is the key; at the end of more it is the beginning of a sequence.
    if (text === escape) return [{key: 'escape'}];
    const keys: LineKey[] = [];
    let from = 0;
    while (from < text.length) {
      pattern.lastIndex = from;
      const match = pattern.exec(text);
      if (match === null) {
        this.#held = text.slice(from);
        break;
      }
      const [found] = match;
      const end = from + found.length;
      const one = keyOf(found, text.slice(end));
      if (one !== undefined) keys.push(one);
      from = end;
    }
    return keys;
  }
}

const escape = '\u001B';

/* oxlint-disable no-control-regex -- keys are control characters */
// One sequence of a key (CSI, SS3, or Escape and a letter), one line end, one control character, or a run of text.
const pattern =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[^\u001B[O])|\r\n|[\u0000-\u001A\u001C-\u001F\u007F]|[^\u0000-\u001F\u007F]+/uy;
/* oxlint-enable no-control-regex */

function keyOf(found: string, behind: string): LineKey | undefined {
  switch (found) {
    case '\r':
    case '\n':
    case '\r\n':
      return {key: 'enter', behind: /[^\r\n]/u.test(behind) ? 'more' : 'nothing'};
    case '\u007F':
    case '\b':
      return {key: 'delete-left'};
    case '\u0017':
      return {key: 'delete-word'};
    case '\u0015':
      return {key: 'delete-all'};
    case '\u0003':
      return {key: 'interrupt'};
    case '\u0004':
      return {key: 'end-of-input'};
    case '\u001A':
      return {key: 'suspend'};
    case '\t':
      return {key: 'complete'};
    case '\u0010':
    case `${escape}[A`:
    case `${escape}OA`:
      return {key: 'earlier'};
    case '\u000E':
    case `${escape}[B`:
    case `${escape}OB`:
      return {key: 'later'};
    default:
      return found.startsWith(escape) || found < ' ' ? undefined : {key: 'text', text: found};
  }
}
