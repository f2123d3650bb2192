import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {randomUUID} from 'node:crypto';
import {beforeEach, describe, expect, test} from 'vitest';
import type {JsonObject} from '../../../src/base/json.ts';
import type {HarnessDecision, HarnessEvent, HarnessHost, HarnessRun} from '../../../src/actions/harness-port.ts';
import {defaultTimeouts} from '../../../src/extensions/harnesses/harness-run.ts';
import {makeHarnesses} from '../../../src/extensions/harnesses/harness-set.ts';
import {makeServerProcesses} from '../../../src/workspace/exec/server-processes.ts';
import {programPath} from '../../../src/workspace/exec/trusted-path.ts';
import {type GeminiPart, startGeminiServer} from '../../support/gemini-server.ts';
import {lookUntil} from '../../support/look-until.ts';
import {type Answer, call, say, sayPieces} from '../../support/model-script.ts';
import {type ReceivedRequest, startModelServer} from '../../support/model-server.ts';

/**
 * The programs themselves, against a scripted model server. They are too large for dependencies: WEFT_HARNESSES names the folders that
 * they are found in, as PATH does. codex is tried as a sub-agent of the built program (sub-agents.test.ts).
 */
const folders = process.env['WEFT_HARNESSES'] ?? '';

beforeEach(({skip}) => {
  skip(folders === '', 'need WEFT_HARNESSES, folders with claude, gemini, opencode and pi');
});

const model = 'claude-sonnet-4-6';
const endless = `${process.execPath} -e 'setInterval(() => {}, 1000)'`;
const writing = 'echo hi > made.txt';
const shells = ['Bash', 'bash'];

/** The last word in capitals of a conversation, and the text from there on. */
function wantedIn(conversation: unknown): {readonly word: string; readonly rest: string} {
  const text = JSON.stringify(conversation) ?? '';
  const at = text.search(/(?:WRITE|ENDLESS|HANG|TEXT|READ)(?!.*(?:WRITE|ENDLESS|HANG|TEXT|READ))/u);
  const rest = text.slice(Math.max(0, at));
  return {word: /^[A-Z]+/u.exec(rest)?.[0] ?? 'TEXT', rest};
}

function answerTo({body}: ReceivedRequest): Answer {
  const {word, rest} = wantedIn(body.messages);
  const shell = (body.tools ?? []).map(tool => String(tool['name'])).find(name => shells.includes(name));
  if ((body.tools ?? []).length === 0) return say('A title');
  if (word === 'HANG') return [sayPieces('I begin.'), {part: 'break', how: 'hang', after: 1}];
  if (shell === undefined || rest.includes('"tool_result"') || word === 'TEXT') return say('All done.');
  return call(shell, {command: word === 'WRITE' ? writing : endless, description: 'x'});
}

function geminiAnswerTo(body: JsonObject): GeminiPart {
  const {word, rest} = wantedIn(body['contents']);
  if (!JSON.stringify(body['tools'] ?? '').includes('"run_shell_command"')) return {text: 'A title'};
  if (word === 'TEXT' || rest.includes('"functionResponse"')) return {text: 'All done.'};
  if (word === 'READ') return {functionCall: {name: 'read_file', args: {file_path: 'secret.txt'}}};
  return {functionCall: {name: 'run_shell_command', args: {command: word === 'WRITE' ? writing : endless}}};
}

/** A harness that is signed in to the scripted server, in a home of its own. */
async function open(harness: string, decide: () => HarnessDecision) {
  const home = mkdtempSync(join(tmpdir(), 'weft-harness-'));
  const work = join(home, 'work');
  mkdirSync(work);
  const server = await startModelServer(answerTo);
  const gemini = await startGeminiServer(geminiAnswerTo);
  const url = server.baseUrl.anthropic;
  const write = (path: string, json: object): void => {
    mkdirSync(dirname(join(home, path)), {recursive: true});
    writeFileSync(join(home, path), JSON.stringify(json));
  };
  const cost = {input: 3, output: 15, cacheRead: 0, cacheWrite: 0};
  write('.config/opencode/opencode.json', {
    autoupdate: false,
    share: 'disabled',
    permission: 'allow',
    small_model: `anthropic/${model}`,
    provider: {anthropic: {options: {baseURL: `${url}/v1`, apiKey: 'x'}, models: {[model]: {name: model}}}},
  });
  const own = {
    id: 'own',
    name: 'own',
    reasoning: false,
    input: ['text'],
    cost,
    contextWindow: 200_000,
    maxTokens: 32_000,
  };
  write('.pi/agent/models.json', {
    providers: {own: {baseUrl: url, apiKey: 'x', api: 'anthropic-messages', models: [own]}},
  });
  write('.gemini/settings.json', {
    security: {auth: {selectedType: 'gemini-api-key'}},
    general: {enableAutoUpdate: false},
    privacy: {usageStatisticsEnabled: false},
  });
  const environment = {PATH: [folders, dirname(process.execPath), process.env['PATH']].join(':'), HOME: home};
  const env = {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-test',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    GEMINI_API_KEY: 'test',
    GOOGLE_GEMINI_BASE_URL: gemini.url,
  };
  const harnesses = makeHarnesses({
    own: {command: '', args: []},
    processes: makeServerProcesses({environment, registryFolder: join(home, 'registry'), exitMs: 1000}),
    place: {environment, home, platform: process.platform},
    findProgram: name => programPath(name, environment.PATH),
    settings: {[harness]: {command: '', args: [], env, keys: 'pass', server: 'none'}},
    times: defaultTimeouts,
    newId: randomUUID,
    priceOf: () => undefined,
  });
  const events: HarnessEvent[] = [];
  const host: HarnessHost = {
    observe: event => events.push(event),
    approve: async () => decide(),
    ask: async () => ({kind: 'unattended'}),
  };
  const models: Readonly<Record<string, string>> = {
    claude: model,
    // With a model of its own choice it first asks a small one how hard the prompt is.
    gemini: 'gemini-2.5-pro',
    opencode: `anthropic/${model}`,
    pi: 'own/own',
  };
  return {
    events,
    work,
    async start(prompt: string): Promise<HarnessRun> {
      const request = {
        harness,
        prompt,
        directory: work,
        model: models[harness] ?? '',
        access: 'with-approvals',
        resume: 'new',
        isolation: 'none',
      } as const;
      const started = await harnesses.start(request, host, new AbortController().signal);
      if (started.tag === 'failed') throw new Error(JSON.stringify(started.error));
      return started.value;
    },
    until: async (event: HarnessEvent['event'], count = 1): Promise<void> =>
      lookUntil(
        () => events.filter(each => each.event === event).length >= count,
        () => JSON.stringify(events),
        110_000,
      ),
    outcomes: () => events.flatMap(event => (event.event === 'finished' ? [event.outcome.kind] : [])),
    processes: () => processesOf(home),
    async [Symbol.asyncDispose]() {
      await harnesses.close();
      await server.close();
      await gemini.close();
      rmSync(home, {recursive: true, force: true});
    },
  };
}

/** The processes that have this home in their environment. */
const processesOf = (home: string): readonly string[] =>
  readdirSync('/proc').filter(pid => {
    try {
      return /^\d+$/u.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${home}\0`);
    } catch {
      return false;
    }
  });

describe.each(['claude', 'gemini', 'opencode', 'pi'])('%s', harness => {
  test(
    'does what is allowed, not what is denied, and leaves nothing behind',
    {tags: 'long', timeout: 120_000},
    async () => {
      let decision: HarnessDecision = {kind: 'denied', message: 'no'};
      await using scene = await open(harness, () => decision);
      const run = await scene.start('WRITE it');
      await scene.until('finished');
      expect(existsSync(join(scene.work, 'made.txt'))).toBe(false);
      decision = {kind: 'allowed'};
      await run.send('WRITE it again');
      await scene.until('finished', 2);
      expect(readFileSync(join(scene.work, 'made.txt'), 'utf8')).toBe('hi\n');
      expect(scene.outcomes().at(-1)).toBe('succeeded');
      await run.dispose();
      expect(scene.processes()).toEqual([]);
    },
  );

  test('a command that never ends goes with an interrupt', {tags: 'long', timeout: 120_000}, async () => {
    await using scene = await open(harness, () => ({kind: 'allowed'}));
    const run = await scene.start('ENDLESS');
    await scene.until('tool-started');
    await lookUntil(
      () => scene.processes().length > 1,
      () => 'the command did not start',
    );
    await run.interrupt();
    expect(scene.outcomes()).toEqual(['cancelled']);
    await run.dispose();
    expect(scene.processes()).toEqual([]);
  });
});

test('gemini reads no file that it may not read', {tags: 'long', timeout: 120_000}, async () => {
  await using scene = await open('gemini', () => ({kind: 'denied', message: 'no'}));
  writeFileSync(join(scene.work, 'secret.txt'), 'hunter2');
  const run = await scene.start('READ it');
  await scene.until('finished');
  const ends = scene.events.flatMap(event => (event.event === 'tool-finished' ? [event.end] : []));
  expect([ends, JSON.stringify(scene.events).includes('hunter2')]).toEqual([['cancelled'], false]);
  await run.dispose();
});

test('pi answers, and stops when it is told to', {tags: 'long', timeout: 120_000}, async () => {
  await using scene = await open('pi', () => ({kind: 'allowed'}));
  const run = await scene.start('TEXT please');
  await scene.until('finished');
  await run.send('HANG');
  await scene.until('text', 2);
  await run.interrupt();
  expect(scene.outcomes()).toEqual(['succeeded', 'cancelled']);
  await run.dispose();
  expect(scene.processes()).toEqual([]);
});
