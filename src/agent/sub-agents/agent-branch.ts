import type {Denial} from '../../actions/agent-event.ts';
import type {AgentMessage, AgentReport, AgentRequest, AgentsPort, AgentWait} from '../../actions/agents-port.ts';
import type {Outcome} from '../../base/outcome.ts';
import {raceAbort} from '../../base/race.ts';
import type {Fault} from '../../domain/fault.ts';
import type {ActionId, SessionId} from '../../domain/ids.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import {type AgentRow, hasEnded} from '../../domain/sub-agent.ts';
import type {PromptCheckpoints} from '../checkpoint-recorder.ts';
import type {SessionAgents, SessionContext} from '../session-context.ts';

export interface AgentTree {
  rows(): readonly AgentRow[];
  start(
    request: AgentRequest,
    from: {readonly branch: AgentBranch; readonly call: ActionId; readonly wait: AgentWait},
  ): Promise<Outcome<AgentReport, Fault>>;
  send(
    request: AgentMessage,
    from: {readonly branch: AgentBranch; readonly wait: AgentWait},
  ): Promise<Outcome<AgentReport, Fault>>;
  stop(id: SessionId): void;
  message(id: SessionId, text: string): void;
  setMode(parent: SessionId | 'main', mode: PermissionMode): void;
  close(parent: SessionId | 'main'): Promise<void>;
}

/** The sub-agents that one agent has started. Loads the module that runs them with the first one. */
export class AgentBranch implements SessionAgents {
  readonly #load: () => Promise<AgentTree>;
  #loading: Promise<AgentTree> | undefined;
  #tree: AgentTree | undefined;
  readonly session: () => SessionContext;
  readonly parent: SessionId | 'main';
  /** The number of sub-agents above those that this agent starts. */
  readonly depth: number;
  /** The checkpoints of the running prompt, or of the last one. */
  checkpoints: PromptCheckpoints | undefined;
  #notes: string[] = [];
  #denials: Denial[] = [];
  #news = Promise.withResolvers<void>();

  constructor(
    tree: AgentTree | (() => Promise<AgentTree>),
    place: {
      readonly session: () => SessionContext;
      readonly parent: SessionId | 'main';
      readonly depth: number;
    },
  ) {
    this.#load = typeof tree === 'function' ? tree : async () => tree;
    this.#tree = typeof tree === 'function' ? undefined : tree;
    this.session = place.session;
    this.parent = place.parent;
    this.depth = place.depth;
  }

  portFor(call: ActionId): AgentsPort {
    return {
      start: async (request, wait) => (await this.#loaded()).start(request, {branch: this, call, wait}),
      send: async (request, wait) => (await this.#loaded()).send(request, {branch: this, wait}),
    };
  }

  preload(): void {
    // The call itself reports a failure to load.
    this.#loaded().catch(() => {});
  }

  rows(): readonly AgentRow[] {
    return this.#tree?.rows() ?? [];
  }

  stop(id: SessionId): void {
    this.#tree?.stop(id);
  }

  message(id: SessionId, text: string): void {
    this.#tree?.message(id, text);
  }

  beginPrompt(checkpoints: PromptCheckpoints): void {
    this.checkpoints = checkpoints;
  }

  addNote(note: string): void {
    this.#notes.push(note);
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  addDenials(denials: readonly Denial[]): void {
    this.#denials.push(...denials);
  }

  takeNotes(): readonly string[] {
    const notes = this.#notes;
    this.#notes = [];
    return notes;
  }

  takeDenials(): readonly Denial[] {
    const denials = this.#denials;
    this.#denials = [];
    return denials;
  }

  async hasNotes(wait: 'wait' | 'look', signal: AbortSignal): Promise<boolean> {
    while (this.#notes.length === 0) {
      const goesOn = this.rows().some(
        ({agent, place, status}) => agent.parent === this.parent && place === 'background' && !hasEnded(status),
      );
      if (wait === 'look' || !goesOn || signal.aborted) return false;
      await raceAbort(this.#news.promise, signal);
    }
    return true;
  }

  setMode(mode: PermissionMode): void {
    this.#tree?.setMode(this.parent, mode);
  }

  async close(): Promise<void> {
    await this.#loading;
    await this.#tree?.close(this.parent);
  }

  async #loaded(): Promise<AgentTree> {
    return (this.#tree ??= await (this.#loading ??= this.#load()));
  }
}
