import {type Revertible, RevertibleMap} from '../task/transactions.ts';

/** The texts of an answer by message: whole for the latest ones, and only lengths for many earlier ones. */
export class MessageTexts {
  readonly #kept = new RevertibleMap<MessageText>({limit: 1024 * 1024, weightOf: text => lengthOf(text) + 64});
  readonly #lengths = new RevertibleMap<number>({limit: 10_000, weightOf: () => 1});
  readonly parts: readonly Revertible[] = [this.#kept, this.#lengths];

  /** Replaces the text of `key`. */
  replace(key: string, text: string): TextChange {
    return this.#keep(key, replaceText(this.#find(key), text));
  }

  /** Appends to the text of `key`. */
  extend(key: string, more: string): TextChange {
    return this.#keep(key, extendText(this.#find(key), more));
  }

  /** Starts a new message under `key`. */
  restart(key: string, text: string): TextChange {
    return this.#keep(key, {after: wholeText(text), more: text, opening: 'continues'});
  }

  #find(key: string): MessageText {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const length = this.#lengths.get(key);
    return length === undefined ? wholeText('') : {kind: 'measured', length};
  }

  #keep(key: string, growth: TextChange): TextChange {
    const {after} = growth;
    if (after.kind === 'kept') this.#kept.set(key, after);
    this.#lengths.set(key, lengthOf(after));
    return growth;
  }
}

const lengthOf = (text: MessageText): number => (text.kind === 'kept' ? text.shown.length : text.length);

/**
 * The text of one message: `now` is the server's version, and `shown` may be ahead of it. If the text is too long or
 * too old to keep, only its length is known. A replacement is then assumed to begin with it.
 */
type MessageText =
  | {readonly kind: 'kept'; readonly shown: string; readonly now: string}
  | {readonly kind: 'measured'; readonly length: number};

export interface TextChange {
  readonly after: MessageText;
  /** The text that has not been shown yet. */
  readonly more: string;
  /** Whether `more` continues the shown text or replaces it. */
  readonly opening: 'continues' | 'anew';
}

/**
 * Replaces the text. If the new text continues the shown text, returns only the added part. If all of it was shown
 * already, returns nothing. Otherwise returns the whole text.
 */
function replaceText(before: MessageText, text: string): TextChange {
  if (before.kind === 'measured')
    return continueText({kind: 'measured', length: Math.max(before.length, text.length)}, text.slice(before.length));
  const {shown, now} = before;
  if (text.startsWith(shown)) return continueText(wholeText(text), text.slice(shown.length));
  if (shown.startsWith(text)) return continueText({kind: 'kept', shown, now: text}, '');
  // The text was shortened before and now continues differently. The shown text stays, and the rest follows.
  if (now !== '' && text.startsWith(now)) return continueText(wholeText(text), text.slice(now.length));
  return {after: wholeText(text), more: text, opening: 'anew'};
}

/** Appends `more` to the text. */
function extendText(before: MessageText, more: string): TextChange {
  if (before.kind === 'measured') return continueText({kind: 'measured', length: before.length + more.length}, more);
  if (before.now !== before.shown) return replaceText(before, before.now + more);
  return continueText(wholeText(before.now + more), more);
}

const wholeText = (text: string): MessageText => ({kind: 'kept', shown: text, now: text});

const continueText = (after: MessageText, more: string): TextChange => ({after, more, opening: 'continues'});

/**
 * Tracks the text that the reader has seen and the text that counts. A stream can't take text back, so after a
 * rollback the reader is ahead. Repeated text is then skipped as long as it equals the seen text. If it differs, all
 * text since the rollback is sent again in one piece, so that the valid text appears whole once. The same happens if
 * the new text is shorter than the seen one, once it is complete (`settle`).
 */
export class SeenText {
  /** The text seen since the outermost open transaction began, or since a rollback whose text has not caught up. */
  #seen = '';
  /** The length of the valid text in `#seen`. Smaller than the length of `#seen` only after a rollback. */
  #said = 0;
  /** The position where the repeated text began. */
  #again = 0;
  /** The length of the valid text when each open transaction began. */
  readonly #marks: number[] = [];

  /** Adds text and returns the part that the reader has not seen. */
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

  /** Ends a text and returns the part to send again if the reader saw more than the valid text. */
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

  /**
   * Commits the text, which is then never sent again. An exception is text shorter than the seen text, whose end the
   * reader does not know.
   */
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
    if (this.#marks.length > 0 && this.#seen.length <= maxKeptChars) return;
    this.#seen = '';
    this.#said = 0;
    this.#again = 0;
    this.#marks.fill(0);
  }
}

/** The UTF-16 units kept for a rollback. A rollback further back repeats text. */
const maxKeptChars = 4 * 1024 * 1024;
