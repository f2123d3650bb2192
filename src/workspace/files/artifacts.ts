import {createHash} from 'node:crypto';
import {mkdir, readdir, realpath, rename, rm, writeFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import type {ArtifactKey, ArtifactsPort, ArtifactUrl} from '../../actions/artifacts-port.ts';
import {failed, ok} from '../../base/outcome.ts';
import {causeText, rejected} from '../../domain/fault.ts';
import {isTemporaryName, temporaryName} from './folder-handle.ts';
import {openRegular} from './regular-files.ts';

const maxBytes = 20 * 1024 * 1024;

/** The folder of a session's artifacts; it goes when the session is deleted. */
export const artifactsOf = (folder: string, session: string): string => join(folder, session);

/**
 * Keeps artifacts below `folder`, each at SESSION/SHA256/NAME, readable by the user alone. `holdsSecrets` looks at the bytes as text:
 * a copy would outlive what the secrets were put into.
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
      return failed(rejected(`${path} is not kept: ${found.kind === 'directory' ? 'it is a folder' : found.reason}.`));
    }
    await using handle = found.handle;
    try {
      const {size} = found.stats;
      if (size > maxBytes) {
        return failed(rejected(`${path} is not kept: it has ${size} bytes, and an artifact at most ${maxBytes}.`));
      }
      const bytes = await handle.readFile({signal});
      if (bytes.length > maxBytes) return failed(rejected(`${path} is not kept: it grows while it is read.`));
      if (holdsSecrets(bytes.toString('utf8'))) {
        return failed(rejected(`${path} is not kept: it holds secrets. Keep a copy without them.`));
      }
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const name = basename(path);
      const place = join(artifactsOf(folder, session), sha256);
      await mkdir(place, {recursive: true, mode: 0o700});
      // A reader never finds half of it.
      const draft = join(place, temporaryName());
      try {
        await writeFile(draft, bytes, {mode: 0o600, flag: 'wx', signal});
        await rename(draft, join(place, name));
      } catch (cause) {
        await rm(draft, {force: true});
        throw cause;
      }
      return ok({name, sha256, bytes: bytes.length, path: join(place, name), url: urlOf({session, sha256})});
    } catch (cause) {
      return failed(rejected(`${path} could not be kept: ${causeText(cause)}`));
    }
  },
});

/**
 * The content of an artifact, with the first of its names; `undefined` for none, and for whatever else lies there: a link, a file that
 * is too large, another content.
 */
export async function readArtifact(
  folder: string,
  {session, sha256}: ArtifactKey,
  signal: AbortSignal,
): Promise<{readonly name: string; readonly bytes: Uint8Array<ArrayBuffer>} | undefined> {
  if (!/^[0-9a-f]{64}$/u.test(sha256)) return undefined;
  try {
    const place = join(artifactsOf(await realpath(folder), session), sha256);
    const names = (await readdir(place)).filter(name => !isTemporaryName(name)).toSorted();
    const [name] = names;
    if (name === undefined) return undefined;
    const found = await openRegular(join(place, name));
    if (found.kind !== 'file') return undefined;
    await using handle = found.handle;
    if (found.stats.size > maxBytes) return undefined;
    const bytes = await handle.readFile({signal});
    return createHash('sha256').update(bytes).digest('hex') === sha256 ? {name, bytes} : undefined;
  } catch {
    return undefined;
  }
}
