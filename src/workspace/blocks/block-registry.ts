import {readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {makeFolders} from '../../config/make-folders.ts';
import * as z from 'zod/mini';

/** A block as other runs of weft can read of it: one file each, there as long as the block runs or is kept. */
export type RegisteredBlock = Readonly<z.infer<typeof registeredBlock>>;

const registeredBlock = z.object({
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
  /** Where the output of a kept one goes; may be empty. */
  file: z.string(),
});

export interface BlockRegistry {
  /** Makes the folder: the sign that commands have been run. */
  open(): void;
  /** Writes it, or writes it anew. */
  put(block: RegisteredBlock): void;
  remove(mark: string): void;
}

/** Keeps the files in `folder`, which it makes. That one cannot be written is no reason not to run a command. */
export function makeBlockRegistry(folder: string): BlockRegistry {
  const open = (): void => quietly(() => makeFolders(folder));
  return {
    open,
    put: block =>
      quietly(() => {
        open();
        writeFileSync(fileOf(folder, block.mark), JSON.stringify(block), {mode: 0o600});
      }),
    remove: mark => quietly(() => rmSync(fileOf(folder, mark), {force: true})),
  };
}

/** What the files say; what cannot be read is left out. */
export function readBlockRegistry(folder: string): readonly RegisteredBlock[] {
  let names: readonly string[] = [];
  quietly(() => {
    names = readdirSync(folder).filter(name => name.endsWith('.json'));
  });
  return names.flatMap(name => {
    let found: readonly RegisteredBlock[] = [];
    quietly(() => {
      const parsed = registeredBlock.safeParse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
      if (parsed.success) found = [parsed.data];
    });
    return found;
  });
}

const fileOf = (folder: string, mark: string): string => join(folder, `${mark.replaceAll(/[^\w.]/gu, '_')}json`);

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    return;
  }
}
