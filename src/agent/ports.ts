import type {RunningAgent} from '../domain/sub-agent.ts';
import type {Action} from '../actions/catalogue.ts';
import type {CommandsPort} from '../actions/commands-port.ts';
import type {Fingerprint} from '../actions/files-port.ts';
import type {Access} from '../domain/access.ts';
import type {ActionPorts, ImpactPort} from '../actions/ports.ts';
import type {ComputerPort} from '../actions/computer-port.ts';
import type {ArtifactsPort} from '../actions/artifacts-port.ts';
import type {WorktreesPort} from '../actions/worktrees-port.ts';
import type {ComparisonPort, ReviewSourcePort} from '../actions/review-port.ts';
import type {Outcome} from '../base/outcome.ts';
import type {ChangeExtent, ChangesDuring, CheckpointsPort} from '../domain/checkpoint.ts';
import type {RepositoryState} from '../domain/disk.ts';
import type {Fault} from '../domain/fault.ts';
import type {MessageId, PlanId, SessionId, TodoId} from '../domain/ids.ts';
import type {OpenSession} from '../domain/journal.ts';
import type {ModelPort} from '../domain/model-stream.ts';
import type {Plan, PlanConflict} from '../domain/plan.ts';
import type {FoundCheck} from '../domain/receipt.ts';
import type {Executor, Judged} from '../domain/executor.ts';
import type {PermissionMode, RuleChange} from '../domain/risk.ts';
import type {Proof, SandboxChoice} from '../domain/sandbox.ts';
import type {HarnessesPort} from '../actions/harness-port.ts';
import type {HooksPort} from '../actions/hooks-port.ts';
import type {AgentKind} from './sub-agents/agent-kind.ts';

/** Everything the engine needs from outside. Tests provide it in memory. */
export interface AgentPorts {
  readonly model: ModelPort;
  readonly judge: JudgePort;
  readonly hooks: HooksPort;
  readonly commands: CommandsPort;
  readonly sessions: SessionsPort;
  /** Ends the sessions of this workspace whose process was killed. Call it before one of them is opened. */
  readonly endKilledSessions?: (() => Promise<void>) | undefined;
  readonly harnesses: HarnessesPort;
  readonly agentKinds: AgentKindsPort;
  /** The machine. The engine itself provides todos and questions. */
  readonly machine: Pick<
    ActionPorts,
    'shell' | 'files' | 'search' | 'blocks' | 'mcp' | 'web' | 'skills' | 'conversations'
  >;
  /**
   * Returns the same machine for another agent. It has its own shell, because commands are judged by the shell's
   * directory. It counts which files this agent has read, so that the agent overwrites nothing it has not seen. With
   * `in`, that folder is its whole workspace. Permissions of its prompt apply to it and to machines made from it.
   */
  separateMachine(place: {readonly in: string} | 'same'): SeparateMachine;
  readonly worktrees: WorktreesPort;
  readonly runningAgents: RunningAgentsPort;
  readonly impact: ImpactPort;
  readonly checkpoints: CheckpointsPort;
  readonly comparison: ComparisonPort;
  readonly workspaceState: WorkspaceStatePort;
  readonly environment: EnvironmentPort;
  readonly memory: MemoryPort;
  readonly notices: NoticesPort;
  readonly artifacts: ArtifactsPort;
  readonly plans: PlanStorePort;
  readonly computer: ComputerPort;
  /** Reads the changes for a code review, with placeholders for secrets. */
  readonly reviewSource: ReviewSourcePort;
  /** Replaces a text that occurs exactly once in another one, found as in files. The error is for the model. */
  readonly replaceText: (
    text: string,
    replacement: {readonly oldText: string; readonly newText: string},
  ) => Promise<Outcome<string, string>>;
  /** Saves a text in a file that the model can read. Returns its path; `undefined` if that fails. */
  readonly saveText: (text: string) => Promise<string | undefined>;
  readonly secrets: SecretsPort;
  readonly clock: ClockPort;
  readonly ids: IdPort;
}

/** The machine of one agent among several. */
export interface SeparateMachine extends Pick<AgentPorts, 'machine' | 'judge' | 'separateMachine'> {
  /** Stops what runs in its own folder. It can be used again afterwards. */
  stop(): Promise<void>;
  /** Stores the state of the files in the machine's own folder, for a step of a call. Missing in the folder of the parent. */
  readonly takeStep?: CheckpointsPort['take'];
}

export interface JudgePort {
  /** Returns the verdict: the stricter of the model's claims and the host's own finding, after rules and mode. */
  assess<Means>(
    action: Action,
    by: {
      readonly executor: Executor<Means>;
      readonly mode: PermissionMode;
      /** Returns what the user wrote in the session, which is never text from outside. */
      readonly said: () => readonly string[];
    },
    signal: AbortSignal,
  ): Promise<Judged<Means>>;
  /** Remembers what of a result comes from outside: pages, results of MCP servers, files of others. Never throws. */
  learn(access: Access, text: string, directory: string, since?: number): Promise<void>;
  /** Returns the paths that a command in a folder may change if they are certain. */
  writes(command: string, directory: string): Promise<ChangeExtent>;
  /** Returns the checks that a command in a folder runs, such as tests. */
  checksIn(command: string, directory: string): Promise<readonly FoundCheck[]>;
  /** Returns why a zero exit code of a command says nothing about a part of it. */
  hidingIn(command: string): Promise<FoundCheck['zero']>;
  /** Returns the parts of a command that may run a check, without such as `echo npm test`. */
  ranIn(command: string): Promise<string>;
  deniesAnything(): boolean;
  /** The proof of what the sandbox blocks. `unknown` before its first use, and if none is to be used. */
  sandbox(): Proof | 'unknown';
  /** `offered`: if a command fails in the sandbox, weft asks whether to run it again outside. */
  readonly unsandboxedRetry: 'offered' | 'never';
  /** Changes the rules from the next action on. A failure says why something is not a rule or could not be stored. */
  changeRules(change: RuleChange): Promise<Outcome<undefined, Fault>>;
}

/** The current state of the workspace, which a compaction describes to the model. */
export interface WorkspaceStatePort {
  instructions(): readonly {readonly path: string; readonly text: string}[];
  /** Returns the instructions of folders between `directory` and the file `path` below it, nearest last. Both paths are absolute. */
  instructionsBelow(directory: string, path: string): readonly {readonly path: string; readonly text: string}[];
  /** Returns the commands that run alongside the conversation. `text` describes one in a line. */
  runningCommands(): readonly {readonly block: string; readonly text: string}[];
  /** Returns the text of a file; `undefined` if it is not a readable regular file, or too large. The path is absolute. */
  text(path: string, signal: AbortSignal): Promise<string | undefined>;
  /** Returns fingerprints of the files, in the same order. */
  fingerprints(paths: readonly string[], signal: AbortSignal): Promise<readonly Fingerprint[]>;
}

/** The environment that the model learns about. */
export interface EnvironmentPort {
  /** Returns the names of the operating system and of the shell that runs commands. */
  machine(): {readonly platform: string; readonly shell: string};
  /** Returns the user's date with the time zone. */
  date(): string;
  /** The sandbox that the user chose. */
  readonly sandbox: SandboxChoice;
  /** Returns the branch or commit that git has checked out, or an empty text outside a repository. Starts no process. */
  branch(directory: string): string;
  /** Returns `undefined` outside a repository. */
  repository(directory: string, signal: AbortSignal): Promise<RepositoryState | undefined>;
}

/** Watches weft's own memory use. */
export interface MemoryPort {
  /** Called before each turn. Returns a warning for the user if memory is near its limit, otherwise empty. Near the limit, drops caches. */
  warning(): string;
}

/** Stores plans. Both methods reject if this fails. */
export interface PlanStorePort {
  add(plan: Plan): Promise<void>;
  change(
    id: PlanId,
    work: (plan: Plan) => Outcome<Plan, PlanConflict>,
  ): Promise<Outcome<Plan, PlanConflict | 'unknown'>>;
}

/** Messages of the host to the user apart from prompts, such as a server that does not start. */
export interface NoticesPort {
  /** Calls `listener` with each message, one line, including earlier ones. Called once. */
  listen(listener: (text: string) => void): void;
}

export interface SecretsPort {
  /** Replaces secrets by stable placeholders. */
  readonly redact: (text: string) => string;
  /** Redacts all texts of a value. */
  readonly redactDeep: <T>(value: T) => T;
}

export interface AgentKindsPort {
  /** Settles when `list` is complete, after all files are read. */
  ready(signal: AbortSignal): Promise<void>;
  /** Returns the same value until something changes. */
  list(): readonly AgentKind[];
  /** Returns why the kind in a file is not offered, as a sentence. Empty if there is no such file. */
  whyWithheld(name: string): string;
}

export const noopAgentKinds: AgentKindsPort = {ready: async () => {}, list: () => [], whyWithheld: () => ''};

export interface SessionsPort {
  create(details: {readonly directory: string; readonly model: string}): OpenSession;
  /** Creates the session of a sub-agent, which is in no list and is deleted with its parent's. */
  createSubSession(
    parent: SessionId,
    details: {readonly directory: string; readonly model: string; readonly title: string},
  ): OpenSession;
  resume(id: SessionId): Outcome<OpenSession, Fault>;
  /** Opens a copy of a session, with a title of its own. */
  branch(id: SessionId): Outcome<OpenSession, Fault>;
  /** Returns, for each change of files by these prompts, those of other sessions in the same, an outer or an inner folder at that time. */
  changesAlongside(id: SessionId, prompts: readonly MessageId[]): readonly ChangesDuring[];
}

/** Shows the running sub-agents to the user's other processes, which may ask to stop one. Never throws. */
export interface RunningAgentsPort {
  show(agent: Omit<RunningAgent, 'pid'>): void;
  /** Removes a sub-agent that no longer runs. */
  hide(id: SessionId): void;
  /** Returns the sub-agents that another process wants to stop. */
  stopRequests(): readonly SessionId[];
}

export const noopRunningAgents: RunningAgentsPort = {show: () => {}, hide: () => {}, stopRequests: () => []};

export interface ClockPort {
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface IdPort {
  message(): MessageId;
  todo(): TodoId;
  plan(): PlanId;
}
