// @module-tag long
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeAll, beforeEach, describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {isInstalled, needs} from '../support/programs.ts';
import {running} from '../support/processes.ts';
import {finish} from '../support/run-weft.ts';
import {fileComes, openScene, processGone, toldResults, type Scene} from '../support/scene.ts';

const free = ['--permission-mode', 'bypassPermissions'] as const;

/** Runs one call of a tool and answers with what the model is told. */
async function told(scene: Scene): Promise<string> {
  const {code, stderr} = await scene.run(['--prompt', 'x', ...free]);
  expect([code, stderr]).toEqual([0, '']);
  return toldResults(scene.server.requests[1])[0] ?? '';
}

/** What the model is told of each command whose program is installed: one run carries them all out, one after the other. */
async function toldOfEach(
  commands: readonly string[],
  more: {readonly timeout?: number} = {},
): Promise<ReadonlyMap<string, string>> {
  const installed = commands.filter(command => programsOf(command).every(isInstalled));
  await using scene = await openScene([...installed.map(command => call('Bash', {command, ...more})), say('done')]);
  writeFileSync(join(scene.place.work, 'f'), 'line 1\nline 2\n');
  execFileSync('bash', ['-c', repository], {cwd: scene.place.work});
  const {code, stderr} = await scene.run(['--prompt', 'x', ...free]);
  expect([code, stderr]).toEqual([0, '']);
  const results = scene.server.requests.slice(1).map(request => toldResults(request)[0] ?? '');
  return new Map(installed.map((command, at) => [command, results[at] ?? '']));
}

const secondsIn = (text: string): number => Number(/(?:after|,) (\d+\.\d) s/u.exec(text)?.[1]);

/** The program of a command, where bash has none of that name itself. */
const programsOf = (command: string): readonly string[] =>
  command
    .split(' ')
    .slice(0, 1)
    .filter(name => !['read', 'while'].includes(name));

/** A repository with something to log, to rebase and to push to nowhere. */
const repository =
  'git init -q . && git config user.email a@b.c && git config user.name a && git remote add origin https://127.0.0.1:1/x.git' +
  ' && for i in 1 2 3 4; do git commit -q --allow-empty -m "commit $i"; done';

describe('programs that wait for somebody end at once, since nobody is there', () => {
  const cases: readonly (readonly [command: string, shown: RegExp])[] = [
    ['git log', /commit 4[^]*commit 1[^]*exit code 0/u],
    ['man ls', /LS\(1\)|No manual entry|command not found|minimized/u],
    ['npm init', /package name/u],
    ['python3', /exit code 0/u],
    ['ssh unknownhost.invalid', /resolve|resolution/u],
    ['sudo -k true', /exit code/u],
    ['read x', /exit code 1/u],
    ['vim x', /waited for a key press without a terminal/u],
    ['less f', /line 1\nline 2/u],
    ['top', /exit code 1/u],
    ['cat', /exit code 0/u],
    ['git commit --allow-empty', /[Aa]borting commit/u],
    ['git rebase -i HEAD~2', /exit code/u],
    ['git push origin HEAD', /unable to access|terminal prompts disabled|not read Username/u],
    ['crontab -e', /exit code/u],
    ['mysql', /exit code/u],
    ['psql', /exit code/u],
    ['passwd', /exit code/u],
    ['ftp', /exit code 0/u],
    ['docker run -it alpine', /exit code/u],
  ];
  let results: ReadonlyMap<string, string> = new Map();
  beforeAll(async () => {
    results = await toldOfEach(cases.map(([command]) => command));
  }, 60_000);
  test.for(cases)('%s', ([command, shown], context) => {
    needs(...programsOf(command))(context);
    const text = results.get(command) ?? '';
    expect(text).toMatch(shown);
    // A command has two minutes.
    expect(secondsIn(text)).toBeLessThan(60);
  });
});

describe('what runs for ever is ended by its time limit', () => {
  const cases = ['tail -f f', 'watch date', 'nc -l 127.0.0.1 47391', 'yes', 'while :; do :; done', 'sleep 7301'];
  let results: ReadonlyMap<string, string> = new Map();
  beforeAll(async () => {
    results = await toldOfEach(cases, {timeout: 700});
  }, 60_000);
  test.for(cases)('%s', (command, context) => {
    needs(...programsOf(command))(context);
    const text = results.get(command) ?? '';
    expect(text).toMatch(/\[timed out and was ended after \d+\.\d s in /u);
    expect(text.length).toBeLessThan(32_000);
  });
});

test('a block is started, asked, answered; an unknown one is an error; it ends with weft', async () => {
  await using scene = await openScene([
    call('Bash', {
      command: 'read -p "name? " x; echo "hello $x"; echo $$ >pid; sleep 7302',
      wait_until_completion: false,
    }),
    call('BashInput', {block_id: 'b1', input: 'Ada'}),
    call('BashOutput', {block_id: 'b1', delay: 0}),
    call('BashOutput', {block_id: 'b7'}),
    call('BashHandOver', {block_id: 'b1', reason: 'look'}),
    say('done'),
  ]);
  expect((await scene.run(['--prompt', 'x', ...free])).code).toBe(0);
  const results = scene.server.requests.slice(1).map(request => toldResults(request)[0] ?? '');
  expect(results).toEqual([
    expect.stringMatching(
      /^name\?\n\[block b1: waiting for input: name\?, \d\.\d s after its start, cursor at line 1, column 7, in \S+\]\n\[still running: /u,
    ),
    expect.stringMatching(/^name\? Ada\nhello Ada\n\[block b1: running, /u),
    expect.stringMatching(/^name\? Ada\nhello Ada\n\[block b1: running, /u),
    expect.stringMatching(/^There is no block b7\. Running: b1 \(read -p /u),
    expect.stringMatching(
      /^No user is at a terminal here, so nothing can be handed over\. Block b1 is still running\.$/u,
    ),
  ]);
  await processGone(Number(scene.read('pid')));
});

test('a server in the background gives the prompt back, is named, and ends with weft', {tags: 'smoke'}, async () => {
  await using scene = await openScene([call('Bash', {command: 'sleep 7303 & echo $! >pid; echo up'}), say('done')]);
  expect(await told(scene)).toMatch(
    /^up\n\[left running, as block b1: sleep 7303 \(process \d+\); it ends with weft unless the user keeps it\]\n\[exit code 0 after \d+\.\d s/u,
  );
  await processGone(Number(scene.read('pid')));
});

test('a cd is kept for the next command', async () => {
  await using scene = await openScene([
    call('Bash', {command: 'mkdir sub; cd sub'}),
    call('Bash', {command: 'pwd; cd /'}),
    say('done'),
  ]);
  expect((await scene.run(['--prompt', 'x', ...free])).code).toBe(0);
  const [first = '', second = ''] = scene.server.requests.slice(1).map(request => toldResults(request)[0] ?? '');
  expect(first).toMatch(/^\[the next command starts in \S+\/sub\]\n\[exit code 0 /u);
  expect(second).toMatch(
    /\/sub\n\[it ended in \/, outside the workspace; the next command starts in \S+\]\n\[exit code 0 after \S+ s in \S+\/sub\]$/u,
  );
});

describe('whatever ends weft ends what it started', () => {
  beforeEach(needs('setsid'));

  const everything =
    'setsid -f sh -c "trap \\"\\" TERM; echo \\$\\$ >pid2; sleep 7304; sleep 7304"; sleep 7304 & echo $! >pid1; echo $$ >pid3; wait';
  test.each(['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
    '%s: a command, a block and what left them',
    async signal => {
      await using scene = await openScene([
        call('Bash', {command: 'echo $$ >pid0; setsid sleep 7304', run_in_background: true}),
        call('Bash', {command: everything}),
        say('done'),
      ]);
      const child = scene.start(['--prompt', 'x', ...free]);
      const finished = finish(child);
      const pids: number[] = [];
      for (const name of ['pid0', 'pid1', 'pid2', 'pid3']) {
        pids.push(Number(await fileComes(join(scene.place.work, name))));
      }
      child.kill(signal);
      await finished;
      await Promise.all(pids.map(pid => processGone(pid)));
      expect(running('sleep 7304')).toEqual([]);
    },
  );
});

test('keys are withheld from blocks too', async () => {
  const command = 'echo "[$MY_TOKEN]"; [[ $(env) == *sk-scripted* ]]';
  await using scene = await openScene([call('Bash', {command, wait_until_completion: false}), say('done')]);
  const {code} = await scene.run(['--prompt', 'x', ...free], {environment: {MY_TOKEN: 'token-555'}});
  expect(code).toBe(0);
  expect(toldResults(scene.server.requests[1])[0]).toMatch(/^\[\]\n\[block b1: exit code 1, /u);
});
