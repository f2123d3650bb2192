import {rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {tryOr} from '../../base/outcome.ts';
import * as z from 'zod/mini';
import {parseJson} from '../../base/json.ts';
import {makeFolders} from '../../config/make-folders.ts';
import {readTextFile} from '../exec/process-table.ts';
import {entryNames} from '../files/list-folder.ts';

/** A block as other weft processes find it. Each block has a file, which exists as long as the block runs or is kept. */
export interface RegisteredBlock extends Readonly<Omit<z.infer<typeof blockFile>, 'mark'>> {
  readonly runTag: string;
}

/** The content of a block's file, in which the run tag is called `mark`. */
const blockFile = z.object({
  id: z.string(),
  command: z.string(),
  directory: z.string(),
  mark: z.string(),
  /** The leader of its process group, and when the leader started. */
  leader: z.number(),
  leaderStarted: z.string(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  life: z.enum(['with-weft', 'kept']),
  /** The file that the output of a kept block goes to; empty if there is none. */
  file: z.string(),
});

export interface BlockRegistry {
  /**
   * Records until `endRun` that the weft process with this tag prefix runs commands. A weft process that is killed
   * leaves the record behind.
   */
  beginRun(prefix: string): void;
  endRun(prefix: string): void;
  /** Writes the block's file, and replaces an older one. */
  put(block: RegisteredBlock): void;
  remove(runTag: string): void;
}

/** Keeps the blocks' files in `folder`, which it creates. Commands run even if a file can't be written. */
export function makeBlockRegistry(folder: string): BlockRegistry {
  const write = (file: string, text: string): void =>
    tryOr(() => {
      makeFolders(folder);
      writeFileSync(file, text, {mode: 0o600});
    }, undefined);
  return {
    beginRun: prefix => write(runFileOf(folder, prefix), ''),
    endRun: prefix => tryOr(() => rmSync(runFileOf(folder, prefix), {force: true}), undefined),
    put: ({runTag, ...fields}) => write(fileOf(folder, runTag), JSON.stringify({...fields, mark: runTag})),
    remove: runTag => tryOr(() => rmSync(fileOf(folder, runTag), {force: true}), undefined),
  };
}

/** Returns the tag prefixes of weft processes that run commands, or were killed while they could. */
export const registeredRuns = (folder: string): readonly string[] =>
  entryNames(folder).flatMap(name => (name.endsWith(runEnding) ? [name.slice(0, -runEnding.length)] : []));

/** Reads the registered blocks. Skips unreadable files. */
export function readBlockRegistry(folder: string): readonly RegisteredBlock[] {
  const names = entryNames(folder).filter(name => name.endsWith('.json'));
  return names.flatMap(name => {
    const read = parseJson(readTextFile(join(folder, name)) ?? '');
    const parsed = read.tag === 'ok' ? blockFile.safeParse(read.value) : undefined;
    if (parsed?.success !== true) return [];
    const {mark: runTag, ...fields} = parsed.data;
    return [{...fields, runTag}];
  });
}

const fileOf = (folder: string, runTag: string): string => join(folder, `${runTag.replaceAll(/[^\w.]/gu, '_')}json`);

const runEnding = 'run';
const runFileOf = (folder: string, prefix: string): string => join(folder, `${prefix}${runEnding}`);
