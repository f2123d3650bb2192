import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {CommandsPort} from '../../../../src/actions/commands-port.ts';
import type {FilesPort} from '../../../../src/actions/files-port.ts';
import {emptyUserChanges} from '../../../../src/domain/file-edit.ts';
import {noopMcp} from '../../../../src/actions/mcp-port.ts';
import type {FileDiff} from '../../../../src/actions/preview.ts';
import {failed, ok} from '../../../../src/base/outcome.ts';
import {rejected} from '../../../../src/domain/fault.ts';
import {blockId} from '../../../../src/domain/ids.ts';
import {redactingCommands, redactingPorts} from '../../../../src/app/redacting-ports.ts';
import {redactDeep, restoreDeep} from '../../../../src/safety/secrets/redactor.ts';
import {finishedReport} from '../../../support/memory-ports.ts';
import {randomInputs} from '../../../support/random-inputs.ts';
import {onPipes} from '../../../support/shell-requests.ts';
import {never} from '../../workspace/temporary-folder.ts';
import {sampleSecrets} from './sample-secrets.ts';

const value = 'correct-horse-battery-staple';
const secrets = sampleSecrets({env: `THING=${value}`});
const hidden = secrets.redact(value);

/** A text in which the secret stands. */
const around = fc
  .tuple(fc.string({maxLength: 8}), fc.string({maxLength: 8}))
  .map(([before, after]) => `${before} ${value} ${after}`.replaceAll(/[\r\n]/gu, ' '));

const anywhere = <T>(name: string, answer: (text: string) => Promise<T>): void =>
  test(`no secret comes out of ${name}`, () =>
    fc.assert(
      fc.asyncProperty(around, async text => {
        const shown = JSON.stringify(await answer(text));
        expect(shown).not.toContain(value);
        expect(shown).toContain(hidden);
      }),
      {numRuns: randomInputs(100)},
    ));

const fault = (text: string) => failed({kind: 'needs-user', message: text, fix: text} as const);

const diffOf = (text: string): FileDiff => ({
  path: text,
  before: 'absent',
  after: 'x',
  movedFrom: text,
  added: 1,
  removed: 0,
  hunks: [{oldStart: 1, newStart: 1, lines: [{kind: 'added', text, changed: [{from: 0, to: 3}]}]}],
  notes: [text],
});

const unused = (): never => {
  throw new Error('not used here');
};

/** All ports; whatever they answer holds the text. */
const machineOf = (text: string) => {
  const snapshot = {
    id: blockId('b1'),
    command: text,
    directory: '/work',
    state: {kind: 'waiting', lastLine: text},
    output: {text, totalBytes: 1, leftOutLines: 0, file: '/tmp/out'},
    cursor: {row: 0, column: 0},
    screen: 'normal',
    ageMs: 1,
    terminal: 'pty',
    notes: [text],
  } as const;
  const result = ok({
    blocks: [
      {kind: 'text', text},
      {kind: 'image', mediaType: 'image/png', data: 'QUJD'},
    ],
  } as const);
  const resource = {server: 's', uri: text, name: text, description: text, mediaType: 'text/plain'};
  const files: FilesPort = {
    limitedTo: () => files,
    resolve: path => ({path, place: 'inside-workspace'}),
    read: async ({path}) =>
      path === 'folder'
        ? ok({kind: 'directory', path: text, entries: [text], more: 0})
        : ok({kind: 'text', path: text, lines: [text, 'plain'], firstLine: 1, totalLines: 2, notes: [text]}),
    plan: async () => ok([diffOf(text)]),
    draft: async () => ok([{path: text, before: text, text}]),
    apply: async () =>
      ok({files: [diffOf(text)], userChanged: [{path: text, kind: 'dropped', hunks: diffOf(text).hunks}]}),
  };
  return redactingPorts(
    {
      shell: {
        directory: '/work',
        async run(_, observe) {
          observe(text);
          const end = {kind: 'not-started', fault: rejected(text)} as const;
          return {...finishedReport(text), end, leftRunning: [text], notes: [text], blocked: text};
        },
      },
      files,
      search: {
        limitedTo: unused,
        grep: async () => ok({lines: [text, text], omitted: {count: 0, exact: 'exact'}}),
        glob: async () => ok({paths: [text], omitted: 0}),
        codebase: async () =>
          ok({
            places: [{path: text, from: 1, to: 2, within: text, lines: [{line: 1, text}]}],
            terms: [text],
            files: 1,
            searched: 'whole',
          }),
      },
      blocks: {
        find: () => ok({command: text, state: {kind: 'waiting', lastLine: text}, input: 'open'}),
        start: async () => fault(text),
        read: async () => ok(snapshot),
        write: async () => ok(snapshot),
      },
      mcp: {
        ...noopMcp,
        ready: async () => fault(text),
        servers: () => [
          {
            name: 's',
            status: 'failed',
            source: 'user',
            path: text,
            transport: 'http',
            error: text,
            title: text,
            version: text,
            instructions: text,
            resources: 'none',
            log: [text],
            latencyMs: undefined,
          },
        ],
        async call(_, observer) {
          observer.progress(text);
          const asked = await observer.sample(
            {server: 's', params: {id: text, lines: [text], data: {file: text}}},
            never,
          );
          return asked.tag === 'ok' ? result : failed(rejected(text));
        },
        resources: async () => ok([resource]),
        listedResources: () => [resource],
        readResource: async () => result,
        expandPrompt: async () => result,
        reconnect: async () => failed(text),
        toggle: async () => failed(text),
        signIn: async () => failed(text),
      },
      web: {
        searching: 'offered',
        fetch: async () =>
          ok({
            url: text,
            content: {kind: 'text', text, length: 1, file: undefined, boundary: 'b', mediaType: 'text/html'},
            ageMs: 0,
            notes: [text],
          }),
        search: async () =>
          ok({
            provider: 'p',
            results: [{url: text, title: text, snippet: text, published: text}],
            boundary: 'b',
            ageMs: 0,
          }),
      },
      skills: {
        ready: async () => {},
        catalogue: () => undefined,
        read: async () => ok({skill: {name: 'n', folder: text, instructions: text}, given: 'now', allowedTools: []}),
      },
      conversations: {
        fetch: async () =>
          ok({id: 'i', title: text, updatedAt: 0, messages: [{by: 'user', text}], first: 1, total: 1, boundary: 'b'}),
      },
    },
    secrets,
  );
};

const edit = {edits: [{kind: 'write', path: 'a', content: 'x'}], userChanges: emptyUserChanges} as const;

anywhere('commands', async text => {
  const heard: string[] = [];
  const report = await machineOf(text).shell.run(
    {
      command: 'make',
      directory: '/work',
      timeoutMs: 1,
      paging: 'unexpected',
      environment: 'inherited',
      confinement: 'sandbox',
      ...onPipes,
      changes: 'none',
    },
    chunk => heard.push(chunk),
    never,
  );
  return [report, heard];
});

anywhere('blocks', async text => {
  const {blocks} = machineOf(text);
  const id = blockId('b1');
  return [
    blocks.find(id),
    await blocks.start({command: 'x', directory: '/work', environment: 'inherited', confinement: 'chosen'}, never),
    await blocks.read({id, wait: 0}, never),
    await blocks.write({id, input: 'x', mode: 'raw'}, never),
  ];
});

anywhere('files', async text => {
  const {files} = machineOf(text);
  return [
    await files.read({path: 'a', offset: 1, limit: 9}, never),
    await files.read({path: 'folder', offset: 1, limit: 9}, never),
    await files.plan(edit, never),
    await files.draft(edit, never),
    await files.apply(edit, [], never),
  ];
});

anywhere('searches', async text => {
  const {search} = machineOf(text);
  const grep = {
    queries: ['x'],
    path: '.',
    globs: [],
    mode: 'content',
    letterCase: 'sensitive',
    before: 0,
    after: 0,
    fileType: '',
    span: 'line',
    limit: 9,
  } as const;
  return [
    await search.grep(grep, never),
    await search.glob({patterns: ['*'], path: '.', limit: 9, maxDepth: 0}, never),
    await search.codebase({query: 'x', path: '.', filters: [], limit: 9}, never),
  ];
});

anywhere('MCP servers', async text => {
  const {mcp} = machineOf(text);
  const heard: unknown[] = [];
  const call = {server: 's', tool: 't', toolName: 'mcp__s__t', standing: 'as-known', input: {}} as const;
  const observer = {
    progress: (line: string) => heard.push(line),
    elicit: async () => ({action: 'decline', content: undefined}) as const,
    sample: async (asked: unknown) => (heard.push(asked), failed('no')),
  };
  return [
    await mcp.ready(never),
    mcp.servers(),
    mcp.listedResources(),
    await mcp.call(call, observer, never),
    heard,
    await mcp.resources('s', never),
    await mcp.readResource({server: 's', uri: 'x'}, never),
    await mcp.expandPrompt({server: 's', name: 'n', values: {}}, never),
    await mcp.reconnect('s'),
    await mcp.toggle('s', 'disabled'),
    await mcp.signIn('s', () => {}, never),
  ];
});

anywhere('pages, skills and conversations', async text => {
  const {web, skills, conversations} = machineOf(text);
  return [
    await web.fetch({url: 'https://example.com/', cache: 'use'}, never),
    await web.search({query: 'x', allowedDomains: [], blockedDomains: []}, never),
    await skills.read({name: 'n', argument: ''}, never),
    await conversations.fetch({id: 'i', before: 'end'}, never),
  ];
});

test('what commands expand to keeps what it does', async () => {
  const commands: CommandsPort = {
    ready: async () => {},
    whyWithheld: () => '',
    list: () => [],
    expand: async () =>
      ok({
        parts: [
          {kind: 'text', text: value},
          {kind: 'shell', command: `use ${value}`},
        ],
        mentions: 'none',
        model: undefined,
        allowedTools: [`Bash(use ${value})`],
        block: text => ({kind: 'text', text: `<${text}>`}),
      }),
  };
  const expanded = await redactingCommands(commands, secrets).expand({name: 'n', argument: ''}, never);
  expect(expanded).toMatchObject(
    ok({
      parts: [
        {kind: 'text', text: hidden},
        {kind: 'shell', command: `use ${hidden}`},
      ],
      allowedTools: [`Bash(use ${value})`],
    }),
  );
  expect(expanded.tag === 'ok' && expanded.value.block('x')).toEqual({kind: 'text', text: '<x>'});
});

test('a value without a secret stays the same value, and bytes are not looked at', () => {
  const plain = {a: ['x', {lines: ['one', {text: 'two'}]}], at: new Date(0), data: value, input: {b: 1}};
  expect(redactDeep(plain, secrets)).toBe(plain);
});

test('what a program is given is redacted whatever its names are, line by line', () => {
  const input = {id: value, data: [value], lines: [`${value}\n${value}`, 7], file: {kind: value}};
  expect(redactDeep({id: value, input}, secrets)).toEqual({
    id: value,
    input: {id: hidden, data: [hidden], lines: [`${hidden}\n${hidden}`, 7], file: {kind: hidden}},
  });
});

test('a secret over several lines is known in lines, and the words that changed are no longer told', () => {
  const lines = ['-----BEGIN PRIVATE KEY-----', 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=', 'plain'];
  const shown = redactDeep({lines: lines.map(text => ({text, changed: [1]}))}, secrets);
  expect(shown.lines.map(({text, changed}) => [text.includes('QUJD'), changed])).toEqual([
    [false, [1]],
    [false, []],
    [false, [1]],
  ]);
});

test('what something is found by again stays as it is', async () => {
  const {mcp} = redactingPorts(
    {
      ...machineOf('x'),
      mcp: {
        ...noopMcp,
        servers: () =>
          machineOf('x')
            .mcp.servers()
            .map(each => ({...each, name: value})),
      },
    },
    secrets,
  );
  expect(mcp.servers().map(({name}) => name)).toEqual([value]);
  const found = {directory: value, nextDirectory: value, label: value, server: value, session: value, file: value};
  expect(redactDeep({...found, text: value}, secrets)).toEqual({...found, text: hidden});
});

test('paths have their secrets where files are limited to them and where a plan is applied; lines grow with a secret of several', async () => {
  const seen: unknown[] = [];
  const plain = machineOf('x');
  const ports = redactingPorts(
    {
      ...plain,
      files: {
        ...plain.files,
        limitedTo: paths => (seen.push(paths), plain.files),
        apply: async (request, shown) => (seen.push(request.edits, shown), ok({files: [], userChanged: []})),
      },
    },
    secrets,
  );
  ports.files.limitedTo([{written: hidden, path: value, place: 'inside-workspace'}]);
  const lines = [{kind: 'added', text: `<${hidden}>`}] as const;
  const edits = [{kind: 'patch', path: hidden, hunks: [{context: [hidden], lines, place: 'anywhere'}]}] as const;
  const {hunks, ...diff} = diffOf(hidden);
  await ports.files.apply({edits, userChanges: emptyUserChanges}, [{...diff, hunks}], never);
  expect(seen).toEqual([
    [{written: value, path: value, place: 'inside-workspace'}],
    [
      {
        kind: 'patch',
        path: value,
        hunks: [{context: [value], lines: [{kind: 'added', text: `<${value}>`}], place: 'anywhere'}],
      },
    ],
    [{...diffOf(value), hunks}],
  ]);
});

const restore = (text: string): string => text.replace('[key]', 'one\ntwo');

test('a line of a patch becomes as many lines as its secret has', () => {
  expect(
    restoreDeep({lines: [{kind: 'added', text: '[key]'}, 'x [key]'], input: {lines: ['[key]']}}, {restore}),
  ).toEqual({
    lines: [{kind: 'added', text: 'one'}, {kind: 'added', text: 'two'}, 'x one', 'two'],
    input: {lines: ['one\ntwo']},
  });
});
