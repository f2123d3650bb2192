import {mkdtempSync, realpathSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeEach, expect, test} from 'vitest';
import type {JsonObject} from '../../../src/base/json.ts';
import {ok} from '../../../src/base/outcome.ts';
import {connectServer} from '../../../src/extensions/mcp/connect-server.ts';
import {parseServer} from '../../../src/extensions/mcp/server-config.ts';
import type {ServerConnection} from '../../../src/extensions/mcp/server-connection.ts';
import {makeServerProcesses, serverExitMs} from '../../../src/workspace/exec/server-processes.ts';
import {running} from '../../support/processes.ts';

/*
 * The reference servers of MCP, as their makers publish them: @modelcontextprotocol/server-everything, server-filesystem and
 * server-memory. They are no dependencies: WEFT_MCP_SERVERS names a folder that they are installed in.
 */

const folder = process.env['WEFT_MCP_SERVERS'] ?? '';
const program = (name: string): string =>
  join(folder, 'node_modules', '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js');
const work = realpathSync(mkdtempSync(join(tmpdir(), 'weft-servers-')));
const processes = makeServerProcesses({
  environment: {PATH: process.env['PATH'], HOME: work},
  registryFolder: join(work, 'registry'),
  exitMs: serverExitMs,
});
const never = new AbortController().signal;
/** What the servers asked the user, and the model. */
const asked: string[] = [];

beforeEach(({skip}) => {
  skip(folder === '', 'need WEFT_MCP_SERVERS, a folder with the reference servers of MCP');
});
afterAll(() => processes.close());

async function connected(name: string, args: readonly string[], env: JsonObject = {}): Promise<ServerConnection> {
  const config = parseServer({command: process.execPath, args: [program(name), ...args], env, startupTimeout: 120_000});
  if (config.tag === 'failed') throw new Error(config.error);
  return connectServer(
    {
      config: config.value,
      directory: work,
      processes,
      authorization: undefined,
      era: {kind: 'unknown'},
      options: {
        server: name,
        version: '0',
        times: config.value.times,
        services: {
          elicit: async ({message}) => {
            asked.push(message);
            return {action: 'decline', content: undefined};
          },
          sample: async ({params}) => {
            asked.push(JSON.stringify(params['messages']));
            return ok({role: 'assistant', content: {type: 'text', text: 'Four.'}, model: 'm', stopReason: 'endTurn'});
          },
          roots: () => [{uri: `file://${work}`, name: 'work'}],
        },
        log: () => {},
        changed: () => {},
      },
    },
    never,
  );
}

async function call(connection: ServerConnection, tool: string, input: JsonObject) {
  const progress: string[] = [];
  const result = await connection.call({tool, input, progress: text => progress.push(text)}, never);
  const said =
    result.tag === 'failed'
      ? `fault: ${'message' in result.error ? result.error.message : ''}`
      : result.value.blocks.map(block => (block.kind === 'text' ? block.text : block.mediaType)).join('|');
  return {said, progress};
}

const names = async (connection: ServerConnection): Promise<readonly string[]> =>
  (await connection.listTools(never)).map(({name}) => name);

test(
  'everything: tools, progress, images, resources, prompts; it ends with its connection',
  {tags: 'long'},
  async () => {
    const everything = await connected('everything', ['stdio']);
    expect(await names(everything)).toEqual(expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image']));
    expect((await call(everything, 'get-sum', {a: 2, b: 3})).said).toContain('5');
    expect((await call(everything, 'get-sum', {a: 'two', b: 3})).said).toContain('fault: ');
    expect((await call(everything, 'get-tiny-image', {})).said).toContain('|image/png|');
    const {said, progress} = await call(everything, 'trigger-long-running-operation', {duration: 0.2, steps: 2});
    expect([said.includes('completed'), progress]).toEqual([true, ['50 %', '100 %']]);

    const resources = await everything.listResources(never);
    if (resources.tag === 'failed') throw new Error('no resources');
    const text = resources.value.find(({mediaType}) => mediaType.startsWith('text/'));
    expect(await everything.readResource(text?.uri ?? '', never)).toMatchObject({
      value: {blocks: [{kind: 'text', text: expect.stringMatching(/\w/u)}]},
    });
    expect(await everything.readResource('no:such', never)).toMatchObject({
      error: {message: expect.stringContaining("Can't read no:such of everything")},
    });
    const prompts = await everything.listPrompts(never);
    expect(prompts.tag === 'ok' && prompts.value.map(({name}) => name)).toContain('args-prompt');
    expect(
      await everything.expandPrompt({name: 'args-prompt', values: {city: 'Bergen', state: 'Vestland'}}, never),
    ).toMatchObject({value: {blocks: [{text: expect.stringContaining('Bergen')}]}});

    // What a server offers depends on what its client can do: these two are there for clients that can be asked.
    expect((await call(everything, 'trigger-sampling-request', {prompt: '2+2?', maxTokens: 9})).said).toContain(
      'Four.',
    );
    expect((await call(everything, 'trigger-elicitation-request', {})).said).toMatch(/declin/iu);
    expect(asked).toEqual([expect.stringContaining('2+2?'), expect.stringMatching(/\w/u)]);

    await everything.close();
    expect(running(program('everything'))).toEqual([]);
  },
);

test('filesystem: files inside its folder, and none outside', {tags: 'long'}, async () => {
  writeFileSync(join(work, 'note.txt'), 'hello');
  const files = await connected('filesystem', [work]);
  expect(await names(files)).toEqual(expect.arrayContaining(['read_text_file', 'list_directory']));
  expect((await call(files, 'read_text_file', {path: join(work, 'note.txt')})).said).toContain('hello');
  expect((await call(files, 'read_text_file', {path: '/etc/passwd'})).said).toContain('outside allowed directories');
  await files.close();
  expect(running(program('filesystem'))).toEqual([]);
});

test('memory: what it keeps is there after a restart', {tags: 'long'}, async () => {
  const env = {MEMORY_FILE_PATH: join(work, 'memory.jsonl')};
  const first = await connected('memory', [], env);
  await call(first, 'create_entities', {entities: [{name: 'loom', entityType: 'tool', observations: ['weaves']}]});
  await first.close();
  const second = await connected('memory', [], env);
  expect((await call(second, 'search_nodes', {query: 'loom'})).said).toContain('weaves');
  await second.close();
  expect(running(program('memory'))).toEqual([]);
});
