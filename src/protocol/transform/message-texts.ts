import {type Revertible, RevertibleMap} from '../task/transactions.ts';

/** The texts of an answer by message, as far back as they are worth keeping: whole for the latest, lengths for many more. */
export class MessageTexts {
  readonly #kept = new RevertibleMap<MessageText>({limit: 1024 * 1024, weightOf: text => lengthOf(text) + 64});
  readonly #lengths = new RevertibleMap<number>({limit: 10_000, weightOf: () => 1});
  readonly parts: readonly Revertible[] = [this.#kept, this.#lengths];

  /** The text of `key` becomes `text`. */
  replace(key: string, text: string): TextChange {
    return this.#keep(key, replaceText(this.#find(key), text));
  }

  /** The text of `key` goes on with `more`. */
  extend(key: string, more: string): TextChange {
    return this.#keep(key, extendText(this.#find(key), more));
  }

  /** `key` stands for another message from here on. */
  restart(key: string, text: string): TextChange {
    return this.#keep(key, {after: whole(text), more: text, opening: 'continues'});
  }

  #find(key: string): MessageText {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const length = this.#lengths.get(key);
    return length === undefined ? whole('') : {kind: 'measured', length};
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
 * The text of one message: `now` as the server has it and `shown`, which may be ahead of it. Of a text that is too long or too
 * old to be kept only the length is known, and what replaces it is taken to begin with it.
 */
type MessageText =
  | {readonly kind: 'kept'; readonly shown: string; readonly now: string}
  | {readonly kind: 'measured'; readonly length: number};

export interface TextChange {
  readonly after: MessageText;
  /** What was not shown yet. */
  readonly more: string;
  /** Whether it goes on from what was shown, or replaces it. */
  readonly opening: 'continues' | 'anew';
}

/** The text becomes `text`. What only goes on from what was shown gives the rest, what was shown already nothing, all else itself. */
function replaceText(before: MessageText, text: string): TextChange {
  if (before.kind === 'measured')
    return continued({kind: 'measured', length: Math.max(before.length, text.length)}, text.slice(before.length));
  const {shown, now} = before;
  if (text.startsWith(shown)) return continued(whole(text), text.slice(shown.length));
  if (shown.startsWith(text)) return continued({kind: 'kept', shown, now: text}, '');
  // Cut short before and now going on differently: what is shown of it stands, the rest follows.
  if (now !== '' && text.startsWith(now)) return continued(whole(text), text.slice(now.length));
  return {after: whole(text), more: text, opening: 'anew'};
}

/** `more` is added at the end. */
function extendText(before: MessageText, more: string): TextChange {
  if (before.kind === 'measured') return continued({kind: 'measured', length: before.length + more.length}, more);
  if (before.now !== before.shown) return replaceText(before, before.now + more);
  return continued(whole(before.now + more), more);
}

const whole = (text: string): MessageText => ({kind: 'kept', shown: text, now: text});

const continued = (after: MessageText, more: string): TextChange => ({after, more, opening: 'continues'});

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
    if (this.#marks.length > 0 && this.#seen.length <= maxKept) return;
    this.#seen = '';
    this.#said = 0;
    this.#again = 0;
    this.#marks.fill(0);
  }
}

/** UTF-16 units kept for a rollback; one that reaches further back gives what is said again a second time. */
const maxKept = 4 * 1024 * 1024;
