// @module-tag long
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, say} from '../support/model-script.ts';
import {finish} from '../support/run-weft.ts';
import {openScenePty} from '../support/pty-terminal.ts';
import {openScene, type Scene} from '../support/scene.ts';

const free = ['--permission-mode', 'bypassPermissions'] as const;
const id = '0f9a1a34-1111-4222-8333-444455556666';
const runs = 18;
const files = 400;

/** Every path of the workspace with its mode and content. Equal texts are equal trees. */
function listing(scene: Scene): string {
  const lines = readdirSync(scene.place.work, {recursive: true, withFileTypes: true}).map(entry => {
    const path = join(entry.parentPath, entry.name);
    const stats = lstatSync(path);
    const content = stats.isSymbolicLink() ? readlinkSync(path) : stats.isFile() ? readFileSync(path, 'base64') : '';
    return `${path} ${stats.mode.toString(8)} ${String(stats.nlink)} ${content}`;
  });
  return lines.toSorted().join('\n');
}

/** Changes every kind of path: content, mode, kind, new and deleted ones, a hard link, and folders without write permission. */
const command = [
  'node -e "',
  "const fs = require('fs');",
  `for (let at = 0; at < ${files}; at += 1) fs.writeFileSync('many/' + at, 'agent ' + at);`,
  "fs.writeFileSync('linked', 'agent '.repeat(500000));",
  "fs.rmSync('gone', {recursive: true}); fs.mkdirSync('made/deep', {recursive: true}); fs.writeFileSync('made/deep/a', 'agent');",
  "fs.rmSync('kind'); fs.mkdirSync('kind'); fs.writeFileSync('kind/a', 'agent');",
  "fs.chmodSync('locked', 0o755); fs.writeFileSync('locked/a', 'agent'); fs.rmSync('locked/b'); fs.chmodSync('locked', 0o555);",
  '"',
].join(' ');

function prepare({place: {work}}: Scene): void {
  for (const folder of ['many', 'gone/deep', 'locked']) mkdirSync(join(work, folder), {recursive: true});
  for (let at = 0; at < files; at += 1) writeFileSync(join(work, 'many', String(at)), `user ${at}`);
  writeFileSync(join(work, 'linked'), 'user '.repeat(700_000));
  linkSync(join(work, 'linked'), join(work, 'many/other name'));
  for (const name of ['gone/deep/a', 'kind', 'locked/a', 'locked/b']) writeFileSync(join(work, name), 'user');
  chmodSync(join(work, 'gone/deep'), 0o750);
  chmodSync(join(work, 'locked'), 0o555);
}

/** Starts weft, and kills it once one of the files changed, or some milliseconds after it began to write. */
async function killWhileWriting(
  scene: Scene,
  args: readonly string[],
  moment: {file: number} | {ms: number},
): Promise<void> {
  const notes = join(scene.place.home, 'weft/checkpoints/reverts');
  const textOf = (at: number): string => scene.read(`many/${at}`);
  const before = 'file' in moment ? textOf(moment.file) : '';
  const child = scene.start(args);
  const finished = finish(child);
  const isTime = (): boolean =>
    'file' in moment ? textOf(moment.file) !== before : existsSync(notes) && readdirSync(notes).length > 0;
  while (child.exitCode === null && !isTime()) await pause(1);
  if ('ms' in moment) await pause(moment.ms);
  child.kill('SIGKILL');
  await finished;
}

const rewind = (scene: Scene, ...args: readonly string[]) => scene.run(['sessions', 'rewind', id, '--yes', ...args]);

test('killed at any moment of a rewind or a redo, the next weft takes it back to the byte and tells the truth', async () => {
  await using scene = await openScene([call('Bash', {command}), ...Array.from({length: 2 * runs}, () => say('Done.'))]);
  prepare(scene);
  const user = listing(scene);
  await scene.run([...free, '--session-id', id, '--prompt', 'Change it.']);
  const agent = listing(scene);
  expect(agent).not.toBe(user);
  const seen = new Set<string>();
  for (let run = 0; run < runs; run += 1) {
    const isRedo = run % 2 === 1;
    if (isRedo) await rewind(scene);
    const [before, after, words] = isRedo ? [user, agent, ['--redo']] : [agent, user, []];
    const moment = run % 3 === 2 ? {file: (run * 67) % files} : {ms: (run * 7) % 61};
    await killWhileWriting(scene, ['sessions', 'rewind', id, '--yes', ...words], moment);
    const left = listing(scene);
    seen.add(left === before ? 'before' : left === after ? 'after' : 'half-way');
    let told = '';
    const opposite = isRedo ? [] : ['--redo'];
    const way = ['again', 'back', 'start'][Math.floor(run / 2) % 3];
    if (way === 'start') {
      const unsaved = run % 4 === 0 ? ['--no-session-persistence'] : [];
      told = (await scene.run([...free, ...unsaved, '--prompt', 'x'])).stderr;
      expect([before, after]).toContain(listing(scene));
    }
    const next = await rewind(scene, ...(way === 'back' ? opposite : words));
    told += next.stderr;
    expect(told).not.toContain('stays as it is');
    if (left !== before && left !== after)
      expect(told).toContain(`weft was killed during a ${isRedo ? 'redo' : 'rewind'} of session "Change it."`);
    expect(differences(listing(scene), way === 'back' ? before : after)).toEqual([]);
    if (listing(scene) === user) await rewind(scene, '--redo');
    expect(differences(listing(scene), agent)).toEqual([]);
  }
  expect(seen).toContain('half-way');
  // A user without root's rights can't remove it otherwise.
  chmodSync(join(scene.place.work, 'locked'), 0o755);
});

const lines = (one: string, nine: string): string => `${one}\n2\n3\n4\n5\n6\n7\n8\n${nine}\n`;

test.each([
  ['the terminal UI', []],
  ['screen reader mode', ['--accessible']],
])('%s tells what it took back, and leaves what the user changed since', async (_, words) => {
  const many = 3000;
  const script = `for (let at = 0; at < ${many}; at += 1) fs.writeFileSync('f' + at, '${lines('1', 'agent').replaceAll('\n', '\\n')}')`;
  await using scene = await openScene([call('Bash', {command: `node -e "${script}"`}), say('Done.')]);
  const put = (at: number, text: string): void => writeFileSync(join(scene.place.work, `f${at}`), text);
  const back = (): readonly number[] =>
    Array.from({length: many}, (_unused, at) => at).filter(at => !scene.read(`f${at}`).includes('agent'));
  for (let at = 0; at < many; at += 1) put(at, lines('1', '9'));
  await scene.run([...free, '--session-id', id, '--prompt', 'Change it.']);
  expect(back()).toEqual([]);
  const child = scene.start(['sessions', 'rewind', id, '--yes']);
  const finished = finish(child);
  await lookUntil(
    () => back().length > 2,
    () => 'the rewind never began',
  );
  child.kill('SIGKILL');
  await finished;
  const restored = back();
  expect(restored.length).toBeLessThan(many);
  const [merged = 0, left = 0] = restored;
  put(merged, lines('user', '9'));
  put(left, lines('1', 'user'));
  using terminal = openScenePty(scene, {size: [100, 40], args: words});
  await terminal.until(/weft was killed during a rewind of session "Change it\."\. It has put back \d+ files/u);
  await terminal.until(new RegExp(`f${left} stays\\s+as it\\s+is: it was\\s+changed since`, 'u'));
  expect(back()).toEqual([left]);
  expect([scene.read(`f${merged}`), scene.read(`f${left}`)]).toEqual([lines('user', 'agent'), lines('1', 'user')]);
});

/** Returns the lines that only one of two listings has, without long contents. */
function differences(a: string, b: string): readonly string[] {
  const [one, two] = [new Set(a.split('\n')), new Set(b.split('\n'))];
  const odd = [...one, ...two].filter(line => !one.has(line) || !two.has(line));
  return odd.map(line => line.slice(0, 200));
}
