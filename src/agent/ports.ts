import type {Action} from '../actions/catalogue.ts';
import type {Fingerprint} from '../actions/files-port.ts';
import type {ActionPorts, VictimsPort} from '../actions/ports.ts';
import type {Outcome} from '../base/outcome.ts';
import type {CheckpointsPort} from '../domain/checkpoint.ts';
import type {Fault} from '../domain/fault.ts';
import type {MessageId, SessionId, TodoId} from '../domain/ids.ts';
import type {OpenSession} from '../domain/journal.ts';
import type {ModelEvent, ModelFacts, ModelRequest} from '../domain/model-stream.ts';
import type {PermissionMode, RuleChange, Verdict} from '../domain/risk.ts';
import type {HooksPort} from './hooks-port.ts';

/** Everything the engine needs from outside. The tests give it all in memory. */
export interface AgentPorts {
  readonly model: ModelPort;
  readonly judge: JudgePort;
  readonly hooks: HooksPort;
  readonly sessions: SessionsPort;
  /** The machine; the engine itself provides todos and questions. */
  readonly machine: Pick<ActionPorts, 'shell' | 'files' | 'search' | 'blocks' | 'mcp'>;
  readonly victims: VictimsPort;
  readonly checkpoints: CheckpointsPort;
  readonly present: PresentPort;
  readonly memory: MemoryPort;
  readonly secrets: SecretsPort;
  readonly clock: ClockPort;
  readonly ids: IdPort;
}

export interface ModelPort {
  /** `anthropic`, `openai`, `replay`. */
  readonly provider: string;
  /**
   * Streams one answer, in batches as they arrive. Expected trouble is a `failed` event; retries happen inside. After an
   * abort the iteration ends soon, without throwing.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelEvent[]>;
  facts(model: string): ModelFacts;
}

export interface JudgePort {
  /** The stricter of the model's claims and the host's own finding, after rules and mode. */
  assess(action: Action, mode: PermissionMode, signal: AbortSignal): Promise<Verdict>;
  /** Changes the rules, from the next action on; a failure says why something is no rule or could not be kept. */
  changeRules(change: RuleChange): Promise<Outcome<undefined, Fault>>;
}

/** What is so now, outside the conversation. */
export interface PresentPort {
  /** The standing instructions, read again. */
  instructions(): readonly {readonly path: string; readonly text: string}[];
  /** The commands that run beside the conversation, a line each. */
  running(): readonly string[];
  /** What is in the files, in their order. */
  fingerprints(paths: readonly string[], signal: AbortSignal): Promise<readonly Fingerprint[]>;
}

/** How much memory weft itself takes. */
export interface MemoryPort {
  /** Asked before each turn: a sentence for the user where it comes near its bound, empty otherwise. What can be had again is dropped then. */
  trouble(): string;
}

export interface SecretsPort {
  /** Puts stable placeholders in the place of secrets. */
  readonly conceal: (text: string) => string;
}

export interface SessionsPort {
  create(details: {readonly directory: string; readonly model: string}): OpenSession;
  resume(id: SessionId): Outcome<OpenSession, Fault>;
}

export interface ClockPort {
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface IdPort {
  message(): MessageId;
  todo(): TodoId;
}
