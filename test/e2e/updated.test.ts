// @module-tag long
import {cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {spawn} from 'node:child_process';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {finish} from '../support/run-weft.ts';
import {openScene, pointedAt, toldResults} from '../support/scene.ts';
import {prompt, rpcArgs} from './support/rpc-client.ts';

test('a running weft loads its own code after an update has replaced its files', async () => {
  await using scene = await openScene([
    say('Before.'),
    [
      call('Grep', {pattern: 'find', output_mode: 'content'}),
      call('Edit', {file_path: 'notes.txt', old_string: 'find me', new_string: 'found'}),
      call('Bash', {command: 'echo ran'}),
    ],
    say('After.'),
  ]);
  const {place, server} = scene;
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const installed = join(place.home, 'installed');
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(root, part), join(installed, part), {recursive: true});
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
  writeFileSync(join(place.work, 'notes.txt'), 'find me\n');
  const args = [join(installed, 'bin', 'weft.js'), ...rpcArgs, '--permission-mode', 'bypassPermissions'];
  const child = spawn(process.execPath, args, {cwd: place.work, env: place.environment(pointedAt(server))});
  const ended = finish(child);
  child.stdin.write(`${JSON.stringify(prompt('One'))}\n`);
  await server.received(1);
  rmSync(join(installed, 'dist'), {recursive: true});
  mkdirSync(join(installed, 'dist'));
  for (const file of ['weft.js', 'chunks.js'])
    writeFileSync(join(installed, 'dist', file), 'throw new Error("The new version")');
  child.stdin.end(`${JSON.stringify(prompt('Two'))}\n`);
  const {code, stdout} = await ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining('After.')]);
  expect(toldResults(server.requests[2])).toEqual([
    'notes.txt:1:find me',
    'Changed notes.txt (+1 -1)',
    expect.stringMatching(/^ran\n/u),
  ]);
});
