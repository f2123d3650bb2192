import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {call, say, until} from '../support/model-script.ts';
import {finish, weftBin} from '../support/run-weft.ts';
import {openScene, pointedAt} from '../support/scene.ts';

const example = (name: string): string => fileURLToPath(new URL(`../examples/${name}`, import.meta.url));

test('drive-weft: allows one command, denies another, interrupts, resumes', {tags: 'long'}, async () => {
  await using scene = await openScene([
    call('Bash', {command: 'mkdir notes'}),
    call('Bash', {command: 'rm -r notes'}),
    say('The folder is there.'),
    [say('One, two'), until(new Promise(() => {}))],
    say('I made a folder.'),
  ]);
  const {place, server} = scene;
  const child = spawn(process.execPath, [example('drive-weft.ts'), weftBin], {
    cwd: place.work,
    env: place.environment({...pointedAt(server), TMPDIR: place.home}),
  });
  const {code, stdout} = await finish(child);
  expect(stdout.split('\n')).toEqual([
    'calls: Bash',
    'allowed: mkdir notes',
    'calls: Bash',
    expect.stringMatching(/^denied: Bash rm -r notes \(.+\)$/u),
    'weft: The folder is there.',
    expect.stringMatching(/^result: success, \$0\.\d+$/u),
    'interrupting',
    'weft: One, two',
    expect.stringMatching(/^result: error_during_execution, /u),
    expect.stringMatching(/^ended: .*interrupted/u),
    'weft: I made a folder.',
    expect.stringMatching(/^result: success, /u),
    '',
  ]);
  expect([code, existsSync(join(place.work, 'notes'))]).toEqual([0, true]);
  expect(server.requests.at(-1)?.body.messages.length).toBeGreaterThan(7);
});
