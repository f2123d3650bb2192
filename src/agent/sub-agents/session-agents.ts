import type {Denial} from '../../actions/agent-event.ts';
import type {AgentsPort} from '../../actions/agents-port.ts';
import type {ActionId, SessionId} from '../../domain/ids.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import type {AgentRow} from '../../domain/sub-agent.ts';
import type {PromptCheckpoints} from '../checkpoint-recorder.ts';

/** The sub-agents of one agent: of the session's own, or of a sub-agent. */
export interface SessionAgents {
  /** How a call starts and addresses them. */
  portFor(call: ActionId): AgentsPort;
  /** One will be started: what runs it is loaded. */
  expect(): void;
  /** All of the session, also those that sub-agents have started. */
  rows(): readonly AgentRow[];
  /** Does nothing where there is no such sub-agent. */
  stop(id: SessionId): void;
  message(id: SessionId, text: string): void;
  /** The files that sub-agents change from now on belong to this prompt. */
  beginPrompt(checkpoints: PromptCheckpoints): void;
  /** What the model is to be told of those in the background that have ended: each once. */
  takeNotes(): readonly string[];
  /** The calls of sub-agents that were refused since they were last taken. */
  takeDenials(): readonly Denial[];
  /**
   * Whether there is something for the model to be told. With `wait` it waits until one in the background has ended; where none runs it
   * settles at once.
   */
  hasNews(wait: 'wait' | 'look', signal: AbortSignal): Promise<boolean>;
  /** The agent that has started them is in another mode. */
  setMode(mode: PermissionMode): void;
  /** Ends them all and forgets them. */
  close(): Promise<void>;
}

/** Loads what runs sub-agents with the first one. */
export class LazyAgents implements SessionAgents {
  readonly #load: () => Promise<SessionAgents>;
  #loading: Promise<SessionAgents> | undefined;
  #agents: SessionAgents | undefined;
  #checkpoints: PromptCheckpoints | undefined;

  constructor(load: () => Promise<SessionAgents>) {
    this.#load = load;
  }

  portFor(call: ActionId): AgentsPort {
    return {
      start: async (request, wait) => (await this.#loaded()).portFor(call).start(request, wait),
      send: async (request, wait) => (await this.#loaded()).portFor(call).send(request, wait),
    };
  }

  expect(): void {
    // What cannot be loaded is told by the call.
    this.#loaded().catch(() => {});
  }

  rows(): readonly AgentRow[] {
    return this.#agents?.rows() ?? [];
  }

  stop(id: SessionId): void {
    this.#agents?.stop(id);
  }

  message(id: SessionId, text: string): void {
    this.#agents?.message(id, text);
  }

  beginPrompt(checkpoints: PromptCheckpoints): void {
    this.#checkpoints = checkpoints;
    this.#agents?.beginPrompt(checkpoints);
  }

  takeNotes(): readonly string[] {
    return this.#agents?.takeNotes() ?? [];
  }

  takeDenials(): readonly Denial[] {
    return this.#agents?.takeDenials() ?? [];
  }

  async hasNews(wait: 'wait' | 'look', signal: AbortSignal): Promise<boolean> {
    return this.#agents === undefined ? false : this.#agents.hasNews(wait, signal);
  }

  setMode(mode: PermissionMode): void {
    this.#agents?.setMode(mode);
  }

  async close(): Promise<void> {
    await this.#loading;
    await this.#agents?.close();
  }

  async #loaded(): Promise<SessionAgents> {
    const agents = await (this.#loading ??= this.#load());
    if (this.#agents === undefined) {
      this.#agents = agents;
      if (this.#checkpoints !== undefined) this.#agents.beginPrompt(this.#checkpoints);
    }
    return this.#agents;
  }
}
