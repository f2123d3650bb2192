import {spawn} from 'node:child_process';
import {once} from 'node:events';

/**
 * A process that takes turns, as fast as it can, between a folder and a link to another one in its place, until it is disposed. The
 * folder is `parked` meanwhile. It is in its place again afterwards.
 */
export async function swappingFolder(
  folder: string,
  {outside, parked}: {readonly outside: string; readonly parked: string},
): Promise<AsyncDisposable> {
  const child = spawn(process.execPath, ['-e', loop, folder, outside, parked], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}

const loop = `
const {renameSync, symlinkSync, unlinkSync} = require('node:fs');
const [folder, outside, parked] = process.argv.slice(1);
let isOver = false;
process.stdin.on('end', () => { isOver = true; }).resume();
const pause = most => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * most);
function turns() {
  for (let turn = 0; turn < 10; turn += 1) {
    renameSync(folder, parked);
    symlinkSync(outside, folder);
    if (turn % 2 === 0) pause(2);
    unlinkSync(folder);
    renameSync(parked, folder);
    if (turn % 3 === 0) pause(6);
  }
  if (!isOver) setImmediate(turns);
}
process.stdout.write('x');
turns();
`;
