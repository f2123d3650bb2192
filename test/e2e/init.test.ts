// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {putFile} from '../support/put-file.ts';
import {openScene, toldPrompt, toldResults} from '../support/scene.ts';

const write = call('Write', {file_path: 'AGENTS.md', content: '# Build\n'});
const look = call('InitProject', {});

test('weft init sends what is to be looked at and written; a file that is there stays where nobody can be asked', async () => {
  await using scene = await openScene([[look, call('Read', {file_path: 'AGENTS.md'})], write, say('I could not.')]);
  writeFileSync(join(scene.place.work, 'AGENTS.md'), '# Mine\n');
  const {code, stdout} = await scene.run(['init', 'the', 'tests']);
  expect([code, stdout, scene.read('AGENTS.md')]).toEqual([3, 'I could not.\n', '# Mine\n']);
  const sent = JSON.stringify(scene.server.requests[0]?.body.messages);
  expect(toldPrompt(scene.server.requests[0])).toContain('/init the tests');
  expect(sent).toContain('Explore this project and propose its AGENTS.md');
  expect(sent).toContain('- The user also asks: the tests');
  expect(toldResults(scene.server.requests[1])).toEqual([
    expect.stringMatching(/Files to start with:\nAGENTS\.md$/u),
    expect.stringContaining('# Mine'),
  ]);
});

test('flags before the command count: edits that are allowed are made', async () => {
  await using scene = await openScene([write, say('Done.')]);
  const {code, stdout} = await scene.run(['--permission-mode', 'acceptEdits', 'init']);
  expect([code, stdout, scene.read('AGENTS.md')]).toEqual([0, 'Done.\n', '# Build\n']);
});

test("a command of the user's takes the place of /init", async () => {
  await using scene = await openScene([say('Ok.')]);
  const folder = join(scene.place.home, '.claude', 'commands');
  putFile(join(folder, 'init.md'), 'My own beginning.\n');
  await scene.run(['init']);
  const sent = JSON.stringify(scene.server.requests[0]?.body.messages);
  expect([sent.includes('My own beginning.'), sent.includes('Look this project over')]).toEqual([true, false]);
});
