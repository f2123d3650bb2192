import type {LineKey} from './line-keys.ts';
import type {Paper} from './paper.ts';

/** A line that was entered. */
export interface EnteredLine {
  readonly text: string;
  /** `answer` when it was begun with a question said and open. */
  readonly meant: 'answer' | 'prompt';
}

export interface LineInputHost {
  /** Whether a line that begins now answers an open question. */
  answers(): boolean;
  /** Whether the letters are not to be seen. */
  hides(): boolean;
  /** What completes the name of a command; empty for nothing. */
  completion(text: string): string;
}

/** The line being typed, and those before it that ended in a backslash. */
export class LineInput {
  readonly #paper: Paper;
  readonly #host: LineInputHost;
  #before: readonly string[] = [];
  #line = '';
  #meant: EnteredLine['meant'] | undefined;
  #prompts: readonly string[] = [];
  #at = 0;

  constructor(paper: Paper, host: LineInputHost) {
    this.#paper = paper;
    this.#host = host;
  }

  get isEmpty(): boolean {
    return this.#line === '' && this.#before.length === 0;
  }

  /** Earlier prompts, oldest first. */
  remember(prompts: readonly string[]): void {
    this.#prompts = prompts;
    this.#at = prompts.length;
  }

  /** Another text takes the draft's place. */
  write(text: string): void {
    const lines = text.split('\n');
    this.#line = lines.at(-1) ?? '';
    this.#before = lines.slice(0, -1);
    this.#meant = 'prompt';
    this.#paper.rewrite('');
    this.#paper.say(this.#before);
    if (this.#before.length > 0) this.#paper.print('now');
    this.#paper.rewrite(this.#line);
  }

  clear(): void {
    this.#forget();
    this.#paper.rewrite('');
  }

  /** One press on it; answers with the line that it entered. */
  press(key: LineKey): EnteredLine | undefined {
    switch (key.key) {
      case 'text':
        this.#begin();
        this.#line += key.text;
        this.#paper.type(key.text, this.#host.hides() ? 'hidden' : 'shown');
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
    this.#paper.enter();
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
    this.#paper.cut(this.#host.hides() ? '' : line);
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

/** With the marks that belong to it. */
const lastLetter = /(?:\P{Mark}\p{Mark}*|\p{Mark})$/u;
