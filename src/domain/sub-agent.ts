import type {ActionId, SessionId} from './ids.ts';
import type {Usage} from './usage.ts';

/** The folder in which a sub-agent works: its parent's, or a separate one. */
export type Isolation = 'none' | 'worktree';

/** A sub-agent: an agent that another agent started for a separate task. These properties never change. */
export interface SubAgent {
  /** The ID of the session that holds its conversation. */
  readonly id: SessionId;
  /** The call that started the sub-agent. For viewers of the parent, the sub-agent's events carry this id. */
  readonly call: ActionId;
  readonly parent: SessionId | 'main';
  /** The sub-agent's task in a few words, written by the model. */
  readonly name: string;
  readonly kind: string;
  /** `weft`: the sub-agent runs in this process. Otherwise the name of a harness. */
  readonly harness: string;
  /** The model. Empty if the harness chooses. */
  readonly model: string;
  readonly prompt: string;
  /** `worktree`: the sub-agent works in its own git worktree. */
  readonly isolation: Isolation;
  /** `asks`: a sub-agent on another machine may ask the user to use the computer there. None here can. */
  readonly computerUse: 'asks' | 'denied';
  /** The changes that its parent reads of while it runs in the background. */
  readonly lifecycle: readonly LifecycleEvent[];
  readonly startedAt: number;
}

/**
 * The state of a sub-agent. A prompt is the first task, or any message that makes the agent work again. The last status
 * of each prompt is exactly one of `succeeded`, `failed` and `cancelled`.
 */
export type AgentStatus =
  | {readonly kind: 'started'}
  /** `doing` is the label of the running action, or empty. */
  | {readonly kind: 'in_progress'; readonly doing: string}
  /** The sub-agent waits for the user. `on` says what for. */
  | {readonly kind: 'blocked'; readonly on: string}
  /** The sub-agent is working, but has been silent for a while. */
  | {readonly kind: 'idle'}
  /** `answer` is the sub-agent's last message. It may be empty. */
  | {readonly kind: 'succeeded'; readonly answer: string}
  /** `reason` is a sentence. `answer` is the sub-agent's text up to then and may be empty. */
  | {readonly kind: 'failed'; readonly reason: string; readonly answer: string}
  | {readonly kind: 'cancelled'; readonly answer: string};

/** The statuses that an agent can subscribe to, by kind. It reads of the end in any case. */
export const lifecycleEvents = [
  'started',
  'in_progress',
  'blocked',
  'idle',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies readonly AgentStatus['kind'][];
export type LifecycleEvent = (typeof lifecycleEvents)[number];

/** The prompt by which weft tells the agent that a background sub-agent has ended. The user did not write it. */
export const backgroundEndPrompt = 'A background sub-agent has ended.';

/** The prompt by which weft tells the agent that a background command has ended. */
export const commandEndPrompt = 'A background command has ended.';

/** True for a prompt of weft that reports the end of background work. */
export const isEndPrompt = (text: string): boolean => text === backgroundEndPrompt || text === commandEndPrompt;

/** True if the sub-agent's prompt has ended. */
export const hasEnded = ({kind}: AgentStatus): boolean =>
  kind === 'succeeded' || kind === 'failed' || kind === 'cancelled';

export interface AgentProgress {
  /** The number of requests to the model. For a harness, as far as it reports them. */
  readonly turns: number;
  readonly calls: number;
  readonly usage: Usage;
  /** US dollars. For a harness, the cost that it reports, or an estimate. */
  readonly costUsd: number | 'unknown';
  readonly files: readonly string[];
}

export interface AgentRow {
  readonly agent: SubAgent;
  readonly status: AgentStatus;
  readonly progress: AgentProgress;
  /** `background`: the agent that started it does not wait for it. */
  readonly place: 'foreground' | 'background';
}

/** A running sub-agent, as other processes see it. */
export interface RunningAgent extends Pick<SubAgent, 'id' | 'name' | 'kind' | 'harness' | 'startedAt'> {
  /** The session of the agent that talks with the user. */
  readonly parent: SessionId;
  readonly directory: string;
  readonly pid: number;
}

/** The agent that asks the user: the session's own, or a sub-agent. */
export type Asker = 'main' | Pick<SubAgent, 'id' | 'name' | 'kind' | 'harness'>;
