import type {AppendOnlyTerminal} from './append-only-terminal.ts';

export interface EnteredLine {
  readonly text: string;
  /** `answer` if a question had been printed and was open when the line was begun. */
  readonly meant: 'answer' | 'prompt';
}

interface LineInputHost {
  /** Whether a line that begins now answers an open question. */
  answers(): boolean;
  /** Whether typed letters are hidden. */
  hides(): boolean;
  /** Hears of the line after every typed text. */
  follows(line: string): void;
  /** The rest of the command name that `text` begins; empty if no single name fits. */
  completion(text: string): string;
}

/** Edits the line that the user is typing, together with the lines before it that ended in a backslash. */
export class LineInput {
  readonly #terminal: AppendOnlyTerminal;
  readonly #host: LineInputHost;
  #before: readonly string[] = [];
  #line = '';
  #meant: EnteredLine['meant'] | undefined;
  #prompts: readonly string[] = [];
  #at = 0;

  constructor(terminal: AppendOnlyTerminal, host: LineInputHost) {
    this.#terminal = terminal;
    this.#host = host;
  }

  get isEmpty(): boolean {
    return this.#line === '' && this.#before.length === 0;
  }

  remember(prompts: readonly string[]): void {
    this.#prompts = prompts;
    this.#at = prompts.length;
  }

  write(text: string): void {
    const lines = text.split('\n');
    this.#line = lines.at(-1) ?? '';
    this.#before = lines.slice(0, -1);
    this.#meant = 'prompt';
    this.#terminal.rewrite('');
    this.#terminal.say(this.#before);
    if (this.#before.length > 0) this.#terminal.print('now');
    this.#terminal.rewrite(this.#line);
  }

  clear(): void {
    this.#forget();
    this.#terminal.rewrite('');
  }

  press(key: LineKey): EnteredLine | undefined {
    switch (key.key) {
      case 'text':
        this.#begin();
        this.#line += key.text;
        this.#terminal.type(key.text, this.#host.hides() ? 'hidden' : 'shown');
        this.#host.follows(this.#line);
        return undefined;
      case 'enter':
        return this.#enter(key.behind);
      case 'delete-left':
        this.#cut(this.#line.replace(lastLetter, ''));
        return undefined;
      case 'delete-word':
        this.#cut(this.#line.replace(/\S*\s*$/u, ''));
        return undefined;
      case 'delete-all':
        if (!this.isEmpty) this.clear();
        return undefined;
      case 'earlier':
      case 'later':
        this.#recall(key.key);
        return undefined;
      case 'complete': {
        const more = this.#host.completion(this.#line);
        if (more !== '') this.press({key: 'text', text: more});
        return undefined;
      }
      default:
        return undefined;
    }
  }

  #begin(): void {
    this.#meant ??= this.#host.answers() ? 'answer' : 'prompt';
  }

  #enter(behind: 'nothing' | 'more'): EnteredLine | undefined {
    this.#begin();
    this.#terminal.enter();
    const goesOn = this.#line.endsWith('\\');
    if (goesOn || behind === 'more') {
      this.#before = [...this.#before, goesOn ? this.#line.slice(0, -1) : this.#line];
      this.#line = '';
      return undefined;
    }
    const text = [...this.#before, this.#line].join('\n');
    const meant = this.#before.length > 0 ? 'prompt' : (this.#meant ?? 'prompt');
    this.#forget();
    if (text.trim() !== '' && meant === 'prompt') this.remember([...this.#prompts, text]);
    return {text, meant};
  }

  #cut(line: string): void {
    if (line === this.#line) return;
    this.#line = line;
    this.#terminal.cut(this.#host.hides() ? '' : line);
    if (this.isEmpty) this.#meant = undefined;
  }

  #recall(direction: 'earlier' | 'later'): void {
    const at = this.#at + (direction === 'earlier' ? -1 : 1);
    if (this.#host.answers() || at < 0 || at > this.#prompts.length) return;
    this.#at = at;
    const prompt = this.#prompts[at];
    if (prompt === undefined) this.clear();
    else this.write(prompt);
    this.#at = at;
  }

  #forget(): void {
    this.#before = [];
    this.#line = '';
    this.#meant = undefined;
    this.#at = this.#prompts.length;
  }
}

const lastLetter = /(?:\P{Mark}\p{Mark}*|\p{Mark})$/u;

export type LineKey =
  | {readonly key: 'text'; readonly text: string}
  /** `more`: the terminal delivered further lines together with this Enter, as for a paste. */
  | {readonly key: 'enter'; readonly behind: 'nothing' | 'more'}
  | {readonly key: 'delete-left' | 'delete-word' | 'delete-all'}
  | {readonly key: 'interrupt' | 'end-of-input' | 'escape' | 'earlier' | 'later' | 'complete' | 'suspend'};

/** Reads the input of a terminal in raw mode, chunk by chunk; escape sequences of keys without a meaning here are dropped. */
export class LineKeyReader {
  /** The beginning of an escape sequence whose rest has not arrived yet. */
  #held = '';

  read(chunk: string): readonly LineKey[] {
    const text = this.#held + chunk;
    this.#held = '';
    // An escape character alone is the Escape key; at the end of other input it begins a sequence.
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
  if (/^[\r\n]+$/u.test(found)) return {key: 'enter', behind: /[^\r\n]/u.test(behind) ? 'more' : 'nothing'};
  const key = keyNames.get(found);
  if (key !== undefined) return {key};
  return found.startsWith(escape) || found < ' ' ? undefined : {key: 'text', text: found};
}

const keyNames: ReadonlyMap<string, Exclude<LineKey['key'], 'text' | 'enter'>> = new Map([
  ['\u007F', 'delete-left'],
  ['\b', 'delete-left'],
  ['\u0017', 'delete-word'],
  ['\u0015', 'delete-all'],
  ['\u0003', 'interrupt'],
  ['\u0004', 'end-of-input'],
  ['\u001A', 'suspend'],
  ['\t', 'complete'],
  ['\u0010', 'earlier'],
  [`${escape}[A`, 'earlier'],
  [`${escape}OA`, 'earlier'],
  ['\u000E', 'later'],
  [`${escape}[B`, 'later'],
  [`${escape}OB`, 'later'],
]);
