// @module-tag long
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {say} from '../support/model-script.ts';
import {openScene, toldPrompt} from '../support/scene.ts';

const {version} = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const key = 'sk-ant-api03-0123456789abcdefghij';

describe('a word that people try is a command, and nothing is sent', () => {
  test.each<[line: string, code: number, stdout: RegExp, stderr: RegExp]>([
    ['help', 0, /^Usage: weft \[options\][^]*\n {2}exit-codes +Exit codes\n/u, /^$/u],
    ['help sessions list', 0, /^Usage: weft sessions list /u, /^$/u],
    ['help keys.md', 0, /^# Keys\n[^]*Ctrl\+R/u, /^$/u],
    ['help settings', 0, /^# Settings\n[^]*"theme"/u, /^$/u],
    ['help setings', 2, /^$/u, /^weft: No help on "setings"\. Did you mean "weft help settings"\? /u],
    ['help commands', 0, /^# Slash commands\n[^]*`\/resume/u, /^$/u],
    ['help sesions', 2, /^$/u, /^weft: No help on "sesions"\. Did you mean "weft help sessions"\? .*: weft help\n$/u],
    ['version', 0, new RegExp(`^${version}\n$`, 'u'), /^$/u],
    ['status', 0, /^Anthropic {2}key from ANTHROPIC_API_KEY\n/u, /^$/u],
    [
      'login',
      2,
      /^$/u,
      /^weft: No key on stdin\. Pass it: weft login < key\.txt\. For the other ways to a model, run: weft login < \/dev\/null\n$/u,
    ],
    ['logout', 1, /^$/u, /^weft: no saved key\n$/u],
    ['update', 0, /, running from source in .*\nUpdate it: in .*: git pull && npm ci && npm run build\n$/u, /^$/u],
    ['upgrade', 0, /\nUpdate it: /u, /^$/u],
    ['uninstall', 0, /\nSettings and sessions stay in \S+\/weft\. /u, /^$/u],
    [
      'stat',
      2,
      /^$/u,
      /Unknown command "stat"\. Did you mean "weft status"\? To send it as a prompt: weft --prompt "stat"/u,
    ],
    ['help nope', 2, /^$/u, /^weft: No help on "nope"\. /u],
    [`login ${key}`, 2, /^$/u, /^weft: This is an API key\. Nothing was sent\. (?!.*sk-)/u],
    [`login openai ${key} please`, 2, /^$/u, /^weft: This is an API key\. Nothing was sent\. (?!.*sk-)/u],
    [`${key} --model m`, 2, /^$/u, /^weft: This is an API key\. Nothing was sent\. (?!.*sk-)/u],
    ['install', 2, /^$/u, /Unknown command "install"\. Did you mean "weft help install"\?/u],
  ])('weft %s', async (line, code, stdout, stderr) => {
    await using scene = await openScene([]);
    const run = await scene.run(line.split(' '));
    expect(run).toEqual({
      code,
      signal: null,
      stdout: expect.stringMatching(stdout),
      stderr: expect.stringMatching(stderr),
    });
    expect(scene.server.requests).toEqual([]);
  });
});

test('what is piped in beside a slip is not sent either', {tags: 'smoke'}, async () => {
  await using scene = await openScene([]);
  const {code} = await scene.run(['logn'], {stdin: {text: 'a key'}});
  expect([code, scene.server.requests]).toEqual([2, []]);
});

test.each([
  [['--', 'help'], 'help'],
  [['--', 'install'], 'install'],
  [['--prompt', 'help'], 'help'],
  [['--print', 'install'], 'install'],
  [['update', 'the', 'README', '--no-session-persistence'], 'update the README'],
])('weft %j is a prompt', async (args, prompt) => {
  await using scene = await openScene([say('Done.')]);
  expect(await scene.run(args)).toMatchObject({code: 0, stdout: 'Done.\n'});
  expect(toldPrompt(scene.server.requests[0])).toBe(prompt);
});

describe('flags before the name of a command', () => {
  test.each<[line: string, code: number, stdout: RegExp, stderr: RegExp]>([
    [
      '--model m sessions list',
      2,
      /^$/u,
      /^weft: --model does nothing for "weft sessions list"\. Leave it out\. Options: weft sessions list --help\n/u,
    ],
    ['--bare doctor', 2, /^$/u, /^weft: --bare does nothing for "weft doctor"\. /u],
    ['--cwd /nowhere hooks list', 2, /^$/u, /^weft: \/nowhere /u],
    ['--plugin-dir /nowhere hooks list', 2, /^$/u, /^weft: .*\/nowhere/u],
    ['plan --max-cost 1 list', 2, /^$/u, /^weft: --max-cost does nothing for "weft plan list"\. /u],
    ['--debug help sessions list', 0, /^Usage: weft sessions list /u, /^$/u],
  ])('%s', async (line, code, stdout, stderr) => {
    await using scene = await openScene([]);
    expect(await scene.run(line.split(' '))).toEqual({
      code,
      signal: null,
      stdout: expect.stringMatching(stdout),
      stderr: expect.stringMatching(stderr),
    });
  });
});
