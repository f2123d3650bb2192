// @module-tag long
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, say, until} from '../support/model-script.ts';
import {openScenePty, type PtyTerminal} from '../support/pty-terminal.ts';
import {fileComes, openScene, processGone, type Scene} from '../support/scene.ts';

const open = (scene: Scene, args: readonly string[], size: readonly [number, number] = [90, 40]): PtyTerminal =>
  openScenePty(scene, {size, args});

const free = ['--permission-mode', 'bypassPermissions'] as const;

/** A command that says its process, and waits for the file `go`. */
const waits = 'echo $$ >pid; until [ -e go ]; do sleep 0.05; done; touch made';

const comes = (scene: Scene, name: string): Promise<void> =>
  lookUntil(
    () => existsSync(join(scene.place.work, name)),
    () => `${name} never came`,
  );

/** Opens the list of sessions, and enters the first one. */
async function enterFirst(terminal: PtyTerminal, row: RegExp): Promise<void> {
  terminal.type('/resume\r');
  await terminal.until(row);
  terminal.type('\r');
}

test.each([
  [90, 40],
  [40, 40],
] as const)('a session that is left goes on, and is live when it is entered again (%i columns)', async (...size) => {
  const gate = Promise.withResolvers<void>();
  await using scene = await openScene([
    [say('I run it.'), call('Bash', {command: waits})],
    say('Second answer.'),
    [say('It is '), until(gate.promise), say('made.')],
  ]);
  using terminal = open(scene, [...free, 'Make the file.'], size);
  await fileComes(join(scene.place.work, 'pid'));
  terminal.type('/clear\r');
  await terminal.until(/New session\.\s+Session "Make the file\." continues in\s+the background/u);
  terminal.type('Another thing\r');
  await terminal.until(/Second answer/u);
  terminal.type('!touch go\r');
  await comes(scene, 'made');
  await enterFirst(terminal, /❯ 1 {2}Make the file\. {2}running/u);
  await terminal.until(/Session resumed\.\s+▌ Make the file\.\s+● I run it\.\s+✓ echo[^]+● It is\s+\S+ Writing/u);
  gate.resolve();
  await terminal.until(/● It is made\.[^]*Ask weft/u);
  terminal.type('/exit\r');
  expect(await terminal.exited).toBe(0);
  expect(terminal.log()).not.toContain('interrupted');
});

test('the approval of a session in the background is announced, waits, and is answered there alone', async () => {
  const gate = Promise.withResolvers<void>();
  await using scene = await openScene([
    [say('First.'), until(gate.promise), call('Bash', {command: 'touch made'})],
    say('Second.'),
    say('It is made.'),
  ]);
  using terminal = open(scene, ['Make it.']);
  await terminal.until(/First\./u);
  terminal.type('/clear\r');
  await terminal.until(/Session "Make it\." continues in the background/u);
  expect(terminal.log()).not.toContain('weft (needs you)');
  gate.resolve();
  await terminal.until(/Session "Make it\." needs your answer\. To open it, type \/resume\.[^]*1 session needs input/u);
  expect(terminal.log()).toContain('weft (needs you)');
  terminal.type('y\r');
  await terminal.until(/▌ y\s+● Second\./u);
  expect(existsSync(join(scene.place.work, 'made'))).toBe(false);
  await enterFirst(terminal, /❯ 1 {2}Make it\. {2}needs your answer/u);
  await terminal.until(/Run this command\?[^]*touch made/u);
  terminal.type('y');
  await terminal.until(/✓ touch made\s+● It is made\./u);
  expect(existsSync(join(scene.place.work, 'made'))).toBe(true);
});

test('quitting asks what to stop; then all is stopped, kept, and named', async () => {
  await using scene = await openScene([call('Bash', {command: waits}), say('Second.'), say('Stopped?')]);
  using terminal = open(scene, [...free, 'Make it.']);
  const pid = Number(await fileComes(join(scene.place.work, 'pid')));
  terminal.type('/new\r');
  await terminal.until(/continues in the background/u);
  terminal.type('More\r');
  await terminal.until(/Second\./u);
  terminal.type('/exit\r');
  await terminal.until(/Quit and stop 1 running session\?[^]*Make it\.: running[^]*y stop and quit/u);
  terminal.type('\u001B');
  await terminal.until(/Ask weft/u);
  terminal.type('\u0003');
  await terminal.until(/Ctrl\+C again to exit/u);
  terminal.type('\u0003');
  await terminal.until(/Quit and stop 1 running session\?/u);
  terminal.type('y');
  expect(await terminal.exited).toBe(0);
  await processGone(pid);
  const [, id = ''] = /Resume "Make it\.": weft --resume (\S+)/u.exec(terminal.log()) ?? [];
  expect((await scene.run(['--resume', id, '--prompt', 'Go on.'])).stdout).toBe('Stopped?\n');
  expect(JSON.stringify(scene.server.requests.at(-1)?.body.messages)).toContain('Make it.');
});

test('killed while two sessions run, each can be continued; and no other weft opens one that runs', async () => {
  const never = new Promise<void>(() => {});
  await using scene = await openScene([
    [say('One.'), until(never)],
    [say('Two.'), until(never)],
    say('On with it.'),
    say('On with it.'),
  ]);
  using terminal = open(scene, [...free, 'First task']);
  await terminal.until(/One\./u);
  terminal.type('/clear\r');
  await terminal.until(/continues in the background/u);
  terminal.type('Second task\r');
  await terminal.until(/Two\./u);
  const rows: readonly {readonly id: string; readonly title: string}[] = JSON.parse(
    (await scene.run(['sessions', 'list', '--json'])).stdout,
  );
  expect(rows.map(({title}) => title).toSorted()).toEqual(['First task', 'Second task']);
  for (const {id} of rows) {
    const {code, stderr} = await scene.run(['--resume', id, '--prompt', 'x']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`is open in another weft process (${terminal.pid})`)]);
  }
  process.kill(terminal.pid, 'SIGKILL');
  await terminal.exited;
  for (const {id, title} of rows) {
    expect((await scene.run(['--resume', id, '--prompt', 'Go on.'])).stdout).toBe('On with it.\n');
    const told = JSON.stringify(scene.server.requests.at(-1)?.body.messages);
    expect(told).toContain(title);
  }
});

test('SIGTERM stops every session and keeps it; screen reader mode says what goes on', async () => {
  await using scene = await openScene([
    call('Bash', {command: waits}),
    [say('Two.\n\n'), until(new Promise(() => {}))],
  ]);
  using terminal = open(scene, ['--accessible', ...free, 'First task']);
  const pid = Number(await fileComes(join(scene.place.work, 'pid')));
  terminal.type('/clear\r');
  await terminal.until(
    /New session\.[^]*Session "First task" continues in the background\. To return to it, type \/resume\./u,
  );
  terminal.type('Second task\r');
  await terminal.until(/Two\./u);
  terminal.type('/exit\r');
  const asks = /Quit and stop 2 running sessions\?\s+This session: running; First task: running\s+y stop and quit, n/u;
  await terminal.until(asks);
  // A cancelled question is no answer to the next one.
  terminal.type('n\r');
  await terminal.until(/Nothing was done\./u);
  terminal.type('/exit\r');
  await terminal.until(new RegExp(`Nothing was done[^]*${asks.source}`, 'u'));
  process.kill(terminal.pid, 'SIGTERM');
  expect(await terminal.exited).toBe(143);
  await processGone(pid);
  const rows = JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout);
  expect(rows.map(({title}: {title: string}) => title).toSorted()).toEqual(['First task', 'Second task']);
});

test('a session that is not saved is not left while it works, and cannot be resumed', {tags: 'smoke'}, async () => {
  await using scene = await openScene([[say('One.'), until(new Promise(() => {}))]]);
  using terminal = open(scene, ['--no-session-persistence', 'First task']);
  await terminal.until(/One\./u);
  terminal.type('/clear\r');
  await terminal.until(/This session is still running and is not saved\. Press Esc to stop it first\.[^]*Working/u);
  terminal.type('/exit\r');
  expect(await terminal.exited).toBe(0);
  expect(terminal.log()).not.toContain('--resume');
});

test('a command in the background stays with the user who clears a session at rest', async () => {
  await using scene = await openScene([call('Bash', {command: waits, wait_until_completion: false}), say('It runs.')]);
  using terminal = open(scene, [...free, 'Start it.']);
  await terminal.until(/It runs\.[^]*Ask weft[^]*1 in background/u);
  terminal.type('/clear\r');
  await terminal.until(/New session\.[^]*1 in background/u);
  terminal.type('/ps\r');
  await terminal.until(/b1[^]*echo \$\$/u);
});

test('undo leaves what another session changed in the meantime, and names it before', async () => {
  await using scene = await openScene([
    // weft does not know what the script writes.
    call('Bash', {command: `sh -c 'touch a'; ${waits}`}),
    call('Write', {file_path: 'b', content: 'b\n'}),
    say('Second.'),
    say('Third.'),
  ]);
  using terminal = open(scene, [...free, 'First task']);
  await fileComes(join(scene.place.work, 'pid'));
  terminal.type('/clear\r');
  await terminal.until(/continues in the background/u);
  terminal.type('Second task\r');
  await terminal.until(/Second\./u);
  terminal.type('!touch go\r');
  await terminal.until(/Session "First task" is done/u);
  await enterFirst(terminal, /❯ 1 {2}First task {2}/u);
  await terminal.until(/Session resumed\.[^]*Third\./u);
  terminal.type('/undo\r');
  await terminal.until(/- a\s[^]*! b stays as it is: session "Second task" changed it in the meantime/u);
  terminal.type('\u001B');
  await terminal.until(/Ask weft/u);
  terminal.type('/exit\r');
  expect(await terminal.exited).toBe(0);
  const rows: readonly {readonly id: string; readonly title: string}[] = JSON.parse(
    (await scene.run(['sessions', 'list', '--json'])).stdout,
  );
  const second = rows.find(({title}) => title === 'Second task')?.id ?? '';
  const {stderr} = await scene.run(['sessions', 'rewind', second]);
  expect(stderr).toMatch(/- b\b/u);
  // The second session wrote only a file that it named.
  expect(stderr).not.toContain('include what session');
});
