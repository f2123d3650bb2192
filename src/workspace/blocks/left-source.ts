import {setTimeout as delay} from 'node:timers/promises';
import {trackMembers, treeOf} from '../end-process-tree.ts';
import type {LeftProcesses} from '../shell.ts';
import type {BlockEnd, BlockSource} from './block-source.ts';

/** Milliseconds between two looks whether somebody still lives. */
const lookMs = 1000;

/** What a command left running when its shell ended: its output goes on in the pipe of that command, its input is closed. */
export function leftSource(left: LeftProcesses): BlockSource {
  const over = new AbortController();
  const output = left.pipe === 'closed' ? '' : left.pipe.name;
  const drained = Promise.withResolvers<void>();
  const reader = left.pipe === 'closed' ? undefined : left.pipe.reader;
  for (const event of ['end', 'error', 'close']) reader?.once(event, () => drained.resolve());
  if (reader === undefined || reader.destroyed || reader.readableEnded) drained.resolve();
  return {
    terminal: 'pipes',
    input: 'none',
    leader: left.leader,
    descriptor: left.pipe === 'closed' ? undefined : left.pipe.descriptor,
    ended: whenGone(),
    get output() {
      return over.signal.aborted ? '' : output;
    },
    onData: listener => {
      reader?.on('data', listener);
      reader?.resume();
    },
    write: () => 'closed',
    resize: () => {},
    pause: () => void reader?.pause(),
    resume: () => void reader?.resume(),
    close() {
      if (over.signal.aborted) return;
      over.abort();
      if (left.pipe !== 'closed') left.pipe.close();
    },
  };

  async function whenGone(): Promise<BlockEnd> {
    const members = trackMembers(treeOf(left, output));
    while (!over.signal.aborted && (await members()).length > 0) {
      await delay(lookMs, undefined, {signal: over.signal, ref: false}).catch(() => {});
    }
    await Promise.race([drained.promise, delay(lookMs, undefined, {ref: false})]);
    // Its parent was the shell: nobody was there to collect its exit code.
    return {kind: 'ended'};
  }
}
