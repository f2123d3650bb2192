import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import type {SessionId} from '../domain/ids.ts';

/** Files that are kept with a session as they are, named after their content. */
export interface ArtifactsPort {
  /**
   * Keeps a copy of the file at `path`, an absolute path with all links resolved. A file that is too large, that holds secrets, or that
   * is no regular file is a fault. The same content under the same name is kept once.
   */
  keep(
    request: {readonly session: SessionId; readonly path: string},
    signal: AbortSignal,
  ): Promise<Outcome<Artifact, Fault>>;
}

/** What names an artifact: its session, and the hash of its content in lower hex. */
export interface ArtifactKey {
  readonly session: SessionId;
  readonly sha256: string;
}

/** Where a server gives artifacts out; empty where there is none. */
export type ArtifactUrl = (artifact: ArtifactKey) => string;

export interface Artifact {
  /** Of the file, without its folders. */
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Where the copy lies. */
  readonly path: string;
  /** Where the server that runs the session gives it out; empty where none does. */
  readonly url: string;
}

export interface SessionArtifacts {
  keep(path: string, signal: AbortSignal): Promise<Outcome<Artifact, Fault>>;
}
