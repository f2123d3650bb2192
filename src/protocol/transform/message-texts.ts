import {extendText, replaceText, whole, type Growth, type MessageText} from './message-text.ts';
import {RevertibleMap} from '../task/revertible-map.ts';

/** The texts of an answer by message, as far back as they are worth keeping: whole for the latest, lengths for many more. */
export class MessageTexts {
  readonly #kept = new RevertibleMap<MessageText>({limit: 1024 * 1024, weightOf: text => lengthOf(text) + 64});
  readonly #lengths = new RevertibleMap<number>({limit: 10_000, weightOf: () => 1});

  /** The text of `key` becomes `text`. */
  replace(key: string, text: string): Growth {
    return this.#keep(key, replaceText(this.#find(key), text));
  }

  /** The text of `key` goes on with `more`. */
  extend(key: string, more: string): Growth {
    return this.#keep(key, extendText(this.#find(key), more));
  }

  /** `key` stands for another message from here on. */
  restart(key: string, text: string): Growth {
    return this.#keep(key, {after: whole(text), more: text, opening: 'continues'});
  }

  begin(): void {
    this.#kept.begin();
    this.#lengths.begin();
  }

  commit(): void {
    this.#kept.commit();
    this.#lengths.commit();
  }

  rollback(): void {
    this.#kept.rollback();
    this.#lengths.rollback();
  }

  #find(key: string): MessageText {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const length = this.#lengths.get(key);
    return length === undefined ? whole('') : {kind: 'measured', length};
  }

  #keep(key: string, growth: Growth): Growth {
    const {after} = growth;
    if (after.kind === 'kept') this.#kept.set(key, after);
    this.#lengths.set(key, lengthOf(after));
    return growth;
  }
}

const lengthOf = (text: MessageText): number => (text.kind === 'kept' ? text.shown.length : text.length);
