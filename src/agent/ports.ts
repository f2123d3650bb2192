import type {RunningAgent} from '../domain/sub-agent.ts';
import type {Action} from '../actions/catalogue.ts';
import type {CommandsPort} from '../actions/commands-port.ts';
import type {Fingerprint} from '../actions/files-port.ts';
import type {ActionPorts, ImpactPort} from '../actions/ports.ts';
import type {ComputerPort} from '../actions/computer-port.ts';
import type {ArtifactsPort} from '../actions/artifacts-port.ts';
import type {WorktreesPort} from '../actions/worktrees-port.ts';
import type {ReviewSourcePort} from '../actions/review-port.ts';
import type {Outcome} from '../base/outcome.ts';
import type {CheckpointsPort} from '../domain/checkpoint.ts';
import type {Fault} from '../domain/fault.ts';
import type {MessageId, PlanId, SessionId, TodoId} from '../domain/ids.ts';
import type {OpenSession} from '../domain/journal.ts';
import type {ModelPort} from '../domain/model-stream.ts';
import type {Plan, PlanConflict} from '../domain/plan.ts';
import type {Executor, Judged} from '../domain/executor.ts';
import type {PermissionMode, RuleChange} from '../domain/risk.ts';
import type {Proof} from '../domain/sandbox.ts';
import type {HarnessesPort} from '../actions/harness-port.ts';
import type {HooksPort} from '../actions/hooks-port.ts';
import type {AgentKind} from './sub-agents/agent-kind.ts';

/** Everything the engine needs from outside. The tests give it all in memory. */
export interface AgentPorts {
  readonly model: ModelPort;
  readonly judge: JudgePort;
  readonly hooks: HooksPort;
  readonly commands: CommandsPort;
  readonly sessions: SessionsPort;
  readonly harnesses: HarnessesPort;
  readonly agentKinds: AgentKindsPort;
  /** The machine; the engine itself provides todos and questions. */
  readonly machine: Pick<
    ActionPorts,
    'shell' | 'files' | 'search' | 'blocks' | 'mcp' | 'web' | 'skills' | 'conversations'
  >;
  /**
   * The same machine for another agent: with a shell of its own, on whose place depends how commands are judged, and with files of which
   * it counts what this agent has read, so that it overwrites nothing that it has not seen. With `in` it works in that folder, which is all
   * of its workspace then. What its prompt allows holds for it, and for those who get theirs from it.
   */
  separateMachine(place: {readonly in: string} | 'same'): SeparateMachine;
  readonly worktrees: WorktreesPort;
  readonly runningAgents: RunningAgentsPort;
  readonly impact: ImpactPort;
  readonly checkpoints: CheckpointsPort;
  readonly workspaceState: WorkspaceStatePort;
  readonly memory: MemoryPort;
  readonly notices: NoticesPort;
  readonly artifacts: ArtifactsPort;
  readonly plans: PlanStorePort;
  readonly computer: ComputerPort;
  /** What a code review is about, with placeholders for secrets. */
  readonly reviewSource: ReviewSourcePort;
  /** Replaces a text that stands in another one exactly once, found as in files; the error is for the model. */
  readonly replaceText: (
    text: string,
    replacement: {readonly oldText: string; readonly newText: string},
  ) => Promise<Outcome<string, string>>;
  readonly secrets: SecretsPort;
  readonly clock: ClockPort;
  readonly ids: IdPort;
}

/** The machine as one agent of several has it. */
export interface SeparateMachine extends Pick<AgentPorts, 'machine' | 'judge' | 'separateMachine'> {
  /** Ends what runs on it in a folder of its own; it can be used again afterwards. */
  stop(): Promise<void>;
}

export interface JudgePort {
  /** The verdict: the stricter of the model's claims and the host's own finding, after rules and mode. */
  assess<Means>(
    action: Action,
    by: {readonly executor: Executor<Means>; readonly mode: PermissionMode},
    signal: AbortSignal,
  ): Promise<Judged<Means>>;
  deniesAnything(): boolean;
  /** What the sandbox was seen to stop, once it was needed; `unknown` before, and where none is to be used. */
  sandbox(): Proof | 'unknown';
  /** Whether a person is asked about running outside what failed in the sandbox. */
  readonly leaving: 'offered' | 'never';
  /** Changes the rules, from the next action on; a failure says why something is no rule or could not be kept. */
  changeRules(change: RuleChange): Promise<Outcome<undefined, Fault>>;
}

/** What a compaction tells the model about the workspace as it is now. */
export interface WorkspaceStatePort {
  instructions(): readonly {readonly path: string; readonly text: string}[];
  /** Those of the folders between `directory` and the file `path` below it, the nearest last; both absolute. */
  instructionsBelow(directory: string, path: string): readonly {readonly path: string; readonly text: string}[];
  /** The commands that run beside the conversation, a line each. */
  runningCommands(): readonly string[];
  /** Fingerprints of the content of the files, in their order. */
  fingerprints(paths: readonly string[], signal: AbortSignal): Promise<readonly Fingerprint[]>;
}

/** Watches how much memory weft itself takes. */
export interface MemoryPort {
  /** Asked before each turn: a warning for the user where weft's memory comes near its bound, otherwise empty. Near it, caches are dropped. */
  warning(): string;
}

/** Where plans are kept. Both reject where that is not possible. */
export interface PlanStorePort {
  add(plan: Plan): Promise<void>;
  change(
    id: PlanId,
    work: (plan: Plan) => Outcome<Plan, PlanConflict>,
  ): Promise<Outcome<Plan, PlanConflict | 'unknown'>>;
}

/** What the host has to tell the user besides what comes of prompts, such as a server that does not start. */
export interface NoticesPort {
  /** `listener` hears each, one line, also those from before. Called once. */
  listen(listener: (text: string) => void): void;
}

export interface SecretsPort {
  /** Puts stable placeholders in the place of secrets. */
  readonly redact: (text: string) => string;
  /** Does so in all texts of a value. */
  readonly redactDeep: <T>(value: T) => T;
}

export interface AgentKindsPort {
  /** Settles when `list` is complete: files have been read. */
  ready(signal: AbortSignal): Promise<void>;
  /** The same value while nothing changed. */
  list(): readonly AgentKind[];
}

export const noAgentKinds: AgentKindsPort = {ready: async () => {}, list: () => []};

export interface SessionsPort {
  create(details: {readonly directory: string; readonly model: string}): OpenSession;
  /** The session of a sub-agent: it is in no list, and goes with that of its parent. */
  createBelow(
    parent: SessionId,
    details: {readonly directory: string; readonly model: string; readonly title: string},
  ): OpenSession;
  resume(id: SessionId): Outcome<OpenSession, Fault>;
  /** The titles of the other sessions of the same folder that may have changed files while these prompts of a session ran. */
  alongside(id: SessionId, prompts: readonly MessageId[]): readonly string[];
}

/** The sub-agents at work, shown to the other processes of the user, which may ask to stop one. Nothing here throws. */
export interface RunningAgentsPort {
  show(agent: Omit<RunningAgent, 'pid'>): void;
  /** It is at work no more. */
  hide(id: SessionId): void;
  /** Those that somebody wants to be stopped. */
  toStop(): readonly SessionId[];
}

export const unseenAgents: RunningAgentsPort = {show: () => {}, hide: () => {}, toStop: () => []};

export interface ClockPort {
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface IdPort {
  message(): MessageId;
  todo(): TodoId;
  plan(): PlanId;
}
