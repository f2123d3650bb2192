import {rmSync} from 'node:fs';
import {randomUUID} from 'node:crypto';
import {hostname} from 'node:os';
import {dirname} from 'node:path';
import * as z from 'zod/mini';
import {tryOr} from '../../base/outcome.ts';
import {revertsIn} from '../../config/places.ts';
import type {RevertMark} from '../../domain/checkpoint.ts';
import {isRunning, startTimeSync} from '../exec/process-table.ts';
import {entryNames} from '../files/list-folder.ts';
import {openPathHandle, temporaryNamePid} from '../files/folder-handle.ts';
import {noteFile, notesIn, saveNote} from './stored-notes.ts';
import {modesToRestore, type RevertStep} from './revert.ts';
import {decodeEntries, encodeEntries, isInside} from './tree.ts';

/**
 * A revert that its session has not recorded yet. It is on the disk before the first file changes. If weft is killed, the
 * next one takes the revert back, so that files and conversation agree again.
 */
export interface KilledRevert {
  readonly mark: RevertMark;
  readonly before: string;
  readonly steps: readonly Pick<RevertStep, 'path' | 'is' | 'wanted'>[];
  /** The modes of folders that the revert makes writable. */
  readonly modes: readonly (readonly [path: string, mode: number])[];
}

/** Writes down a revert that is about to begin. Call the result once it is recorded or taken back. */
export function noteRevert(
  folder: string,
  {mark, before, steps}: Pick<KilledRevert, 'mark' | 'before' | 'steps'>,
): () => void {
  const nodes = (which: 'is' | 'wanted'): string =>
    encodeEntries(new Map(steps.flatMap(({path, [which]: node}) => (node === undefined ? [] : [[path, node]]))));
  const text: z.infer<typeof noteSchema> = {
    mark,
    before,
    writers: [ownName()],
    paths: steps.map(({path}) => path),
    is: nodes('is'),
    wanted: nodes('wanted'),
    modes: modesToRestore(steps),
  };
  const file = noteFile(revertsIn(folder), randomUUID());
  saveNote(file, text);
  return () => rmSync(file, {force: true});
}

/**
 * Returns the reverts below these folders whose process was killed, oldest first, and makes this process their writer. Those of
 * the session `held` can't be running, because this process has the session open.
 */
export function claimKilledReverts(
  folder: string,
  {roots, held}: {readonly roots: readonly string[]; readonly held: string},
): readonly (KilledRevert & {readonly forget: () => void})[] {
  const own = new Set(roots);
  return notesIn(revertsIn(folder), noteSchema).flatMap(({file, note}) => {
    const isOwn = note.paths.every(each => isInside(each, own));
    if (!isOwn || (note.mark.session !== held && note.writers.some(isWriting))) return [];
    for (const writer of note.writers) removeTemporaryFiles(note.paths, Number(writer.split('@')[0]));
    saveNote(file, {...note, writers: [...note.writers, ownName()]});
    const [is, wanted] = [decodeEntries(note.is), decodeEntries(note.wanted)];
    const steps = note.paths.map(each => ({path: each, is: is?.get(each), wanted: wanted?.get(each)}));
    return [{...note, steps, forget: () => rmSync(file, {force: true})}];
  });
}

/** Returns the checkpoints that killed reverts need to be taken back. */
export const treesOfKilledReverts = (folder: string): readonly string[] =>
  notesIn(revertsIn(folder), noteSchema).map(({note}) => note.before);

const ownName = (): string => `${process.pid}@${startTimeSync(process.pid)}@${hostname()}`;

/** True if the process still runs. One of another machine counts as killed: a revert takes seconds. */
function isWriting(writer: string): boolean {
  const [pid = '', started = '', ...host] = writer.split('@');
  return host.join('@') === hostname() && isRunning(Number(pid)) && startTimeSync(Number(pid)) === started;
}

function removeTemporaryFiles(paths: readonly string[], pid: number): void {
  for (const parent of new Set(paths.map(path => dirname(path)))) {
    for (const name of entryNames(parent).filter(each => temporaryNamePid(each) === pid)) {
      tryOr(() => {
        using held = openPathHandle(parent, 'folder');
        rmSync(held.at(name), {force: true});
      }, undefined);
    }
  }
}

const noteSchema = z.object({
  mark: z.object({session: z.string(), records: z.int(), kind: z.enum(['rewind', 'redo'])}),
  before: z.string(),
  writers: z.array(z.string()),
  paths: z.array(z.string()),
  is: z.string(),
  wanted: z.string(),
  modes: z.array(z.tuple([z.string(), z.int()])),
});
