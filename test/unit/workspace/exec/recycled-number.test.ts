import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {closeSync, openSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, onTestFinished, test} from 'vitest';
import {startTimeOf} from '../../../../src/workspace/exec/process-table.ts';
import {endProcessTree, livingMembers, trackMembers, treeOf} from '../../../../src/workspace/exec/process-tree.ts';
import {temporaryFolder} from '../temporary-folder.ts';

/** A group of its own, as a command of the user's next window may have it. */
async function strangersGroup(): Promise<{
  readonly child: ChildProcess;
  readonly pid: number;
  readonly started: string;
}> {
  const child = spawn('sleep', ['60'], {detached: true, stdio: 'ignore'});
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  return {child, pid, started: (await startTimeOf(pid)) ?? ''};
}

async function endedLeader(): Promise<number> {
  const child = spawn('true', {detached: true, stdio: 'ignore'});
  await once(child, 'exit');
  return child.pid ?? 0;
}

const runs = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

test('a group that has the number of an ended one is another, and is left alone', async () => {
  const {child, pid, started} = await strangersGroup();
  const earlier = treeOf({leader: pid, leaderStarted: '1', runTag: 'no such run'});
  expect(await livingMembers(earlier)).toEqual([]);
  await endProcessTree(earlier, 'short');
  expect(runs(child)).toBe(true);
  const same = treeOf({leader: pid, leaderStarted: started, runTag: 'no such run'});
  expect((await livingMembers(same)).map(row => row.pid)).toEqual([pid]);
  await endProcessTree(same, 'short');
  await (runs(child) ? once(child, 'exit') : undefined);
  expect(child.signalCode).toBe('SIGTERM');
});

test.runIf(process.platform === 'linux')(
  'who writes to a file of a name that weft has closed is left alone',
  async () => {
    using folder = temporaryFolder();
    const name = join(folder.path, 'output');
    const file = openSync(name, 'w');
    const writer = async (): Promise<number> => {
      const child = spawn('sleep', ['60'], {detached: true, stdio: ['ignore', file, 'ignore']});
      onTestFinished(() => void child.kill('SIGKILL'));
      await once(child, 'spawn');
      return child.pid ?? 0;
    };
    let open = true;
    const members = trackMembers(
      treeOf({leader: await endedLeader(), leaderStarted: '1', runTag: 'no such run'}, () => (open ? name : '')),
    );
    const ours = await writer();
    expect((await members()).map(row => row.pid)).toEqual([ours]);
    open = false;
    await writer();
    expect((await members()).map(row => row.pid)).toEqual([ours]);
    closeSync(file);
  },
);

test.runIf(process.platform === 'linux')('the watchdog of a killed weft leaves such a group alone, too', async () => {
  const [ours, strangers, forgotten] = await Promise.all([strangersGroup(), strangersGroup(), strangersGroup()]);
  const watchdog = fileURLToPath(new URL('../../../../src/workspace/exec/watchdog.ts', import.meta.url));
  const program = `
    import {startProcessWatchdog} from ${JSON.stringify(watchdog)};
    const dog = startProcessWatchdog('no such run');
    dog.watch(${strangers.pid}, '1');
    dog.watch(${forgotten.pid}, '${forgotten.started}');
    dog.watch(${ours.pid}, '${ours.started}');
    dog.forget(${forgotten.pid});
    // The orders are in the pipe once the turn is over: what the watchdog has not read by then it reads later.
    setImmediate(() => process.kill(process.pid, 'SIGKILL'));`;
  const weft = spawn(process.execPath, ['--input-type=module', '-e', program], {stdio: 'ignore'});
  await once(weft, 'exit');
  expect(weft.signalCode).toBe('SIGKILL');
  await (runs(ours.child) ? once(ours.child, 'exit') : undefined);
  expect({ours: ours.child.signalCode, strangers: runs(strangers.child), forgotten: runs(forgotten.child)}).toEqual({
    ours: 'SIGTERM',
    strangers: true,
    forgotten: true,
  });
});
