import type {ActionId} from '../domain/ids.ts';

/** The foreground commands. Each can be moved to the background once, while it runs. */
export class ForegroundCommands {
  readonly #running = new Map<ActionId, AbortController>();

  /** Runs an action whose command can be moved. `run` gets the signal that requests the move. */
  async during<T>(id: ActionId, run: (background: AbortSignal) => Promise<T>): Promise<T> {
    const background = new AbortController();
    this.#running.set(id, background);
    try {
      return await run(background.signal);
    } finally {
      this.#running.delete(id);
    }
  }

  moveToBackground(id: ActionId): void {
    this.#running.get(id)?.abort();
  }
}
