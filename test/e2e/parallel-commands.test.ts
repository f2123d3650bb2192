// @module-tag long
import {execFileSync} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import {open} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say, type Answer} from '../support/model-script.ts';
import {openScene, toldResults, type Scene} from '../support/scene.ts';

const bash = (command: string, more: object = {}): Extract<Answer, {part: unknown}> => call('Bash', {command, ...more});

/** Opens a scene with named pipes, in which the model first makes these calls. */
async function withPipes(
  pipes: readonly string[],
  ...calls: readonly Extract<Answer, {part: unknown}>[]
): Promise<Scene> {
  const scene = await openScene([calls, say('Done.')]);
  mkdirSync(join(scene.place.work, 'sub'));
  execFileSync('mkfifo', pipes, {cwd: scene.place.work});
  return scene;
}

/** Writes into a named pipe. Waits until a command reads it. */
async function feed(scene: Scene, pipe: string, text: string): Promise<void> {
  const writer = await open(join(scene.place.work, pipe), 'w');
  await writer.write(text);
  await writer.close();
}

const firstLines = (scene: Scene): readonly (string | undefined)[] =>
  toldResults(scene.server.requests[1]).map(text => text.split('\n')[0]);

test('commands that only read run side by side, and a cd is a barrier', {tags: 'smoke'}, async () => {
  await using scene = await withPipes(['a', 'b', 'c'], bash('cat a'), bash('cat b'), bash('cd sub'), bash('cat ../c'));
  const run = scene.run(['--prompt', 'x']);
  // One after the other, the first command would wait forever.
  await feed(scene, 'b', 'two\n');
  await feed(scene, 'a', 'one\n');
  await feed(scene, 'c', 'three\n');
  expect((await run).code).toBe(0);
  expect(firstLines(scene)).toEqual(['one', 'two', expect.stringMatching(/next command starts in .*sub\]$/u), 'three']);
});

test('a time limit ends its own command and no other', async () => {
  await using scene = await withPipes(['a', 'b'], bash('cat a', {timeout: 300}), bash('cat b'));
  const run = scene.run(['--prompt', 'x']);
  await feed(scene, 'b', 'two\n');
  expect((await run).code).toBe(0);
  expect(firstLines(scene)).toEqual([expect.stringMatching(/^\[timed out and was ended after /u), 'two']);
});

test('Ctrl+C ends all of them', async () => {
  await using scene = await withPipes(['a', 'b'], bash('cat a'), bash('cat b'));
  const child = scene.start(['--prompt', 'x']);
  const code = new Promise(resolve => child.once('exit', resolve));
  const writers = [await open(join(scene.place.work, 'b'), 'w'), await open(join(scene.place.work, 'a'), 'w')];
  child.kill('SIGINT');
  expect(await code).toBe(130);
  for (const writer of writers) {
    await expect(writer.write('x')).rejects.toThrow('EPIPE');
    await writer.close();
  }
});
