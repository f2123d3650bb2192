import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import * as z from 'zod/mini';
import {changeKinds} from '../../../domain/change-set.ts';
import type {HeldSet} from './held-set.ts';
import {folderOf, joinBytes, toBytes, toNative} from './path-bytes.ts';

const node = z.object({
  kind: z.enum(['none', 'file', 'link', 'folder', 'other']),
  mode: z.number(),
  size: z.number(),
  user: z.number(),
  group: z.number(),
  inode: z.string(),
  names: z.number(),
  changedNs: z.string(),
  modifiedNs: z.string(),
});

const changeForm = {path: z.string(), kind: z.enum(changeKinds)};

const storedSet: z.ZodMiniType<HeldSet> = z.object({
  layers: z.array(z.object({lower: z.string(), upper: z.string()})),
  entries: z.array(
    z.object({
      layer: z.number(),
      at: z.string(),
      kind: z.enum(changeKinds),
      was: node,
      is: node,
      target: z.string(),
      changedMeanwhile: z.boolean(),
      change: z.union([
        z.object({...changeForm, class: z.enum(['output', 'file'])}),
        z.object({
          ...changeForm,
          class: z.literal('protected'),
          why: z.enum(['name', 'repository', 'leads-out', 'device', 'setuid']),
        }),
      ]),
    }),
  ),
  newFolders: z.array(z.object({layer: z.number(), at: z.string(), mode: z.number(), modifiedNs: z.string()})),
  lockedFolders: z.array(z.object({layer: z.number(), at: z.string(), mode: z.number()})),
  goneFolders: z.array(z.object({layer: z.number(), at: z.string()})),
});

const setFile = 'set.json';

/**
 * Writes a set into a folder of its own, which only this user can enter, and moves the upper folders there. `copy`: those of another file
 * system are copied; `leave`: they stay where they are. Returns the set as it lies there.
 */
export function storeSet(set: HeldSet, folder: string, otherFileSystems: 'copy' | 'leave'): HeldSet {
  mkdirSync(folder, {recursive: true, mode: 0o700});
  const fresh = join(folder, `${setFile}.new`);
  writeFileSync(fresh, JSON.stringify(set), {mode: 0o600});
  renameSync(fresh, join(folder, setFile));
  for (const [index, {upper}] of set.layers.entries()) {
    try {
      renameSync(upper, join(folder, String(index)));
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'EXDEV')) throw cause;
      if (otherFileSystems === 'copy') copyFiles(set, index, join(folder, String(index)));
    }
  }
  return inFolder(set, folder);
}

/** Returns a set that was stored; `undefined` if there is none, or only a part of one. */
export function loadSet(folder: string): HeldSet | undefined {
  try {
    return inFolder(storedSet.parse(JSON.parse(readFileSync(join(folder, setFile), 'utf8'))), folder);
  } catch {
    return undefined;
  }
}

/** Removes a stored set with all that lies in it. Never rejects. */
export async function removeStored(folder: string): Promise<void> {
  await rm(folder, {recursive: true, force: true}).catch(() => {});
}

/** An upper folder lies in the folder of its set if it was moved there. */
const inFolder = (set: HeldSet, folder: string): HeldSet => ({
  ...set,
  layers: set.layers.map(({lower, upper}, index) => {
    const moved = join(folder, String(index));
    return {lower, upper: existsSync(moved) ? moved : upper};
  }),
});

/** Copies the files of one layer; of all else the set itself tells enough. */
function copyFiles({entries, layers}: HeldSet, layer: number, to: string): void {
  const upper = toBytes(layers[layer]?.upper ?? '');
  mkdirSync(to, {mode: 0o700});
  for (const entry of entries) {
    if (entry.layer !== layer || entry.is.kind !== 'file' || entry.change.class === 'protected') continue;
    const copy = joinBytes(toBytes(to), entry.at);
    mkdirSync(toNative(joinBytes(toBytes(to), folderOf(entry.at))), {recursive: true, mode: 0o700});
    copyFileSync(toNative(joinBytes(upper, entry.at)), toNative(copy), constants.COPYFILE_FICLONE);
    chmodSync(toNative(copy), entry.is.mode);
    const seconds = Number(entry.is.modifiedNs) / 1e9;
    utimesSync(toNative(copy), seconds, seconds);
  }
}
