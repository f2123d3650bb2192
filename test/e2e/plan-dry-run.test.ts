// @module-tag long
import {randomUUID} from 'node:crypto';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, hang, say, type Answer} from '../support/model-script.ts';
import {openScenePty} from '../support/pty-terminal.ts';
import {openScene, type Scene, toldResults} from '../support/scene.ts';
import {git, skipWithoutOverlay} from './support/overlay.ts';
import {conditionsOf, leftovers, listing} from './support/shadow.ts';

const marks = (first: string, second: string): Answer =>
  call('TodoWrite', {
    todos: [
      {content: 'Write it', status: first},
      {content: 'Check it', status: second},
    ],
  });

const proposal = call('ExitPlanMode', {goal: 'New', steps: ['Write it', 'Check it']});

const work: readonly Answer[] = [
  call('Bash', {command: 'mkdir -p src && cat old.txt > src/new.txt && rm gone.txt'}),
  call('Bash', {command: 'git -c user.name=a -c user.email=a commit -qam agent'}),
  call('Write', {file_path: 'src/second.txt', content: 'second\n'}),
  call('Bash', {command: 'test -f node_modules/lib/index.js'}),
  call('Bash', {command: 'npm test'}),
  marks('completed', 'completed'),
  say('Done.'),
];

const free = ['--permission-mode', 'bypassPermissions'] as const;

/** A scene with a repository, a dirty file in it, an ignored dependency, and a plan. */
async function openPlanned(script: readonly Answer[]): Promise<{readonly scene: Scene; readonly id: string}> {
  const scene = await openScene([proposal, ...script]);
  const folder = scene.place.work;
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n*.log\n');
  writeFileSync(join(folder, 'old.txt'), 'committed\n');
  writeFileSync(join(folder, 'gone.txt'), 'gone\n');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({scripts: {test: 'test -f src/new.txt'}}));
  git(folder, 'init', '-q');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
  writeFileSync(join(folder, 'old.txt'), 'dirty\n');
  mkdirSync(join(folder, 'node_modules/lib'), {recursive: true});
  writeFileSync(join(folder, 'node_modules/lib/index.js'), '');
  // Packages that are linked to each other, and links that lead around in circles.
  for (const name of ['a', 'b', 'c']) {
    mkdirSync(join(folder, 'node_modules', name, 'node_modules'), {recursive: true});
    for (const other of ['a', 'b', 'c'].filter(each => each !== name))
      symlinkSync(`../../${other}`, join(folder, 'node_modules', name, 'node_modules', other));
  }
  for (const name of ['one', 'two']) symlinkSync('.', join(folder, 'node_modules', name));
  const planned = await scene.run(['plan', 'x', '--output-format', 'json']);
  return {scene, id: String(JSON.parse(planned.stdout).id)};
}

describe.each(['view', 'copy'] as const)('in a %s', kind => {
  test('a plan is carried out with its checks, shown, and applied exactly, once', async () => {
    const {scene: opened, id} = await openPlanned(work);
    await using scene = opened;
    const folder = scene.place.work;
    const [before, head] = [listing(folder), git(folder, 'rev-parse', 'HEAD')];
    const dry = await scene.run(['plan', 'run', id, '--dry', '--json', ...free], conditionsOf(kind, scene));
    const shown = JSON.parse(dry.stdout);
    expect([dry.code, shown]).toEqual([
      0,
      {
        id,
        session: expect.any(String),
        tree: expect.stringMatching(/^[0-9a-f]{64}$/u),
        exitCode: 0,
        changes: [
          {path: 'gone.txt', kind: 'deleted'},
          {path: 'src/new.txt', kind: 'created'},
          {path: 'src/second.txt', kind: 'created'},
        ],
        checks: kind === 'copy' ? [] : [expect.objectContaining({name: 'npm test', exit_code: 0, fresh: true})],
        leftOut: [],
        refused: kind === 'copy' ? ['Run git -c user.name=a -c user.email=a commit -qam agent', 'Run npm test'] : [],
      },
    ]);
    expect([listing(folder), git(folder, 'rev-parse', 'HEAD')]).toEqual([before, head]);
    expect(leftovers(scene)).toEqual([]);
    expect((await scene.run(['plan', 'list'])).stdout).toContain('pending');

    const applied = await scene.run(['plan', 'apply', id, '--json']);
    expect([applied.code, JSON.parse(applied.stdout)]).toEqual([
      0,
      {id, session: shown.session, tree: shown.tree, applied: shown.changes},
    ]);
    const {'gone.txt': _gone, ...kept} = before;
    expect(listing(folder)).toEqual({...kept, 'src/new.txt': 'dirty\n', 'src/second.txt': 'second\n'});
    expect((await scene.run(['plan', 'list'])).stdout).toContain('completed');
    expect((await scene.run(['plan', 'apply', id])).code).toBe(1);
    if (kind === 'copy') return;
    await scene.run(['sessions', 'rewind', shown.session, '--files', '--yes']);
    expect(listing(folder)).toEqual(before);
  });

  test.each(['SIGKILL', 'SIGINT'] as const)('after %s nothing of it is left, and the plan can run', async signal => {
    const {scene: opened, id} = await openPlanned([
      call('Bash', {command: 'echo agent >old.txt; echo agent >new.txt'}),
      hang(),
      ...work,
    ]);
    await using scene = opened;
    const before = listing(scene.place.work);
    const child = scene.start(['plan', 'run', id, '--dry', ...free], conditionsOf(kind, scene));
    await lookUntil(
      () => scene.server.requests.length === 3,
      () => 'the second request never came',
    );
    child.kill(signal);
    await lookUntil(
      () => leftovers(scene).length === 0,
      () => leftovers(scene).join(' '),
    );
    expect(listing(scene.place.work)).toEqual(before);
    expect((await scene.run(['plan', 'list'])).stdout).toContain('pending');
    const again = await scene.run(['plan', 'run', id, '--dry', '--json', ...free], conditionsOf(kind, scene));
    expect([again.code, JSON.parse(again.stdout).changes.length]).toEqual([0, 3]);
    expect(listing(scene.place.work)).toEqual(before);
  });
});

test('a file that changed since makes the whole dry run void; an ignored one does not', async () => {
  const {scene: opened, id} = await openPlanned(work);
  await using scene = opened;
  await scene.run(['plan', 'run', id, '--dry', ...free]);
  writeFileSync(join(scene.place.work, 'other.txt'), 'user');
  const before = listing(scene.place.work);
  const refused = await scene.run(['plan', 'apply', id]);
  expect([refused.code, refused.stderr, listing(scene.place.work)]).toEqual([
    1,
    `weft: nothing was applied: other.txt changed since the dry run. Run it again: weft plan run ${id} --dry\n`,
    before,
  ]);
  rmSync(join(scene.place.work, 'other.txt'));
  writeFileSync(join(scene.place.work, 'server.log'), 'user');
  writeFileSync(join(scene.place.work, '日誌.log'), 'user');
  expect((await scene.run(['plan', 'apply', id])).code).toBe(0);
  expect(scene.read('src/second.txt')).toBe('second\n');
});

test.each(['y', 'n'])('on a terminal, one key applies all or leaves nothing: %s', async answer => {
  const {scene: opened, id} = await openPlanned(work);
  await using scene = opened;
  const before = listing(scene.place.work);
  using terminal = openScenePty(scene, {args: ['plan', 'run', id, '--dry', ...free]});
  await terminal.until(/✓ npm test passed[^]*Apply exactly these changes\? \[y\/N\]/u);
  terminal.type(`${answer}\r`);
  const code = await terminal.exited;
  expect(code).toBe(0);
  if (answer === 'y') expect(scene.read('src/second.txt')).toBe('second\n');
  else expect(listing(scene.place.work)).toEqual(before);
  expect((await scene.run(['plan', 'apply', id])).code).toBe(1);
});

test('/plans dry shows the changes in the terminal, applies them after one key, and lists the plan as done', async () => {
  const [make, mend] = [
    call('Write', {file_path: 'src/second.txt', content: 'second\n'}),
    call('Edit', {file_path: 'old.txt', old_string: 'dirty', new_string: 'clean'}),
  ];
  const {scene: opened, id} = await openPlanned([make, call('Read', {file_path: 'old.txt'}), mend, ...work.slice(-2)]);
  await using scene = opened;
  using terminal = openScenePty(scene);
  await terminal.until(/Ask weft to do something/u);
  terminal.type(`/plans dry ${id}\r`);
  await terminal.until(/-dirty\n\+clean[^]*Apply exactly these changes\? \[y\/N\]/u);
  terminal.type('y\r');
  await terminal.until(/applied 2 changes[^]*: done 2\/2[^]*Ask weft to do something/u);
  expect([scene.read('src/second.txt'), scene.read('old.txt')]).toEqual(['second\n', 'clean\n']);
});

test('commits in a part of a repository, or in a worktree of it, are held back, too', async ({skip}) => {
  const commit = call('Bash', {
    command: 'echo x >new.txt; git add .; git -c user.name=a -c user.email=a commit -qm agent; git log --oneline',
  });
  const plan = [commit, marks('completed', 'completed'), say('Done.')];
  const {scene: opened, id} = await openPlanned([...plan, proposal, ...plan]);
  await using scene = opened;
  await skipWithoutOverlay(scene, skip);
  const {work: top, home} = scene.place;
  mkdirSync(join(top, 'part'));
  git(top, 'worktree', 'add', '-q', join(home, 'tree'));
  const refs = (): string => git(top, 'for-each-ref');
  const before = refs();
  for (const folder of [join(top, 'part'), join(home, 'tree')]) {
    const [, made] = /"id":"(\w+)"/u.exec(
      folder === join(top, 'part')
        ? `"id":"${id}"`
        : (await scene.run(['plan', 'x', '--output-format', 'json'])).stdout,
    ) ?? ['', ''];
    const dry = await scene.run(['--cwd', folder, 'plan', 'run', made ?? '', '--dry', '--json', ...free]);
    expect(JSON.parse(dry.stdout)).toMatchObject({exitCode: 0, changes: [{path: 'new.txt', kind: 'created'}]});
    expect(toldResults(scene.server.requests.at(-2))[0]).toMatch(/^[0-9a-f]+ agent$/mu);
    expect([refs(), existsSync(join(folder, 'new.txt'))]).toEqual([before, false]);
  }
});

test.each([
  ['view', free],
  ['view', ['--allowed-tools', 'Bash', 'Write', 'Edit']],
  ['copy', free],
  ['copy', ['--allowed-tools', 'Bash', 'Write', 'Edit']],
] as const)('in a %s, nothing outside the workspace changes: %j', async (kind, mode) => {
  const name = `weft-dry-${randomUUID()}`;
  const files = [`/tmp/${name}`, `/var/tmp/${name}`];
  const {scene: opened, id} = await openPlanned([
    call('Bash', {command: `echo out >${files.join('; echo out >')}; echo home >~/h.txt; echo link >lnk-out/l.txt`}),
    call('Write', {file_path: `/tmp/${name}-w`, content: 'w'}),
    call('Write', {file_path: 'lnk-out/w.txt', content: 'w'}),
    call('Bash', {command: 'echo in >in.txt'}),
    marks('completed', 'completed'),
    say('Done.'),
  ]);
  await using scene = opened;
  const {home, work: folder} = scene.place;
  mkdirSync(join(home, 'out'));
  symlinkSync(join(home, 'out'), join(folder, 'lnk-out'));
  const dry = await scene.run(['plan', 'run', id, '--dry', '--json', ...mode], conditionsOf(kind, scene));
  const made = [
    ...files,
    `/tmp/${name}-w`,
    join(home, 'h.txt'),
    ...readdirSync(join(home, 'out')).map(each => join(home, 'out', each)),
  ].filter(existsSync);
  for (const each of made) rmSync(each, {force: true});
  expect(made).toEqual([]);
  expect(JSON.parse(dry.stdout)).toMatchObject({
    exitCode: 0,
    changes: [{path: 'in.txt', kind: 'created'}],
    refused: [
      ...(kind === 'copy' ? [expect.stringMatching(/^Run echo out/u)] : []),
      `Edit /tmp/${name}-w`,
      'Edit lnk-out/w.txt',
    ],
  });
  const told = scene.server.requests.flatMap(request => toldResults(request).slice(-1));
  expect(told.filter(text => text.includes('A dry run changes nothing outside'))).toHaveLength(kind === 'copy' ? 3 : 2);
});

test('a dry run shows a file in place of a folder, and a folder in place of a file', async () => {
  const {scene: opened, id} = await openPlanned([
    call('Bash', {command: 'rm -r swap && echo file >swap && rm gone.txt && mkdir gone.txt && echo x >gone.txt/x'}),
    marks('completed', 'completed'),
    say('Done.'),
  ]);
  await using scene = opened;
  mkdirSync(join(scene.place.work, 'swap'));
  writeFileSync(join(scene.place.work, 'swap/in'), 'in\n');
  const dry = await scene.run(['plan', 'run', id, '--dry', '--json', ...free]);
  const {changes, session} = JSON.parse(dry.stdout);
  expect(changes).toEqual([
    {path: 'gone.txt', kind: 'deleted'},
    {path: 'gone.txt/x', kind: 'created'},
    {path: 'swap', kind: 'created'},
    {path: 'swap/in', kind: 'deleted'},
  ]);
  const before = join(scene.place.home, 'before');
  cpSync(scene.place.work, before, {recursive: true});
  const {stdout: patch} = await scene.run(['sessions', 'diff', '--session', session]);
  writeFileSync(join(scene.place.home, 'patch'), patch);
  git(before, 'apply', join(scene.place.home, 'patch'));
  expect((await scene.run(['plan', 'apply', id])).code).toBe(0);
  expect(listing(before)).toEqual(listing(scene.place.work));
});

test('empty folders are shown and applied, and pipes are named as left out; /tmp as temporary folder has a view, too', async ({
  skip,
}) => {
  const {scene: opened, id} = await openPlanned([
    call('Bash', {command: 'mkdir -p made/deep; mkfifo pipe; rmdir empty'}),
    marks('completed', 'completed'),
    say('Done.'),
  ]);
  await using scene = opened;
  await skipWithoutOverlay(scene, skip);
  mkdirSync(join(scene.place.work, 'empty'));
  const dry = await scene.run(['plan', 'run', id, '--dry', ...free], {environment: {TMPDIR: '/tmp'}});
  expect(dry.stderr).not.toContain('working in a copy');
  expect(dry.stderr).toContain('created an empty folder: made/deep\n');
  expect(dry.stderr).toContain('deleted an empty folder: empty\n');
  expect(dry.stderr).toContain('not part of the changes: pipe\n');
  expect(JSON.parse((await scene.run(['plan', 'apply', id, '--json'])).stdout).applied).toEqual([
    {path: 'empty', kind: 'deleted'},
    {path: 'made/deep', kind: 'created'},
  ]);
  expect(['made/deep', 'empty', 'pipe'].map(name => existsSync(join(scene.place.work, name)))).toEqual([
    true,
    false,
    false,
  ]);
});

test.each([[free], [['--permission-mode', 'acceptEdits', '--allowed-tools', 'Bash', 'WebFetch']]] as const)(
  'commands of a dry run reach no other machine, only themselves: %j',
  async mode => {
    const got: string[] = [];
    const server = createServer((request, response) => {
      got.push(String(request.url));
      response.end('outside');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? String(address?.port) : ''}`;
    const own = `const s = require("http").createServer((q, r) => r.end("own")).listen(0, "127.0.0.1", async () => {
      console.log(await (await fetch("http://127.0.0.1:" + s.address().port)).text()); s.close(); })`;
    const {scene: opened, id} = await openPlanned([
      call('Bash', {command: `node -e 'fetch("${url}/command").catch(() => console.log("no network"))' >got.txt`}),
      call('Bash', {command: `node -e '${own}' >own.txt`}),
      call('WebFetch', {url: `${url}/page`, prompt: 'x'}),
      marks('completed', 'completed'),
      say('Done.'),
    ]);
    await using scene = opened;
    const dry = await scene.run(['plan', 'run', id, '--dry', ...mode]);
    server.close();
    expect(got).toEqual([]);
    expect(dry.stdout).toContain('+no network\n');
    expect(dry.stdout).toContain('+own\n');
    expect(dry.stderr).toMatch(/refused: .*\/page/u);
  },
);

test.each(['bwrap', 'none'])('commands of a dry run find no process outside, without %s', async missing => {
  const outside = spawn('sleep', ['600']);
  const pid = String(outside.pid);
  const {scene: opened, id} = await openPlanned([
    call('Bash', {command: `kill -0 ${pid} || echo none >found.txt; kill -9 ${pid}`}),
    call('Bash', {command: `echo changed >/proc/${pid}/cwd/old.txt || echo none >>found.txt`}),
    call('Bash', {command: '(sleep 0.1; echo late >late.txt) & wait; exit 3'}),
    marks('completed', 'completed'),
    say('Done.'),
  ]);
  await using scene = opened;
  const programs = join(scene.place.home, 'programs');
  mkdirSync(programs, {recursive: true});
  writeFileSync(join(programs, missing), '#!/bin/sh\nexit 1\n', {mode: 0o755});
  const path = `${programs}:${process.env['PATH'] ?? ''}`;
  const dry = await scene.run(['plan', 'run', id, '--dry', ...free], {environment: {PATH: path}});
  expect(dry.stdout).toContain('+none\n+none\n');
  expect(dry.stdout).toContain('+late\n');
  expect(outside.signalCode).toBeNull();
  outside.kill();
});
