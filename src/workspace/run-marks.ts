import {hash, randomBytes} from 'node:crypto';
import {startOf} from './process-table.ts';

/** The marks that one weft process gives to what it starts. */
export interface RunMarks {
  /** What all its marks begin with. */
  readonly prefix: string;
  next(): string;
}

/**
 * A mark names the weft process and, by `folder`, where it writes down its blocks, so that a later one with the same folder can
 * tell its leftovers from those of others.
 */
export async function makeRunMarks(folder: string): Promise<RunMarks> {
  const started = ((await startOf(process.pid)) ?? '').replaceAll(/[^\w:]/gu, '_');
  const prefix = `${process.pid}.${started}.${folderTag(folder)}${randomBytes(3).toString('hex')}.`;
  let runs = 0;
  return {
    prefix,
    next() {
      runs += 1;
      return `${prefix}${runs}.`;
    },
  };
}

/** Whether the mark was given by a weft that writes down its blocks in `folder`. */
export const isOfFolder = (mark: string, folder: string): boolean =>
  mark.split('.')[2]?.startsWith(folderTag(folder)) === true;

const folderTag = (folder: string): string => hash('sha256', folder, 'hex').slice(0, 6);

/** Whether the weft process that gave the mark (or has the prefix) still runs. */
export async function isWeftAlive(mark: string): Promise<boolean> {
  const [pid, started] = mark.split('.');
  const now = await startOf(Number(pid));
  return now !== undefined && now.replaceAll(/[^\w:]/gu, '_') === started;
}

/** What the marks of one weft process begin with, from one of its marks; `undefined` when it is no mark. */
export const prefixOf = (mark: string): string | undefined => /^\d+\.[\w:]*\.[0-9a-f]{12}\./u.exec(mark)?.[0];
