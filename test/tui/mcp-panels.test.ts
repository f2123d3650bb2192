import {afterEach, describe, expect, test} from 'vitest';
import {type McpPort, type McpServerState, type McpTool, noopMcp} from '../../src/actions/mcp-port.ts';
import type {McpServerRow} from '../../src/agent/client.ts';
import {failed, ok} from '../../src/base/outcome.ts';
import {serversPanel} from '../../src/tui/commands/mcp-panels.ts';
import {leaveSpeakers, speak} from './accessible/speaker.ts';
import {insideOf, key, linesOf, pressed} from './support/panels.tsx';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);
afterEach(leaveSpeakers);

const state = (name: string, more: Partial<McpServerState> = {}): McpServerState => ({
  name,
  status: 'connected',
  source: 'user',
  path: '~/.config/weft/settings.json',
  transport: 'program',
  error: '',
  title: 'Calculator',
  version: '2.1',
  instructions: '',
  resources: 'none',
  log: [],
  latencyMs: undefined,
  ...more,
});

const tool = (server: string, name: string): McpTool => ({
  server,
  name,
  toolName: `mcp__${server}__${name}`,
  description: `Does ${name}.\nIn detail.`,
  inputSchema: {type: 'object', properties: {}},
  effect: 'unsaid',
  standing: 'as-known',
  offering: 'by-size',
});

const rows: readonly McpServerRow[] = [
  {state: state('calc', {latencyMs: 12, log: ['ready', 'a\u001B[2J']}), tools: [tool('calc', 'add')]},
  {state: state('dead', {status: 'failed', error: 'the server ended; no database', source: 'project'}), tools: []},
  {state: state('web', {status: 'needs-sign-in', error: 'Run weft mcp login web', transport: 'http'}), tools: []},
  {state: state('late', {status: 'pending', source: 'given'}), tools: []},
  {state: state('kept', {status: 'idle', source: 'local'}), tools: [tool('kept', 'a'), tool('kept', 'b')]},
  {state: state('off', {status: 'disabled', source: 'sdk'}), tools: []},
  {state: state('new', {status: 'untrusted', source: 'project', error: 'review and trust it'}), tools: []},
];

describe('the panel of the servers', () => {
  test('says where each stands, what it has and who named it', () => {
    expect(linesOf(serversPanel(rows), {width: 112})).toEqual([
      '╭ MCP servers ─────────────────────────────────────────────────────────────────────────────────────────────────╮',
      '│ ❯ 1  calc  connected                              1 tool   12 ms  your settings                              │',
      '│   2  dead  failed: the server ended; no database                  project settings                           │',
      '│   3  web   needs sign-in                                          your settings                              │',
      '│   4  late  starting                                               set at startup                             │',
      '│   5  kept  starts on first use                    2 tools         your settings for this project             │',
      '│   6  off   off                                                    from the SDK client                        │',
      '│   7  new   not trusted                                            project settings                           │',
      '╰ Enter open · Esc cancel · type to search ────────────────────────────────────────────────────────────────────╯',
    ]);
  });

  test.each([
    [0, ['About', 'Tools', 'Log', 'Reconnect', 'Turn off']],
    [1, ['About', 'Reconnect', 'Turn off']],
    [2, ['About', 'Sign in', 'Reconnect', 'Turn off']],
    [4, ['About', 'Tools', 'Reconnect', 'Turn off']],
    [5, ['About', 'Turn on']],
  ])('server %i offers what it can do', (at, actions) => {
    const downs = Array.from({length: at}, () => key('down'));
    const {panel} = pressed(serversPanel(rows), ...downs, key('enter'));
    expect(insideOf(panel, {width: 99}).map(line => /\d {2}(.*?)(?: {2}|$)/u.exec(line)?.[1])).toEqual(actions);
  });

  test('an action is the command that does it', () => {
    const {effects} = pressed(serversPanel(rows), key('down'), key('enter'), key('down'), key('enter'));
    expect(effects).toEqual([{do: 'command', line: {kind: 'command', name: 'mcp', argument: 'reconnect dead'}}]);
  });

  test('what servers say of themselves cannot steer the terminal', () => {
    const [first] = rows;
    if (first === undefined) throw new Error('no row');
    const {state: calc} = first;
    const hostile = {...first, state: {...calc, name: 'a\u001B[2J\n', title: 'b\u202E', error: '\u0007'}};
    const panel = serversPanel([hostile]);
    const {effects} = pressed(panel, key('enter'), key('enter'));
    const shown = [...linesOf(panel), ...effects.map(effect => (effect.do === 'notify' ? effect.text : ''))].join('');
    expect(['\u001B', '\u202E', '\u0007'].filter(character => shown.includes(character))).toEqual([]);
    expect(shown).toContain('[2J');
  });
});

/** One server that fails until it is connected anew. */
function servers(): Partial<McpPort> & {readonly asked: string[]} {
  const asked: string[] = [];
  let now: Partial<McpServerState> = {status: 'failed', error: 'no database'};
  return {
    asked,
    settled: async () => void asked.push('settled'),
    servers: () => [state('calc', now)],
    tools: () => (now.status === 'connected' ? [tool('calc', 'add')] : []),
    async reconnect(name) {
      asked.push(`reconnect ${name}`);
      if (name !== 'calc') return failed(`There is no MCP server named "${name}".`);
      now = {status: 'connected'};
      return ok(undefined);
    },
    async toggle(name, wanted) {
      asked.push(`${wanted} ${name}`);
      now = wanted === 'enabled' ? {status: 'connected'} : {status: 'disabled'};
      return ok(undefined);
    },
    async signIn(name, say) {
      say(`Sign in to ${name} at example.org: https://example.org/authorize`);
      return name === 'calc' ? ok('Signed in to calc; kept in a file') : failed(`${name} is a program.`);
    },
  };
}

describe('/mcp', () => {
  test('shows the servers, connects one anew, takes its tools away and brings them back', async () => {
    const own = servers();
    const {screen} = await start([80, 24], {host: {mcp: {...noopMcp, ...own}}});
    await screen.type('/mcp\r');
    await screen.until(/MCP servers ─[^]*❯ 1 {2}calc +failed: no database +your settings/u);
    await screen.type('\r');
    await screen.until(/MCP server calc ─+ failed: no database ╮[^]*❯ 1 {2}About[^]*2 {2}Reconnect/u);
    await screen.type('2');
    await screen.until(/MCP server calc ─+ connected ╮[^]*2 {2}Tools +1 tool/u);
    await screen.type('\u001B');
    await screen.until(/Ask weft to do something/u);
    await screen.type('/mcp off calc\r');
    await screen.until(/MCP server calc ─+ off ╮[^]*2 {2}Turn on/u);
    await screen.type('2');
    await screen.until(/MCP server calc ─+ connected ╮/u);
    expect(own.asked).toEqual(['settled', 'reconnect calc', 'disabled calc', 'enabled calc']);
  });

  test('shows the link of a sign-in and what came of it', async () => {
    const {screen} = await start([80, 24], {host: {mcp: {...noopMcp, ...servers()}}});
    await screen.type('/mcp sign-in calc\r');
    await screen.until(/https:\/\/example\.org\/authorize[^]*Signed in to calc; kept in a file/u);
    await screen.type('/mcp sign-in local\r');
    await screen.until(/local is a program\./u);
  });

  test('says what it cannot do', async () => {
    const {screen} = await start([80, 24], {host: {mcp: {...noopMcp, ...servers()}}});
    await screen.type('/mcp restart calc\r');
    await screen.until(/Name an action and a server: \/mcp reconnect github/u);
    await screen.type('/mcp reconnect nobody\r');
    await screen.until(/There is no MCP server named "nobody"\./u);
  });

  test('says how to add a server where there is none', async () => {
    const {screen} = await start([80, 24]);
    await screen.type('/mcp\r');
    await screen.until(/MCP servers ─+╮\n│ +No MCP servers\. Add one: weft mcp add/u);
  });

  test('is a question in lines for a screen reader', async () => {
    const own = servers();
    const speaker = await speak({host: {mcp: {...noopMcp, ...own}}});
    await speaker.type('/mcp\r');
    await speaker.heard(/MCP servers:\n1\. calc, failed: no database, your settings[^]*answer> $/u);
    await speaker.type('1\r');
    await speaker.heard(/MCP server calc:[^]*2\. Reconnect[^]*answer> $/u);
    await speaker.type('2\r');
    await speaker.heard(/2\. Tools, 1 tool/u);
    expect(own.asked).toEqual(['settled', 'reconnect calc']);
  });
});
