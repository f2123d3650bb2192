/**
 * What a reader has seen of a text beside what is said of it. A stream cannot take text back, so after a rollback the reader is
 * ahead: what is then said again is passed over as far as it equals what was seen. Where it differs, all that was said since
 * the rollback is given again in one piece, so that the text that counts stands there whole, once. So it is where less is said again
 * than was seen, once it is known to be all (`settle`).
 */
export class SeenText {
  /** What was seen since the outermost open transaction began, or since the rollback that has not been caught up with. */
  #seen = '';
  /** How much of it is said; less than its length only after a rollback. */
  #said = 0;
  /** Where that which is being said again began. */
  #again = 0;
  /** For each open transaction, how much was said when it began. */
  readonly #marks: number[] = [];

  /** What a reader still has to see when `text` is said next. */
  say(text: string): {readonly text: string; readonly opening: 'continues' | 'anew'} {
    if (this.#said === this.#seen.length) return this.#show(text, 'continues');
    if (this.#seen.startsWith(text, this.#said)) {
      this.#said += text.length;
      this.#forget();
      return {text: '', opening: 'continues'};
    }
    const ahead = this.#seen.slice(this.#said);
    if (text.startsWith(ahead)) {
      this.#said = this.#seen.length;
      return this.#show(text.slice(ahead.length), 'continues');
    }
    const again = this.#seen.slice(this.#again, this.#said);
    this.#seen = this.#seen.slice(0, this.#said);
    return {text: again + this.#show(text, 'anew').text, opening: 'anew'};
  }

  /** What a reader still has to see where nothing more is said now: what was said again, where more than that was seen. */
  settle(): string {
    if (this.#said === this.#seen.length || this.#said === this.#again) return '';
    const again = this.#seen.slice(this.#again, this.#said);
    this.#seen = this.#seen.slice(0, this.#said);
    this.#forget();
    return again;
  }

  begin(): void {
    this.#marks.push(this.#said);
  }

  /** What is committed will not be given again, unless a reader has seen more than that and does not know where it ends. */
  commit(): void {
    this.#marks.pop();
    if (this.#marks.length > 0 || this.#said < this.#seen.length) return;
    this.#again = this.#said;
    this.#forget();
  }

  rollback(): void {
    const mark = this.#marks.pop();
    if (mark === undefined) return;
    const caughtUp = this.#said === this.#seen.length;
    this.#again = caughtUp ? mark : Math.min(this.#again, mark);
    this.#said = mark;
    this.#forget();
  }

  #show(text: string, opening: 'continues' | 'anew') {
    this.#seen += text;
    this.#said = this.#seen.length;
    this.#forget();
    return {text, opening};
  }

  #forget(): void {
    if (this.#said < this.#seen.length) return;
    if (this.#marks.length > 0 && this.#seen.length <= mostKept) return;
    this.#seen = '';
    this.#said = 0;
    this.#again = 0;
    this.#marks.fill(0);
  }
}

/** UTF-16 units kept for a rollback; one that reaches further back gives what is said again a second time. */
const mostKept = 4 * 1024 * 1024;
