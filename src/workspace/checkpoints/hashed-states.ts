import {createHash, hash} from 'node:crypto';
import {closeSync, fstatSync, readSync} from 'node:fs';
import type {ComparisonPort} from '../../actions/review-port.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {openDatabases} from '../../config/open-databases.ts';
import {treeId} from '../../domain/checkpoint.ts';
import {type Fault, thrownFault} from '../../domain/fault.ts';
import {openExactPath} from '../files/regular-files.ts';
import {outermost, realPath} from '../files/resolve-path.ts';
import {worktreesFolder} from '../worktrees/worktree-record.ts';
import {emptyTable} from './folder-table.ts';
import {gitBlobName} from './git-blobs.ts';
import type {CheckpointOptions} from './make-checkpoints.ts';
import {scanWorkspace} from './scan-workspace.ts';
import {makeTreeReader} from './tree.ts';
import {areUnchanged} from './unchanged-files.ts';

/** Holds hashes of the files at some moments in memory, for receipts of sessions that are not saved. It writes nothing. */
export function hashedStates(
  options: Omit<CheckpointOptions, 'folder'>,
): Pick<ComparisonPort, 'stateNow' | 'unchangedSince'> {
  const {environment, now} = options;
  const roots = outermost(options.roots.map(realPath));
  const trees = new Map<string, Buffer>();
  const objects = {
    put(bytes: Uint8Array | string): string {
      const name = hash('sha256', bytes, 'hex');
      trees.set(name, Buffer.from(bytes));
      return name;
    },
    putFile: blobNameAt,
    get: (name: string) => trees.get(name),
    addRepository: () => {},
  };
  const reader = makeTreeReader(objects);
  let table = emptyTable;
  const scan = async (signal: AbortSignal): Promise<string> => {
    const excluded = new Set([...roots.map(worktreesFolder), ...openDatabases()]);
    const scanned = await scanWorkspace(
      {roots, excluded, objects, environment},
      {table, changed: 'unknown', now},
      signal,
    );
    ({table} = scanned);
    return scanned.tree;
  };
  return {
    stateNow: signal => orFault(async () => treeId(await scan(signal))),
    unchangedSince: (receipts, state, signal) =>
      orFault(async () => {
        const tree = state === 'now' ? await scan(signal) : state;
        return areUnchanged(receipts, {now: tree, reader, objects, roots, environment}, signal);
      }),
  };
}

async function orFault<T>(work: () => Promise<T>): Promise<Outcome<T, Fault>> {
  try {
    return ok(await work());
  } catch (cause) {
    return failed(thrownFault('Could not look at the files', cause));
  }
}

/** Returns the name that git would give to the content of a file. */
function blobNameAt(path: string): string {
  const handle = openExactPath(path);
  try {
    const {size} = fstatSync(handle);
    const sum = createHash('sha1').update(`blob ${String(size)}\0`);
    const buffer = Buffer.allocUnsafe(64 * 1024);
    for (let count = -1; count !== 0;) {
      count = readSync(handle, buffer, 0, buffer.length, -1);
      sum.update(buffer.subarray(0, count));
    }
    return gitBlobName({blob: sum.digest('hex'), size});
  } finally {
    closeSync(handle);
  }
}
