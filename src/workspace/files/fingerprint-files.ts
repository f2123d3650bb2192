import {createHash} from 'node:crypto';
import type {Fingerprint} from '../../actions/files-port.ts';
import {openRegular} from './open-regular.ts';
import {realPath} from './resolve-path.ts';

/** The SHA-256 of files, one after the other. Never throws; after an abort what is left counts as unreadable. */
export async function fingerprintFiles(paths: readonly string[], signal: AbortSignal): Promise<readonly Fingerprint[]> {
  const prints: Fingerprint[] = [];
  for (const path of paths) prints.push(signal.aborted ? {path, kind: 'unreadable'} : await fingerprint(path, signal));
  return prints;
}

async function fingerprint(path: string, signal: AbortSignal): Promise<Fingerprint> {
  const found = await openRegular(realPath(path));
  if (found.kind !== 'file') return {path, kind: found.kind === 'missing' ? 'absent' : 'unreadable'};
  const {handle} = found;
  try {
    const hash = createHash('sha256');
    for await (const chunk of handle.createReadStream({autoClose: false})) {
      if (signal.aborted) return {path, kind: 'unreadable'};
      hash.update(chunk);
    }
    return {path, kind: 'file', sha256: hash.digest('hex')};
  } catch {
    return {path, kind: 'unreadable'};
  } finally {
    await handle.close();
  }
}
