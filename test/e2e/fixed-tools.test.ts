// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {boundThinking} from '../support/bound-thinking.ts';
import {scriptedServer, type ScriptedServer} from '../support/mcp-server.ts';
import {call, say, type Part} from '../support/model-script.ts';
import {openScene, pointedAt, type Scene} from '../support/scene.ts';
import {openTerminal} from '../support/shell-terminal.ts';

// The tools of a session stay byte for byte the same, whatever MCP servers do, and the model can still call what came later.

const servers = (scripts: Readonly<Record<string, ScriptedServer>>, more: object = {required: true}): string =>
  JSON.stringify({
    mcpServers: Object.fromEntries(
      Object.entries(scripts).map(([name, script]) => [name, {...scriptedServer(script), ...more}]),
    ),
  });

const echo = (text: string): ScriptedServer => ({
  tools: [{name: 'echo', description: `Echoes, says ${text}`, does: 'arguments'}],
});

/** The different lists of tools that the requests had, as they were sent. */
const lists = ({server}: Scene): readonly string[] => [
  ...new Set(server.requests.map(({body}) => JSON.stringify(body.tools))),
];

const told = ({server}: Scene, request: number): string => JSON.stringify(server.requests[request]?.body.messages);
const last = ({server}: Scene, request: number): string =>
  JSON.stringify(server.requests[request]?.body.messages.at(-1));

const callByQuery = (name: string, input: object): Part =>
  call('ToolSearch', {query: `call:${name} ${JSON.stringify(input)}`});

const allowed = ['--allowed-tools', 'mcp__late', 'mcp__calc'];

test.each(['anthropic', 'openai'] as const)(
  'a server that is ready late is announced, found and called (%s)',
  async dialect => {
    const {script, refused} = boundThinking(
      number =>
        [
          call('ToolSearch', {query: 'select:mcp__late__echo'}),
          callByQuery('mcp__late__echo', {a: 1}),
          call('mcp__late__echo', {a: 2}),
          callByQuery('mcp__late__echo', {}),
          say('First.'),
          say('Second.'),
        ][number - 1] ?? say('Too many requests.'),
    );
    await using scene = await openScene(script, dialect);
    writeFileSync(join(scene.place.work, 'servers.json'), servers({late: {...echo('hello'), startMs: 900}}, {}));
    await using terminal = await openTerminal(scene.place, pointedAt(scene.server, dialect));
    await terminal.type('weft --allowed-tools mcp__late --mcp-config servers.json\r');
    await terminal.until(/claude-[\w-]+|small-model/u);
    await terminal.type('one\r');
    await terminal.until(/First\./u);
    await terminal.type('two\r');
    await terminal.until(/Second\./u);
    expect(lists(scene)).toHaveLength(1);
    expect(lists(scene)[0]).not.toContain('mcp__late__echo');
    expect(told(scene, 1)).toContain('mcp__late__echo (Echoes, says hello)');
    expect(told(scene, 1)).toContain('call:mcp__late__echo');
    expect(
      [2, 3, 4].map(request =>
        /\{(?:\\*"a\\*":\d)?\}/u.exec(last(scene, request).split('content').at(-1) ?? '')?.[0].replaceAll('\\', ''),
      ),
    ).toEqual(['{"a":1}', '{"a":2}', '{}']);
    expect(told(scene, 5).match(/More tools: /gu)).toHaveLength(1);
    expect(refused).toEqual([]);
  },
);

test('a server that is configured before --continue is announced and called; one that is removed says so', async () => {
  await using scene = await openScene([
    say('One.'),
    call('mcp__late__echo', {a: 1}),
    callByQuery('mcp__late__echo', {a: 2}),
    call('mcp__calc__echo', {}),
    callByQuery('mcp__calc__echo', {}),
    say('Two.'),
    say('Three.'),
  ]);
  const run = async (config: string, ...more: readonly string[]) => {
    const {stdout} = await scene.run(['--prompt', 'x', '--mcp-config', config, ...allowed, ...more]);
    return stdout.trim();
  };
  expect(await run(servers({calc: echo('sums')}))).toBe('One.');
  const changed = servers({late: echo('hello')});
  expect(await run(changed, '--continue')).toBe('Two.');
  expect(await run(changed, '--continue')).toBe('Three.');
  expect(lists(scene)).toHaveLength(1);
  expect(lists(scene)[0]).toContain('mcp__calc__echo');
  expect(told(scene, 1)).toContain('More tools: mcp__late__echo (Echoes, says hello)');
  expect(told(scene, 6).match(/More tools: /gu)).toHaveLength(1);
  expect([2, 3].map(request => last(scene, request).includes(String.raw`{\"a\":${String(request - 1)}}`))).toEqual([
    true,
    true,
  ]);
  for (const request of [4, 5])
    expect(last(scene, request)).toContain(
      "mcp__calc__echo can't be called: its MCP server is gone (removed, turned off or not trusted). Go on without it",
    );
});

test.each(['anthropic', 'openai'] as const)(
  'a tool whose description alone has changed is announced with the new one, once (%s)',
  async dialect => {
    await using scene = await openScene([say('One.'), say('Two.'), say('Three.')], dialect);
    const run = (text: string, ...more: readonly string[]) =>
      scene.run(['--prompt', 'x', '--mcp-config', servers({calc: echo(text)}), ...allowed, ...more]);
    expect((await run('old')).stdout).toBe('One.\n');
    expect((await run('new', '--continue')).stdout).toBe('Two.\n');
    expect((await run('new', '--continue')).stdout).toBe('Three.\n');
    expect(lists(scene)).toHaveLength(1);
    expect(told(scene, 1)).toContain('mcp__calc__echo (changed: Echoes, says new)');
    expect(told(scene, 2).match(/changed: Echoes/gu)).toHaveLength(1);
  },
);

test('a server that changes its list in the middle of a session changes no request, also not one of a sub-agent', async () => {
  await using scene = await openScene([
    call('mcp__calc__change', {}),
    call('ToolSearch', {query: 'select:mcp__calc__new'}),
    callByQuery('mcp__calc__new', {b: 1}),
    call('mcp__calc__change', {}),
    call('Agent', {description: 'Look', prompt: 'Look around.', subagent_type: 'general-purpose'}),
    callByQuery('mcp__calc__new', {b: 2}),
    say('Looked.'),
    say('Done.'),
  ]);
  const config = servers({
    calc: {
      tools: [{name: 'change', does: 'change'}],
      laterTools: [{name: 'new', description: 'Is new', does: 'arguments'}],
    },
  });
  const {stdout} = await scene.run(['--prompt', 'x', '--mcp-config', config, ...allowed]);
  expect(stdout.trim()).toBe('Done.');
  expect(lists(scene)).toHaveLength(1);
  expect(last(scene, 3)).toContain(String.raw`{\"b\":1}`);
  expect(last(scene, 4)).toContain('There is no tool mcp__calc__change now. Its MCP server has: mcp__calc__new.');
  expect(last(scene, 6)).toContain(String.raw`{\"b\":2}`);
});

test('a call in a query that is not well formed is explained', async () => {
  await using scene = await openScene([
    [call('ToolSearch', {query: 'call:Glob {"pattern": '}), callByQuery('Glob', {pattern: '*.none'})],
    say('Done.'),
  ]);
  expect((await scene.run(['--prompt', 'x'])).stdout.trim()).toBe('Done.');
  expect(last(scene, 1)).toContain('ToolSearch: to call a tool, write call:NAME and then its input as a JSON object.');
  expect(last(scene, 1)).toContain('No files found.');
});
