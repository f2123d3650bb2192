import type {ArtifactKey} from '../actions/artifacts-port.ts';
import type {FrontEndAbilities} from '../actions/front-end.ts';
import type {AgentClient} from '../agent/client.ts';
import type {Outcome} from '../base/outcome.ts';
import type {SessionId} from '../domain/ids.ts';
import type {SessionSummary} from '../domain/journal.ts';
import type {PermissionMode} from '../domain/risk.ts';
import type {ProviderName} from '../domain/sandbox.ts';

/** Sessions of the agent, as what runs without a terminal needs them. */
export interface AgentPort {
  /** Opens an engine for a session. The error is for the one who asked. */
  open(request: OpenRequest): Promise<Outcome<AgentClient, {readonly status: 400 | 404 | 409; readonly error: string}>>;
  /** Newest first. */
  sessions(): Promise<readonly SessionSummary[]>;
  /** The conversation, as messages of the Agent SDK, oldest first. */
  messages(session: SessionId): Promise<readonly object[] | 'unknown'>;
  /** A file that is kept with a session; `undefined` for none. */
  artifact(
    artifact: ArtifactKey,
    signal: AbortSignal,
  ): Promise<{readonly name: string; readonly bytes: Uint8Array<ArrayBuffer>} | undefined>;
}

export interface OpenRequest {
  /** A new one may have its id already. */
  readonly session: SessionId | 'new' | {readonly new: SessionId};
  /** An absolute folder; the session's own, or the server's, where it is not named. */
  readonly workDir: string | undefined;
  readonly model: ModelConfig;
  /** `terminal`: prompts come from a terminal that is attached. `plan`: nothing may change, and nobody is asked. A scheduled prompt has a mode of its own, the user's at most. An execution may name the backend of the sandbox, and a folder with skills; empty where it does not. */
  readonly work:
    | {readonly kind: 'prompt' | 'plan'}
    | {readonly kind: 'terminal'; readonly frontEnd: FrontEndAbilities}
    | {readonly kind: 'scheduled'; readonly mode: PermissionMode}
    | {readonly kind: 'execution'; readonly sandbox: ProviderName | 'of-settings'; readonly skills: string};
}

/** The key is used for this prompt and kept nowhere. */
export interface ModelConfig {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly model: string | undefined;
}

/** What the settings of the folder say. */
export const ownModel: ModelConfig = {apiKey: undefined, baseUrl: undefined, model: undefined};
