// @module-tag long
import {existsSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, say} from '../support/model-script.ts';
import {openScenePty, type PtyTerminal} from '../support/pty-terminal.ts';
import {fileComes, openScene, type Scene} from '../support/scene.ts';

const id = '0f9a1a34-1111-4222-8333-444455556666';
const free = ['--permission-mode', 'bypassPermissions', '--session-id', id] as const;

const open = (scene: Scene, args: readonly string[], size: readonly [number, number] = [90, 40]): PtyTerminal =>
  openScenePty(scene, {size, args});

const write = (content: string) => call('Write', {file_path: 'a.txt', content});

const rows = async (scene: Scene): Promise<readonly {readonly id: string; readonly title: string}[]> =>
  JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout);

/** The texts of the prompts in the last request. */
const prompts = (scene: Scene): readonly string[] =>
  (scene.server.requests.at(-1)?.body.messages ?? [])
    .filter(({role, content}) => role === 'user' && !JSON.stringify(content).includes('tool_result'))
    .map(({content}) => /"text":"(?<text>[^"<]*)"/u.exec(JSON.stringify(content))?.groups?.['text'] ?? '');

test.each([
  ['\r', 'two\n', 100],
  ['2\r', 'one\n', 40],
] as const)('a branch from before a prompt: %j leaves %j in the file', async (keys, text, columns) => {
  await using scene = await openScene([
    write('one\n'),
    say('Wrote one.'),
    write('two\n'),
    say('Wrote two.'),
    say('Another way.'),
    say('Back again.'),
  ]);
  using terminal = open(scene, [...free, 'First'], [columns, 40]);
  await terminal.until(/Wrote one\./u);
  terminal.type('Second\r');
  await terminal.until(/Wrote two\./u);
  terminal.type('/branch\r');
  await terminal.until(/Now, with the whole[^]*Second[^]*First/u);
  terminal.type('\u001B[B\r');
  await terminal.until(/Keep the files as they are[^]*Take back 1 file/u);
  terminal.type(keys === '\r' ? '\r' : '\u001B[B\r');
  await terminal.until(/This is a branch\.[^]*\/resume\s+0f9a1a34[^]*› Second/u);
  expect(scene.read('a.txt')).toBe(text);
  terminal.type('\r');
  await terminal.until(/Another way\./u);
  expect(prompts(scene)).toEqual(['First', 'Second']);
  expect((await rows(scene)).map(({title}) => title)).toEqual(['First (branch)', 'First']);

  // The session before it has all of its prompts.
  terminal.type('/resume 0f9a\r');
  await terminal.until(/Session resumed\.[^]*Wrote two\./u);
  terminal.type('Third\r');
  await terminal.until(/Back again\./u);
  expect(prompts(scene)).toEqual(['First', 'Second', 'Third']);
});

test('a branch whose files cannot be taken back ends before the prompt all the same, and says so', async () => {
  await using scene = await openScene([write('one\n'), say('Wrote one.'), say('Another way.')]);
  using terminal = open(scene, [...free, 'First']);
  await terminal.until(/Wrote one\./u);
  terminal.type('/branch 1\r');
  await terminal.until(/Keep the files as they are[^]*Take back 1 file/u);
  rmSync(join(scene.place.home, 'weft', 'checkpoints'), {recursive: true});
  terminal.type('2');
  await terminal.until(/The files stay as they are\.[^]*This is a branch\.[^]*› First/u);
  expect(scene.read('a.txt')).toBe('one\n');
  terminal.type('\r');
  await terminal.until(/Another way\./u);
  expect(prompts(scene)).toEqual(['First']);
});

test('a branch of a session whose agent works leaves its work alone', async () => {
  const waits = 'echo $$ >pid; until [ -e go ]; do sleep 0.05; done; touch made';
  await using scene = await openScene([say('One.'), call('Bash', {command: waits}), say('Beside.'), say('Made.')]);
  using terminal = open(scene, [...free, 'First']);
  await terminal.until(/One\./u);
  terminal.type('Make it\r');
  await fileComes(join(scene.place.work, 'pid'));
  terminal.type('/branch 2\r');
  await terminal.until(/Session "First" continues in the background[^]*This is a branch\.[^]*\/resume\s+0f9a1a34/u);
  await terminal.until(/› Make it/u);
  terminal.type('\r');
  await terminal.until(/Beside\./u);
  expect(prompts(scene)).toEqual(['First', 'Make it']);
  writeFileSync(join(scene.place.work, 'go'), '');
  await lookUntil(
    () => existsSync(join(scene.place.work, 'made')),
    () => 'the command never went on',
  );
  expect((await rows(scene)).map(({title}) => title).toSorted()).toEqual(['First', 'First (branch)']);
});

test('programs learn that a branch needs the terminal UI', async () => {
  await using scene = await openScene([]);
  const {code, stderr} = await scene.run(['--prompt', '/branch 1']);
  expect([code, stderr]).toEqual([2, 'weft: /branch works only in the terminal UI. Nothing was sent to the model.\n']);
});
