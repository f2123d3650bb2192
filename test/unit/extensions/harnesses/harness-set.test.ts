import {chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import type {HarnessEvent, HarnessHost} from '../../../../src/actions/harness-port.ts';
import type {HarnessSetting} from '../../../../src/config/harness-settings.ts';
import {installedVersion, isOlderVersion, signInStateOf} from '../../../../src/extensions/harnesses/find-harness.ts';
import {makeHarnesses} from '../../../../src/extensions/harnesses/harness-set.ts';
import {makeServerProcesses} from '../../../../src/workspace/exec/server-processes.ts';
import {programPath} from '../../../../src/workspace/exec/trusted-path.ts';

const home = mkdtempSync(join(tmpdir(), 'weft-harness-'));
const bin = join(home, 'bin');
const signal = new AbortController().signal;
const closing: (() => Promise<void>)[] = [];
afterAll(async () => Promise.all(closing.map(close => close())));

function file(path: string, text: string): string {
  const full = join(home, path);
  mkdirSync(dirname(full), {recursive: true});
  writeFileSync(full, text);
  return full;
}

function program(path: string, script: string): string {
  const full = file(path, `#!${process.execPath}\n${script}`);
  chmodSync(full, 0o755);
  return full;
}

function harnesses(settings: Readonly<Record<string, Partial<HarnessSetting>>>, variables = {}) {
  const environment = {PATH: bin, HOME: home, ANTHROPIC_API_KEY: 'sk-of-weft', SECRET_PLAN: 'x', ...variables};
  const made = makeHarnesses({
    processes: makeServerProcesses({environment, registryFolder: join(home, 'registry'), exitMs: 200}),
    place: {environment, home, platform: 'linux'},
    findProgram: name => programPath(name, environment.PATH),
    settings: Object.fromEntries(
      Object.entries(settings).map(([name, set]) => [
        name,
        {command: '', args: [], env: {}, keys: 'pass' as const, server: 'none' as const, ...set},
      ]),
    ),
    times: {open: 60_000, interrupt: 10_000},
    own: {command: '', args: []},
    newId: () => 'id-1',
    priceOf: () => undefined,
  });
  closing.push(async () => made.close());
  return made;
}

/** An agent that speaks ACP, says what it was started with, and leaves a child behind that holds its output. */
const agent = `
const {spawn} = require('node:child_process');
spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {stdio: ['ignore', 'inherit', 'inherit']});
let text = '';
const say = message => process.stdout.write(JSON.stringify({jsonrpc: '2.0', ...message}) + '\\n');
process.stdin.on('data', chunk => {
  text += chunk;
  for (let at = text.indexOf('\\n'); at >= 0; at = text.indexOf('\\n')) {
    const {id, method} = JSON.parse(text.slice(0, at));
    text = text.slice(at + 1);
    if (method === 'initialize') say({id, result: {protocolVersion: 1}});
    if (method === 'session/new') say({id, result: {sessionId: 's1'}});
    if (method !== 'session/prompt') continue;
    const names = Object.keys(process.env).filter(name => /KEY|SECRET|MINE/.test(name)).sort();
    const content = {type: 'text', text: JSON.stringify([process.argv.slice(2), names])};
    say({method: 'session/update', params: {sessionId: 's1', update: {sessionUpdate: 'agent_message_chunk', content}}});
    say({id, result: {stopReason: 'end_turn'}});
    process.kill(process.pid, 'SIGKILL');
  }
});`;

function hosted(): {readonly host: HarnessHost; readonly events: HarnessEvent[]; readonly closed: Promise<undefined>} {
  const events: HarnessEvent[] = [];
  const {promise, resolve} = Promise.withResolvers<undefined>();
  const host: HarnessHost = {
    observe(event) {
      events.push(event);
      if (event.event === 'closed') resolve(undefined);
    },
    approve: async () => ({kind: 'denied', message: ''}),
    ask: async () => ({kind: 'unattended'}),
  };
  return {host, events, closed: promise};
}

const request = {
  prompt: 'go',
  directory: home,
  model: '',
  access: 'with-approvals',
  resume: 'new',
  isolation: 'none',
} as const;

test('a configured agent gets its arguments and its own variables, and none of weft’s keys; all of it ends with its program', async () => {
  const set = harnesses(
    {
      mine: {
        command: program('agents/mine', agent),
        args: ['--acp'],
        env: {MINE: '${SECRET_PLAN}', OTHER: '${NONE:-x}'},
      },
    },
    {OPENAI_API_KEY: 'sk-2'},
  );
  const {host, events, closed} = hosted();
  const started = await set.start({...request, harness: 'mine'}, host, signal);
  expect(started.tag).toBe('ok');
  await closed;
  expect(events).toEqual([
    {event: 'started', session: 's1', model: '', version: ''},
    {event: 'working'},
    {event: 'text', message: 1, delta: '[["--acp"],["MINE"]]'},
    {
      event: 'usage',
      used: {
        model: '',
        usage: {inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0},
        cost: {kind: 'unknown'},
      },
    },
    {event: 'finished', outcome: {kind: 'succeeded', text: '[["--acp"],["MINE"]]'}},
    {event: 'closed', reason: 'it was ended by SIGKILL'},
  ]);
});

test('what cannot be started is a fault that says what to do', async () => {
  program('agents/old/bin/pi', 'console.error("Unknown option: --mode"); process.exit(2);');
  file('agents/old/package.json', JSON.stringify({name: '@mariozechner/pi-coding-agent', version: '0.40.0'}));
  const set = harnesses({
    pi: {command: join(home, 'agents/old/bin/pi')},
    lost: {command: 'no-such-agent'},
    nameless: {},
    bare: {command: 'x', env: {KEY: '${NOT_SET}'}},
  });
  const start = async (harness: string, more = {}) => {
    const {host} = hosted();
    return set.start({...request, harness, ...more}, host, signal);
  };
  const faults = await Promise.all(['codx', 'claude', 'lost', 'nameless', 'bare', 'pi'].map(name => start(name)));
  expect(faults.map(each => (each.tag === 'failed' ? each.error : 'started'))).toEqual([
    {kind: 'rejected', message: 'Unknown harness "codx". Did you mean codex?'},
    {
      kind: 'needs-user',
      message: 'Claude Code is not installed: no program claude was found',
      fix: 'Install it: npm install -g @anthropic-ai/claude-code.',
    },
    {
      kind: 'needs-user',
      message: 'lost is not installed: no program no-such-agent was found',
      fix: 'Your settings name the program "no-such-agent": install it, or set its full path.',
    },
    {
      kind: 'needs-user',
      message: 'nameless cannot be started',
      fix: 'Your settings have no program for it: add "harnesses": {"nameless": {"command": …}}.',
    },
    {
      kind: 'needs-user',
      message: 'bare cannot be started: the environment variable NOT_SET, which its settings refer to, is not set',
      fix: '',
    },
    {
      kind: 'needs-user',
      message: 'pi could not start: it exited with code 2 (it wrote: Unknown option: --mode).',
      fix: 'weft needs pi 0.73.1 or newer, but found 0.40.0. Install it: npm install -g @earendil-works/pi-coding-agent.',
    },
  ]);
});

test('all that are here are found, with their versions', async () => {
  program('bin/codex', 'console.log("codex-cli 0.170.1");');
  const set = harnesses({
    mine: {command: program('agents/mine', agent)},
    broken: {command: 'x', env: {A: '${NOT_SET}'}},
  });
  const found = await set.find(signal);
  expect(found.map(({name, state}) => [name, state.kind])).toEqual([
    ['claude', 'missing'],
    ['codex', 'installed'],
    ['gemini', 'missing'],
    ['opencode', 'missing'],
    ['pi', 'missing'],
    ['mine', 'installed'],
    ['broken', 'missing'],
  ]);
  expect(found[1]).toEqual({
    name: 'codex',
    state: {kind: 'installed', path: join(bin, 'codex'), version: '0.170.1', signIn: 'signed-out'},
    advice: 'Sign in: run codex login.',
    abilities: {resumes: 'yes'},
  });
});

const at = (name: string, environment = {}, platform: NodeJS.Platform = 'linux') => ({
  environment,
  home: join(home, name),
  platform,
});

describe('on the disk', () => {
  test('the version is read where the link leads', () => {
    file('lib/node_modules/@openai/codex/package.json', JSON.stringify({name: '@openai/codex', version: '1.2.3'}));
    const real = program('lib/node_modules/@openai/codex/bin/codex.js', '');
    symlinkSync(real, join(home, 'codex-link'));
    expect(installedVersion(join(home, 'codex-link'), ['@openai/codex'])).toBe('1.2.3');
    expect(installedVersion(program('share/claude/versions/2.1.330', ''), ['x'])).toBe('2.1.330');
    expect(installedVersion(program('share/agent', ''), ['x'])).toBe('');
    expect(installedVersion(join(home, 'missing'), ['x'])).toBe('');
  });

  test.each([
    ['0.40.0', '0.73.1', true],
    ['0.73.1', '0.73.1', false],
    ['1.0', '0.73.1', false],
    ['2.1.30', '2.1.330', true],
    ['', '1.0.0', false],
    ['nightly', '1.0.0', false],
  ])('%s is older than %s: %s', (a, b, expected) => {
    expect(isOlderVersion(a, b)).toBe(expected);
  });

  test('who is signed in, as far as files tell', () => {
    file('in/.claude/.credentials.json', '{"claudeAiOauth":{}}');
    file('in/.codex/auth.json', '{"tokens":{"id_token":"x"}}');
    file('in/.gemini/settings.json', '{"security":{"auth":{"selectedType":"oauth-personal"}}}');
    file('in/.gemini/oauth_creds.json', '{}');
    file('in/.local/share/opencode/auth.json', '{"anthropic":{}}');
    file('in/.pi/agent/auth.json', '{"anthropic":{}}');
    file('odd/.claude/settings.json', '{"apiKeyHelper":"x"}');
    file('odd/.codex/config.toml', 'model_provider = "mine"\n');
    file('odd/.gemini/settings.json', 'no json');
    file('odd/.pi/agent/models.json', '{}');
    const names = ['claude', 'codex', 'gemini', 'opencode', 'pi'] as const;
    expect(names.map(name => signInStateOf(name, at('in')))).toEqual(names.map(() => 'signed-in'));
    expect(names.map(name => signInStateOf(name, at('nobody')))).toEqual([
      'signed-out',
      'signed-out',
      'signed-out',
      'unknown',
      'signed-out',
    ]);
    expect(names.map(name => signInStateOf(name, at('odd', {GEMINI_API_KEY: 'x'})))).toEqual(
      names.map(() => 'unknown'),
    );
    expect(signInStateOf('claude', at('nobody', {}, 'darwin'))).toBe('unknown');
    expect(signInStateOf('claude', at('nobody', {ANTHROPIC_API_KEY: 'x'}))).toBe('signed-in');
  });
});

test('a known harness gets the keys for its own sign-in, says so once, and a setting withholds them', async () => {
  const command = program('agents/gemini', agent);
  const told = async (set: ReturnType<typeof harnesses>): Promise<readonly unknown[]> => {
    const {host, events, closed} = hosted();
    const started = await set.start({...request, harness: 'gemini'}, host, signal);
    expect(started.tag).toBe('ok');
    await closed;
    return events.flatMap(event =>
      event.event === 'warning' ? [event.text] : event.event === 'text' ? [JSON.parse(event.delta)[1]] : [],
    );
  };
  const variables = {GEMINI_API_KEY: 'g-1', OPENAI_API_KEY: 'sk-2'};
  const passing = harnesses({gemini: {command}}, variables);
  expect(await told(passing)).toEqual([
    'It gets your GEMINI_API_KEY. Set harnesses.gemini.keys to "withhold" to keep them.',
    ['GEMINI_API_KEY'],
  ]);
  expect(await told(passing)).toEqual([['GEMINI_API_KEY']]);
  expect(await told(harnesses({gemini: {command, keys: 'withhold'}}, variables))).toEqual([[]]);
  const gateway = {...variables, GEMINI_BASE_URL: 'https://gateway.example'};
  expect(await told(harnesses({gemini: {command}}, gateway))).toEqual([
    'It does not get your GEMINI_API_KEY, because that is for the server that GEMINI_BASE_URL names. To give it a key, set harnesses.gemini.env.',
    [],
  ]);
});
