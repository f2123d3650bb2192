import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {randomBytes} from 'node:crypto';
import {join, resolve} from 'node:path';
import * as z from 'zod/mini';
import {tryOr} from '../../../base/outcome.ts';
import {changeKinds} from '../../../domain/change-set.ts';
import {forceRemove} from '../session.ts';
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
 * Writes a set into its own private folder, and moves the upper folders there from the session's folder. If they are on
 * another file system, `copy` copies the files, and `beside` moves the folders to the parent of the session's folder.
 * Returns the stored set.
 */
export function storeSet(set: HeldSet, folder: string, otherFileSystems: 'copy' | 'beside'): HeldSet {
  mkdirSync(folder, {recursive: true, mode: 0o700});
  const device = statSync(folder).dev;
  const isNear = (upper: string): boolean => statSync(upper).dev === device;
  const layers = set.layers.map(({lower, upper}, index) => {
    if (isNear(upper) || otherFileSystems === 'copy') return {lower, upper: String(index)};
    return {lower, upper: upper.replace(inSession, `$1/weft-changes-${randomBytes(6).toString('hex')}`)};
  });
  const stored = {...set, layers};
  const placed = resolveLayers(stored, folder);
  const fresh = join(folder, `${setFile}.new`);
  writeFileSync(fresh, JSON.stringify(stored), {mode: 0o600});
  renameSync(fresh, join(folder, setFile));
  for (const [index, {upper}] of placed.layers.entries()) {
    const from = set.layers[index]?.upper ?? '';
    if (isNear(from) || otherFileSystems === 'beside') renameSync(from, upper);
    else copyFiles(set, index, upper);
  }
  return placed;
}

/** Resolves the upper folders. A folder inside the set's folder is stored by its name alone, because the set's folder may be renamed. */
const resolveLayers = (set: HeldSet, folder: string): HeldSet => ({
  ...set,
  layers: set.layers.map(({lower, upper}) => ({lower, upper: resolve(folder, upper)})),
});

/** The upper folder of a session, and a folder beside the session's. */
const inSession = /^(.*)\/weft-sandbox-[^/]+\/.*$/su;
const besidePattern = /\/weft-changes-[0-9a-f]{12}$/u;

/** Returns a stored set; `undefined` if there is none, or if weft was killed while storing it. */
export function loadSet(folder: string): HeldSet | undefined {
  const set = parseSet(folder);
  return set?.layers.every(({upper}) => existsSync(upper)) === true ? set : undefined;
}

const parseSet = (folder: string): HeldSet | undefined =>
  tryOr(
    () => resolveLayers(storedSet.parse(JSON.parse(readFileSync(join(folder, setFile), 'utf8'))), folder),
    undefined,
  );

/** Removes a stored set and all its files. Never rejects. */
export async function removeStored(folder: string): Promise<void> {
  const set = parseSet(folder);
  await forceRemove(folder);
  for (const {upper} of set?.layers ?? []) if (besidePattern.test(upper)) await forceRemove(upper);
}

/** Copies the files of one layer. The set itself describes everything else. */
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

/** The maximum number of kept change sets, and the longest time to keep them, in milliseconds. */
const maxKept = 20;
const maxMs = 7 * 24 * 60 * 60 * 1000;

const idPattern = /^[0-9a-f]{8}$/u;

const keptIn = (folder: string): string => join(folder, 'kept');

/** Keeps a set under a new ID and moves its upper folders. Removes the oldest sets. */
export async function keepSet(set: HeldSet, folder: string): Promise<string> {
  const id = randomBytes(4).toString('hex');
  try {
    storeSet(set, join(keptIn(folder), id), 'copy');
  } catch (cause) {
    // Remove the part of a set that a full disk leaves.
    await removeStored(join(keptIn(folder), id));
    throw cause;
  }
  const excess = keptSets(folder).slice(maxKept);
  const old = entriesIn(folder).filter(({at}) => Date.now() - at > maxMs);
  await Promise.all([...excess, ...old].map(async each => removeStored(join(keptIn(folder), each.id))));
  return id;
}

interface Kept {
  readonly id: string;
  /** When the set was kept, in milliseconds since the epoch. */
  readonly at: number;
}

/** Lists the kept sets, the newest first. */
export const keptSets = (folder: string): readonly Kept[] => entriesIn(folder).filter(({id}) => idPattern.test(id));

/** Lists the sets and the marks of applied ones. */
const entriesIn = (folder: string): readonly Kept[] =>
  tryOr(() => readdirSync(keptIn(folder)), [])
    .map(id => ({id, at: statSync(join(keptIn(folder), id), {throwIfNoEntry: false})?.mtimeMs ?? 0}))
    .toSorted((a, b) => b.at - a.at);

/** Returns the kept set with this ID; `undefined` if there is none. */
export const loadKept = (id: string, folder: string): HeldSet | undefined =>
  idPattern.test(id) ? loadSet(join(keptIn(folder), id)) : undefined;

/** Removes a kept set after its apply, and leaves a mark. */
export async function removeAppliedSet(id: string, folder: string): Promise<void> {
  if (!idPattern.test(id)) return;
  await removeStored(join(keptIn(folder), id));
  writeFileSync(appliedMark(id, folder), '', {mode: 0o600});
}

/** Whether the set with this ID was applied. */
export const wasApplied = (id: string, folder: string): boolean =>
  idPattern.test(id) && existsSync(appliedMark(id, folder));

const appliedMark = (id: string, folder: string): string => join(keptIn(folder), `${id}.applied`);
