import {rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import * as z from 'zod/mini';
import {parseJson} from '../../base/json.ts';
import {makeFolders} from '../../config/make-folders.ts';
import {readTextFile} from '../exec/process-table.ts';
import {entryNames} from '../files/list-folder.ts';

/** A block as other weft processes find it: each block has a file, which exists as long as the block runs or is kept. */
export interface RegisteredBlock extends Readonly<Omit<z.infer<typeof blockFile>, 'mark'>> {
  readonly runTag: string;
}

/** The content of a block's file, in which the run tag is called `mark`. */
const blockFile = z.object({
  id: z.string(),
  command: z.string(),
  directory: z.string(),
  mark: z.string(),
  /** The process that led its group, and when it started. */
  leader: z.number(),
  leaderStarted: z.string(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  life: z.enum(['with-weft', 'kept']),
  /** The file that the output of a kept block goes to; empty where there is none. */
  file: z.string(),
});

export interface BlockRegistry {
  /** Records that the weft with this tag prefix runs commands, until `endRun`: a weft that is killed leaves the record behind. */
  beginRun(prefix: string): void;
  endRun(prefix: string): void;
  /** Writes the block's file, in the place of an older one. */
  put(block: RegisteredBlock): void;
  remove(runTag: string): void;
}

/** Keeps the blocks' files in `folder`, which it makes. Where a file cannot be written, the command runs all the same. */
export function makeBlockRegistry(folder: string): BlockRegistry {
  const write = (file: string, text: string): void =>
    quietly(() => {
      makeFolders(folder);
      writeFileSync(file, text, {mode: 0o600});
    });
  return {
    beginRun: prefix => write(runFileOf(folder, prefix), ''),
    endRun: prefix => quietly(() => rmSync(runFileOf(folder, prefix), {force: true})),
    put: ({runTag, ...fields}) => write(fileOf(folder, runTag), JSON.stringify({...fields, mark: runTag})),
    remove: runTag => quietly(() => rmSync(fileOf(folder, runTag), {force: true})),
  };
}

/** The tag prefixes of the wefts that run commands, or were killed while they could. */
export const registeredRuns = (folder: string): readonly string[] =>
  entryNames(folder).flatMap(name => (name.endsWith(runEnding) ? [name.slice(0, -runEnding.length)] : []));

/** Reads the registered blocks; files that cannot be read are left out. */
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

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    return;
  }
}
