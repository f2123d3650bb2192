// @module-tag long
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import type {DialectName, ReceivedBody, ReceivedRequest} from '../support/model-server.ts';
import {openScene, scriptedKey, type Scene} from '../support/scene.ts';
import {isType, prompt, startRpc} from './support/rpc-client.ts';

interface Family {
  readonly profile: string;
  readonly dialect: DialectName;
  readonly model: string;
  readonly settings?: object;
  /** The most bytes of weft's own prompt, and of a whole first request. */
  readonly most: {readonly prompt: number; readonly request: number};
  /** What no request may contain. */
  readonly never: RegExp;
}

const reports = '"(?:is_read_only|is_risky|uses_pager|rationale|citations)"';
const sampling = '"(?:temperature|top_p|top_k)"';
const large = 10_000;

const families: readonly Family[] = [
  {
    profile: 'claude-5',
    dialect: 'anthropic',
    model: 'claude-sonnet-5-5',
    most: {prompt: 1500, request: large},
    never: new RegExp(`${reports}|${sampling}|"budget_tokens"|"ApplyPatch"`, 'u'),
  },
  {
    profile: 'claude-4',
    dialect: 'anthropic',
    model: 'claude-haiku-4-5',
    most: {prompt: 2500, request: large},
    never: new RegExp(`${reports}|${sampling}|"ApplyPatch"`, 'u'),
  },
  {
    profile: 'gpt',
    dialect: 'responses',
    model: 'gpt-6.1-sol',
    settings: {wireApi: 'responses'},
    most: {prompt: 2500, request: large},
    never: new RegExp(`${reports}|${sampling}|"max_output_tokens"|"name":"(?:Edit|Write|Read|Grep)"`, 'u'),
  },
  {
    profile: 'gemini',
    dialect: 'openai',
    model: 'gemini-3.8-flash',
    most: {prompt: 2000, request: large},
    never: new RegExp(`${reports}|${sampling}`, 'u'),
  },
  {
    profile: 'open',
    dialect: 'openai',
    model: 'qwen3-coder',
    most: {prompt: 2500, request: large},
    never: new RegExp(`${reports}|${sampling}`, 'u'),
  },
  {
    profile: 'small',
    dialect: 'openai',
    model: 'qwen3-coder',
    settings: {models: {'qwen3-coder': {contextWindow: 32_768}}},
    most: {prompt: 900, request: 5500},
    never: new RegExp(`${reports}|${sampling}|"AskUserQuestion"|"Agent"`, 'u'),
  },
];

/** The parts of a request that providers bind caches and thinking to, without the marks for the cache. */
function prefixOf({body}: ReceivedRequest): readonly string[] {
  const {system, instructions, messages, input}: ReceivedBody & {readonly instructions?: unknown} = body;
  return [system ?? instructions ?? '', body.tools ?? [], ...(messages ?? []), ...(input ?? [])].map(part =>
    JSON.stringify(part, (key, value: unknown) => (key === 'cache_control' ? undefined : value)),
  );
}

/** What a text of the environment says, by the names of the facts. */
function environmentIn(text: string, opening: string): Record<string, string> {
  const [, lines = ''] = new RegExp(`<reminder>${opening}:\n([^]*?)</reminder>`, 'u').exec(text) ?? [];
  return Object.fromEntries(
    lines.split('\n').map(line => [line.split(': ')[0] ?? '', line.split(': ').slice(1).join(': ')]),
  );
}

/** All texts of the last message of a request. */
const lastText = ({body}: ReceivedRequest): string => textIn((body.messages ?? body.input ?? []).at(-1));

const textIn = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Object.values(Object(value))
        .map(part => textIn(part))
        .join('\n');

function commit(folder: string, subject: string): void {
  writeFileSync(join(folder, 'a.txt'), subject);
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@b.c'];
  for (const words of [
    ['add', '.'],
    [...identity, 'commit', '-q', '-m', subject],
  ])
    execFileSync('git', words, {cwd: folder});
}

const looks = (text: string) => [say('I look.'), call('Bash', {command: `echo ${text}`})];

async function openFamily({dialect, profile}: Family): Promise<Scene> {
  const scene = await openScene([looks('one'), say('Done.'), say('Still done.'), say('A plan.'), say('Yes.')], dialect);
  const {work} = scene.place;
  execFileSync('git', ['init', '-q', '-b', 'trunk'], {cwd: work});
  commit(work, 'Begin');
  commit(work, `Serve ${profile}`);
  writeFileSync(join(work, 'new.txt'), '');
  return scene;
}

test.each(families)('$profile: small requests that only grow, and a true environment', async family => {
  const {model, dialect, profile, settings = {}, most, never} = family;
  await using scene = await openFamily(family);
  const {work} = scene.place;
  const environment: Record<string, string> =
    profile === 'gemini'
      ? {
          OPENAI_API_KEY: '',
          OPENAI_BASE_URL: '',
          GEMINI_API_KEY: scriptedKey,
          GEMINI_BASE_URL: scene.server.baseUrl.openai,
        }
      : {};
  const flags = ['--model', model, '--settings', JSON.stringify(settings)];
  const run = async (...more: readonly string[]): Promise<void> => {
    const {stderr} = await scene.run([...flags, '--prompt', ...more], {environment});
    expect(stderr).toBe('');
  };
  await run('First.');
  await run('Second.', '--continue');
  await run('Third.', '--continue', '--permission-mode', 'plan');
  const client = startRpc(scene, [...flags, '--continue'], environment);
  client.send(prompt('Fourth.'));
  await client.next(isType('result'));
  await client.finish();

  const {requests} = scene.server;
  expect(requests.length).toBe(5);
  const prefixes = requests.map(prefixOf);
  for (const [at, before] of prefixes.slice(0, -1).entries())
    expect(prefixes[at + 1]?.slice(0, before.length), `request ${at + 2}`).toEqual(before);
  for (const {body} of requests) expect(JSON.stringify(body)).not.toMatch(never);

  const [first, , second, third, fourth] = requests;
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) throw new Error();
  const date = /^\d{4}-\d\d-\d\d, UTC[+-]\d\d:\d\d$/u;
  expect(environmentIn(textIn(first.body), 'Environment')).toEqual({
    Directory: work,
    'Git branch': 'trunk',
    Platform: `${process.platform}, bash`,
    Date: expect.stringMatching(date),
    Model: model,
    'Front end': 'headless, nobody answers questions',
    'Approval mode': 'default (edits and risky commands need approval)',
    Sandbox: 'none',
    'Git at this time': `1 changed file; last commits "Serve ${profile}", "Begin"`,
  });
  expect(lastText(second)).not.toContain('<reminder>');
  expect(environmentIn(lastText(third), 'Environment changed')).toEqual({
    'Approval mode': 'plan (explore, change nothing, and call ExitPlanMode when the plan is ready)',
  });
  expect(environmentIn(lastText(fourth), 'Environment changed')).toMatchObject({
    'Approval mode': 'default (edits and risky commands need approval)',
  });

  // `golden/tools.json` has the tools themselves.
  const names = first.body.tools?.map(tool => tool['name'] ?? Object(tool['function']).name);
  const shown = JSON.stringify({...first.body, tools: names}, undefined, 2)
    .replaceAll(work, '/work')
    .replace(/"prompt_cache_key": "[^"]*"/u, '"prompt_cache_key": "SESSION"')
    .replace(/Date: [^\\]*/u, 'Date: 2026-11-29, UTC+00:00');
  await expect(`${shown}\n`).toMatchFileSnapshot(`../golden/families/${profile}.json`);
  expect(Buffer.byteLength(JSON.stringify(first.body))).toBeLessThanOrEqual(most.request);
  const own = dialect === 'openai' ? textIn(first.body.messages[0]) : (JSON.parse(prefixes[0]?.[0] ?? '""') as unknown);
  expect(Buffer.byteLength(textIn(own))).toBeLessThanOrEqual(most.prompt + 30);
});
