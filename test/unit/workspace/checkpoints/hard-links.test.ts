import {lstatSync} from 'node:fs';
import {execFileSync} from 'node:child_process';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {everything, place, revert, take} from './checkpoint-place.ts';

/** Returns the kind, mode and content of each path, and which paths are one file. */
function stateOf(work: string): Record<string, {readonly node: string; readonly names: string}> {
  const nodes = Object.entries(everything(work));
  const inodes = new Map(nodes.map(([path]) => [path, lstatSync(join(work, path)).ino]));
  return Object.fromEntries(
    nodes.map(([path, node]) => [
      path,
      {node, names: [...inodes].flatMap(([name, inode]) => (inode === inodes.get(path) ? [name] : [])).join(' ')},
    ]),
  );
}

const run = (work: string, command: string): void => {
  execFileSync('sh', ['-c', command], {cwd: work, stdio: 'ignore'});
};

/** Runs two commands in a workspace, and expects undo, redo and undo of the second to restore each path. */
async function expectUndoRedoUndo(setup: string, command: string): Promise<void> {
  using here = place();
  run(here.work, setup);
  const old = stateOf(here.work);
  const before = await take(here.open());
  run(here.work, command);
  const fresh = stateOf(here.work);
  const after = await take(here.open());
  const undone = await revert(here.open(), {before, after});
  expect([undone.report.conflicts, stateOf(here.work)]).toEqual([[], old]);
  const redone = await revert(here.open(), undone.change);
  expect([redone.report.conflicts, stateOf(here.work)]).toEqual([[], fresh]);
  const again = await revert(here.open(), redone.change);
  expect([again.report.conflicts, stateOf(here.work)]).toEqual([[], old]);
}

describe('undo, redo and undo of a command on hard links', () => {
  test.each([
    ['echo one > a; ln a b', 'rm a; echo zz >> b'],
    ['mkdir d; echo a > d/f; ln d/f g', 'rm -rf d; echo z >> g'],
    ['echo q > q', 'ln q r; echo more >> q'],
    ['mkdir s; echo a > s/a; echo b > s/b', 'cp -al s bak; echo more >> s/a'],
    ['echo r > r; ln r x', 'mv r s; echo n >> x'],
    ['echo q > q; echo r > r', 'rm r; ln q r; echo n >> r'],
    ['echo f > f; ln f g; ln f x', 'rm g; echo n >> x; ln f i'],
    ['echo f > f; ln f g', 'rm f g'],
    ['echo f > f; ln f g', 'mv f F; echo new > f'],
    ['echo f > f; ln f g', 'rm f; echo new > f; chmod 600 f g'],
    ['echo x > a; ln a c; echo y > b', 'ln -f a b; echo y > a'],
    ['echo x > a; cp a b; chmod 600 a', 'ln -f a b; chmod 644 a'],
    ['mkdir d e; echo x > d/b; ln d/b e/b', 'rm -f d/b; echo x > d/b'],
    ['mkdir d; echo x > a; ln a b', 'ln a d/b; cp -al d e'],
    ['echo x > a; cp a b; ln a c', 'ln -f a b'],
  ])('%s, then %s', async (setup, command) => {
    await expectUndoRedoUndo(setup, command);
  });

  test('names that the user split since both get their content back', async () => {
    using here = place();
    run(here.work, 'echo one > a; ln a b');
    const old = stateOf(here.work);
    const before = await take(here.open());
    run(here.work, 'echo zz >> b');
    const after = await take(here.open());
    run(here.work, 'cp a t; mv t a');
    const {report} = await revert(here.open(), {before, after});
    expect([report.conflicts, stateOf(here.work)]).toEqual([[], old]);
  });
});

test('a pipe that has taken the name of a file is named and stays', async () => {
  using here = place();
  run(here.work, 'echo f > f');
  const before = await take(here.open());
  run(here.work, 'rm f; mkfifo f');
  const after = await take(here.open());
  const {report} = await revert(here.open(), {before, after});
  expect(report.conflicts).toEqual([{path: join(here.work, 'f'), reason: 'a pipe has taken its name'}]);
  expect(lstatSync(join(here.work, 'f')).isFIFO()).toBe(true);
});

describe('random commands on hard links', () => {
  const names = fc.constantFrom('a', 'b', 'd/a', 'd/b');
  const command = fc.oneof(
    fc.tuple(names, fc.constantFrom('one', 'two')).map(([name, text]) => `echo ${text} > ${name}`),
    names.map(name => `echo more >> ${name}`),
    names.map(name => `rm -f ${name}`),
    fc.tuple(names, names).map(([name, other]) => `ln ${name} ${other}`),
    fc.tuple(names, names).map(([name, other]) => `ln -f ${name} ${other}`),
    fc.tuple(names, names).map(([name, other]) => `mv ${name} ${other}`),
    names.map(name => `cp -a ${name} t && mv t ${name}`),
    fc.tuple(names, fc.constantFrom('600', '644')).map(([name, mode]) => `chmod ${mode} ${name}`),
    fc.constant('cp -al d e'),
  );
  const commands = fc.array(command, {minLength: 1, maxLength: 5}).map(each => each.join('; '));

  test('undo, redo and undo restore each path', {tags: 'long'}, async () => {
    await fc.assert(
      fc.asyncProperty(commands, commands, (setup, prompt) =>
        expectUndoRedoUndo(`mkdir d; ${setup}; true`, `${prompt}; true`),
      ),
      {numRuns: 30, seed: 1},
    );
  });
});
