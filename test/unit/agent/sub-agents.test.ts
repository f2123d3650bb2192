import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/actions/agent-event.ts';
import type {HarnessesPort} from '../../../src/actions/harness-port.ts';
import type {WorktreesPort} from '../../../src/actions/worktrees-port.ts';
import {failed, ok} from '../../../src/base/outcome.ts';
import type {Message} from '../../../src/domain/conversation.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {messageId, parseSessionId, type SessionId} from '../../../src/domain/ids.ts';
import type {Obligation} from '../../../src/domain/obligation.ts';
import {noDetail} from '../../../src/domain/risk.ts';
import type {AgentStatus} from '../../../src/domain/sub-agent.ts';
import {
  asks,
  callBlock,
  callsTools,
  engineBench,
  memorySession,
  promptOp,
  says,
  type ScriptedAnswer,
} from '../../support/memory-ports.ts';
import {look, playedHarness} from '../../support/played-harness.ts';
import {defaultAgentLimits} from '../../../src/agent/sub-agents/agent-limits.ts';
import {randomInputs} from '../../support/random-inputs.ts';
import {editPreview} from '../../tui/support/work-events.ts';

type BenchParts = NonNullable<Parameters<typeof engineBench>[1]>;

/** An engine whose sub-agents have a session of their own each. */
function bench(script: readonly ScriptedAnswer[], given: BenchParts = {}) {
  let sessions = 0;
  const createSubSession = () => {
    sessions += 1;
    const id = parseSessionId(`10000000-0000-4000-8000-${String(sessions).padStart(12, '0')}`) ?? expect.fail();
    return {...memorySession(), id};
  };
  return engineBench(script, {...given, sessions: {createSubSession}});
}

const agent = (name: string, more: object = {}) =>
  callBlock('Agent', {description: name, prompt: `do ${name}`, ...more});

const bash = (id: string) => callsTools(callBlock('Bash', {command: `run ${id}`}, id));

const textOf = (messages: readonly Message[]): string => JSON.stringify(messages);

const isEnd = ({kind}: AgentStatus): boolean => kind === 'succeeded' || kind === 'failed' || kind === 'cancelled';

/** What was told of each sub-agent, in order. */
function statuses(events: readonly AgentEvent[]): ReadonlyMap<SessionId, readonly AgentStatus[]> {
  const told = new Map<SessionId, AgentStatus[]>();
  for (const event of events) {
    if (event.event !== 'agent-started' && event.event !== 'agent-changed') continue;
    const {agent: who, status} = event.row;
    told.set(who.id, [...(told.get(who.id) ?? []), status]);
  }
  return told;
}

const settledTexts = (events: readonly AgentEvent[]): readonly string[] =>
  events.flatMap(event =>
    event.event === 'action-settled'
      ? event.toolResult.content.map(block => (block.kind === 'text' ? block.text : block.kind))
      : [],
  );

test('a model that the provider lacks is told', async () => {
  const run = bench([callsTools(agent('one', {model_id: 'opus'})), says('one is done'), says('all done')]);
  await run.prompt('go');
  expect(settledTexts(run.events)).toEqual([expect.stringContaining('The provider has no model "opus", so it uses ')]);
});

describe('bounds', () => {
  test('a sub-agent of a sub-agent starts no others', async () => {
    const run = bench([
      callsTools(agent('one')),
      callsTools(agent('two')),
      callsTools(agent('three')),
      says('two is done'),
      says('one is done'),
      says('all done'),
    ]);
    expect((await run.prompt('go')).answer).toBe('all done');
    expect(textOf(run.model.requests[3]?.messages ?? [])).toContain("A sub-agent at depth 2 can't start others.");
    expect(settledTexts(run.events).at(-1)).toMatch(/^one is done\n\n\[agent /u);
    expect([...statuses(run.events).values()].map(all => all.at(-1)?.kind)).toEqual(['succeeded', 'succeeded']);
  });

  test('a sub-agent makes no suggestions and opens no review; documents that it makes are those of the session', async () => {
    const suggest = callsTools(callBlock('SuggestNewConversation', {summary: 'Done.'}));
    const write = callsTools(callBlock('CreateDocuments', {documents: [{title: 'Plan', content: 'First.'}]}));
    const run = bench([callsTools(agent('one')), suggest, write, says('one is done'), says('all done')]);
    await run.prompt('go');
    const [, below, after] = run.model.requests;
    expect(below?.tools.filter(tool => 'name' in tool && tool.name === 'ToolSearch')).toEqual([
      expect.objectContaining({
        description: expect.stringMatching(
          / Tools: BashHandOver, SendMessage, ReadDocuments, (?:(?!Suggest|OpenCodeReview|Computer).)*\.$/u,
        ),
      }),
    ]);
    expect(textOf(after?.messages ?? [])).toContain('No new conversation can be opened here.');
    expect(await run.engine.query({query: 'documents'}, new AbortController().signal)).toMatchObject({
      value: [{title: 'Plan'}],
    });
  });

  test('eight run at once; the ninth is refused', async () => {
    const harness = playedHarness();
    const run = bench(
      [callsTools(...Array.from({length: 9}, (_, at) => agent(`a${at}`, {harness: 'played'}))), says('done')],
      {harnesses: harness.port},
    );
    run.engine.submit(promptOp('go'));
    await run.next('action-settled');
    expect(settledTexts(run.events)).toEqual([
      '8 sub-agents are running, which is the limit. Start this one when one of them has ended.',
    ]);
    await harness.count(8);
    for (const each of harness.runs) each.finish('done');
    expect((await run.next('prompt-finished')).summary.answer).toBe('done');
  });

  test('what all cost together ends them, and then the prompt', async () => {
    const run = bench([callsTools(agent('dear')), callsTools(callBlock('Read', {file_path: 'a'})), says('never')], {
      options: {limits: {maxTurns: 'unlimited', maxCostUsd: 0.015}},
    });
    expect((await run.prompt('go')).end).toEqual({kind: 'max-cost', usd: 0.015});
    expect(run.model.requests).toHaveLength(2);
    expect([...statuses(run.events).values()].map(all => all.at(-1))).toEqual([
      {kind: 'failed', reason: 'The session has reached its cost limit.', answer: ''},
    ]);
  });

  test('the same failure five times ends a sub-agent', async () => {
    const read = callsTools(callBlock('Read', {file_path: 'gone'}));
    const run = bench([callsTools(agent('stubborn')), read, read, read, read, read, says('so be it')], {
      files: {plan: async () => failed(rejected('There is no such file.'))},
      read: async () => failed(rejected('There is no such file.')),
    });
    expect((await run.prompt('go')).answer).toBe('so be it');
    expect(run.model.requests).toHaveLength(7);
    // Whoever looks at the call has seen it.
    const seen = run.events.flatMap(event => (event.event === 'action-output' ? [event.chunk] : []));
    expect(seen).toEqual(Array(5).fill('Read gone\n'));
    expect([...statuses(run.events).values()][0]?.at(-1)).toEqual({
      kind: 'failed',
      reason: 'Read failed 5 times with the same input: There is no such file. weft stopped the prompt.',
      answer: '',
    });
  });

  test.each<Obligation>([{kind: 'confined', to: 'sandbox'}, {kind: 'restricted-environment'}])(
    'what %j makes harmless is asked about where a harness runs it',
    async obligation => {
      const harness = playedHarness();
      const run = bench([callsTools(agent('a', {harness: 'played'})), says('done')], {
        harnesses: harness.port,
        assess: action => ({
          decision: 'allow',
          risk: action.name === 'request-command-output' ? 'local-change' : 'read-only',
          reasons: [],
          sessionApproval: 'exact',
          detail: noDetail,
        }),
        obligations: action => (action.name === 'request-command-output' ? [obligation] : []),
      });
      run.engine.submit(promptOp('go'));
      await harness.count(1);
      const [running] = harness.runs;
      const decided = running?.approve('npm test');
      const {approval} = await run.next('approval-requested');
      expect(approval.verdict.reasons).toEqual([{kind: 'obligation', executor: 'played', obligation}]);
      run.engine.submit({op: 'answer-approval', id: approval.id, answer: {decision: 'allow', scope: 'once'}});
      expect(await decided).toEqual({kind: 'allowed'});
      running?.finish('done');
      expect((await run.next('prompt-finished')).summary.answer).toBe('done');
    },
  );

  test('turns of a harness count, too: for its own bound, and for that of all together', async () => {
    const harness = playedHarness();
    const run = bench([callsTools(agent('a', {harness: 'played'}), agent('b', {harness: 'played'})), says('done')], {
      harnesses: harness.port,
      options: {
        agentLimits: {...defaultAgentLimits, turns: 5},
        limits: {maxTurns: 3, maxCostUsd: 'unlimited'},
      },
    });
    run.engine.submit(promptOp('go'));
    await harness.count(2);
    const [a, b] = harness.runs;
    // Three turns, of which the last says more than once what it thinks.
    a?.tell({event: 'text', message: 0, delta: 'I look.'});
    for (const id of ['1', '2']) {
      a?.tell(look(id));
      a?.tell({event: 'tool-finished', id, end: 'succeeded', output: '', files: []});
      a?.tell({event: 'thinking', delta: 'hm'});
      a?.tell({event: 'text', message: 1, delta: 'So.'});
    }
    expect([...statuses(run.events).values()][0]?.some(isEnd)).toBe(false);
    a?.tell(look('3'));
    a?.tell({event: 'tool-finished', id: '3', end: 'succeeded', output: '', files: []});
    a?.tell({event: 'text', message: 2, delta: 'And so on.'});
    await harness.interrupted;
    b?.tell({event: 'text', message: 0, delta: 'One.'});
    b?.tell(look('1'));
    b?.tell({event: 'tool-finished', id: '1', end: 'succeeded', output: '', files: []});
    b?.tell({event: 'text', message: 1, delta: 'Two.'});
    await run.next('prompt-finished');
    expect([...statuses(run.events).values()].map(all => all.at(-1))).toEqual([
      {kind: 'failed', reason: 'Stopped after 3 turns.', answer: ''},
      {kind: 'failed', reason: 'All sub-agents together have used up their 5 turns.', answer: ''},
    ]);
  });

  test('one that says nothing is idle, and then stopped; one that does not even begin is stopped, too', async () => {
    const harness = playedHarness();
    let now = 0;
    const run = bench([callsTools(agent('mute', {harness: 'played'})), says('done')], {
      harnesses: harness.port,
      clock: {now: () => now},
      options: {agentLimits: {...defaultAgentLimits, idleMs: 10, silentMs: 120_000}},
    });
    run.engine.submit(promptOp('go'));
    await harness.count(1);
    now = 60_000;
    for (let told = await run.next('agent-changed'); told.row.status.kind !== 'idle';)
      told = await run.next('agent-changed');
    now = 121_000;
    await harness.interrupted;
    await run.next('prompt-finished');
    expect([...statuses(run.events).values()].map(all => all.map(({kind}) => kind))).toEqual([
      ['started', 'in_progress', 'idle', 'in_progress', 'failed'],
    ]);
    expect([...statuses(run.events).values()][0]?.at(-1)).toMatchObject({
      reason: 'It was silent for 2 minutes.',
    });
    const stuck: HarnessesPort = {
      ...harness.port,
      start: (_request, _host, signal) =>
        new Promise(resolve => {
          signal.addEventListener('abort', () => resolve(failed(rejected('It was stopped.'))));
          now += 130_000;
        }),
    };
    const other = bench([callsTools(agent('stuck', {harness: 'played'})), says('done')], {
      harnesses: stuck,
      clock: {now: () => now},
      options: {agentLimits: {...defaultAgentLimits, idleMs: 10, silentMs: 120_000}},
    });
    await other.prompt('go');
    expect([...statuses(other.events).values()]).toEqual([
      [{kind: 'started'}, {kind: 'failed', reason: 'It was silent for 2 minutes.', answer: ''}],
    ]);
  });

  test('another process sees who is at work, and may stop one', async () => {
    const harness = playedHarness();
    const shown: string[] = [];
    const wanted: SessionId[] = [];
    const run = bench([callsTools(agent('slow', {harness: 'played'})), says('done')], {
      harnesses: harness.port,
      options: {agentLimits: {...defaultAgentLimits, idleMs: 10}},
      runningAgents: {
        show: ({name, kind, harness: of, directory}) => shown.push([name, kind, of, directory].join(' ')),
        hide: () => shown.push('gone'),
        stopRequests: () => wanted,
      },
    });
    run.engine.submit(promptOp('go'));
    await harness.count(1);
    expect(shown).toEqual(['slow general played /work']);
    wanted.push(...statuses(run.events).keys());
    await harness.interrupted;
    await run.next('prompt-finished');
    expect(shown.at(-1)).toBe('gone');
  });

  test('a narrower mode of the agent holds for those that it has started, from their next action on', async () => {
    const modes: string[] = [];
    const {promise: changed, resolve: change} = Promise.withResolvers<void>();
    const run = bench([
      callsTools(agent('writer')),
      {blocks: [callBlock('Bash', {command: 'make'})], before: changed},
      says('refused'),
      says('done'),
    ]);
    run.engine.subscribe(batch => {
      for (const event of batch) {
        const inner = event.event === 'agent-event' && event.happened.by === 'weft' ? event.happened.event : event;
        if (inner.event === 'mode-changed') modes.push(`${event.event} ${inner.mode}`);
      }
    });
    run.engine.submit(promptOp('go'));
    await run.next('agent-started');
    run.engine.submit({op: 'set-mode', mode: 'plan'});
    change();
    await run.next('prompt-finished');
    expect(modes).toEqual(['agent-event plan', 'mode-changed plan']);
    expect([...statuses(run.events).values()][0]?.at(-1)?.kind).toBe('succeeded');
  });
});

describe('the user', () => {
  test('is asked one question at a time, and told who asks', async () => {
    const run = bench(
      [callsTools(agent('left'), agent('right')), bash('x'), bash('y'), says('a'), says('b'), says('both')],
      {assess: action => (action.name === 'request-command-output' ? asks : {...asks, decision: 'allow'})},
    );
    run.engine.submit(promptOp('go'));
    const first = await run.next('approval-requested');
    run.engine.submit({op: 'answer-approval', id: first.approval.id, answer: {decision: 'allow', scope: 'once'}});
    const second = await run.next('approval-requested');
    run.engine.submit({op: 'answer-approval', id: second.approval.id, answer: {decision: 'allow', scope: 'once'}});
    expect((await run.next('prompt-finished')).summary.answer).toBe('both');
    const order = run.events.flatMap(({event}) => (event.startsWith('approval-') ? [event] : []));
    expect(order).toEqual(['approval-requested', 'approval-settled', 'approval-requested', 'approval-settled']);
    const askers = [first, second].map(({approval}) => (approval.asker === 'main' ? 'main' : approval.asker.name));
    expect(askers.toSorted()).toEqual(['left', 'right']);
    const blocked = [...statuses(run.events).values()].map(all => all.filter(({kind}) => kind === 'blocked'));
    expect(blocked).toEqual([
      [{kind: 'blocked', on: expect.stringMatching(/^Run run /u)}],
      [{kind: 'blocked', on: expect.stringMatching(/^Run run /u)}],
    ]);
  });

  test('steers a sub-agent, moves it to the background, and stops it', async () => {
    const harness = playedHarness();
    const call = agent('slow', {harness: 'played'});
    const run = bench([callsTools(call), says('I go on')], {harnesses: harness.port});
    run.engine.submit(promptOp('go'));
    await harness.count(1);
    const [row] = (await run.query({query: 'agents'})).tag === 'ok' ? [...statuses(run.events).keys()] : [];
    if (row === undefined || call.kind !== 'tool-call') throw new Error('it was not started');
    run.engine.submit({op: 'message-agent', id: row, text: 'faster'});
    run.engine.submit({op: 'move-to-background', id: call.id});
    expect((await run.next('prompt-finished')).summary.answer).toBe('I go on');
    expect(harness.runs[0]?.messages).toEqual(['Message from the user:\nfaster']);
    run.engine.submit({op: 'stop-agent', id: row});
    await harness.interrupted;
    expect(await run.query({query: 'agents'})).toMatchObject({
      value: [{place: 'background', status: {kind: 'cancelled'}, agent: {name: 'slow', harness: 'played'}}],
    });
    await run.engine.close('finished');
  });
});

describe('what has ended in the background', () => {
  test('a prompt without a front end for that waits for it, and goes on with what it says', async () => {
    const harness = playedHarness();
    const call = agent('slow', {harness: 'played', run_in_background: true});
    const run = bench([callsTools(call), says('I wait'), says('heard')], {
      harnesses: harness.port,
      options: {backgroundAgents: 'waited-for'},
    });
    let answers = 0;
    run.engine.subscribe(batch => {
      answers += batch.filter(({event}) => event === 'message-finished').length;
      // By then the prompt would have ended.
      if (answers === 2) setImmediate(() => harness.runs[0]?.finish('the slow answer'));
    });
    expect((await run.prompt('go')).answer).toBe('heard');
    expect(textOf(run.model.requests[2]?.messages ?? [])).toContain('the slow answer');
  });

  test('is told in a turn of its own when a front end says so; the second word for it finds nothing to tell', async () => {
    const harness = playedHarness();
    const call = agent('slow', {harness: 'played', run_in_background: true});
    const run = bench([callsTools(call), says('I go on'), says('heard')], {harnesses: harness.port});
    const hear = (id: string): void => run.engine.submit({op: 'hear-agents', id: messageId(id)});
    hear('h1');
    expect((await run.prompt('go')).answer).toBe('I go on');
    run.engine.subscribe(batch => {
      for (const event of batch) {
        if (event.event === 'agent-changed' && isEnd(event.row.status)) {
          hear('h2');
          hear('h3');
        }
      }
    });
    await harness.count(1);
    harness.runs[0]?.finish('the slow answer');
    expect((await run.next('prompt-finished')).summary.answer).toBe('heard');
    await run.engine.close('finished');
    const told = run.events.flatMap(event => {
      if (event.event === 'prompt-withdrawn') return [`nothing for ${event.id}`];
      return event.event === 'prompt-accepted' ? [event.text] : [];
    });
    expect(told).toEqual(['nothing for h1', 'go', 'A background sub-agent has ended.', 'nothing for h3']);
    expect(run.model.requests.map(({messages}) => textOf(messages).includes('the slow answer'))).toEqual([
      false,
      false,
      true,
    ]);
  });
});

/** Worktrees of the memory, in each of which `a.txt` has changed; what was done with them, in order. */
function memoryWorktrees(given: Partial<WorktreesPort> = {}) {
  const done: string[] = [];
  const files = editPreview('a.txt', [{kind: 'added', text: 'new', changed: []}]).files;
  const port: WorktreesPort = {
    async open({name}) {
      done.push('open');
      return ok({name, folder: `/w/${name}`, directory: `/w/${name}`, branch: `worktree-${name}`});
    },
    async changes() {
      return ok({files, more: 0, conflicts: [], commits: 0});
    },
    async merge() {
      done.push('merge');
      return ok({files, more: 0});
    },
    async release() {
      done.push('release');
    },
    async drop(_, commits) {
      done.push(`drop, commits ${commits}`);
      return ok(undefined);
    },
    ...given,
  };
  return {port, done};
}

/** Answers what is asked, each with the next of the answers; empty answers nothing. */
function answerCards(run: ReturnType<typeof bench>, answers: Iterable<string>): void {
  const next = answers[Symbol.iterator]();
  run.engine.subscribe(events => {
    for (const event of events) {
      if (event.event !== 'question-asked') continue;
      const selected = [String(next.next().value)].filter(answer => answer !== '');
      run.engine.submit({
        op: 'answer-question',
        id: event.id,
        answer: selected.length === 0 ? {kind: 'dismissed'} : {kind: 'answered', answers: [{selected, other: ''}]},
      });
    }
  });
}

describe('a worktree', () => {
  const inWorktree = agent('one', {isolation: 'worktree'});
  const conflict = failed(rejected('Nothing was merged, since these conflict: a.txt (it was changed since).'));
  const kept = /The worktree is kept: \/w\/one-10000000 \(branch worktree-one-10000000\)/u;

  test.each<[name: string, answer: string, given: Partial<WorktreesPort>, done: readonly string[], told: RegExp]>([
    ['is merged', 'Merge', {}, ['open', 'merge', 'drop, commits keep'], /merged into \/work[^]*@@ -1 \+1 @@\n\+new/u],
    ['is kept', 'Keep', {}, ['open', 'release'], kept],
    ['is dropped', 'Drop', {}, ['open', 'drop, commits drop'], /The user dropped its changes/u],
    ['is kept without an answer', '', {}, ['open', 'release'], kept],
    [
      'is kept where a file has changed',
      'Merge',
      {merge: async () => conflict},
      ['open', 'release'],
      /a\.txt \(it was changed since\)\. The worktree is kept/u,
    ],
    ['is kept where it cannot be looked at', 'Merge', {changes: async () => conflict}, ['open'], kept],
    [
      'is removed without changes, with what is committed kept',
      'never',
      {changes: async () => ok({files: [], more: 0, conflicts: [], commits: 2})},
      ['open', 'drop, commits keep'],
      /The branch worktree-one-10000000 has 2 commits of its own and was kept/u,
    ],
  ])('%s', async (_, answer, given, done, told) => {
    const worktrees = memoryWorktrees(given);
    const run = bench([callsTools(inWorktree), says('one is done'), says('all done')], {worktrees: worktrees.port});
    answerCards(run, [answer]);
    expect((await run.prompt('go')).answer).toBe('all done');
    expect(worktrees.done).toEqual(done);
    expect(settledTexts(run.events)).toEqual([expect.stringMatching(told)]);
    expect(settledTexts(run.events)[0]).toMatch(/^one is done\n\n/u);
  });

  test('stays where the user stops the prompt while he is asked about it, and nobody is asked in the mode that does not ask', async () => {
    const stopped = memoryWorktrees();
    const run = bench([callsTools(inWorktree), says('one is done')], {worktrees: stopped.port});
    run.engine.submit(promptOp('go'));
    await run.next('question-asked');
    run.engine.submit({op: 'interrupt'});
    expect((await run.next('prompt-finished')).summary.end.kind).toBe('interrupted');
    expect(stopped.done).toEqual(['open', 'release']);

    const unasked = memoryWorktrees();
    const other = bench([callsTools(inWorktree), says('one is done'), says('all done')], {
      worktrees: unasked.port,
      options: {mode: 'dontAsk'},
    });
    await other.prompt('go');
    expect(unasked.done).toEqual(['open', 'release']);
    expect(other.events.filter(({event}) => event === 'question-asked')).toEqual([]);
  });

  test('stays where weft ends while the user is asked about it', async () => {
    const worktrees = memoryWorktrees();
    const run = bench([callsTools(inWorktree), says('one is done')], {worktrees: worktrees.port});
    run.engine.submit(promptOp('go'));
    await run.next('question-asked');
    await run.engine.close('shutdown');
    expect(worktrees.done).toEqual(['open', 'release']);
  });

  test('is not made for what only reads, and a message to one that has ended opens it again', async () => {
    const worktrees = memoryWorktrees();
    const run = bench(
      [
        callsTools(agent('reader', {isolation: 'worktree', subagent_type: 'explore'})),
        says('read'),
        callsTools(inWorktree),
        says('one is done'),
        callsTools(callBlock('SendMessage', {to: 'one', message: 'more'})),
        says('more is done'),
        says('all done'),
      ],
      {worktrees: worktrees.port},
    );
    answerCards(run, ['Drop', 'Merge']);
    await run.prompt('go');
    expect(worktrees.done).toEqual(['open', 'drop, commits drop', 'open', 'merge', 'drop, commits keep']);
    expect(settledTexts(run.events).map(text => text.split('\n')[0])).toEqual(['read', 'one is done', 'more is done']);
  });
});

type Step =
  | {readonly step: 'finish' | 'crash' | 'message' | 'stop' | 'background'; readonly which: number}
  | {readonly step: 'interrupt'}
  | {readonly step: 'wait'};

const which = fc.nat({max: 2});
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({step: fc.constantFrom('finish', 'crash', 'message', 'stop', 'background'), which} as const),
    },
    {weight: 1, arbitrary: fc.record({step: fc.constant('interrupt')} as const)},
    {weight: 3, arbitrary: fc.record({step: fc.constant('wait')} as const)},
  ),
  {maxLength: 20, size: 'max'},
);

test.each([
  ['in the folder of the user', 'none'],
  ['in worktrees', 'worktree'],
] as const)(
  'whatever happens in whatever order %s, each prompt of a sub-agent ends exactly once',
  async (_, isolation) => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.infiniteStream(fc.constantFrom('Merge', 'Keep', 'Drop', '')),
        async (todo, answers) => {
          const harness = playedHarness();
          const more = isolation === 'none' ? {} : {isolation};
          const calls = [0, 1, 2].map(at => agent(`a${at}`, {harness: 'played', ...more}));
          const run = bench([callsTools(...calls), says('done'), says('done'), says('done')], {
            harnesses: harness.port,
            worktrees: memoryWorktrees().port,
          });
          answerCards(run, answers);
          run.engine.submit(promptOp('go'));
          await harness.count(3);
          const ids = [...statuses(run.events).keys()];
          for (const each of todo) {
            const at = 'which' in each ? each.which : 0;
            const id = ids[at];
            const call = calls[at];
            if (each.step === 'finish') harness.runs[at]?.finish('done');
            if (each.step === 'crash') harness.runs[at]?.crash();
            if (each.step === 'message' && id !== undefined) run.engine.submit({op: 'message-agent', id, text: 'more'});
            if (each.step === 'stop' && id !== undefined) run.engine.submit({op: 'stop-agent', id});
            if (each.step === 'background' && call?.kind === 'tool-call')
              run.engine.submit({op: 'move-to-background', id: call.id});
            if (each.step === 'interrupt') run.engine.submit({op: 'interrupt'});
            if (each.step === 'wait') await new Promise(resolve => setImmediate(resolve));
          }
          for (const each of harness.runs) each.finish('at last');
          await run.next('prompt-finished');
          await run.engine.close('shutdown');
          for (const told of statuses(run.events).values()) {
            // A row may be told again with the end that it has: in the background, say.
            const changes = told.filter((status, at) => status !== told[at - 1]);
            const begun = changes.filter(
              (status, at) => at === 0 || (!isEnd(status) && isEnd(changes[at - 1] ?? status)),
            );
            expect(changes.filter(isEnd)).toHaveLength(begun.length);
            expect(isEnd(changes.at(-1) ?? expect.fail())).toBe(true);
          }
          const settled = run.events.filter(({event}) => event === 'action-settled');
          expect(settled).toHaveLength(calls.length);
        },
      ),
      {numRuns: randomInputs(200)},
    );
  },
);
