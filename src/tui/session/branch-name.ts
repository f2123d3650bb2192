import type {AgentEvent} from '../../actions/agent-event.ts';

/** With these, something else may be checked out in the workspace. */
const moves: ReadonlySet<AgentEvent['event']> = new Set(['session-opened', 'prompt-finished', 'command-finished']);

/** What is checked out, asked for only when it may have changed; empty until it was. */
export class BranchName {
  readonly #read: () => string;
  #name = '';

  constructor(read: () => string) {
    this.#read = read;
  }

  get name(): string {
    return this.#name;
  }

  follow(events: readonly AgentEvent[]): void {
    if (events.some(({event}) => moves.has(event))) this.#name = this.#read();
  }
}
