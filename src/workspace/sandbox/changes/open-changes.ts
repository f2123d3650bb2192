import {createHash} from 'node:crypto';
import {closeSync, readSync} from 'node:fs';
import type {PendingChanges} from '../../../actions/changes-port.ts';
import type {FileDiff} from '../../../actions/preview.ts';
import {failed, ok, type Outcome, tryOr} from '../../../base/outcome.ts';
import type {Change} from '../../../domain/change-set.ts';
import {causeText} from '../../../domain/fault.ts';
import {diffHunks} from '../../files/diff-hunks.ts';
import {decodeText} from '../../files/text-encoding.ts';
import type {CommandView} from '../sandbox.ts';
import {classify} from './classify.ts';
import type {ChangesContext, HeldEntry, HeldSet} from './held-set.ts';
import {applyWithJournal} from './journal.ts';
import {joinBytes, type PathBytes, toBytes, toShown} from './path-bytes.ts';
import {type LayerEntry, LayerScan, makeYield, type Node, openToRead, targetOf} from './scan-layer.ts';
import {keepSet, loadKept, wasApplied} from './stored-sets.ts';

/**
 * Reads the changes in a command's view after all its processes have ended. The view must stay until the last change is
 * applied. A failure says why the changes can't be read. Rejects if the signal aborts.
 */
export async function openHeldChanges(
  {layers}: Pick<CommandView, 'layers'>,
  place: ChangesContext,
  signal: AbortSignal,
): Promise<Outcome<PendingChanges, string>> {
  try {
    return ok(toPendingChanges(await readSet(layers, place, signal), place.folder));
  } catch (cause) {
    signal.throwIfAborted();
    return failed(causeText(cause));
  }
}

/**
 * Opens the changes kept under an ID, with the folders that they belong to. A failure says why they can't be applied.
 * After the apply, `removeAppliedSet` removes them.
 */
export function openKept(
  id: string,
  folder: string,
): Outcome<{readonly held: PendingChanges; readonly roots: readonly string[]}, string> {
  const set = loadKept(id, folder);
  if (set !== undefined) return ok({held: toPendingChanges(set, folder), roots: set.layers.map(({lower}) => lower)});
  return failed(
    wasApplied(id, folder)
      ? `the changes ${id} were already applied`
      : `there are no kept changes with the ID ${id}; weft sandbox run --dry keeps changes for a week and prints their ID`,
  );
}

async function readSet(layers: CommandView['layers'], place: ChangesContext, signal: AbortSignal): Promise<HeldSet> {
  const scans = layers.map(layer => new LayerScan(layer, signal));
  const sort = async (found: readonly (readonly LayerEntry[])[]): Promise<readonly HeldEntry[]> => {
    const entries = found.flatMap((each, layer) => each.map(entry => ({...entry, layer})));
    return entries.length === 0 ? [] : classify(entries, {layers, place, signal});
  };
  const walked = await Promise.all(scans.map(async scan => scan.walk()));
  // Git and the kernel work at the same time.
  const settled = Promise.all(scans.map(async scan => scan.settle()));
  const entries = (await Promise.all([sort(walked), settled.then(sort)])).flat();
  const fromLayers = <T>(pick: (scan: LayerScan) => readonly T[]): readonly (T & {readonly layer: number})[] =>
    scans.flatMap((scan, layer) => pick(scan).map(one => ({...one, layer})));
  return {
    layers: layers.map(({lower, upper}) => ({lower, upper})),
    entries: entries.toSorted((a, b) => byPath(a.change, b.change)),
    newFolders: fromLayers(scan => scan.newFolders),
    lockedFolders: fromLayers(scan => scan.lockedFolders),
    goneFolders: fromLayers(scan => scan.goneFolders.map(at => ({at}))),
  };
}

/** Gives access to a set whose upper folders are on the disk. */
function toPendingChanges(set: HeldSet, folder: string): PendingChanges {
  const known = new Map<string, readonly HeldEntry[]>();
  for (const entry of set.entries) known.set(entry.change.path, [...(known.get(entry.change.path) ?? []), entry]);
  const entriesOf = (paths: readonly string[]): readonly HeldEntry[] =>
    [...new Set(paths)].flatMap(path => known.get(path) ?? []);
  const settled = new Set<HeldEntry>();
  return {
    changes: set.entries.map(({change}) => change),
    async diffs(paths, signal) {
      const diffs = [];
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
      const done = new Set(applied.applied);
      for (const entry of free) if (done.has(entry.change)) settled.add(entry);
      const guarded = chosen.flatMap(({change}) =>
        change.class === 'protected' ? [{change, why: 'protected' as const}] : [],
      );
      const dropped = [...applied.dropped, ...guarded].toSorted((a, b) => byPath(a.change, b.change));
      return {applied: applied.applied, dropped};
    },
  };
}

const byPath = (a: Change, b: Change): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/** The maximum number of bytes of a file to compare line by line, and the maximum number of added or removed lines to show of one file. */
const maxFileBytes = 1024 * 1024;
const maxLines = 2000;

/** Returns a change line by line. */
async function diffOf(entry: HeldEntry, set: HeldSet, signal: AbortSignal): Promise<FileDiff> {
  const {lower, upper} = set.layers[entry.layer] ?? {lower: '', upper: ''};
  const pause = makeYield(signal);
  const old = await contentOf({path: joinBytes(toBytes(lower), entry.at), node: entry.was, own: false}, pause);
  const now = await contentOf({path: joinBytes(toBytes(upper), entry.at), node: entry.is, own: true}, pause);
  const {path} = entry.change;
  const named = {path, before: old.state, after: now.state, movedFrom: undefined};
  const notes = notesOn(entry);
  const uncounted = {added: 0, removed: 0, hunks: []};
  const unshown = [old, now].find(({text}) => text === undefined);
  if (unshown !== undefined) return {...named, ...uncounted, notes: [unshown.why, ...notes]};
  const hunks = await diffHunks(old.text ?? '', now.text ?? '', maxLines);
  return {...named, ...hunks, notes};
}

interface Content {
  readonly state: string;
  /** `undefined` if it can't be shown; `why` gives the reason. */
  readonly text: string | undefined;
  readonly why: string;
}

/** Reads the text and the hash of a path. A link's text is its target. */
async function contentOf(
  {path, node, own}: {readonly path: PathBytes; readonly node: Node; readonly own: boolean},
  pause: () => Promise<void> | undefined,
): Promise<Content> {
  const unread = {state: 'unknown', text: undefined, why: 'it cannot be read'};
  switch (node.kind) {
    case 'none':
    case 'folder':
      return {state: 'absent', text: '', why: ''};
    case 'link':
      return tryOr(() => ({state: 'link', text: toShown(targetOf(path)), why: ''}), unread);
    case 'other':
      return {...unread, why: 'it is a device, a pipe or a socket'};
    case 'file':
      break;
  }
  const handle = openToRead(path, own ? node : undefined);
  if (handle === undefined) return unread;
  try {
    const hash = createHash('sha256');
    const chunks: Buffer[] = [];
    for (let position = 0; ;) {
      await pause();
      const chunk = Buffer.allocUnsafe(256 * 1024);
      const length = readSync(handle, chunk, 0, chunk.length, position);
      if (length === 0) break;
      position += length;
      hash.update(chunk.subarray(0, length));
      if (position <= maxFileBytes) chunks.push(chunk.subarray(0, length));
    }
    const state = hash.digest('hex');
    if (node.size > maxFileBytes) return {state, text: undefined, why: 'it is too large to show'};
    const decoded = decodeText(Buffer.concat(chunks));
    if (decoded.tag === 'failed') return {state, text: undefined, why: 'it is not text'};
    return {state, text: decoded.value.text.toWellFormed(), why: ''};
  } catch {
    return unread;
  } finally {
    closeSync(handle);
  }
}

function notesOn({was, is, change}: HeldEntry): readonly string[] {
  const notes: string[] = [];
  if (is.kind === 'folder' && was.kind !== 'folder') notes.push('it is an empty folder');
  if (was.kind === 'folder' && is.kind === 'none') notes.push('it was an empty folder');
  if (is.kind === 'link') notes.push('it is a symbolic link');
  if (was.kind === is.kind && is.kind !== 'link' && was.mode !== is.mode)
    notes.push(`its permissions changed from ${was.mode.toString(8)} to ${is.mode.toString(8)}`);
  if (was.kind === 'none' && is.kind === 'file' && (is.mode & 0o111) !== 0) notes.push('it is executable');
  return change.class === 'protected' ? [...notes, 'it is protected and is never applied'] : notes;
}
