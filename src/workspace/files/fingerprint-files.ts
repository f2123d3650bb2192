import {createHash} from 'node:crypto';
import {openRegular} from './open-regular.ts';

/** What is in a file; `unreadable` where there is something that is no readable file. */
export type FileFingerprint =
  | {readonly path: string; readonly kind: 'file'; readonly sha256: string}
  | {readonly path: string; readonly kind: 'absent' | 'unreadable'};

/** The SHA-256 of files, one after the other. Never throws; after an abort what is left counts as unreadable. */
export async function fingerprintFiles(
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly FileFingerprint[]> {
  const prints: FileFingerprint[] = [];
  for (const path of paths) prints.push(signal.aborted ? {path, kind: 'unreadable'} : await fingerprint(path, signal));
  return prints;
}

async function fingerprint(path: string, signal: AbortSignal): Promise<FileFingerprint> {
  const found = await openRegular(path);
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
