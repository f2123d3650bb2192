import type {Action} from '../actions/catalogue.ts';
import type {ActionPorts} from '../actions/ports.ts';
import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {MessageId, SessionId, TodoId} from '../domain/ids.ts';
import type {OpenSession} from '../domain/journal.ts';
import type {ModelEvent, ModelFacts, ModelRequest} from '../domain/model-stream.ts';
import type {PermissionMode, Verdict} from '../domain/risk.ts';

/** Everything the engine needs from outside. The tests give it all in memory. */
export interface AgentPorts {
  readonly model: ModelPort;
  readonly judge: JudgePort;
  readonly sessions: SessionsPort;
  /** The machine; the engine itself provides todos and questions. */
  readonly machine: Pick<ActionPorts, 'shell' | 'files' | 'search'>;
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
  assess(action: Action, mode: PermissionMode): Verdict;
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
