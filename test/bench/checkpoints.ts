import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {makeCheckpoints} from '../../src/workspace/checkpoints/make-checkpoints.ts';

/** A checkpoint trusts no file that was changed just now: by this clock, none was. */
const aheadOfTime = (): number => Date.now() + 10_000;

/** What keeping a tree of so many small files costs: the first time, and again when nothing has changed. */
export async function checkpointCost(files: number): Promise<string> {
  const base = mkdtempSync(join(tmpdir(), 'weft-bench-'));
  const work = join(base, 'work');
  try {
    for (let at = 0; at < files; at += 1) {
      const folder = join(work, `d${Math.floor(at / 200)}`, `e${Math.floor(at / 20) % 10}`);
      if (at % 20 === 0) mkdirSync(folder, {recursive: true});
      writeFileSync(join(folder, `f${at}.ts`), `export const value${at} = ${at};\n`.repeat(40));
    }
    const environment = {PATH: process.env['PATH']};
    const checkpoints = makeCheckpoints({roots: [work], folder: join(base, 'kept'), environment, now: aheadOfTime});
    const ms = async (): Promise<number> => {
      const start = performance.now();
      await checkpoints.take(new AbortController().signal);
      return performance.now() - start;
    };
    const first = await ms();
    const again = [await ms(), await ms(), await ms()].toSorted((a, b) => a - b)[1] ?? Number.NaN;
    return `${first.toFixed(0)} ms, again ${again.toFixed(0)} ms`;
  } finally {
    rmSync(base, {recursive: true, force: true});
  }
}
