import {expect, test} from 'vitest';
import type {ActionName} from '../../../src/actions/catalogue.ts';
import type {HarnessesPort} from '../../../src/actions/harness-port.ts';
import type {ActionPorts} from '../../../src/actions/ports.ts';
import {failed, ok} from '../../../src/base/outcome.ts';
import {treeId} from '../../../src/domain/checkpoint.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {parseSessionId} from '../../../src/domain/ids.ts';
import {noDetail, type Verdict} from '../../../src/domain/risk.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {
  callBlock,
  callsTools,
  engineBench,
  finishedReport,
  memorySession,
  noCheckpoints,
  promptOp,
  says,
  type ScriptedAnswer,
} from '../../support/memory-ports.ts';
import {playedHarness} from '../../support/played-harness.ts';

/** An engine whose sub-agent has a session of its own. */
function bench(script: readonly ScriptedAnswer[], given: Parameters<typeof engineBench>[1] = {}) {
  const id = parseSessionId('10000000-0000-4000-8000-000000000001') ?? expect.fail();
  return engineBench(script, {...given, sessions: {createSubSession: () => ({...memorySession(), id})}});
}

const agent = (name: string, more: object = {}) =>
  callBlock('Agent', {description: name, prompt: `do ${name}`, ...more});

/** Commands change something, and everything else only reads. */
const verdictOn = (name: ActionName, ofCommands: 'ask' | 'allow'): Verdict => ({
  decision: name === 'request-command-output' ? ofCommands : 'allow',
  risk: name === 'request-command-output' ? 'local-change' : 'read-only',
  reasons: [],
  sessionApproval: 'exact',
  detail: noDetail,
});

const limitedFiles: ActionPorts['files'] = {
  limitedTo: () => limitedFiles,
  resolve: path => ({path, place: 'inside-workspace'}),
  read: async () => failed(rejected('It leads elsewhere now.')),
  plan: async () => ok([]),
  apply: async () => ok({files: [], userChanged: []}),
  draft: async () => ok([]),
};

test('an action opens its paths where they led when it was judged', async () => {
  const judged = [{written: 'a', path: '/work/real-a', place: 'inside-workspace'}] as const;
  const limits: unknown[] = [];
  const run = engineBench([callsTools(callBlock('Read', {file_path: 'a'})), says('ok')], {
    obligations: () => [{kind: 'paths', paths: judged, links: []}],
    files: {
      limitedTo(paths) {
        limits.push(paths);
        return limitedFiles;
      },
    },
  });
  await run.prompt('go');
  expect(limits).toContainEqual(judged);
  const [, after] = run.model.requests;
  expect(JSON.stringify(after?.messages)).toContain('It leads elsewhere now.');
});

test('a kind that only reads is started so in a harness, and what a harness has used counts once', async () => {
  const harness = playedHarness();
  const access: string[] = [];
  const start: HarnessesPort['start'] = (request, host, signal) => {
    access.push(request.access);
    return harness.port.start(request, host, signal);
  };
  const run = bench([callsTools(agent('a', {harness: 'played', subagent_type: 'explore'})), says('done')], {
    harnesses: {...harness.port, start},
  });
  run.engine.submit(promptOp('go'));
  await harness.count(1);
  const use = (at: number, usd: number): void =>
    harness.runs[at]?.tell({event: 'usage', used: {model: 'm', usage: noUsage, cost: {kind: 'known', usd}}});
  use(0, 1);
  use(0, 1.5);
  const started = run.events.find(({event}) => event === 'agent-started');
  const id = started?.event === 'agent-started' ? started.row.agent.id : expect.fail();
  harness.runs[0]?.crash();
  await run.next('prompt-finished');
  run.engine.submit({op: 'message-agent', id, text: 'again'});
  await harness.count(2);
  // The count of another program begins at nothing.
  use(1, 0.25);
  harness.runs[1]?.finish('done');
  expect(access).toEqual(['read-only', 'read-only']);
  expect(run.events.findLast(({event}) => event === 'usage-changed')).toMatchObject({
    usage: {models: {m: {costUsd: 1.75, requests: 3}}},
  });
});

test('a no to a harness is a denial of the prompt, and a yes takes its checkpoint first', async () => {
  const harness = playedHarness();
  let taken = 0;
  const run = bench([callsTools(agent('a', {harness: 'played'})), says('done')], {
    harnesses: harness.port,
    assess: ({name}) => verdictOn(name, 'ask'),
    checkpoints: {
      ...noCheckpoints,
      async take() {
        taken += 1;
        return ok(treeId('tree'));
      },
    },
  });
  run.engine.submit(promptOp('go'));
  await harness.count(1);
  const refused = harness.runs[0]?.approve('rm x');
  const first = await run.next('approval-requested');
  run.engine.submit({
    op: 'answer-approval',
    id: first.approval.id,
    answer: {decision: 'refuse', message: 'not that', by: 'user'},
  });
  expect(await refused).toEqual({kind: 'denied', message: 'The user said no to this: not that'});
  expect(taken).toBe(0);
  const allowed = harness.runs[0]?.approve('touch x');
  const second = await run.next('approval-requested');
  run.engine.submit({op: 'answer-approval', id: second.approval.id, answer: {decision: 'allow', scope: 'once'}});
  expect(await allowed).toEqual({kind: 'allowed'});
  expect(taken).toBe(1);
  harness.runs[0]?.finish('done');
  const {summary} = await run.next('prompt-finished');
  expect(summary.denials).toMatchObject([{by: 'user', call: {name: 'Bash', input: {command: 'rm x'}}}]);
});

test('what a sub-agent changes belongs to the prompt that started it', async () => {
  const run = bench(
    [callsTools(agent('a')), callsTools(callBlock('Bash', {command: 'run b'}, 'b')), says('a is done'), says('done')],
    {
      assess: ({name}) => verdictOn(name, 'allow'),
      shell: async () => finishedReport(''),
    },
  );
  run.engine.submit(promptOp('go', 'queued', 'the-prompt'));
  await run.next('prompt-finished');
  expect(run.session.kept.filter(({kind}) => kind === 'checkpoint')).toMatchObject([
    {prompt: 'the-prompt', moment: 'before'},
    {prompt: 'the-prompt', moment: 'after'},
  ]);
});
