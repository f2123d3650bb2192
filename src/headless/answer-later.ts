import type {Engine, Op} from '../agent/engine.ts';

/**
 * Submits an answer to what an event asked, after the event has been told to everybody: an answer that came while it is still
 * being told would come before the question is open.
 */
export function answerLater(engine: Engine, op: Extract<Op, {op: 'answer-approval' | 'answer-question'}>): void {
  queueMicrotask(() => engine.submit(op));
}
