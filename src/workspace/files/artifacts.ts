import {createHash} from 'node:crypto';
import {mkdir, readdir, realpath, rename, rm, writeFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import type {ArtifactKey, ArtifactsPort, ArtifactUrl} from '../../actions/artifacts-port.ts';
import {failed, ok} from '../../base/outcome.ts';
import {causeText, rejected} from '../../domain/fault.ts';
import {isTemporaryName, temporaryName} from './folder-handle.ts';
import {openRegular} from './regular-files.ts';

const maxBytes = 20 * 1024 * 1024;

/** Returns the folder of a session's artifacts, which is deleted with the session. */
export const artifactFolder = (folder: string, session: string): string => join(folder, session);

/**
 * Keeps artifacts below `folder` as SESSION/SHA256/NAME, readable only by the user. Refuses a file for which `holdsSecrets` is true: a copy
 * would stay after the original is cleaned up.
 */
export const makeArtifacts = ({
  folder,
  holdsSecrets,
  urlOf,
}: {
  readonly folder: string;
  readonly holdsSecrets: (text: string) => boolean;
  readonly urlOf: ArtifactUrl;
}): ArtifactsPort => ({
  async keep({session, path}, signal) {
    const found = await openRegular(path);
    if (found.kind === 'missing') return failed(rejected(`${path}: there is no such file.`));
    if (found.kind !== 'file') {
      return failed(rejected(`Can't keep ${path}: ${found.kind === 'directory' ? 'it is a folder' : found.reason}.`));
    }
    await using handle = found.handle;
    try {
      const {size} = found.stats;
      if (size > maxBytes) {
        return failed(rejected(`Can't keep ${path}: it has ${size} bytes, the limit is ${maxBytes}.`));
      }
      const bytes = await handle.readFile({signal});
      if (bytes.length > maxBytes) return failed(rejected(`Can't keep ${path}: it grew while weft was reading it.`));
      if (holdsSecrets(bytes.toString('utf8'))) {
        return failed(rejected(`Can't keep ${path}: it contains secrets. Upload a copy without them.`));
      }
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const name = basename(path);
      const target = join(artifactFolder(folder, session), sha256);
      await mkdir(target, {recursive: true, mode: 0o700});
      // The copy is written under a temporary name, so that a reader never finds an incomplete file.
      const draft = join(target, temporaryName());
      try {
        await writeFile(draft, bytes, {mode: 0o600, flag: 'wx', signal});
        await rename(draft, join(target, name));
      } catch (cause) {
        await rm(draft, {force: true});
        throw cause;
      }
      return ok({name, sha256, bytes: bytes.length, path: join(target, name), url: urlOf({session, sha256})});
    } catch (cause) {
      return failed(rejected(`Can't keep ${path}: ${causeText(cause)}`));
    }
  },
});

/**
 * Returns an artifact's content with the first of its names, or `undefined` if there is none. A link, a file that is too large and a file
 * with another hash count as none.
 */
export async function readArtifact(
  folder: string,
  {session, sha256}: ArtifactKey,
  signal: AbortSignal,
): Promise<{readonly name: string; readonly bytes: Uint8Array<ArrayBuffer>} | undefined> {
  if (!/^[0-9a-f]{64}$/u.test(sha256)) return undefined;
  try {
    const target = join(artifactFolder(await realpath(folder), session), sha256);
    const names = (await readdir(target)).filter(name => !isTemporaryName(name)).toSorted();
    const [name] = names;
    if (name === undefined) return undefined;
    const found = await openRegular(join(target, name));
    if (found.kind !== 'file') return undefined;
    await using handle = found.handle;
    if (found.stats.size > maxBytes) return undefined;
    const bytes = await handle.readFile({signal});
    return createHash('sha256').update(bytes).digest('hex') === sha256 ? {name, bytes} : undefined;
  } catch {
    return undefined;
  }
}
