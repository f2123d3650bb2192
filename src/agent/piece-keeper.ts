import type {AgentEvent} from '../actions/agent-event.ts';
import type {MessageId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';
import type {ClockPort} from './ports.ts';

/** Least time between two pieces, in milliseconds; the first is kept at once. */
const keepAfterMs = 250;

/** Keeps the text of an answer while it comes, a piece at a time, so that killing weft loses only the text since the last piece. */
export class PieceKeeper {
  readonly #clock: ClockPort;
  readonly #keep: (record: JournalRecord) => void;
  #model = '';
  #message: MessageId | undefined;
  /** Text not kept yet, by block. */
  readonly #texts = new Map<number, string>();
  #keptAt = Number.NEGATIVE_INFINITY;

  constructor({clock, keep}: {readonly clock: ClockPort; readonly keep: (record: JournalRecord) => void}) {
    this.#clock = clock;
    this.#keep = keep;
  }

  take(events: readonly AgentEvent[]): void {
    for (const event of events) {
      if (event.event === 'message-started') {
        this.#message = event.message;
        this.#model = event.model;
      }
      if (event.event === 'block-delta' && event.delta.kind === 'text') {
        this.#texts.set(event.index, (this.#texts.get(event.index) ?? '') + event.delta.text);
      }
    }
    if (this.#texts.size > 0 && this.#clock.now() - this.#keptAt >= keepAfterMs) this.#flush();
  }

  #flush(): void {
    if (this.#message === undefined) return;
    for (const [index, text] of this.#texts) {
      this.#keep({kind: 'piece', message: this.#message, model: this.#model, index, text});
    }
    this.#texts.clear();
    this.#keptAt = this.#clock.now();
  }
}
