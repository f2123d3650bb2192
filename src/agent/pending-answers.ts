import type {ActionId} from '../domain/ids.ts';

/** Questions that wait for a person, each settled exactly once: by the first answer, or by the end of what asked. */
export class PendingAnswers<Answer> {
  readonly #open = new Map<ActionId, (answer: Answer) => void>();

  /** Resolves with the first answer, or with `onAbort` when the signal fires first. */
  async wait(id: ActionId, onAbort: Answer, signal: AbortSignal): Promise<Answer> {
    if (signal.aborted) return onAbort;
    return new Promise<Answer>(resolve => {
      const settle = (answer: Answer): void => {
        signal.removeEventListener('abort', abort);
        this.#open.delete(id);
        resolve(answer);
      };
      const abort = (): void => settle(onAbort);
      signal.addEventListener('abort', abort, {once: true});
      this.#open.set(id, settle);
    });
  }

  /** An answer to something not open, or open no longer, changes nothing. */
  answer(id: ActionId, answer: Answer): void {
    this.#open.get(id)?.(answer);
  }
}
