import type {AgentEvent} from '../actions/agent-event.ts';
import {isRunning} from '../actions/block-text.ts';
import type {AgentClient, EventListener} from '../agent/client.ts';
import {hasEnded} from '../domain/sub-agent.ts';

/** The maximum number of events of one prompt to keep for front ends that join later. A streamed block is one event. */
const maxKept = 50_000;

/** The maximum number of characters of a running command's output to keep. */
const maxOutput = 20_000;

/**
 * Replays the running prompt to front ends that join a session in the middle of it. They get the conversation before the prompt, then the
 * prompt so far and its open questions.
 */
export class LiveEvents {
  readonly #client: AgentClient;
  #events: AgentEvent[] = [];
  /** Open questions to the user. Front ends get them even if there were too many events to keep. */
  readonly #asks = new Map<string, AgentEvent>();
  /** The last event of each sub-agent that is still active. */
  readonly #agents = new Map<string, AgentEvent>();
  #isComplete = true;
  #isWorking = false;

  /** Follows the client until it closes. */
  constructor(client: AgentClient) {
    this.#client = client;
    client.subscribe(events => {
      for (const event of events) this.#take(event);
    });
  }

  /** True if a prompt or a command of the user is running. */
  get isWorking(): boolean {
    return this.#isWorking;
  }

  /** Does the same as the client's own `subscribe`. */
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
    if (event.event === 'session-opened') this.#agents.clear();
    if (event.event === 'agent-started' || event.event === 'agent-changed') {
      if (hasEnded(event.row.status)) this.#agents.delete(event.row.agent.id);
      else this.#agents.set(event.row.agent.id, event);
    }
    if (event.event === 'session-opened' || event.event === 'prompt-finished' || event.event === 'command-finished') {
      this.#events = [];
      this.#asks.clear();
      this.#isComplete = true;
      if (event.event !== 'session-opened') this.#isWorking = false;
      return;
    }
    if (asksUser(event)) this.#asks.set(questionIdOf(event), event);
    else if ('id' in event && settlesQuestion(event)) this.#asks.delete(event.id);
    if (this.#events.length === 0 && event.event !== 'prompt-accepted' && event.event !== 'command-started') return;
    // The `session-opened` event already contains these.
    if (event.event === 'todos-framed' || event.event === 'usage-changed') return;
    const joined = joinEvents(this.#events.at(-1), event);
    if (joined !== undefined) this.#events[this.#events.length - 1] = joined;
    else if (this.#events.length < maxKept) this.#events.push(event);
    else this.#isComplete = false;
  }

  #joining(opened: Extract<AgentEvent, {event: 'session-opened'}>): readonly AgentEvent[] {
    const [first] = this.#events;
    const standing = [...this.#agents.values()];
    if (first === undefined || !this.#isComplete) return [opened, ...standing, ...this.#asks.values()];
    if (first.event === 'command-started') return [opened, ...standing, ...this.#events];
    const begun =
      first.event === 'prompt-accepted'
        ? opened.history.findIndex(message => message.role === 'user' && message.id === first.id)
        : -1;
    return begun < 0
      ? [opened, ...standing, ...this.#asks.values()]
      : [{...opened, history: opened.history.slice(0, begun)}, ...standing, ...this.#events];
  }
}

type AskEvent = Extract<
  AgentEvent,
  {event: 'approval-requested' | 'question-asked' | 'hand-over-asked' | 'terminal-needed' | 'compaction-offered'}
>;

/** True if the event asks the user something. */
export const asksUser = (event: AgentEvent): event is AskEvent =>
  event.event === 'approval-requested' ||
  event.event === 'question-asked' ||
  event.event === 'hand-over-asked' ||
  event.event === 'compaction-offered' ||
  event.event === 'terminal-needed';

/** Returns the id that answers refer to. */
export const questionIdOf = (event: AskEvent): string =>
  event.event === 'approval-requested' ? event.approval.id : event.id;

/** True if the event settles the question with its id. */
export const settlesQuestion = ({event}: AgentEvent): boolean =>
  event === 'approval-settled' ||
  event === 'question-settled' ||
  event === 'hand-over-settled' ||
  event === 'compaction-answered' ||
  event === 'command-finished';

/** Joins two parts of one text into one event; returns `undefined` if they don't belong together. */
function joinEvents(last: AgentEvent | undefined, event: AgentEvent): AgentEvent | undefined {
  if (event.event === 'action-output' && last?.event === 'action-output' && last.id === event.id)
    return {...last, chunk: (last.chunk + event.chunk).slice(-maxOutput)};
  if (event.event !== 'block-delta' || last?.event !== 'block-delta') return undefined;
  if (last.message !== event.message || last.index !== event.index) return undefined;
  const [a, b] = [last.delta, event.delta];
  if (a.kind === 'text' && b.kind === 'text') return {...last, delta: {...a, text: a.text + b.text}};
  if (a.kind === 'thinking' && b.kind === 'thinking') return {...last, delta: {...a, text: a.text + b.text}};
  if (a.kind === 'tool-input' && b.kind === 'tool-input') return {...last, delta: {...a, json: a.json + b.json}};
  return undefined;
}

/** True if commands of the session run in the background. */
export async function hasBackgroundCommands(client: AgentClient): Promise<boolean> {
  const looked = new AbortController();
  let isAnyRunning = false;
  const watched = client.watch(
    {watch: 'terminals'},
    blocks => {
      isAnyRunning = blocks.some(({state}) => isRunning(state));
      looked.abort();
    },
    looked.signal,
  );
  await watched;
  return isAnyRunning;
}
