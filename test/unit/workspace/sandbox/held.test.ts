import {execFileSync} from 'node:child_process';
import {chownSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, expect, test, type TestContext} from 'vitest';
import {type DecideChanges, emptyChangesOutcome} from '../../../../src/actions/changes-port.ts';
import {holdsChanges} from '../../../../src/domain/sandbox.ts';
import {commandLineOf, processTable} from '../../../../src/workspace/exec/process-table.ts';
import {needs} from '../../../support/programs.ts';
import {onPipes} from '../../../support/shell-requests.ts';
import {never} from '../temporary-folder.ts';
import {sandboxPlace, type SandboxPlace} from './sandbox-place.ts';

beforeEach(needs('bwrap', 'git'));

async function heldPlace({skip}: TestContext): Promise<SandboxPlace> {
  const place = await sandboxPlace('bwrap');
  const proof = await place.sandbox.proof();
  if (!holdsChanges(proof)) await place[Symbol.asyncDispose]();
  skip(!holdsChanges(proof), proof.reason);
  return place;
}

/** Applies everything, or with an aborted signal the output. */
const applying: DecideChanges = async (held, signal) => {
  const free = held.changes.filter(change => change.class === 'output' || (change.class === 'file' && !signal.aborted));
  const rest = held.changes.filter(change => change.class === 'file' && !free.includes(change));
  const dropped = rest.map(change => ({change, why: 'interrupted'}) as const);
  const paths = free.map(({path}) => path);
  const {applied} = await held.apply(paths, 'each', never);
  return {...emptyChangesOutcome, applied, dropped};
};

const request = (place: SandboxPlace, command: string) =>
  ({
    command,
    directory: place.root,
    timeoutMs: 60_000,
    paging: 'unexpected',
    changes: applying,
    environment: 'inherited',
    confinement: 'sandbox',
    ...onPipes,
  }) as const;

/** The processes whose command line has the text. */
const running = async (text: string): Promise<readonly string[]> =>
  (await processTable()).map(({pid}) => commandLineOf(pid)).filter(words => words.includes(text));

test('a command leaves no process, and what it has written is decided about when it has ended', async context => {
  await using place = await heldPlace(context);
  const left = 'setsid sh -c "sleep 7401; echo late >late" >/dev/null 2>&1 &';
  const report = await place.commands.shell.run(
    request(place, `${left} echo x >made; ls -A; echo y >.envrc`),
    () => {},
    never,
  );
  expect([report.end, report.output.text, report.leftRunning, await running('sleep 7401')]).toEqual([
    {kind: 'exited', code: 0},
    '.git\nmade\n',
    [],
    [],
  ]);
  expect(report.changes.applied).toEqual([{path: 'made', kind: 'created', class: 'file'}]);
  expect(readdirSync(place.root).toSorted()).toEqual(['.git', 'made']);
});

test('a time limit and an interrupt end all of it before its changes are read', {tags: 'long'}, async context => {
  await using place = await heldPlace(context);
  writeFileSync(join(place.root, '.gitignore'), 'build\n');
  mkdirSync(join(place.root, 'build'));
  const writing = `trap '' TERM; echo x >build/out; echo x >made; (trap '' TERM; setsid sh -c 'while :; do echo x >>build/log; sleep 0.01; done' sleep-7402 &); while :; do sleep 1; done`;
  const timed = await place.commands.shell.run({...request(place, writing), timeoutMs: 500}, () => {}, never);
  expect([timed.end, timed.changes.applied.map(({path}) => path), await running('sleep-7402')]).toEqual([
    {kind: 'timed-out', afterMs: 500},
    ['build/log', 'build/out', 'made'],
    [],
  ]);
  execFileSync('rm', ['-r', 'build/out', 'build/log', 'made'], {cwd: place.root});
  const stop = new AbortController();
  const stopped = place.commands.shell.run(
    request(place, writing.replace('while', 'echo ready; while')),
    () => stop.abort(),
    stop.signal,
  );
  expect([(await stopped).end, await running('sleep-7402')]).toEqual([{kind: 'aborted'}, []]);
  expect([existsSync(join(place.root, 'build/out')), place.has('made')]).toEqual([true, false]);
});

test('a command that goes to the background keeps its output, and its block says what was dropped', async context => {
  await using place = await heldPlace(context);
  writeFileSync(join(place.root, '.gitignore'), 'build\n');
  const background = new AbortController();
  const command =
    'mkdir build; echo x >build/out; echo x >made; echo ready; while [ ! -e /tmp/go ]; do sleep 0.02; done';
  const {end} = await place.commands.shell.run(
    {...request(place, command), background: background.signal},
    () => background.abort(),
    never,
  );
  if (end.kind !== 'moved') throw new Error(end.kind);
  place.commands.control.keep(end.block);
  expect(place.commands.control.list()).toMatchObject([{id: end.block, life: 'with-weft'}]);
  await place.run('touch /tmp/go', 'sandbox');
  const read = await place.commands.blocks.read({id: end.block, wait: 'completion'}, never);
  const notes = [
    'it changed build/out',
    "not kept, because the command moved to the background, where weft can't ask you: made",
  ];
  expect(read).toMatchObject({tag: 'ok', value: {state: {kind: 'exited', code: 0}, notes}});
  expect([existsSync(join(place.root, 'build/out')), place.has('made')]).toEqual([true, false]);
});

test('a name that a command makes in its view, and a link that leads to the workspace, are no trouble', async context => {
  await using place = await heldPlace(context);
  const link = join(place.outside, 'a link: to, it');
  symlinkSync(place.root, link);
  writeFileSync(join(place.root, 'a b,c:d\\e ü'), 'old');
  const report = await place.commands.shell.run(
    request(place, `echo new >'a b,c:d\\e ü'; cat '${link}/a b,c:d\\e ü'`),
    () => {},
    never,
  );
  expect([report.output.text, place.text(join(place.root, 'a b,c:d\\e ü'))]).toEqual(['new\n', 'new\n']);
});

test("a workspace of another group has no view, since its files can't be copied in one", async context => {
  context.skip(process.getuid?.() !== 0, 'only root can give a folder away');
  await using place = await sandboxPlace('bwrap');
  chownSync(place.root, 0, 12_345);
  const {reason, proven} = await place.sandbox.proof();
  expect([proven.overlay, reason]).toEqual([
    false,
    expect.stringContaining(`${place.root} belongs to another user or group, whose files overlayfs cannot copy`),
  ]);
  const read = await place.run('echo x >made; cat .git/HEAD', 'read-only');
  expect([read.end, place.has('made')]).toEqual([{kind: 'exited', code: 0}, false]);
});
