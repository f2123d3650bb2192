// @module-tag long
import {existsSync, writeFileSync} from 'node:fs';
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

test('the checks of the manifests are offered as a setting', async () => {
  const settings = call('Write', {file_path: '.weft/settings.json', content: '{"checks": []}'});
  await using scene = await openScene([look, settings, say('Done.')]);
  const files = {
    'package.json': '{\n  "scripts": {\n    "test": "vitest run",\n    "lint": "eslint ."\n  }\n}\n',
    Makefile: 'all:\n\techo\ntest: all\n\techo\n',
    'Cargo.toml': '[package]\nname = "a"\n',
    'pyproject.toml': '[project]\nname = "a"\n[tool.ruff]\n[tool.pytest.ini_options]\n',
    'go.mod': 'module example.com/a\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(scene.place.work, name), text);
  // The settings are not written unasked, whatever the mode.
  const {code} = await scene.run(['--permission-mode', 'acceptEdits', 'init']);
  expect([code, existsSync(join(scene.place.work, '.weft/settings.json'))]).toEqual([3, false]);
  expect(toldResults(scene.server.requests[1])).toEqual([
    expect.stringContaining(
      'Commands that check this project: cargo test · cargo build · make test · go test ./... · go vet ./... · go build ./... · ' +
        'npm test · npm run lint · ruff check . · pytest.',
    ),
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
