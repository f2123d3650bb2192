// @module-tag long
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, expect, test, type TestContext} from 'vitest';
import {needs} from '../support/programs.ts';
import {serve} from '../support/agent-server.ts';
import {putFile} from '../support/put-file.ts';
import {openScene} from '../support/scene.ts';
import {skipWithoutOverlay} from './support/overlay.ts';

/** A server, under these rules where there are any, and what asks it to run something in its folder. */
async function openServer(skip: TestContext['skip'], settings?: object) {
  await using scene = await openScene([]);
  await skipWithoutOverlay(scene, skip);
  const served = await serve([]);
  const {server, place} = served;
  const {work} = place;
  if (settings !== undefined) {
    putFile(join(place.home, 'weft', 'settings.json'), JSON.stringify(settings));
  }
  writeFileSync(join(work, 'kept'), 'one\n');
  writeFileSync(join(work, 'own.sh'), 'echo said; echo 2 >kept; mkdir -p dist; echo x >dist/a; rm -f own.sh');
  return {
    work,
    exec: (body: object) => server.ask('POST', '/sandbox/exec', {body: {cwd: work, ...body}}),
    runFile: (body: object) => server.ask('POST', '/sandbox/run/file', {body: {path: join(work, 'own.sh'), ...body}}),
    files: () => readdirSync(work).toSorted(),
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
    },
  };
}

const isolation = {files: true, network: true, processes: true};

beforeEach(needs('bwrap'));

test('untrusted code runs unasked, and its changes are told and not applied', async ({skip}) => {
  await using scene = await openServer(skip);
  const answer = {
    exitCode: 0,
    stdout: 'said\n',
    stderr: '',
    provider: 'bwrap',
    isolation,
    changes: [
      {path: 'dist/a', kind: 'created'},
      {path: 'kept', kind: 'changed'},
      {path: 'own.sh', kind: 'deleted'},
    ],
    applied: false,
  };
  expect(await scene.exec({command: 'sh own.sh'})).toMatchObject({status: 200, body: answer});
  expect((await scene.exec({command: 'sh own.sh', apply: false})).body).toEqual(answer);
  expect((await scene.runFile({provider: 'bwrap'})).body).toMatchObject({applied: false});
  expect([scene.files(), readFileSync(join(scene.work, 'kept'), 'utf8')]).toEqual([['kept', 'own.sh'], 'one\n']);
});

test('with apply its changes are those of edits with nobody to ask: all or none', async ({skip}) => {
  await using scene = await openServer(skip);
  const refused = await scene.exec({command: 'sh own.sh', apply: true});
  expect([refused.status, refused.body.error]).toEqual([
    403,
    expect.stringMatching(/needs the user's approval.*kept, own\.sh/u),
  ]);
  expect([scene.files(), readFileSync(join(scene.work, 'kept'), 'utf8')]).toEqual([['kept', 'own.sh'], 'one\n']);
  const output = await scene.exec({
    command: "python3 -c \"import os; os.mkdir('dist'); open('dist/a','w')\"",
    apply: true,
  });
  expect([output.status, output.body.changes, output.body.applied]).toEqual([
    200,
    [{path: 'dist/a', kind: 'created'}],
    true,
  ]);
  expect(existsSync(join(scene.work, 'dist', 'a'))).toBe(true);
});

test('a script runs byte for byte, and a field that is not known is refused', async ({skip}) => {
  await using scene = await openServer(skip);
  const script = join(scene.work, 'latin.py');
  writeFileSync(script, Buffer.from('# coding: latin-1\nprint(ascii("\u00e9"))', 'latin1'));
  expect((await scene.runFile({path: script})).body).toMatchObject({stdout: "'\\xe9'\n"});
  const answers = await Promise.all([scene.exec({command: 'true', aply: true}), scene.runFile({cwd: scene.work})]);
  expect(answers.map(({status}) => status)).toEqual([400, 400]);
});

test('a command that a signal ended has the exit code of a shell', {tags: 'smoke'}, async ({skip}) => {
  await using scene = await openServer(skip, {permissions: {allow: ['Bash']}});
  expect((await scene.exec({command: 'kill -9 $$', provider: 'native'})).body).toMatchObject({exitCode: 137});
});

test('what the mode and the rules of the server allow is applied, what a rule denies is not', async ({skip}) => {
  await using scene = await openServer(skip, {
    permissionMode: 'acceptEdits',
    permissions: {deny: ['Edit(dist/**)']},
  });
  expect(await scene.exec({command: 'sh own.sh', apply: true})).toMatchObject({
    status: 403,
    body: {error: expect.stringMatching(/^Not allowed: Denied by the rule Edit\(dist\/\*\*\)\. .*dist\/a$/u)},
  });
  expect(scene.files()).toEqual(['kept', 'own.sh']);
  writeFileSync(join(scene.work, 'own.sh'), 'touch made .mcp.json');
  const {body} = await scene.exec({command: 'sh own.sh', apply: true});
  expect([body.applied, body.stderr, scene.files()]).toEqual([
    true,
    expect.stringMatching(/^weft: never kept.*\.mcp\.json/mu),
    ['kept', 'made', 'own.sh'],
  ]);
});

test('where nothing is held back a client that wants nothing applied is told so, but for what only reads', async ({
  skip,
}) => {
  await using scene = await openServer(skip, {permissions: {allow: ['Bash(touch:*)']}});
  const native = {provider: 'native', apply: false};
  expect(await scene.exec({command: 'touch made', ...native})).toMatchObject({
    status: 409,
    body: {error: expect.stringContaining("native can't hold back the command's changes")},
  });
  expect(scene.files()).toEqual(['kept', 'own.sh']);
  expect(await scene.exec({command: 'cat kept', ...native})).toMatchObject({
    status: 200,
    body: {stdout: 'one\n', changes: [], applied: false},
  });
  expect(await scene.runFile(native)).toMatchObject({status: 403});
});
