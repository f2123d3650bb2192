import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import {expect, onTestFinished, test} from 'vitest';
import {startOf} from '../../../../src/workspace/exec/process-table.ts';
import {endProcessTree, livingMembers, treeOf} from '../../../../src/workspace/exec/process-tree.ts';

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
  return {child, pid, started: (await startOf(pid)) ?? ''};
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
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 100);`;
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
