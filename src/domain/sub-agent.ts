import type {ActionId, SessionId} from './ids.ts';
import type {Usage} from './usage.ts';

/** Whether an agent works in the folder of the one that starts it, or apart from it. */
export type Isolation = 'none' | 'worktree';

/** A sub-agent: an agent that an agent has started, on a task of its own. What stays the same as long as it lives. */
export interface SubAgent {
  /** That of its session, where its conversation is kept. */
  readonly id: SessionId;
  /** The call that started it: its events carry this id to those who look at the parent. */
  readonly call: ActionId;
  readonly parent: SessionId | 'main';
  /** What it is for, in a few words of the model's. */
  readonly name: string;
  readonly kind: string;
  /** `weft`: it runs in this process. Otherwise the name of a harness. */
  readonly harness: string;
  /** Empty where the harness chooses. */
  readonly model: string;
  readonly prompt: string;
  /** `worktree`: it works in a git worktree of its own. */
  readonly isolation: Isolation;
  readonly startedAt: number;
}

/**
 * Where a sub-agent stands. Of each prompt (the first, and every message that sets it to work again) exactly one of `succeeded`, `failed`
 * and `cancelled` is told, last.
 */
export type AgentStatus =
  | {readonly kind: 'started'}
  /** `doing` is the label of the action that runs, or empty. */
  | {readonly kind: 'in_progress'; readonly doing: string}
  /** A card of it is open; `on` says for what. */
  | {readonly kind: 'blocked'; readonly on: string}
  /** At work, and nothing has been heard of it for a while. */
  | {readonly kind: 'idle'}
  /** `answer` is its last message; may be empty. */
  | {readonly kind: 'succeeded'; readonly answer: string}
  /** `reason` is a sentence; `answer` what it had said by then, may be empty. */
  | {readonly kind: 'failed'; readonly reason: string; readonly answer: string}
  | {readonly kind: 'cancelled'; readonly answer: string};

/** Whether nothing more comes of its prompt. */
export const hasEnded = ({kind}: AgentStatus): boolean =>
  kind === 'succeeded' || kind === 'failed' || kind === 'cancelled';

export interface AgentProgress {
  /** Requests to the model; of a harness as far as they can be told. */
  readonly turns: number;
  readonly calls: number;
  readonly usage: Usage;
  /** US dollars; of a harness its own word, or an estimate. */
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

/** A sub-agent at work, as other processes see it. */
export interface RunningAgent extends Pick<SubAgent, 'id' | 'name' | 'kind' | 'harness' | 'startedAt'> {
  /** The session of the agent that talks with the user. */
  readonly parent: SessionId;
  readonly directory: string;
  readonly pid: number;
}

/** Who asks the user: the agent of the session, or a sub-agent. */
export type Asker = 'main' | Pick<SubAgent, 'id' | 'name' | 'kind' | 'harness'>;
