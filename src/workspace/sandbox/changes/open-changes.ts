import type {HeldChanges} from '../../../actions/changes-port.ts';
import {failed, ok, type Outcome} from '../../../base/outcome.ts';
import type {Change} from '../../../domain/change-set.ts';
import {causeText} from '../../../domain/fault.ts';
import type {CommandView} from '../sandbox.ts';
import {classify} from './classify.ts';
import {diffOf} from './diffs.ts';
import type {ChangesPlace, HeldEntry, HeldSet} from './held-set.ts';
import {applyWithJournal} from './journal.ts';
import {keepSet, loadKept, wasApplied} from './kept-sets.ts';
import {type LayerEntry, LayerScan} from './scan-layer.ts';

/**
 * Reads the changes that a command has left in its view, when nothing of the command runs any more. The view must stay until the last
 * change is applied. A failure says why the changes cannot be read; a signal that aborts makes it reject.
 */
export async function openHeldChanges(
  {layers}: Pick<CommandView, 'layers'>,
  place: ChangesPlace,
  signal: AbortSignal,
): Promise<Outcome<HeldChanges, string>> {
  try {
    return ok(holdSet(await readSet(layers, place, signal), place.folder));
  } catch (cause) {
    signal.throwIfAborted();
    return failed(causeText(cause));
  }
}

/**
 * Opens the changes that were kept under an ID, and names the folders that they belong to. A failure says why they cannot be applied.
 * `retireKept` removes them once they are.
 */
export function openKept(
  id: string,
  folder: string,
): Outcome<{readonly held: HeldChanges; readonly roots: readonly string[]}, string> {
  const set = loadKept(id, folder);
  if (set !== undefined) return ok({held: holdSet(set, folder), roots: set.layers.map(({lower}) => lower)});
  return failed(
    wasApplied(id, folder)
      ? `the changes ${id} were already applied`
      : `there are no kept changes with the ID ${id}; weft sandbox run --dry keeps changes for a week and prints their ID`,
  );
}

/** Reads the layers and sorts what has changed. */
async function readSet(layers: CommandView['layers'], place: ChangesPlace, signal: AbortSignal): Promise<HeldSet> {
  const scans = layers.map(layer => new LayerScan(layer, signal));
  const sort = async (found: readonly (readonly LayerEntry[])[]): Promise<readonly HeldEntry[]> => {
    const entries = found.flatMap((each, layer) => each.map(entry => ({...entry, layer})));
    return entries.length === 0 ? [] : classify(entries, {layers, place, signal});
  };
  const walked = await Promise.all(scans.map(async scan => scan.walk()));
  // Git and the kernel work at the same time.
  const settled = Promise.all(scans.map(async scan => scan.settle()));
  const entries = (await Promise.all([sort(walked), settled.then(sort)])).flat();
  const ofLayers = <T>(pick: (scan: LayerScan) => readonly T[]): readonly (T & {readonly layer: number})[] =>
    scans.flatMap((scan, layer) => pick(scan).map(one => ({...one, layer})));
  return {
    layers: layers.map(({lower, upper}) => ({lower, upper})),
    entries: entries.toSorted((a, b) => byPath(a.change, b.change)),
    newFolders: ofLayers(scan => scan.newFolders),
    lockedFolders: ofLayers(scan => scan.lockedFolders),
    goneFolders: ofLayers(scan => scan.goneFolders.map(at => ({at}))),
  };
}

/** Gives access to a set whose upper folders lie on the disk. */
function holdSet(set: HeldSet, folder: string): HeldChanges {
  const known = new Map<string, readonly HeldEntry[]>();
  for (const entry of set.entries) known.set(entry.change.path, [...(known.get(entry.change.path) ?? []), entry]);
  const entriesOf = (paths: readonly string[]): readonly HeldEntry[] =>
    [...new Set(paths)].flatMap(path => known.get(path) ?? []);
  const settled = new Set<HeldEntry>();
  return {
    changes: set.entries.map(({change}) => change),
    async diffs(paths, signal) {
      const diffs = [];
      // oxlint-disable-next-line no-await-in-loop -- one file after the other bounds what is in memory
      for (const entry of entriesOf(paths)) diffs.push(await diffOf(entry, set, signal));
      return diffs;
    },
    async keep() {
      try {
        return ok(await keepSet(set, folder));
      } catch (cause) {
        return failed(causeText(cause));
      }
    },
    async apply(paths, how, signal) {
      const chosen = entriesOf(paths).filter(entry => !settled.has(entry));
      const free = chosen.filter(({change}) => change.class !== 'protected');
      const applied = await applyWithJournal(free, set, {folder, how, signal});
      const byChange = new Map(free.map(entry => [entry.change, entry]));
      for (const change of applied.applied) {
        const entry = byChange.get(change);
        if (entry !== undefined) settled.add(entry);
      }
      const guarded = chosen.flatMap(({change}) =>
        change.class === 'protected' ? [{change, why: 'protected' as const}] : [],
      );
      const dropped = [...applied.dropped, ...guarded].toSorted((a, b) => byPath(a.change, b.change));
      return {applied: applied.applied, dropped};
    },
  };
}

const byPath = (a: Change, b: Change): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
