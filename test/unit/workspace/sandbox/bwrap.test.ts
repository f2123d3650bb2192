import {chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync} from 'node:fs';
import {once} from 'node:events';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {beforeEach, describe, expect, test, type TestContext} from 'vitest';
import {confines} from '../../../../src/domain/sandbox.ts';
import {processTable, commandLineOf} from '../../../../src/workspace/exec/process-table.ts';
import {needs} from '../../../support/programs.ts';
import {onPipes} from '../../../support/shell-requests.ts';
import {lookUntil} from '../../../support/look-until.ts';
import {never} from '../temporary-folder.ts';
import {type AroundEnclose, sandboxPlace, type SandboxPlace, withBriefSecrets} from './sandbox-place.ts';

beforeEach(needs('bwrap', 'git'));

/** A place whose sandbox confines commands; where this machine forbids that, the test is skipped and says why. */
async function confinedPlace({skip}: TestContext, around?: AroundEnclose): Promise<SandboxPlace> {
  const place = await sandboxPlace('bwrap', around);
  const proof = await place.sandbox.proof();
  if (!confines(proof)) await place[Symbol.asyncDispose]();
  skip(!confines(proof), proof.reason);
  return place;
}

test(
  'what must be possible: files of the workspace, exit codes, output, its folder, temporary files that stay',
  {tags: 'long'},
  async context => {
    await using place = await confinedPlace(context);
    const first = await place.run(
      'mkdir sub && cd sub && echo out; echo err >&2; echo x >/tmp/kept; echo y >"$OLDPWD/made"; exit 7',
    );
    expect([first.end, first.output.text, first.nextDirectory, first.notes]).toEqual([
      {kind: 'exited', code: 7},
      'out\nerr\n',
      join(place.root, 'sub'),
      [],
    ]);
    const second = await place.run(
      'pwd; cat /tmp/kept; git add -A && git -c user.name=a -c user.email=a@b commit -qm first; git status --short',
    );
    expect([second.end, second.output.text]).toEqual([{kind: 'exited', code: 0}, `${place.root}/sub\nx\n`]);
    expect(readdirSync(place.root).toSorted()).toEqual(['.git', 'made', 'sub']);
    expect(existsSync('/tmp/kept')).toBe(false);
  },
);

test(
  'what an unasked command leaves in the temporary folder is not found by one that changes the workspace',
  {tags: 'long'},
  async context => {
    await using place = await confinedPlace(context);
    await place.run(
      'mkdir -p "$XDG_CACHE_HOME"; echo evil | tee /tmp/left /var/tmp/left2 >"$XDG_CACHE_HOME/left"',
      'sandbox',
    );
    const list = 'ls -A /tmp /var/tmp "$XDG_CACHE_HOME" /dev/shm 2>/dev/null | grep left';
    expect((await place.run(list)).output.text).toBe('');
    expect((await place.run(list, 'sandbox')).output.text).toContain('left2');
  },
);

test('what a command that a person allowed leaves running goes on as a block', async context => {
  await using place = await confinedPlace(context);
  const {leftRunning} = await place.run('(while [ ! -e stop ]; do sleep 0.05; done; echo late >late) & echo started');
  expect(leftRunning).toHaveLength(1);
  writeFileSync(join(place.root, 'stop'), '');
  await lookUntil(
    () => place.has('late'),
    () => `there is ${readdirSync(place.root).join()}`,
  );
  expect(readdirSync(place.root).toSorted()).toEqual(['.git', 'late', 'stop']);
});

test('a block runs inside, in a terminal that it can open', async context => {
  await using place = await confinedPlace(context);
  const {blocks} = place.commands;
  const command = 'test -t 0 && echo x 2>&1 >"$OUT/file"; echo "seen: $(cat ~/.ssh/key 2>&1)"; echo tty >/dev/tty';
  const started = await blocks.start(
    {command, directory: place.root, environment: 'inherited', confinement: 'chosen'},
    new AbortController().signal,
  );
  expect(started).toMatchObject({tag: 'ok', value: {terminal: 'pty'}});
  expect(JSON.stringify(started)).toMatch(/(?:Read-only file system|No such file).*seen: cat: .*No such file.*tty/u);
  expect(place.text(join(place.outside, 'file'))).toBe('as it was');
});

test('inside read-only nothing of the workspace changes; without a yes of the user the repository does not either', async context => {
  await using place = await confinedPlace(context);
  await place.run('echo x >made; git add -A 2>/dev/null; rm -rf .git', 'read-only');
  expect(readdirSync(place.root)).toEqual(['.git']);
  const {output} = await place.run('rm -rf .git/HEAD; mv .git moved; echo x >made; ls -A', 'sandbox');
  expect([readdirSync(place.root), existsSync(join(place.root, '.git/HEAD'))]).toEqual([['.git'], true]);
  expect(output.text.split('\n').slice(-3)).toEqual(['.git', 'made', '']);
});

test('a command that a person lets out runs as it is; one that fails inside says what kept it', async context => {
  await using place = await confinedPlace(context);
  const {blocked} = await place.run('echo x >.git/config', 'sandbox');
  expect(blocked).toMatch(/write only to the workspace/u);
  expect((await place.run('echo x >"$OUT/file"', 'outside')).blocked).toBe('');
  expect(place.text(join(place.outside, 'file'))).toBe('x\n');
  expect((await place.run('cat no-such-file')).blocked).toBe('');
});

test('a socket in a folder that the user cannot enter, as another user’s, is in nobody’s way', async context => {
  await using place = await confinedPlace(context);
  const folder = join(place.outside, 'closed');
  mkdirSync(folder);
  const server = createServer().listen({path: join(folder, 's')});
  await once(server, 'listening');
  chmodSync(folder, 0);
  const {end} = await place.run('true', 'sandbox');
  chmodSync(folder, 0o700);
  server.close();
  expect(end).toEqual({kind: 'exited', code: 0});
});

describe('what was to be hidden vanishes before it is', () => {
  test('the command runs once, and nobody reads of it', async context => {
    await using place = await confinedPlace(context, withBriefSecrets({left: 2}));
    const {end, output} = await place.run('echo ran | tee -a runs');
    expect([end, output.text, place.text(join(place.root, 'runs'))]).toEqual([
      {kind: 'exited', code: 0},
      'ran\n',
      'ran\n',
    ]);
  });

  test('a block runs once, and nobody reads of it', {tags: 'long'}, async context => {
    await using place = await confinedPlace(context, withBriefSecrets({left: 1}));
    const request = {
      command: 'echo ran',
      directory: place.root,
      environment: 'inherited',
      confinement: 'chosen',
    } as const;
    const started = await place.commands.blocks.start(request, never);
    expect(started).toMatchObject({tag: 'ok', value: {id: 'b1', notes: [], output: {text: 'ran'}}});
  });

  test('where that goes on the command is not started, and it says why', {tags: 'long'}, async context => {
    await using place = await confinedPlace(context, withBriefSecrets({left: 1000}));
    const {end} = await place.run('echo ran >>runs');
    expect(end).toMatchObject({
      kind: 'not-started',
      fault: {message: expect.stringMatching(/sandbox.*bwrap: .*\.netrc/u)},
    });
    expect(place.has('runs')).toBe(false);
  });
});

test('a time limit ends everything inside', {tags: 'long'}, async context => {
  await using place = await confinedPlace(context);
  const {commands} = place;
  const command = 'trap "" TERM; setsid sh -c \'trap "" TERM; sleep 7301; :\' & sleep 7301; :';
  const request = {
    command,
    directory: commands.shell.directory,
    timeoutMs: 1000,
    paging: 'unexpected',
    changes: 'none',
    environment: 'inherited',
    confinement: 'sandbox',
  } as const;
  const {end, leftRunning} = await commands.shell.run({...request, ...onPipes}, () => {}, new AbortController().signal);
  expect([end, leftRunning]).toEqual([{kind: 'timed-out', afterMs: 1000}, []]);
  const all = (await processTable()).map(({pid}) => commandLineOf(pid));
  expect(all.filter(words => words.includes('sleep 7301'))).toEqual([]);
});
