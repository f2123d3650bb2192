import {noConversations} from '../../../support/no-conversations.ts';
import {noopSkills} from '../../../../src/actions/skills-port.ts';
import {onPipes} from '../../../support/shell-requests.ts';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {type PendingChanges, emptyChangesOutcome} from '../../../../src/actions/changes-port.ts';
import {emptyUserChanges, type EditRequest, type FileEdit} from '../../../../src/domain/file-edit.ts';
import {noopMcp} from '../../../../src/actions/mcp-port.ts';
import {noWeb} from '../../../support/no-web.ts';
import type {BlockSnapshot, ShellPort} from '../../../../src/actions/ports.ts';
import {failed, ok, type Outcome} from '../../../../src/base/outcome.ts';
import {rejected, type Fault} from '../../../../src/domain/fault.ts';
import {blockId} from '../../../../src/domain/ids.ts';
import {redactingPorts} from '../../../../src/app/redacting-ports.ts';
import {makeFiles} from '../../../../src/workspace/files/make-files.ts';
import {makeSearch} from '../../../../src/workspace/search/search.ts';
import {finishedReport} from '../../../support/memory-ports.ts';
import {never, temporaryFolder} from '../../workspace/temporary-folder.ts';
import {sampleSecrets, untagged} from './sample-secrets.ts';
import {putFile} from '../../../support/put-file.ts';

const value = `it's "zebra" $HOME 41`;

/** Real files and searches; commands and blocks that tell what they got. */
function openPlace() {
  const folder = temporaryFolder();
  const put = (path: string, text: string): void => putFile(join(folder.path, path), text);
  const ran: string[] = [];
  const typed: string[] = [];
  const shell: ShellPort = {
    directory: folder.path,
    async run({command, changes: decide}, observe, signal) {
      ran.push(command);
      observe(`seen ${value}`);
      const changes = decide === 'none' ? emptyChangesOutcome : await decide(held, signal, '');
      return {...finishedReport(`printed ${value}`), leftRunning: [`sh -c ${value}`], notes: [value], changes};
    },
  };
  const asked: (readonly string[])[] = [];
  const held: PendingChanges = {
    changes: ['plain', `of ${value}`].map(path => ({path, kind: 'created', class: 'file'})),
    async diffs(paths) {
      asked.push(paths);
      const lines = [{kind: 'added', text: `KEY=${value}`, changed: []}] as const;
      const hunks = [{oldStart: 1, newStart: 1, lines}];
      const file = {before: 'absent', after: 'x', movedFrom: undefined, added: 1, removed: 0, notes: []};
      return paths.map(path => ({...file, path, hunks}));
    },
    keep: async () => failed('Nothing is kept here.'),
    async apply(paths) {
      asked.push(paths);
      return {applied: held.changes.filter(({path}) => paths.includes(path)), dropped: []};
    },
  };
  const snapshot = (command: string, directory = folder.path): Outcome<BlockSnapshot, Fault> =>
    ok({
      id: blockId('b1'),
      command,
      directory,
      state: {kind: 'waiting', lastLine: `> ${value}`},
      output: {text: `screen ${value}`, totalBytes: 1, leftOutLines: 0, file: undefined},
      cursor: {row: 0, column: 0},
      screen: 'normal',
      ageMs: 1,
      terminal: 'pty',
      notes: [value],
    });
  const options = {roots: [folder.path], home: folder.path};
  const secrets = sampleSecrets({env: `THING=${value}`});
  const machine = redactingPorts(
    {
      shell,
      blocks: {
        find: () => failed(rejected(`no block ${value}`)),
        start: async ({command, directory}) => {
          ran.push(command);
          return snapshot(command, directory);
        },
        read: async () => failed(rejected(`no block ${value}`)),
        write: async ({input}) => {
          typed.push(input);
          return snapshot('as it ran');
        },
      },
      mcp: noopMcp,
      web: noWeb,
      skills: noopSkills,
      conversations: noConversations,
      files: makeFiles({...options, alsoReadable: () => [], editor: 'none'}),
      search: makeSearch({...options, environment: process.env, excluded: () => []}),
    },
    secrets,
  );
  const read = (path: string): string => readFileSync(join(folder.path, path), 'utf8');
  const hidden = secrets.redact(value);
  return {machine, secrets, hidden, put, read, ran, typed, asked, [Symbol.dispose]: () => folder[Symbol.dispose]()};
}

test('whoever decides about changes sees no secret, and what is decided holds for the real paths', async () => {
  using place = openPlace();
  const {machine, hidden, asked} = place;
  const seen: unknown[] = [];
  const report = await machine.shell.run(
    {
      command: 'make',
      directory: '/work',
      timeoutMs: 1,
      paging: 'unexpected',
      environment: 'inherited',
      confinement: 'sandbox',
      ...onPipes,
      changes: async (held, signal) => {
        const paths = held.changes.map(({path}) => path);
        const diffs = await held.diffs(paths, signal);
        seen.push(
          paths,
          diffs.map(({path, hunks}) => [path, hunks[0]?.lines[0]?.text]),
        );
        return {...emptyChangesOutcome, ...(await held.apply(paths.slice(1), 'each', signal)), diffs};
      },
    },
    () => {},
    never,
  );
  const shown = ['plain', `of ${hidden}`];
  expect(seen).toEqual([shown, shown.map(path => [path, `KEY=${hidden}`])]);
  expect(asked).toEqual([['plain', `of ${value}`], [`of ${value}`]]);
  expect(JSON.stringify(report.changes).includes('zebra')).toBe(false);
  expect(report.changes.applied).toEqual([{path: `of ${hidden}`, kind: 'created', class: 'file'}]);
});

test('a command gets the secret, quoted; nothing of what comes of it shows it', async () => {
  using place = openPlace();
  const {machine, hidden, ran} = place;
  const seen: string[] = [];
  const request = {
    directory: '/work',
    timeoutMs: 1,
    paging: 'unexpected',
    changes: 'none',
    environment: 'inherited',
    confinement: 'chosen',
    ...onPipes,
  } as const;
  const report = await machine.shell.run({...request, command: `use ${hidden}`}, chunk => seen.push(chunk), never);
  expect(ran).toEqual([`use 'it'\\''s "zebra" $HOME 41'`]);
  expect([report.output.text, report.leftRunning, report.notes, seen].flat()).toEqual([
    `printed ${hidden}`,
    `sh -c ${hidden}`,
    hidden,
    `seen ${hidden}`,
  ]);
  const unknown = await machine.shell.run({...request, command: 'use [[secret:GONE:0123abcd]]'}, () => {}, never);
  expect(unknown.end).toMatchObject({kind: 'not-started', fault: {kind: 'rejected'}});
  expect(ran.length).toBe(1);
});

test('blocks too', async () => {
  using place = openPlace();
  const {machine, hidden, ran, typed} = place;
  const shown = {
    notes: [hidden],
    // It starts where it was asked for, wherever the shell is.
    directory: '/elsewhere',
    command: `serve "${hidden}"`,
    output: {text: `screen ${hidden}`},
    state: {lastLine: `> ${hidden}`},
  };
  expect(
    await machine.blocks.start(
      {command: `serve "${hidden}"`, directory: '/elsewhere', environment: 'inherited', confinement: 'chosen'},
      never,
    ),
  ).toMatchObject({
    value: shown,
  });
  expect(ran).toEqual([`serve "it's \\"zebra\\" \\$HOME 41"`]);
  const write = {id: blockId('b1'), mode: 'line'} as const;
  expect(await machine.blocks.write({...write, input: hidden}, never)).toMatchObject({
    value: {...shown, directory: machine.shell.directory},
  });
  expect(await machine.blocks.write({...write, input: '[[secret:GONE:0123abcd]]'}, never)).toMatchObject({
    tag: 'failed',
  });
  expect(typed).toEqual([value]);
  expect(await machine.blocks.read({id: blockId('b2'), wait: 0}, never)).toEqual(
    failed(rejected(`no block ${hidden}`)),
  );
});

test('an edit beside a secret, of a secret and with one keeps the real bytes', async () => {
  using place = openPlace();
  const {machine, hidden, put, read} = place;
  put('a.txt', `one\nkey: ${value}\nthree\n`);
  expect(await machine.files.read({path: 'a.txt', offset: 1, limit: 10}, never)).toMatchObject({
    value: {lines: ['one', `key: ${hidden}`, 'three']},
  });
  const edits: readonly FileEdit[] = [
    {
      kind: 'replace',
      path: 'a.txt',
      replacements: [{oldText: `key: ${hidden}\nthree`, newText: `key: ${hidden} ${hidden}\n3`, occurrence: 'only'}],
    },
    {kind: 'write', path: 'b.txt', content: `<${hidden}>`},
  ];
  const plan = await machine.files.plan(asProposed(edits), never);
  expect(JSON.stringify(plan)).not.toContain('zebra');
  expect(plan.tag).toBe('ok');
  const applied = await machine.files.apply(asProposed(edits), plan.tag === 'ok' ? plan.value : [], never);
  expect(applied).toEqual(plan.tag === 'ok' ? ok({files: plan.value, userChanged: []}) : plan);
  expect([read('a.txt'), read('b.txt')]).toEqual([`one\nkey: ${value} ${value}\n3\n`, `<${value}>`]);
});

const asProposed = (edits: readonly FileEdit[]): EditRequest => ({edits, userChanges: emptyUserChanges});

const edit = (oldText: string, newText: string): readonly FileEdit[] => [
  {kind: 'replace', path: 'doc.md', replacements: [{oldText, newText, occurrence: 'only'}]},
];

test('a placeholder that nobody knows is not written over what it stood for; where it stands already it may stay', async () => {
  using place = openPlace();
  const {machine, put, read} = place;
  const gone = '[[secret:GONE:0123abcd]]';
  put('doc.md', `before ${gone} after\n`);
  await machine.files.read({path: 'doc.md', offset: 1, limit: 10}, never);
  expect(await machine.files.plan(asProposed(edit('before', gone)), never)).toMatchObject({tag: 'failed'});
  expect(await machine.files.plan(asProposed([{kind: 'write', path: 'c.txt', content: gone}]), never)).toMatchObject({
    tag: 'failed',
  });
  const kept = edit(`${gone} after`, `${gone} later`);
  const plan = await machine.files.plan(asProposed(kept), never);
  expect(await machine.files.apply(asProposed(kept), plan.tag === 'ok' ? plan.value : [], never)).toMatchObject({
    tag: 'ok',
  });
  expect(read('doc.md')).toBe(`before ${gone} later\n`);
});

test('searches find a secret by its placeholder, and show it as one', async () => {
  using place = openPlace();
  const {machine, hidden, put} = place;
  put('src/a.txt', `x ${value} y\n`);
  const request = {
    path: '.',
    globs: [],
    letterCase: 'sensitive',
    before: 0,
    after: 0,
    fileType: '',
    span: 'line',
    limit: 10,
  } as const;
  expect(await machine.search.grep({...request, mode: 'content', queries: [hidden]}, never)).toMatchObject({
    value: {lines: [`src/a.txt:1:x ${hidden} y`]},
  });
  expect(await machine.search.grep({...request, mode: 'content', queries: ['(', 'zebra']}, never)).toMatchObject({
    tag: 'failed',
  });
});

test('a search for code shows no secret, also where a line is long, and no line of a key', async () => {
  using place = openPlace();
  const {machine, hidden, put} = place;
  const key = Array.from({length: 4}, (_, at) => Buffer.from(`zebra ${at} of a private key, as long as they are`));
  put('src/zebra.txt', `${'x'.repeat(150)} zebra ${value} y\n`);
  put('src/key.txt', key.map(line => `${line.toString('hex')}zebra\n`).join(''));
  const found = await machine.search.codebase({query: 'zebra', path: '.', filters: [], limit: 10}, never);
  const text = `${'x'.repeat(150)} zebra ${hidden} y`;
  expect(found).toEqual({
    tag: 'ok',
    value: {
      places: [{path: 'src/zebra.txt', from: 1, to: 1, within: '', lines: [{line: 1, text}]}],
      terms: ['zebra'],
      files: 2,
      searched: 'whole',
    },
  });
});

test('the middle of a private key is known by its beginning', async () => {
  using place = openPlace();
  const lines = Array.from({length: 30}, (_, at) =>
    Buffer.from(`line ${at} of a private key, as long as they are...`).toString('base64'),
  );
  place.put('notes/key.txt', `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`);
  const read = await place.machine.files.read({path: 'notes/key.txt', offset: 12, limit: 3}, never);
  expect(read.tag === 'ok' && read.value.kind === 'text' ? read.value.lines.map(untagged) : read).toEqual([
    '<PRIVATE_KEY>',
    '<PRIVATE_KEY>',
    '<PRIVATE_KEY>',
  ]);
});
