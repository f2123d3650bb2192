// @module-tag long
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {fail, say} from '../support/model-script.ts';
import {startModelServer} from '../support/model-server.ts';
import {openPty} from '../support/pty-terminal.ts';
import {TempPlace} from '../support/run-weft.ts';
import {toldPrompt} from '../support/scene.ts';

const key = 'sk-ant-api03-0123456789abcdefghij';

test(
  'a prompt from the command line waits for a key, which is pasted, kept, and seen nowhere',
  {tags: 'smoke'},
  async () => {
    using place = new TempPlace();
    await using server = await startModelServer([say('Here is the answer.'), fail(401)]);
    const environment = {ANTHROPIC_BASE_URL: server.baseUrl.anthropic, TMPDIR: place.home};
    using terminal = openPty({place, environment, args: ['what', 'is', 'it'], answers: 'all', size: [100, 30]});
    await terminal.until(/No model yet[^]*Paste an API key[^]*Your prompt will be sent once a model is connected/u);
    terminal.type('1');
    await terminal.until(/Never shown/u);
    terminal.type(`\u001B[200~${key}\u001B[201~`);
    await terminal.until(/Paste an API key: Anthropic[^]*••••/u);
    terminal.type('\r');
    await terminal.until(/Anthropic key saved in[^]*what is it[^]*Here is the answer\./u);
    expect(server.requests.map(request => [toldPrompt(request), request.headers['x-api-key']])).toEqual([
      ['what is it', key],
    ]);
    terminal.type('/exit\r');
    expect(await terminal.exited).toBe(0);
    expect(terminal.log()).not.toContain(key);
    const files = readdirSync(place.home, {recursive: true, withFileTypes: true})
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name));
    expect(files.filter(file => readFileSync(file).includes(key))).toEqual([
      join(place.home, 'weft', 'credentials.json'),
    ]);
  },
);

test('what is typed without a model is not lost, and the demo leads back to it', async () => {
  using place = new TempPlace();
  using terminal = openPty({place, environment: {TMPDIR: place.home}, args: [], answers: 'all', size: [100, 30]});
  await terminal.until(/No model yet/u);
  terminal.type('fix the bug');
  await terminal.until(/fix the bug/u);
  terminal.type('\r');
  await terminal.until(/Your prompt will be sent once a model is connected/u);
  terminal.type('3');
  await terminal.until(/Demo: only the model's answers are recorded/u);
  terminal.type('/exit\r');
  await terminal.until(/No model yet[^]*Your prompt will be sent once a model is connected/u);
  terminal.type('\u001B');
  await terminal.until(/fix the bug/u);
  terminal.type('\u0003');
  terminal.type('\u0003\u0003');
  expect(await terminal.exited).toBe(0);
  expect(existsSync(join(place.home, 'weft', 'credentials.json'))).toBe(false);
});
