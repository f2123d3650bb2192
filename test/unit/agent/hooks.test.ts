import {reasonOf} from '../../support/reason.ts';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {failed, ok} from '../../../src/base/outcome.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {actionId} from '../../../src/domain/ids.ts';
import {historyFromJournal} from '../../../src/domain/history.ts';
import {noDetail, type Verdict} from '../../../src/domain/risk.ts';
import {unchangedResult, type CallAnswer, type HookReply, type HooksPort} from '../../../src/actions/hooks-port.ts';
import {
  asks,
  callBlock,
  callsTools,
  engineBench,
  finishedReport,
  promptOp,
  says,
  type Bench,
} from '../../support/memory-ports.ts';

const make = () => callsTools(callBlock('Bash', {command: 'make'}, 'b'));
const reply = <Answer>(answer: Answer, more: Partial<HookReply<Answer>> = {}): HookReply<Answer> => ({
  answer,
  failures: [],
  flow: {kind: 'go-on'},
  messages: [],
  ...more,
});
const beforeCall = (answer: Partial<CallAnswer>): Partial<HooksPort> => ({
  preToolUse: async () => reply({verdict: {kind: 'none'}, input: 'unchanged', context: '', ...answer}),
});
const forbids: Verdict = {
  decision: 'deny',
  risk: 'unknown',
  reasons: [reasonOf('a rule')],
  sessionApproval: 'exact',
  detail: noDetail,
};

const ruleAsks: Verdict = {...asks, reasons: [{kind: 'rule', behaviour: 'ask', rule: 'Bash(make)'}]};

const mayBeForbidden: Verdict = {
  ...asks,
  reasons: [{kind: 'possible-denial', why: {kind: 'unparsed', what: 'it'}}],
};

/** Runs one prompt with one command; answers with what the model was told of it, and which commands ran. */
async function runCommand(
  hooks: Partial<HooksPort>,
  given: {
    readonly verdict?: Verdict;
    readonly interaction?: 'interactive' | 'unattended';
    readonly fails?: boolean;
  } = {},
) {
  const ran: string[] = [];
  const {verdict} = given;
  const bench = engineBench([make(), says('ok')], {
    hooks,
    ...(verdict === undefined ? {} : {assess: () => verdict}),
    options: {interaction: given.interaction ?? 'unattended'},
    shell: async ({command}) => {
      ran.push(command);
      if (given.fails === true) throw new Error('broken');
      return finishedReport(`ran ${command}`);
    },
  });
  const summary = await bench.prompt('go');
  const [told] = bench.events.flatMap(event => (event.event === 'action-settled' ? [event.toolResult] : []));
  const texts = told?.content.map(block => (block.kind === 'text' ? block.text : block.kind)) ?? [];
  const warnings = bench.events.flatMap(event => (event.event === 'notice' ? [event.text] : []));
  return {bench, summary, ran, outcome: told?.outcome, texts, warnings};
}

const output = (command: string): string => `ran ${command}\n[exit code 0 after 0.0 s in /work]`;

/** The command, if it ran, and what the journal keeps of its approval. */
async function approvalsOf(hooks: Partial<HooksPort>): Promise<readonly unknown[]> {
  const {bench, ran} = await runCommand(hooks, {verdict: asks});
  return [...ran, ...bench.session.kept.filter(({kind}) => kind === 'approval')];
}

describe('before a call', () => {
  test.each([
    ['allow lets through what would be asked about', {kind: 'allow'}, asks, ['make']],
    ['allow does not lift what the host denies', {kind: 'allow'}, forbids, []],
    ['allow does not lift what a rule asks about', {kind: 'allow'}, ruleAsks, []],
    ['allow does not lift what a deny rule may forbid', {kind: 'allow'}, mayBeForbidden, []],
    ['nothing leaves it as it is', {kind: 'none'}, asks, []],
    ['ask asks about what would run', {kind: 'ask', reason: 'look at it'}, undefined, []],
  ] as const)('%s', async (_, verdict, host, ran) => {
    const done = await runCommand(beforeCall({verdict}), host === undefined ? {} : {verdict: host});
    expect(done.ran).toEqual(ran);
  });

  test('ask also asks about what was let through for the session', async () => {
    const bench = engineBench([make(), make(), says('ok')], {
      hooks: beforeCall({verdict: {kind: 'ask', reason: 'look at it'}}),
    });
    bench.engine.submit(promptOp('go'));
    for (const _ of [1, 2]) {
      const {approval} = await bench.next('approval-requested');
      expect(approval.verdict).toMatchObject({decision: 'ask', reasons: [reasonOf('look at it')]});
      bench.engine.submit({op: 'answer-approval', id: approval.id, answer: {decision: 'allow', scope: 'session'}});
    }
    await bench.next('prompt-finished');
  });

  test('deny is told word for word, and is a denial', async () => {
    const done = await runCommand(beforeCall({verdict: {kind: 'deny', reason: 'not on Fridays'}}));
    expect(done).toMatchObject({
      ran: [],
      outcome: 'cancelled',
      texts: ['PreToolUse:Bash hook error: not on Fridays'],
      summary: {end: {kind: 'done'}, denials: [{by: 'hook', call: {id: 'b'}}]},
    });
    expect(done.bench.events.find(({event}) => event === 'action-settled')).toMatchObject({
      result: {result: {settled: {state: 'cancelled', why: {reason: 'denied'}}}},
    });
    expect(done.bench.session.kept).toContainEqual(
      expect.objectContaining({kind: 'approval', decision: 'refused', by: 'hook'}),
    );
  });

  test('the journal says who let a command through, and that nobody could be asked', async () => {
    const allows: Partial<HooksPort> = {
      permissionRequest: async () => reply({verdict: {kind: 'allow', input: 'unchanged', rules: []}}),
    };
    const record = {kind: 'approval', id: actionId('b'), label: 'Run make'};
    expect(await approvalsOf({})).toEqual([{...record, decision: 'refused', by: 'nobody'}]);
    expect(await approvalsOf(allows)).toEqual(['make', {...record, decision: 'allowed', by: 'hook'}]);
  });

  test('a changed input is judged, shown and run; the model hears nothing of it', async () => {
    const done = await runCommand(beforeCall({input: {command: 'make -n'}}));
    expect(done).toMatchObject({ran: ['make -n'], texts: [output('make -n')]});
    expect(done.bench.events.find(({event}) => event === 'action-started')).toMatchObject({
      action: {input: {command: 'make -n'}},
      preview: {command: 'make -n'},
    });
    expect(done.bench.model.requests[1]?.messages[1]?.blocks[0]).toMatchObject({input: {command: 'make'}});
  });

  test('an input that does not fit is a denial', async () => {
    const done = await runCommand(beforeCall({input: {command: 7}}));
    expect(done).toMatchObject({ran: [], outcome: 'cancelled', summary: {denials: [{by: 'hook'}]}});
    expect(done.texts[0]).toMatch(/^PreToolUse:Bash hook error: the input it returned is invalid: /u);
  });

  test('its context and that from after the call are told behind the result', async () => {
    const done = await runCommand({
      ...beforeCall({context: 'before'}),
      postToolUse: async () => reply({...unchangedResult, context: 'after'}),
    });
    expect(done.texts).toEqual([output('make'), '<reminder>before</reminder>', '<reminder>after</reminder>']);
  });
});

test.each([
  ['nobody can be asked', asks, true],
  ['the mode denies it', {...forbids, reasons: [{kind: 'mode', mode: 'plan'}]}, true],
  ['a rule denies it', {...forbids, reasons: [{kind: 'rule', behaviour: 'deny', rule: 'Bash'}]}, false],
  ['it runs', {...asks, decision: 'allow'}, false],
] as const)('hooks are told that weft itself refused a call: %s', async (_, verdict, isTold) => {
  const happened: Parameters<HooksPort['notify']>[0][] = [];
  await runCommand(
    {
      notify: async happening => {
        happened.push(happening);
        return reply(undefined);
      },
    },
    {verdict},
  );
  const told = {event: 'PermissionDenied', call: expect.objectContaining({id: 'b'}), reason: expect.any(String)};
  expect(happened.filter(({event}) => event === 'PermissionDenied')).toEqual(isTold ? [told] : []);
});

describe('after a call', () => {
  test('the hooks get what ran and what came of it', async () => {
    const seen: unknown[] = [];
    await runCommand({
      ...beforeCall({input: {command: 'make -n'}}),
      postToolUse: async ({call, content, durationMs}) => {
        seen.push(call.input, content.outcome, durationMs);
        return reply(unchangedResult);
      },
    });
    expect(seen).toEqual([{command: 'make -n'}, 'success', 0]);
  });

  test('what stands in the place of the result is all that the model is told of it', async () => {
    const done = await runCommand({
      postToolUse: async () => reply({context: 'behind', modelText: {kind: 'replaced', text: 'nothing of note'}}),
    });
    expect(done.texts).toEqual(['nothing of note', '<reminder>behind</reminder>']);
  });

  test('a failure has its own hooks; what was refused has none', async () => {
    const seen: string[] = [];
    const hooks: Partial<HooksPort> = {
      postToolUse: async () => {
        seen.push('success');
        return reply(unchangedResult);
      },
      postToolUseFailure: async () => {
        seen.push('failure');
        return reply({context: 'try otherwise'});
      },
    };
    expect((await runCommand(hooks, {fails: true})).texts.at(-1)).toBe('<reminder>try otherwise</reminder>');
    await runCommand(hooks, {verdict: forbids});
    expect(seen).toEqual(['failure']);
  });

  test('one that stops ends the prompt when the results are told, with nothing further sent', async () => {
    const done = await runCommand({
      postToolUse: async () => reply(unchangedResult, {flow: {kind: 'stop', reason: 'enough'}}),
    });
    expect(done.summary).toMatchObject({end: {kind: 'stopped-by-hook', reason: 'enough'}, results: 1});
    expect(done.bench.model.requests).toHaveLength(1);
  });
});

describe('a prompt', () => {
  test('that is blocked ends, nothing of it kept or sent', async () => {
    const bench = engineBench([says('never')], {
      hooks: {userPromptSubmit: async () => reply({verdict: {kind: 'block', reason: 'no secrets'}, context: ''})},
    });
    expect(await bench.prompt('the key is')).toMatchObject({
      end: {kind: 'stopped-by-hook', reason: 'no secrets'},
      turns: 0,
    });
    expect([bench.session.kept, bench.model.requests]).toEqual([[], []]);
  });

  test('gets context behind its words, which is not part of them', async () => {
    const bench = engineBench([says('ok')], {
      hooks: {userPromptSubmit: async () => reply({verdict: {kind: 'none'}, context: 'It is Monday.'})},
    });
    await bench.prompt('hi');
    expect(bench.model.requests[0]?.messages[0]?.blocks).toEqual([
      {kind: 'text', text: 'hi'},
      {kind: 'text', text: '<reminder>It is Monday.</reminder>'},
    ]);
    expect(bench.events.find(({event}) => event === 'prompt-accepted')).toMatchObject({text: 'hi'});
  });

  test('that was to steer and is blocked is withdrawn, and the running one goes on', async () => {
    const bench: Bench = engineBench([make(), says('Done.')], {
      hooks: {
        userPromptSubmit: async ({text}) =>
          reply({verdict: text === 'go' ? {kind: 'none'} : {kind: 'block', reason: 'no'}, context: ''}),
      },
      shell: async () => {
        bench.engine.submit(promptOp('sneak', 'steering', 's'));
        return finishedReport('');
      },
    });
    expect(await bench.prompt('go')).toMatchObject({end: {kind: 'done'}, answer: 'Done.'});
    expect(bench.events).toContainEqual({event: 'prompt-withdrawn', id: 's'});
    expect(bench.model.requests[1]?.messages).toHaveLength(3);
  });
});

describe('at the end', () => {
  test('a block sends the model on with the reason, kept as nobody’s prompt; the next round is told from the first', async () => {
    const rounds: string[] = [];
    const bench = engineBench([says('Done.'), says('Tests pass.')], {
      hooks: {
        stop: async ({answer, round}) => {
          rounds.push(`${round}: ${answer}`);
          return reply({verdict: round === 'first' ? {kind: 'block', reason: 'run the tests'} : {kind: 'none'}});
        },
      },
    });
    expect(await bench.prompt('go')).toMatchObject({end: {kind: 'done'}, answer: 'Tests pass.', turns: 2});
    expect(rounds).toEqual(['first: Done.', 'again: Tests pass.']);
    const last = {role: 'user', blocks: [{kind: 'text', text: 'Stop hook feedback:\nrun the tests'}]};
    expect(bench.model.requests[1]?.messages.at(-1)).toMatchObject(last);
    expect(bench.session.kept.map(({kind}) => kind).filter(kind => kind !== 'piece')).toEqual([
      'prompt',
      'answer',
      'reminder',
      'answer',
    ]);
    expect(historyFromJournal(bench.session.kept).messages).toEqual(
      bench.model.requests[1]?.messages.concat([expect.objectContaining({role: 'assistant'})]),
    );
  });

  test('one that is never content is left alone after a while, and the user told', async () => {
    const bench = engineBench(
      Array.from({length: 40}, () => says('Done.')),
      {
        hooks: {stop: async () => reply({verdict: {kind: 'block', reason: 'more'}})},
      },
    );
    expect(await bench.prompt('go')).toMatchObject({end: {kind: 'done'}, turns: 26});
    expect(bench.events).toContainEqual(expect.objectContaining({event: 'notice', level: 'warning'}));
  });

  test('a limit of turns holds', async () => {
    const bench = engineBench([says('1'), says('2'), says('3')], {
      hooks: {stop: async () => reply({verdict: {kind: 'block', reason: 'more'}})},
      options: {limits: {maxTurns: 2, maxCostUsd: 'unlimited'}},
    });
    expect(await bench.prompt('go')).toMatchObject({end: {kind: 'max-turns', turns: 2}});
  });
});

describe('a hook that fails', () => {
  const fault = rejected('the hook timed out');
  const failing = (follow: 'go-on' | 'block'): Partial<HooksPort> => ({
    preToolUse: async () =>
      reply(
        {verdict: {kind: 'none'}, input: 'unchanged', context: ''},
        {failures: [{fault, onFailure: follow, notice: 'show'}]},
      ),
  });

  test('lets the call go on, or not, as its maker wants it; the user is told', async () => {
    const open = await runCommand(failing('go-on'));
    expect(open).toMatchObject({ran: ['make'], warnings: ['A hook failed: the hook timed out']});
    const closed = await runCommand(failing('block'));
    expect(closed).toMatchObject({
      ran: [],
      texts: ['PreToolUse:Bash hook error: the hook timed out'],
      warnings: ['A hook failed: the hook timed out'],
    });
  });

  test('a port that throws is told, and nothing that it guards happens', async () => {
    const done = await runCommand({preToolUse: () => Promise.reject(new Error('oops'))});
    expect(done).toMatchObject({ran: [], warnings: ['A hook failed: oops (a bug in weft)']});
    const early = await runCommand({
      preToolUse: () => {
        throw new Error('early');
      },
    });
    expect(early).toMatchObject({ran: [], warnings: [expect.stringContaining('early')]});
  });

  test.each(['preToolUse', 'postToolUse', 'userPromptSubmit', 'stop'] as const)(
    'one that never settles (%s) does not outlive an interrupt',
    async moment => {
      const started = Promise.withResolvers<void>();
      const never = (): Promise<never> => {
        started.resolve();
        return new Promise(() => {});
      };
      const bench = engineBench([make(), says('ok')], {hooks: {[moment]: never}});
      bench.engine.submit(promptOp('go'));
      await started.promise;
      bench.engine.submit({op: 'interrupt'});
      const {summary} = await bench.next('prompt-finished');
      expect(summary.end).toEqual({kind: 'interrupted'});
      expect(historyFromJournal(bench.session.kept).callsWithoutResult).toEqual([]);
    },
  );
});

async function answered(
  answer: Parameters<Bench['engine']['submit']>[0] & {readonly op: 'answer-approval'},
  given: {readonly verdicts?: (command: string) => Verdict} = {},
) {
  const ran: string[] = [];
  const bench = engineBench([make(), says('ok')], {
    assess: action => (action.name === 'request-command-output' && given.verdicts?.(action.input.command)) || asks,
    changeRules: async () => failed(rejected('That is no rule')),
    shell: async ({command}) => {
      ran.push(command);
      return finishedReport(`ran ${command}`);
    },
  });
  bench.engine.submit(promptOp('go'));
  await bench.next('approval-requested');
  bench.engine.submit(answer);
  const {summary} = await bench.next('prompt-finished');
  const [told] = bench.events.flatMap(event => (event.event === 'action-settled' ? [event.toolResult] : []));
  const notices = bench.events.flatMap(event => (event.event === 'notice' ? [event.text] : []));
  return {ran, summary, told, notices, bench};
}

const onlyMake = (command: string): Verdict => (command === 'make' ? asks : forbids);

test('an interrupt after a yes of a hook: nothing runs, and the journal has no approval', async () => {
  const rules = [{change: 'add', list: 'allow', rule: 'Bash(make)', scope: 'session'}] as const;
  const ran: string[] = [];
  const bench: Bench = engineBench([make(), says('ok')], {
    assess: () => asks,
    hooks: {permissionRequest: async () => reply({verdict: {kind: 'allow', input: 'unchanged', rules}})},
    changeRules: async () => {
      bench.engine.submit({op: 'interrupt'});
      return ok(undefined);
    },
    shell: async ({command}) => {
      ran.push(command);
      return finishedReport('');
    },
  });
  const summary = await bench.prompt('go');
  const [told] = bench.events.flatMap(event => (event.event === 'action-settled' ? [event.toolResult] : []));
  expect([summary.end, told?.outcome, ran]).toEqual([{kind: 'interrupted'}, 'cancelled', []]);
  expect(bench.session.kept.filter(({kind}) => kind === 'approval')).toEqual([]);
});

test('in dontAsk mode nobody is asked, though somebody is there: no person and no hook', async () => {
  const asked: string[] = [];
  const bench = engineBench([make(), says('ok')], {
    assess: () => asks,
    options: {mode: 'dontAsk', interaction: 'interactive'},
    hooks: {
      async permissionRequest() {
        asked.push('hook');
        return reply({verdict: {kind: 'allow', input: 'unchanged', rules: []}});
      },
    },
  });
  const summary = await bench.prompt('go');
  const [told] = bench.events.flatMap(event => (event.event === 'action-settled' ? [event.toolResult] : []));
  expect(told).toMatchObject({
    outcome: 'cancelled',
    content: [{text: expect.stringContaining("needs the user's approval, and the user does not want to be asked.")}],
  });
  expect([asked, bench.events.filter(({event}) => event === 'approval-requested')]).toEqual([[], []]);
  expect(summary).toMatchObject({end: {kind: 'done'}, denials: [{by: 'nobody'}]});
});

describe('a program’s answer to an approval', () => {
  const id = actionId('b');

  test('runs what it changed, without a word to the model, and keeps the rules', async () => {
    const rules = [{change: 'add', list: 'allow', rule: 'Nonsense', scope: 'session'}] as const;
    const answer = {decision: 'allow-updated', input: {command: 'make -n'}, rules} as const;
    const done = await answered({op: 'answer-approval', id, answer});
    expect(done).toMatchObject({
      ran: ['make -n'],
      notices: ['That is no rule'],
      told: {outcome: 'success', content: [{text: output('make -n')}]},
    });
    expect(done.bench.events.find(({event}) => event === 'action-started')).toMatchObject({
      preview: {command: 'make -n'},
    });
  });

  test('unchanged runs as it was', async () => {
    const answer = {decision: 'allow-updated', input: 'unchanged', rules: []} as const;
    expect(await answered({op: 'answer-approval', id, answer})).toMatchObject({ran: ['make'], notices: []});
  });

  test('what the host denies it cannot allow', async () => {
    const answer = {decision: 'allow-updated', input: {command: 'rm -rf /'}, rules: []} as const;
    const done = await answered({op: 'answer-approval', id, answer}, {verdicts: onlyMake});
    expect(done).toMatchObject({ran: [], told: {outcome: 'cancelled'}, summary: {denials: [{by: 'rule'}]}});
  });

  test('an input that does not fit is an error', async () => {
    const answer = {decision: 'allow-updated', input: {commando: 'make'}, rules: []} as const;
    const done = await answered({op: 'answer-approval', id, answer});
    expect(done).toMatchObject({
      ran: [],
      told: {outcome: 'error', content: [{text: expect.stringContaining('is invalid')}]},
    });
  });

  test.each([
    ['program', 'denied', 'Use ninja.'],
    ['user', 'declined', 'The user said no to this: Use ninja.'],
  ] as const)('a refusal by a %s', async (by, reason, text) => {
    const answer = {decision: 'refuse', message: 'Use ninja.', by} as const;
    const done = await answered({op: 'answer-approval', id, answer});
    expect(done).toMatchObject({
      ran: [],
      told: {outcome: 'cancelled', reason, content: [{text}]},
      summary: {denials: [{by: 'user'}]},
    });
    expect(done.told?.content).toHaveLength(1);
  });
});

describe('a session in which nothing runs', () => {
  beforeEach(() => void vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']}));
  afterEach(() => void vi.useRealTimers());

  test.each([
    ['interactive', ['idle_prompt']],
    ['unattended', []],
  ] as const)(
    '%s: hooks hear once that a prompt is waited for, a minute after the last one',
    async (interaction, told) => {
      const heard: string[] = [];
      const hooks: Partial<HooksPort> = {
        notify: async happening => {
          if (happening.event === 'Notification') heard.push(happening.type);
          return reply(undefined);
        },
      };
      const bench = engineBench([says('one'), says('two')], {hooks, options: {interaction}});
      await bench.prompt('go');
      vi.advanceTimersByTime(59_000);
      await bench.prompt('go on');
      vi.advanceTimersByTime(59_000);
      expect(heard).toEqual([]);
      vi.advanceTimersByTime(120_000);
      expect(heard).toEqual(told);
      await bench.engine.close('finished');
    },
  );
});
