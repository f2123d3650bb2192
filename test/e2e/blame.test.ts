// @module-tag long
import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene, type Scene} from '../support/scene.ts';

const free = ['--permission-mode', 'bypassPermissions'] as const;

interface Line {
  readonly line: number;
  readonly by: string;
  readonly prompt?: string;
  readonly tool?: string;
  readonly model?: string;
  readonly session?: string;
  readonly call?: string;
  readonly at?: string;
}

/** Returns who wrote each line: `person`, `unknown`, or the agent's prompt and tool. */
async function authors(scene: Scene, target: string): Promise<readonly string[]> {
  const {stdout, stderr, code} = await scene.run(['blame', target, '--json']);
  expect({code, stderr}).toEqual({code: 0, stderr: ''});
  const lines: readonly Line[] = JSON.parse(stdout);
  return lines.map(({by, prompt, tool}) => (by === 'agent' ? [prompt, tool].join(' ') : by));
}

test('each line of a file has its author: older than weft, a prompt, a command, or a person', async () => {
  await using scene = await openScene([
    call('Edit', {file_path: 'a.txt', old_string: 'two', new_string: 'TWO'}),
    say('1'),
    call('Bash', {command: "sed -i 's/four/FOUR/' a.txt && printf 'new\\n' >made.txt"}),
    say('2'),
    call('Bash', {command: 'git mv a.txt b.txt'}),
    say('3'),
  ]);
  const {work} = scene.place;
  const file = join(work, 'a.txt');
  execFileSync('git', ['init', '-q'], {cwd: work});
  writeFileSync(file, 'one\ntwo\nthree\nfour\n');
  expect(await authors(scene, 'a.txt')).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
  execFileSync('git', ['add', '.'], {cwd: work});
  await scene.run(['--prompt', 'first', ...free]);
  writeFileSync(file, readFileSync(file, 'utf8').replace('three', 'THREE'));
  await scene.run(['--continue', '--prompt', 'second', ...free]);
  expect(await authors(scene, 'a.txt')).toEqual(['unknown', 'first Edit', 'person', 'second Bash']);
  expect(await authors(scene, 'a.txt:2-3')).toEqual(['first Edit', 'person']);
  expect(await authors(scene, 'made.txt')).toEqual(['second Bash']);
  writeFileSync(file, `${readFileSync(file, 'utf8')}five\n`);
  await scene.run(['--prompt', 'third', ...free]);
  const all = ['unknown', 'first Edit', 'person', 'second Bash', 'person'];
  expect(await authors(scene, 'b.txt')).toEqual(all);
  mkdirSync(join(work, 'inner'));
  renameSync(join(work, 'b.txt'), join(work, 'inner', 'c.txt'));
  expect(await authors(scene, 'inner/c.txt')).toEqual(all);
});
