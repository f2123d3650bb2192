import type {ResponseEvent} from '../task/response-event.ts';
import type {AnswerPiece} from './answer-piece.ts';
import {AnswerReader} from './answer-reader.ts';

/** Writes one response as the server-sent events of a model server. */
export interface AnswerStream {
  /** The text that the next event adds, whole events each; nothing once the answer has ended. */
  push(event: ResponseEvent): readonly string[];
  /** The text that ends the answer; nothing where it has ended already. */
  end(): readonly string[];
  /** Whether the answer has ended. */
  readonly isOver: boolean;
}

/** How one kind of model server writes an answer. After a `finished` or `failed` piece nothing follows. */
export interface Dialect {
  open(): readonly string[];
  write(piece: AnswerPiece): readonly string[];
}

/**
 * One response in a dialect. The first event opens the answer; its `finished` event ends it, and what comes later belongs to
 * another response and is passed over.
 */
export function makeAnswerStream(dialect: Dialect): AnswerStream {
  const reader = new AnswerReader();
  let state: 'unopened' | 'open' | 'ended' = 'unopened';

  const write = (pieces: () => readonly AnswerPiece[]): readonly string[] => {
    if (state === 'ended') return [];
    const written = state === 'unopened' ? [...dialect.open()] : [];
    state = 'open';
    for (const piece of pieces()) {
      written.push(...dialect.write(piece));
      if (piece.kind === 'finished' || piece.kind === 'failed') state = 'ended';
    }
    return written;
  };

  return {
    push: event => write(() => reader.read(event)),
    end: () => write(() => reader.breakOff()),
    get isOver() {
      return state === 'ended';
    },
  };
}
