import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {lookUntil} from '../../support/look-until.ts';
import {type Answer, call, say} from '../../support/model-script.ts';
import type {ReceivedRequest} from '../../support/model-server.ts';
import {finish} from '../../support/run-weft.ts';
import {openScene, type Scene, toldResults, toldSystem} from '../../support/scene.ts';

/** Sub-agents of the built program in the programs themselves: WEFT_HARNESSES names the folders that they are found in, as PATH does. */
const folders = process.env['WEFT_HARNESSES'] ?? '';

beforeEach(({skip}) => {
  skip(folders === '', 'need WEFT_HARNESSES, folders with claude, codex, opencode and pi');
});

const model = 'claude-sonnet-4-6';
const endless = `${process.execPath} -e 'setInterval(() => {}, 1000)'`;

const isWeft = (request: ReceivedRequest): boolean => toldSystem(request).startsWith('You are weft');

/** What the program is to do: the last word in capitals of its prompt, and whether a tool has answered since. */
function harnessAnswer({body}: ReceivedRequest): Answer {
  const text = JSON.stringify(body.messages ?? body.input);
  const at = text.search(/(?:WRITE|ENDLESS|TEXT)(?!.*(?:WRITE|ENDLESS|TEXT))/u);
  const word = /^[A-Z]+/u.exec(text.slice(Math.max(0, at)))?.[0] ?? 'TEXT';
  const tools = (body.tools ?? []).map(tool => String(tool['name']));
  const shell = tools.find(name => ['Bash', 'bash', 'exec_command', 'shell_command', 'shell'].includes(name));
  if (tools.length === 0) return say('A title');
  const hasResult = /"tool_result"|function_call_output/u.test(text.slice(at));
  if (shell === undefined || hasResult || word === 'TEXT') return say('All done.');
  const command = word === 'WRITE' ? 'echo hi > made.txt' : endless;
  if (shell === 'exec_command') return call(shell, {cmd: command, command});
  return call(shell, {command: shell === 'shell' ? ['bash', '-lc', command] : command, description: 'x'});
}

/** A scene in which the programs are signed in to the scripted server, and the model of weft has this harness do the task. */
async function open(harness: string, task: string, hooks: object = {}): Promise<Scene> {
  const models: Readonly<Record<string, string>> = {claude: model, opencode: `anthropic/${model}`, pi: 'own/own'};
  const scene = await openScene(request => {
    if (!isWeft(request)) return harnessAnswer(request);
    const answered = request.body.messages.filter(({role}) => role === 'assistant').length;
    if (answered > 0) return say('So it is.');
    const wanted = models[harness];
    return call('Agent', {description: 'x', prompt: task, harness, ...(wanted === undefined ? {} : {model: wanted})});
  });
  const {home} = scene.place;
  // codex makes no helper programs in a home below the temporary folder.
  const codexHome = mkdtempSync('/var/tmp/weft-codex-');
  const url = scene.server.baseUrl.anthropic;
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(resolve(home, path)), {recursive: true});
    writeFileSync(resolve(home, path), text);
  };
  const env = {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-test',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    MOCK_KEY: 'x',
    CODEX_HOME: codexHome,
  };
  write('weft/settings.json', JSON.stringify({harnesses: {[harness]: {env}}, hooks}));
  write(
    '.config/opencode/opencode.json',
    JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      permission: 'allow',
      small_model: `anthropic/${model}`,
      provider: {anthropic: {options: {baseURL: `${url}/v1`, apiKey: 'x'}, models: {[model]: {name: model}}}},
    }),
  );
  const cost = {input: 3, output: 15, cacheRead: 0, cacheWrite: 0};
  const own = {
    id: 'own',
    name: 'own',
    reasoning: false,
    input: ['text'],
    cost,
    contextWindow: 200_000,
    maxTokens: 32_000,
  };
  write(
    '.pi/agent/models.json',
    JSON.stringify({providers: {own: {baseUrl: url, apiKey: 'x', api: 'anthropic-messages', models: [own]}}}),
  );
  write(
    join(codexHome, 'config.toml'),
    [
      'model = "small-model"',
      'model_provider = "own"',
      'check_for_update_on_startup = false',
      '[model_providers.own]',
      'name = "own"',
      `base_url = "${scene.server.baseUrl.responses}"`,
      'wire_api = "responses"',
      'env_key = "MOCK_KEY"',
      '[analytics]',
      'enabled = false',
      '',
    ].join('\n'),
  );
  return {
    ...scene,
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      rmSync(codexHome, {recursive: true, force: true});
    },
  };
}

const environment = {PATH: [folders, dirname(process.execPath), process.env['PATH']].join(':')};

/** The processes that have the home of a scene in their environment. */
const processesOf = ({place}: Scene): readonly string[] =>
  readdirSync('/proc').filter(pid => {
    try {
      return /^\d+$/u.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${place.home}\0`);
    } catch {
      return false;
    }
  });

const agentResult = (scene: Scene): string => toldResults(scene.server.requests.filter(isWeft)[1])[0] ?? '';

test.each(['claude', 'codex', 'opencode', 'pi'])(
  '%s answers as a sub-agent, and nothing of it is left',
  {tags: 'long', timeout: 150_000},
  async harness => {
    await using scene = await open(harness, 'TEXT please');
    const {code, stdout} = await scene.run(['--prompt', 'MAIN'], {environment});
    expect({code, stdout, result: agentResult(scene)}).toEqual({
      code: 0,
      stdout: 'So it is.\n',
      result: expect.stringMatching(new RegExp(`^All done\\.\n\n\\[agent [0-9a-f-]{36}: x, ${harness}`, 'u')),
    });
    expect(processesOf(scene)).toEqual([]);
  },
);

const hook = (command: string) => [{matcher: 'Bash', hooks: [{type: 'command', command}]}];
const runFreely = (scene: Scene) =>
  scene.run(['--prompt', 'MAIN', '--permission-mode', 'bypassPermissions'], {environment});

describe.each(['claude', 'codex', 'opencode', 'pi'])('%s as a sub-agent', harness => {
  test('does what a rule of the user allows', {tags: 'long', timeout: 150_000}, async () => {
    await using scene = await open(harness, 'WRITE it');
    const {stdout} = await scene.run(['--prompt', 'MAIN', '--permission-mode', 'bypassPermissions'], {environment});
    expect({stdout, made: existsSync(join(scene.place.work, 'made.txt')), result: agentResult(scene)}).toEqual({
      stdout: 'So it is.\n',
      made: true,
      result: expect.stringContaining('All done.'),
    });
  });

  test(
    'is denied what a hook of the user denies, and hooks read what it ran',
    {tags: 'long', timeout: 150_000},
    async () => {
      await using denied = await open(harness, 'WRITE it', {
        PreToolUse: hook('cat > seen.json; echo NOT TODAY >&2; exit 2'),
      });
      await runFreely(denied);
      expect(existsSync(join(denied.place.work, 'made.txt'))).toBe(false);
      expect(JSON.parse(denied.read('seen.json'))).toMatchObject({
        tool_name: 'Bash',
        tool_input: {command: 'echo hi > made.txt'},
      });
      // The harness's own model reads why, unless weft speaks ACP to it, which has no field for a reason.
      const isTold = JSON.stringify(denied.server.requests.filter(request => !isWeft(request))).includes('NOT TODAY');
      expect(isTold).toBe(harness !== 'opencode');
      await using done = await open(harness, 'WRITE it', {
        PostToolUse: hook('cat > seen.json; echo MEND THE REST >&2; exit 2'),
      });
      await runFreely(done);
      expect(JSON.parse(done.read('seen.json'))).toMatchObject({
        tool_name: 'Bash',
        tool_input: {command: 'echo hi > made.txt'},
        tool_response: {stdout: expect.any(String), interrupted: false},
      });
      expect(JSON.stringify(done.server.requests.filter(request => !isWeft(request)))).toContain('MEND THE REST');
    },
  );

  test('is denied what nobody can be asked about', {tags: 'long', timeout: 150_000}, async () => {
    await using scene = await open(harness, 'WRITE it');
    const {code} = await scene.run(['--prompt', 'MAIN'], {environment});
    expect({code, made: existsSync(join(scene.place.work, 'made.txt'))}).toEqual({code: 3, made: false});
    expect(processesOf(scene)).toEqual([]);
  });

  test.each(['SIGINT', 'SIGKILL'] as const)(
    'ends with weft (%s), with what it runs',
    {tags: 'long', timeout: 150_000},
    async signal => {
      await using scene = await open(harness, 'ENDLESS');
      const run = scene.start(['--prompt', 'MAIN', '--permission-mode', 'bypassPermissions'], {environment});
      await lookUntil(
        () => processesOf(scene).some(pid => isEndless(pid)),
        () => `${harness} did not run the command`,
        60_000,
      );
      run.kill(signal);
      await finish(run);
      await lookUntil(
        () => processesOf(scene).length === 0,
        () => `left: ${processesOf(scene).join(', ')}`,
        30_000,
      );
    },
  );
});

function isEndless(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('setInterval(() => {}, 1000)');
  } catch {
    return false;
  }
}
