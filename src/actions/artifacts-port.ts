import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {SessionId} from '../domain/ids.ts';

/** Unchanged copies of files, kept with a session and named after their content. */
export interface ArtifactsPort {
  /**
   * Keeps a copy of the file at `path`, an absolute path with all links resolved. Fails if the file is too large, holds secrets or
   * is not a regular file. Keeps the same content under the same name only once.
   */
  keep(
    request: {readonly session: SessionId; readonly path: string},
    signal: AbortSignal,
  ): Promise<Outcome<Artifact, Fault>>;
}

/** Identifies an artifact by its session and the SHA-256 of its content in lower-case hex. */
export interface ArtifactKey {
  readonly session: SessionId;
  readonly sha256: string;
}

/** Returns the address at which a server offers the artifact. Empty if no server does. */
export type ArtifactUrl = (artifact: ArtifactKey) => string;

export interface Artifact {
  /** The file name, without its folders. */
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly path: string;
  /** The address at which the server that runs the session offers the artifact. Empty if there is none. */
  readonly url: string;
}

export interface SessionArtifacts {
  keep(path: string, signal: AbortSignal): Promise<Outcome<Artifact, Fault>>;
}
