// @module-tag long
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene, type Scene, toldResults} from '../support/scene.ts';
import {putFile} from '../support/put-file.ts';

const put = (scene: Scene, path: string, text: string): void => putFile(join(scene.place.work, path), text);

const read = (path: string) => call('Read', {file_path: path});

test('the instructions of a folder come with the first file that is read there, once in a session', async () => {
  await using scene = await openScene([
    [read('src/a.ts'), read('src/b.ts')],
    read('src/deep/c.ts'),
    say('Done.'),
    read('src/a.ts'),
    say('Again.'),
  ]);
  put(scene, 'AGENTS.md', 'Root rule.\n');
  put(scene, 'src/AGENTS.md', 'Source rule.\n');
  put(scene, 'src/deep/CLAUDE.md', 'Deep rule.\n');
  for (const path of ['src/a.ts', 'src/b.ts', 'src/deep/c.ts']) put(scene, path, 'x\n');
  const first = await scene.run(['--prompt', 'go']);
  expect([first.code, first.stdout, first.stderr]).toEqual([0, 'Done.\n', '']);
  const told = scene.server.requests.map(request => toldResults(request));
  const rule = (file: string, text: string) =>
    `<reminder>Instructions of ${JSON.stringify(join(scene.place.work, file))}, for the files in its folder and below:\n\n${text}\n</reminder>`;
  expect(told[1]?.join('\n').split(rule('src/AGENTS.md', 'Source rule.')).length).toBe(2);
  expect(told[1]?.join('\n')).not.toContain('Root rule.');
  expect(told[2]?.join('\n')).toContain(rule('src/deep/CLAUDE.md', 'Deep rule.'));
  expect(told[2]?.join('\n')).not.toContain('Source rule.');
  // The conversation only grows, so that what the provider keeps of it holds.
  const [, second = '', third = ''] = scene.server.requests.map(({body}) =>
    JSON.stringify(body.messages).replaceAll(',"cache_control":{"type":"ephemeral"}', ''),
  );
  expect(third.slice(0, second.length - 1)).toBe(second.slice(0, -1));

  const resumed = await scene.run(['--continue', '--prompt', 'again']);
  expect(resumed.stdout).toBe('Again.\n');
  const words = JSON.stringify(scene.server.requests.at(-1)?.body.messages);
  expect(words.split('Source rule.').length).toBe(2);
});

test('they are not read where the user gives a system prompt of his own, nor where the project does not count', async () => {
  await using scene = await openScene([read('src/a.ts'), say('Done.'), read('src/a.ts'), say('Done.')]);
  put(scene, 'src/AGENTS.md', 'Source rule.\n');
  put(scene, 'src/a.ts', 'x\n');
  await scene.run(['--prompt', 'go', '--system-prompt', 'You are mine.']);
  expect(JSON.stringify(scene.server.requests.at(-1)?.body)).not.toContain('Source rule.');
  await scene.run(['--prompt', 'go', '--setting-sources', 'user']);
  expect(JSON.stringify(scene.server.requests.at(-1)?.body)).not.toContain('Source rule.');
});
