import type {Effort} from '../domain/model-stream.ts';
import type {ArtifactKey} from '../actions/artifacts-port.ts';
import type {FrontEndAbilities} from '../actions/front-end.ts';
import type {AgentClient} from '../agent/client.ts';
import type {Outcome} from '../base/outcome.ts';
import type {EndConditions} from '../domain/goal.ts';
import type {SessionId} from '../domain/ids.ts';
import type {SessionFilter, SessionSummary} from '../domain/journal.ts';
import type {PermissionMode} from '../domain/risk.ts';
import type {ProviderName} from '../domain/sandbox.ts';

/** The agent's sessions, for work that runs without a terminal. */
export interface AgentPort {
  /** Opens an engine for a session. The error is for the requester. */
  open(request: OpenRequest): Promise<Outcome<AgentClient, {readonly status: 400 | 404 | 409; readonly error: string}>>;
  /** Returns the sessions, newest first. */
  sessions(filter?: SessionFilter): Promise<readonly SessionSummary[]>;
  /** Returns the conversation as messages of the Agent SDK, oldest first. */
  messages(session: SessionId): Promise<readonly object[] | 'unknown'>;
  /** Returns a file kept with a session, or `undefined` if there is none. */
  artifact(
    artifact: ArtifactKey,
    signal: AbortSignal,
  ): Promise<{readonly name: string; readonly bytes: Uint8Array<ArrayBuffer>} | undefined>;
}

export interface OpenRequest {
  /** A new session may already have its id. */
  readonly session: SessionId | 'new' | {readonly new: SessionId};
  /** An absolute folder. Defaults to the session's own, or the server's. */
  readonly workDir: string | undefined;
  readonly model: ModelConfig;
  readonly conditions?: EndConditions | undefined;
  /**
   * `terminal`: prompts come from an attached terminal. `plan`: nothing may change, and the user is asked nothing. A scheduled prompt has
   * its own permission mode, at most the user's. An execution may name the sandbox's backend and a folder with skills; empty if not.
   */
  readonly work:
    | {readonly kind: 'prompt' | 'plan'}
    | {readonly kind: 'terminal'; readonly frontEnd: FrontEndAbilities}
    | {readonly kind: 'scheduled'; readonly mode: PermissionMode}
    | {readonly kind: 'execution'; readonly sandbox: ProviderName | 'of-settings'; readonly skills: string};
}

/** The key is used for this prompt and stored nowhere. */
export interface ModelConfig {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly model: string | undefined;
  readonly effort?: Effort | undefined;
}

/** A model configuration that leaves everything to the folder's settings. */
export const emptyModelConfig: ModelConfig = {apiKey: undefined, baseUrl: undefined, model: undefined};
