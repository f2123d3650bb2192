import type {AgentEvent} from '../actions/agent-event.ts';
import type {AgentClient, EventListener} from '../agent/client.ts';

/** Events of one prompt that are kept for front ends that come later. */
const mostKept = 50_000;

/**
 * What happens in the prompt that runs, for front ends that join a session in the middle of it: they get the conversation before the
 * prompt, and then the prompt as it went so far, with what it asks now.
 */
export class LiveEvents {
  readonly #client: AgentClient;
  #events: AgentEvent[] = [];
  #isComplete = true;
  #isWorking = false;

  /** Follows the client as long as that lives. */
  constructor(client: AgentClient) {
    this.#client = client;
    client.subscribe(events => {
      for (const event of events) this.#take(event);
    });
  }

  /** Whether a prompt or a command of the user runs. */
  get isWorking(): boolean {
    return this.#isWorking;
  }

  /** As the client's own `subscribe`. */
  subscribe(listener: EventListener): () => void {
    let isFirst = true;
    return this.#client.subscribe(events => {
      if (!isFirst) return listener(events);
      isFirst = false;
      return listener(events.flatMap(event => (event.event === 'session-opened' ? this.#joining(event) : [event])));
    });
  }

  #take(event: AgentEvent): void {
    if (event.event === 'prompt-accepted' || event.event === 'command-started') this.#isWorking = true;
    if (event.event === 'session-opened' || event.event === 'prompt-finished' || event.event === 'command-finished') {
      this.#events = [];
      this.#isComplete = true;
      if (event.event !== 'session-opened') this.#isWorking = false;
      return;
    }
    const begins = event.event === 'prompt-accepted' && this.#events.length === 0;
    if (!begins && this.#events.length === 0) return;
    // What the opening of a session tells is not told again.
    if (event.event === 'todos-framed' || event.event === 'usage-changed') return;
    if (this.#events.length < mostKept) this.#events.push(event);
    else this.#isComplete = false;
  }

  #joining(opened: Extract<AgentEvent, {event: 'session-opened'}>): readonly AgentEvent[] {
    const [first] = this.#events;
    if (first?.event !== 'prompt-accepted' || !this.#isComplete) return [opened];
    const begun = opened.history.findIndex(message => message.role === 'user' && message.id === first.id);
    return begun < 0 ? [opened] : [{...opened, history: opened.history.slice(0, begun)}, ...this.#events];
  }
}
