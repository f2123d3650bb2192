import {randomBytes} from 'node:crypto';
import {startOf} from './process-table.ts';

/** The marks that one weft process gives to what it starts. */
export interface RunMarks {
  /** What all its marks begin with. */
  readonly prefix: string;
  next(): string;
}

/** A mark names the weft process, so that a later one can tell whose leftovers it finds. */
export async function makeRunMarks(): Promise<RunMarks> {
  const started = ((await startOf(process.pid)) ?? '').replaceAll(/[^\w:]/gu, '_');
  const prefix = `${process.pid}.${started}.${randomBytes(6).toString('hex')}.`;
  let runs = 0;
  return {
    prefix,
    next() {
      runs += 1;
      return `${prefix}${runs}.`;
    },
  };
}

/** Whether the weft process that gave the mark (or has the prefix) still runs. */
export async function isWeftAlive(mark: string): Promise<boolean> {
  const [pid, started] = mark.split('.');
  const now = await startOf(Number(pid));
  return now !== undefined && now.replaceAll(/[^\w:]/gu, '_') === started;
}

/** What the marks of one weft process begin with, from one of its marks; `undefined` when it is no mark. */
export const prefixOf = (mark: string): string | undefined => /^\d+\.[\w:]*\.[0-9a-f]{12}\./u.exec(mark)?.[0];
