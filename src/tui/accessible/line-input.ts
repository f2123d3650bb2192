import type {AppendOnlyTerminal} from './append-only-terminal.ts';

export interface EnteredLine {
  readonly text: string;
  /** `answer` if a question had been printed and was open when the line was begun. */
  readonly meant: 'answer' | 'prompt';
}

interface LineInputHost {
  /** True if a line that begins now answers an open question. */
  answersQuestion(): boolean;
  /** True if typed text is hidden. */
  isHidden(): boolean;
  /** Called with the whole line after text was typed. */
  onChange(line: string): void;
  /** Returns the rest of the command name that `text` begins, or an empty string if not exactly one name matches. */
  completion(text: string): string;
}

/** Edits the line that the user is typing, together with earlier lines that ended in a backslash. */
export class LineInput {
  readonly #terminal: AppendOnlyTerminal;
  readonly #host: LineInputHost;
  #earlierLines: readonly string[] = [];
  #line = '';
  #meant: EnteredLine['meant'] | undefined;
  #prompts: readonly string[] = [];
  /** The index of the recalled prompt; the number of prompts if none is. */
  #recalled = 0;

  constructor(terminal: AppendOnlyTerminal, host: LineInputHost) {
    this.#terminal = terminal;
    this.#host = host;
  }

  get isEmpty(): boolean {
    return this.#line === '' && this.#earlierLines.length === 0;
  }

  remember(prompts: readonly string[]): void {
    this.#prompts = prompts;
    this.#recalled = prompts.length;
  }

  write(text: string): void {
    const lines = text.split('\n');
    this.#line = lines.at(-1) ?? '';
    this.#earlierLines = lines.slice(0, -1);
    this.#meant = 'prompt';
    this.#terminal.rewrite('');
    this.#terminal.say(this.#earlierLines);
    if (this.#earlierLines.length > 0) this.#terminal.print('now');
    this.#terminal.rewrite(this.#line);
  }

  clear(): void {
    this.#reset();
    this.#terminal.rewrite('');
  }

  press(key: LineKey): EnteredLine | undefined {
    switch (key.key) {
      case 'text':
        this.#begin();
        this.#line += key.text;
        this.#terminal.type(key.text, this.#host.isHidden() ? 'hidden' : 'shown');
        this.#host.onChange(this.#line);
        return undefined;
      case 'enter':
        return this.#enter(key.followedBy);
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
    this.#meant ??= this.#host.answersQuestion() ? 'answer' : 'prompt';
  }

  #enter(followedBy: 'nothing' | 'more'): EnteredLine | undefined {
    this.#begin();
    this.#terminal.enter();
    const isContinued = this.#line.endsWith('\\');
    if (isContinued || followedBy === 'more') {
      this.#earlierLines = [...this.#earlierLines, isContinued ? this.#line.slice(0, -1) : this.#line];
      this.#line = '';
      return undefined;
    }
    const text = [...this.#earlierLines, this.#line].join('\n');
    const meant = this.#earlierLines.length > 0 ? 'prompt' : (this.#meant ?? 'prompt');
    this.#reset();
    if (text.trim() !== '' && meant === 'prompt') this.remember([...this.#prompts, text]);
    return {text, meant};
  }

  #cut(line: string): void {
    if (line === this.#line) return;
    this.#line = line;
    this.#terminal.shorten(this.#host.isHidden() ? '' : line);
    if (this.isEmpty) this.#meant = undefined;
  }

  #recall(direction: 'earlier' | 'later'): void {
    const at = this.#recalled + (direction === 'earlier' ? -1 : 1);
    if (this.#host.answersQuestion() || at < 0 || at > this.#prompts.length) return;
    this.#recalled = at;
    const prompt = this.#prompts[at];
    if (prompt === undefined) this.clear();
    else this.write(prompt);
    this.#recalled = at;
  }

  #reset(): void {
    this.#earlierLines = [];
    this.#line = '';
    this.#meant = undefined;
    this.#recalled = this.#prompts.length;
  }
}

const lastLetter = /(?:\P{Mark}\p{Mark}*|\p{Mark})$/u;

export type LineKey =
  | {readonly key: 'text'; readonly text: string}
  /** `more`: more lines arrived together with this Enter, as in a paste. */
  | {readonly key: 'enter'; readonly followedBy: 'nothing' | 'more'}
  | {readonly key: 'delete-left' | 'delete-word' | 'delete-all'}
  | {readonly key: 'interrupt' | 'end-of-input' | 'escape' | 'earlier' | 'later' | 'complete' | 'suspend'};

/** Reads the input of a terminal in raw mode, chunk by chunk. Drops the escape sequences of unused keys. */
export class LineKeyReader {
  /** An incomplete escape sequence. */
  #partialSequence = '';

  read(chunk: string): readonly LineKey[] {
    const text = this.#partialSequence + chunk;
    this.#partialSequence = '';
    // A lone escape character is the Escape key. At the end of other input it begins a sequence.
    if (text === escape) return [{key: 'escape'}];
    const keys: LineKey[] = [];
    let from = 0;
    while (from < text.length) {
      pattern.lastIndex = from;
      const match = pattern.exec(text);
      if (match === null) {
        this.#partialSequence = text.slice(from);
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
// Matches one key sequence (CSI, SS3, or Escape and a letter), line end, control character or run of text.
const pattern =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[^\u001B[O])|\r\n|[\u0000-\u001A\u001C-\u001F\u007F]|[^\u0000-\u001F\u007F]+/uy;
/* oxlint-enable no-control-regex */

function keyOf(found: string, after: string): LineKey | undefined {
  if (/^[\r\n]+$/u.test(found)) return {key: 'enter', followedBy: /[^\r\n]/u.test(after) ? 'more' : 'nothing'};
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
