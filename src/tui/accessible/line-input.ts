import {controlLabel, type KeyName, type KeyPress, KeyReader} from '../terminal/keymap.ts';
import type {AppendOnlyTerminal} from './append-only-terminal.ts';

export interface EnteredLine {
  readonly text: string;
  /** `answer` if a question had been printed and was open when the line was begun. */
  readonly meant: 'answer' | 'prompt';
}

interface LineInputHost {
  /** True if a line that begins now answers an open question. */
  answersQuestion(): boolean;
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
  readonly #reader = new KeyReader();

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
      keys.push(...this.#keysOf(found, text.slice(end)));
      from = end;
    }
    return keys;
  }

  #keysOf(found: string, after: string): readonly LineKey[] {
    const enter = {key: 'enter', followedBy: /[^\r\n]/u.test(after) ? 'more' : 'nothing'} as const;
    if (/^[\r\n]+$/u.test(found)) return [enter];
    const label = labelOf(found);
    if (label === '') return [];
    const presses: readonly KeyPress[] =
      label === 'text'
        ? this.#reader.readText(found, 'prompt')
        : [{kind: 'key', name: this.#reader.readKey([label], 'prompt')}];
    return presses.flatMap((press): readonly LineKey[] => {
      if (press.kind !== 'key') return [{key: 'text', text: press.text}];
      if (press.name === 'enter') return [enter];
      const key = lineKeys.get(press.name);
      return key === undefined ? [] : [{key}];
    });
  }
}

const escape = '\u001B';

/* oxlint-disable no-control-regex -- keys are control characters */
// Matches one key sequence (CSI, SS3, or Escape and a letter), line end, control character or run of text.
const pattern =
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[^\u001B[O])|\r\n|[\u0000-\u001A\u001C-\u001F\u007F]|[^\u0000-\u001F\u007F]+/uy;
/* oxlint-enable no-control-regex */

/** Returns the label of a key sequence, `text` for characters, or nothing for a key that has no use here. */
function labelOf(found: string): string {
  if (found === '\t') return 'Tab';
  if (['[A', 'OA'].includes(found.slice(1))) return 'Up';
  if (['[B', 'OB'].includes(found.slice(1))) return 'Down';
  if (found.startsWith(escape)) return found.length === 2 ? `Alt+${found.slice(1)}` : '';
  return found < ' ' || found === '\u007F' ? controlLabel(found) : 'text';
}

const lineKeys: ReadonlyMap<KeyName, Exclude<LineKey['key'], 'text' | 'enter'>> = new Map([
  ['delete-left', 'delete-left'],
  ['delete-word', 'delete-word'],
  ['delete-to-start', 'delete-all'],
  ['interrupt', 'interrupt'],
  ['end-of-input', 'end-of-input'],
  ['suspend', 'suspend'],
  ['complete', 'complete'],
  ['up', 'earlier'],
  ['down', 'later'],
]);
