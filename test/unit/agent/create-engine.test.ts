import {reasonOf} from '../../support/reason.ts';
import type {ActionPorts} from '../../../src/actions/ports.ts';
import {noDetail, type RuleChange} from '../../../src/domain/risk.ts';
import {describe, expect, test} from 'vitest';
import {failed, ok} from '../../../src/base/outcome.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {nothingProven, type Proof} from '../../../src/domain/sandbox.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import {historyFromJournal} from '../../../src/domain/history.ts';
import {
  asks,
  aborted,
  callBlock,
  callsTools,
  engineBench,
  finishedReport,
  memorySession,
  says,
  promptOp,
} from '../../support/memory-ports.ts';

const notHere = async () => failed(rejected('not asked for here'));
const typeLine = (block: string, input: string) => callBlock('BashInput', {block_id: block, input});

/** Blocks by their commands, all of them running; whatever is typed is echoed. */
function writableBlocks(commands: Readonly<Record<string, string>>): ActionPorts['blocks'] {
  const find: ActionPorts['blocks']['find'] = id => {
    const command = commands[id];
    return command === undefined
      ? failed(rejected(`There is no block ${id}.`))
      : ok({command, state: {kind: 'running'}, input: 'open'});
  };
  return {
    find,
    start: notHere,
    read: notHere,
    write: async ({id, input}) => {
      const found = find(id);
      return found.tag === 'failed'
        ? found
        : ok({
            id,
            command: found.value.command,
            directory: '/work',
            state: found.value.state,
            output: {text: input, totalBytes: input.length, leftOutLines: 0, file: undefined},
            cursor: {row: 0, column: 0},
            screen: 'normal',
            ageMs: 0,
            terminal: 'pty',
            notes: [],
          });
    },
  };
}

const make = (): ReturnType<typeof callBlock> => callBlock('Bash', {command: 'make'});

describe('a prompt', () => {
  test('is kept, answered and summed up', async () => {
    const bench = engineBench([says('Hello.')]);
    const summary = await bench.prompt('hi');
    expect(summary).toMatchObject({
      end: {kind: 'done'},
      answer: 'Hello.',
      turns: 1,
      results: 0,
      stop: 'end-turn',
      denials: [],
    });
    expect(bench.session.kept.map(({kind}) => kind)).toEqual(['prompt', 'piece', 'answer']);
    expect(bench.events.map(({event}) => event)).toEqual([
      'session-opened',
      'prompt-accepted',
      'turn-started',
      'message-started',
      'block-started',
      'block-delta',
      'block-finished',
      'message-finished',
      'usage-changed',
      'prompt-finished',
    ]);
  });

  test('an answer that comes at once is kept whole, and before it is shown', async () => {
    const usage = {inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0};
    const block = {kind: 'text', text: 'Hello.'} as const;
    const session = memorySession();
    let shown: readonly string[] = [];
    const bench = engineBench(
      [
        {
          events: [
            {event: 'message-started', id: messageId('a'), model: 'm', usage},
            {event: 'block-started', index: 0, block: {kind: 'text'}},
            {event: 'block-delta', index: 0, delta: block},
            {event: 'block-finished', index: 0, block},
            {event: 'message-finished', stop: 'end-turn', usage},
          ],
        },
      ],
      {
        session: {
          ...session,
          append: record => {
            if (record.kind === 'answer') shown = bench.events.map(({event}) => event);
            session.append(record);
          },
        },
      },
    );
    expect(await bench.prompt('hi')).toMatchObject({end: {kind: 'done'}, answer: 'Hello.'});
    expect(session.kept.map(({kind}) => kind)).toEqual(['prompt', 'answer']);
    expect(shown).not.toContain('message-started');
  });

  test('goes on until the model makes no more calls, and tells it every result', async () => {
    const bench = engineBench([callsTools(callBlock('Bash', {command: 'ls'}, 'a')), says('Done.')]);
    const summary = await bench.prompt('list');
    expect(summary).toMatchObject({turns: 2, results: 1, answer: 'Done.'});
    expect(bench.model.requests[1]?.messages.at(-1)).toEqual({
      role: 'user',
      id: expect.any(String),
      blocks: [
        {
          kind: 'tool-result',
          id: 'a',
          outcome: 'success',
          content: [{kind: 'text', text: 'ran ls\n[exit code 0 after 0.0 s in /work]'}],
        },
      ],
    });
  });

  test('each request extends the one before it', async () => {
    const bench = engineBench([callsTools(callBlock('Bash', {command: 'ls'})), says('Done.'), says('Again.')]);
    await bench.prompt('one');
    await bench.prompt('two');
    const [first, second, third] = bench.model.requests;
    expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
    expect(third?.messages.slice(0, second?.messages.length)).toEqual(second?.messages);
    expect(third).toMatchObject({system: first?.system, tools: first?.tools});
  });

  test('waits its turn while another runs', async () => {
    const bench = engineBench([says('one'), says('two')]);
    bench.engine.submit(promptOp('first'));
    bench.engine.submit(promptOp('second'));
    expect((await bench.next('prompt-finished')).summary.answer).toBe('one');
    expect((await bench.next('prompt-finished')).summary.answer).toBe('two');
  });

  test('fails with the provider, keeping what was said', async () => {
    const bench = engineBench([]);
    expect(await bench.prompt('hi')).toMatchObject({end: {kind: 'failed', fault: {message: 'The script has ended.'}}});
    expect(bench.session.kept.map(({kind}) => kind)).toEqual(['prompt']);
  });
});

const changing = {...asks, decision: 'allow', risk: 'local-change'} as const;

describe('calls', () => {
  test('a bad name and a bad input settle as errors that say what was wrong', async () => {
    const bench = engineBench([
      callsTools(callBlock('Frobnicate', {}), callBlock('Bash', {command: 7}), callBlock('Read', 'no')),
      says('I see.'),
    ]);
    await bench.prompt('go');
    const told = bench.events.flatMap(event => (event.event === 'action-settled' ? [event.toolResult] : []));
    expect(told.map(({outcome}) => outcome)).toEqual(['error', 'error', 'error']);
    const texts = told.map(({content}) => (content[0]?.kind === 'text' ? content[0].text : ''));
    expect(texts[0]).toMatch(/^No tool named "Frobnicate"\. Available: Bash, BashInput, BashOutput, Read,/u);
    expect(texts[1]).toBe('The input of Bash is invalid: command must be a string and is a number.');
    expect(texts[2]).toMatch(/^The input of Read is invalid: /u);
  });

  test('readers run side by side, barriers alone, results in the order of the calls', async () => {
    const running: string[] = [];
    let most = 0;
    const track = async <T>(name: string, result: T): Promise<T> => {
      running.push(name);
      most = Math.max(most, running.length);
      expect(name.startsWith('sh') ? running : [name]).toEqual([name]);
      await new Promise(resolve => setImmediate(resolve));
      running.splice(running.indexOf(name), 1);
      return result;
    };
    const bench = engineBench(
      [
        callsTools(
          callBlock('Read', {file_path: 'a'}, '1'),
          callBlock('Read', {file_path: 'b'}, '2'),
          callBlock('Bash', {command: 'sh1'}, '3'),
          callBlock('Read', {file_path: 'c'}, '4'),
        ),
        says('ok'),
      ],
      {
        read: async ({path}) =>
          track(path, ok({kind: 'text', path, lines: [], firstLine: 1, totalLines: 0, notes: []} as const)),
        shell: async ({command}) => track(command, finishedReport('')),
        assess: () => changing,
      },
    );
    await bench.prompt('go');
    expect(most).toBe(2);
    const results = bench.model.requests[1]?.messages
      .at(-1)
      ?.blocks.map(block => (block.kind === 'tool-result' ? block.id : ''));
    expect(results).toEqual(['1', '2', '3', '4']);
  });

  test('a port that throws is a fault of the action, and the turn goes on', async () => {
    const bench = engineBench([callsTools(callBlock('Bash', {command: 'x'})), says('ok')], {
      shell: async () => {
        throw new Error('no more processes');
      },
    });
    expect(await bench.prompt('go')).toMatchObject({end: {kind: 'done'}});
    const settled = bench.events.find(event => event.event === 'action-settled');
    expect(settled).toMatchObject({
      toolResult: {outcome: 'error', content: [{text: expect.stringContaining('no more processes')}]},
    });
  });
});

test.each<[string, Partial<Proof>]>([
  [
    'No sandbox: commands run as you, and ask first unless they only read (bwrap: it is not there).',
    {works: false, proven: nothingProven},
  ],
  [
    "Commands ask first unless they only read: the sandbox can't hold their changes (bwrap: it is not there).",
    {proven: {files: true, network: true, processes: true, overlay: false}},
  ],
])('what the sandbox stops is told once, when it is known, and what is missing: %s', async (text, proof) => {
  const broken: Proof = {
    provider: 'bwrap',
    works: true,
    proven: nothingProven,
    hosts: 'closed',
    reason: 'it is not there',
    ...proof,
  };
  const calls = [callBlock('Bash', {command: 'make'}, 'a'), callBlock('Bash', {command: 'make'}, 'b')] as const;
  let known: Proof | 'unknown' = 'unknown';
  const bench = engineBench([callsTools(calls[0]), callsTools(calls[1]), says('ok')], {
    assess: () => {
      known = broken;
      return {...asks, decision: 'allow'};
    },
    sandbox: () => known,
  });
  const told: unknown[] = [];
  bench.engine.subscribe(events => {
    for (const each of events) if (each.event === 'sandbox-proven' || each.event === 'notice') told.push(each);
  });
  bench.engine.submit(promptOp('go'));
  await bench.next('prompt-finished');
  expect(told).toEqual([
    {event: 'sandbox-proven', proof: broken},
    {event: 'notice', level: 'warning', text},
  ]);
});

describe('approvals', () => {
  test('the first answer wins and a late one changes nothing', async () => {
    const bench = engineBench([callsTools(callBlock('Bash', {command: 'make'}, 'b')), says('ok')], {
      assess: () => asks,
    });
    bench.engine.submit(promptOp('go'));
    const {approval} = await bench.next('approval-requested');
    expect(approval).toMatchObject({
      label: 'Run make',
      preview: {kind: 'command', command: 'make', directory: '/work'},
      verdict: asks,
      wording: 'model',
      sessionGrant: 'this exact command',
      impact: {summary: '', paths: [], more: 0},
      citations: [],
    });
    bench.engine.submit({
      op: 'answer-approval',
      id: approval.id,
      answer: {decision: 'refuse', message: 'not now', by: 'user'},
    });
    bench.engine.submit({op: 'answer-approval', id: approval.id, answer: {decision: 'allow', scope: 'once'}});
    const {summary} = await bench.next('prompt-finished');
    expect(summary.denials).toMatchObject([{by: 'user', call: {id: 'b'}}]);
    expect(bench.session.kept).toContainEqual({
      kind: 'result',
      result: {
        kind: 'tool-result',
        id: 'b',
        outcome: 'cancelled',
        reason: 'declined',
        content: [{kind: 'text', text: 'The user said no to this: not now'}],
      },
    });
  });

  test('"for this session" lets the same command through, and no other', async () => {
    const bench = engineBench(
      [callsTools(make()), callsTools(make()), callsTools(callBlock('Bash', {command: 'make x'})), says('ok')],
      {
        assess: () => asks,
      },
    );
    bench.engine.submit(promptOp('go'));
    const first = await bench.next('approval-requested');
    bench.engine.submit({op: 'answer-approval', id: first.approval.id, answer: {decision: 'allow', scope: 'session'}});
    const second = await bench.next('approval-requested');
    expect(second.approval.label).toBe('Run make x');
    bench.engine.submit({op: 'answer-approval', id: second.approval.id, answer: {decision: 'allow', scope: 'once'}});
    expect((await bench.next('prompt-finished')).summary.end).toEqual({kind: 'done'});
  });

  test('"for this session" covers nothing where every call is to be asked about, and is not offered', async () => {
    const bench = engineBench([callsTools(make()), callsTools(make()), says('ok')], {
      assess: () => ({...asks, sessionApproval: 'none'}),
    });
    bench.engine.submit(promptOp('go'));
    for (const scope of ['session', 'once'] as const) {
      const {approval} = await bench.next('approval-requested');
      expect(approval.sessionGrant).toBe('');
      bench.engine.submit({op: 'answer-approval', id: approval.id, answer: {decision: 'allow', scope}});
    }
    expect((await bench.next('prompt-finished')).summary.end).toEqual({kind: 'done'});
  });

  test('"for this session" on a test run becomes a rule of the session that lets any arguments follow', async () => {
    const changes: RuleChange[] = [];
    const rules = ['Bash(npm test)', 'Bash(npm test:*)'];
    const bench = engineBench([callsTools(callBlock('Bash', {command: 'npm test'})), says('ok')], {
      assess: () => ({...asks, sessionApproval: 'kind', detail: {...noDetail, rules}}),
      changeRules: async change => {
        changes.push(change);
        return {tag: 'ok', value: undefined};
      },
    });
    bench.engine.submit(promptOp('go'));
    const {approval} = await bench.next('approval-requested');
    expect(approval.sessionGrant).toBe('npm test …');
    bench.engine.submit({op: 'answer-approval', id: approval.id, answer: {decision: 'allow', scope: 'session'}});
    await bench.next('prompt-finished');
    expect(changes).toEqual([{change: 'add', list: 'allow', rule: 'Bash(npm test:*)', scope: 'session'}]);
  });

  test('"for this session" on a line for an interpreter covers the next lines to the same one, and no others', async () => {
    const bench = engineBench(
      [
        callsTools(typeLine('b1', '1 + 1')),
        callsTools(typeLine('b1', '2 + 2')),
        callsTools(typeLine('b2', '3 + 3')),
        says('ok'),
      ],
      {
        assess: () => ({...asks, sessionApproval: 'kind'}),
        blocks: writableBlocks({b1: '/usr/bin/python3 -i', b2: 'node'}),
      },
    );
    bench.engine.submit(promptOp('go'));
    const first = (await bench.next('approval-requested')).approval;
    expect(first).toMatchObject({label: 'Type into python3: 1 + 1', sessionGrant: 'every line to python3 (b1)'});
    bench.engine.submit({op: 'answer-approval', id: first.id, answer: {decision: 'allow', scope: 'session'}});
    const second = (await bench.next('approval-requested')).approval;
    expect(second).toMatchObject({label: 'Type into node: 3 + 3', sessionGrant: 'every line to node (b2)'});
    bench.engine.submit({op: 'answer-approval', id: second.id, answer: {decision: 'allow', scope: 'once'}});
    expect((await bench.next('prompt-finished')).summary.end).toEqual({kind: 'done'});
  });

  test('a line that may start another program in the block ends what was allowed for the one that was there', async () => {
    const lines = ['1 + 1', 'os.execvp("bash", ["bash"])', 'rm -rf src'];
    const bench = engineBench([...lines.map(line => callsTools(typeLine('b1', line))), says('ok')], {
      assess: action => ({
        ...asks,
        sessionApproval: JSON.stringify(action.input).includes('execvp') ? ('exact' as const) : ('kind' as const),
      }),
      blocks: writableBlocks({b1: 'python3'}),
    });
    bench.engine.submit(promptOp('go'));
    for (const [at, line] of lines.entries()) {
      const {approval} = await bench.next('approval-requested');
      expect(approval.label).toBe(`Type into python3: ${line}`);
      const scope = at === 0 ? 'session' : 'once';
      bench.engine.submit({op: 'answer-approval', id: approval.id, answer: {decision: 'allow', scope}});
    }
    expect((await bench.next('prompt-finished')).summary.end).toEqual({kind: 'done'});
  });

  test('input to a block that is gone fails, and nobody is asked', async () => {
    const bench = engineBench(
      [callsTools(callBlock('BashInput', {block_id: 'b9', input: 'x'}, 'w')), says('It is gone.')],
      {assess: () => asks, blocks: writableBlocks({})},
    );
    await bench.prompt('go');
    expect(bench.events.filter(({event}) => event === 'approval-requested')).toEqual([]);
    expect(bench.events.find(({event}) => event === 'action-settled')).toMatchObject({
      toolResult: {id: 'w', outcome: 'error', content: [{text: 'There is no block b9.'}]},
    });
  });

  test('nobody to ask means no, and the model is told', async () => {
    const bench = engineBench([callsTools(callBlock('Bash', {command: 'make'}, 'b')), says('I could not.')], {
      assess: () => asks,
      options: {interaction: 'unattended'},
    });
    const summary = await bench.prompt('go');
    expect(summary).toMatchObject({end: {kind: 'done'}, denials: [{by: 'nobody', call: {id: 'b'}}]});
    const told = bench.model.requests[1]?.messages.at(-1)?.blocks[0];
    expect(told).toMatchObject({
      outcome: 'cancelled',
      content: [{text: expect.stringContaining("needs the user's approval, and there is no one to ask")}],
    });
  });

  test('a denied action does not start', async () => {
    let started = 0;
    const bench = engineBench([callsTools(callBlock('Bash', {command: 'make'})), says('ok')], {
      assess: () => ({
        decision: 'deny',
        risk: 'unknown',
        reasons: [reasonOf('the rule Bash forbids it')],
        sessionApproval: 'exact',
        detail: noDetail,
      }),
      shell: async () => {
        started += 1;
        return finishedReport('');
      },
    });
    expect(await bench.prompt('go')).toMatchObject({denials: [{by: 'rule'}]});
    expect(started).toBe(0);
  });
});

describe('interrupt', () => {
  test('while a command runs: it settles as cancelled with its output, the rest never starts, nothing else is sent', async () => {
    const bench = engineBench(
      [
        callsTools(callBlock('Bash', {command: 'sleep'}, 'a'), callBlock('Bash', {command: 'never'}, 'b')),
        says('never'),
      ],
      {
        shell: async ({command}, observe, signal) => {
          observe('half');
          await aborted(signal);
          return {...finishedReport(`${command}: half`), end: {kind: 'aborted'}};
        },
        assess: () => changing,
      },
    );
    bench.engine.submit(promptOp('go'));
    await bench.next('action-output');
    bench.engine.submit({op: 'interrupt'});
    const {summary} = await bench.next('prompt-finished');
    expect(summary).toMatchObject({end: {kind: 'interrupted'}, turns: 1, results: 2});
    const results = bench.session.kept.flatMap(record => (record.kind === 'result' ? [record.result] : []));
    expect(results).toEqual([
      {
        kind: 'tool-result',
        id: 'a',
        outcome: 'cancelled',
        reason: 'interrupted',
        content: [{kind: 'text', text: 'The user interrupted this.\nOutput before it was stopped:\nsleep: half'}],
      },
      {
        kind: 'tool-result',
        id: 'b',
        outcome: 'cancelled',
        reason: 'interrupted',
        content: [{kind: 'text', text: 'The user interrupted this.'}],
      },
    ]);
    expect(bench.model.requests).toHaveLength(1);
  });

  test('while the model speaks: what was said is kept and the next prompt goes on from it', async () => {
    const never = new Promise<void>(() => {});
    const bench = engineBench([{blocks: [{kind: 'text', text: 'x'}], before: never}, says('after')]);
    bench.engine.submit(promptOp('go'));
    await bench.next('message-started');
    bench.engine.submit({op: 'interrupt'});
    expect((await bench.next('prompt-finished')).summary.end).toEqual({kind: 'interrupted'});
    expect(await bench.prompt('again')).toMatchObject({answer: 'after'});
  });

  test('while a person is asked: the question is withdrawn', async () => {
    const bench = engineBench([callsTools(callBlock('Bash', {command: 'make'})), says('never')], {assess: () => asks});
    bench.engine.submit(promptOp('go'));
    await bench.next('approval-requested');
    bench.engine.submit({op: 'interrupt'});
    expect(await bench.next('approval-settled')).toMatchObject({decision: 'refused'});
    expect((await bench.next('prompt-finished')).summary).toMatchObject({
      end: {kind: 'interrupted'},
      denials: [{by: 'user', call: {name: 'Bash'}}],
    });
  });

  test('drops the prompts that wait', async () => {
    const bench = engineBench([{blocks: [{kind: 'text', text: 'x'}], before: new Promise<void>(() => {})}]);
    bench.engine.submit(promptOp('one'));
    bench.engine.submit(promptOp('two'));
    await bench.next('message-started');
    bench.engine.submit({op: 'interrupt'});
    await bench.next('prompt-finished');
    await bench.engine.close('finished');
    expect(bench.events.filter(({event}) => event === 'prompt-accepted')).toHaveLength(1);
  });
});

describe('questions', () => {
  const question = callBlock(
    'AskUserQuestion',
    {questions: [{question: 'Which?', options: [{label: 'A'}, {label: 'B'}]}]},
    'q',
  );

  test('are asked and their answers told', async () => {
    const bench = engineBench([callsTools(question), says('ok')]);
    bench.engine.submit(promptOp('go'));
    const asked = await bench.next('question-asked');
    bench.engine.submit({
      op: 'answer-question',
      id: asked.id,
      answer: {kind: 'answered', answers: [{selected: ['B'], other: 'because'}]},
    });
    await bench.next('prompt-finished');
    expect(bench.model.requests[1]?.messages.at(-1)?.blocks[0]).toMatchObject({
      outcome: 'success',
      content: [{text: 'Which?\n→ B; because'}],
    });
  });

  test('with nobody there the model is told to choose itself', async () => {
    const bench = engineBench([callsTools(question), says('ok')], {options: {interaction: 'unattended'}});
    expect(await bench.prompt('go')).toMatchObject({end: {kind: 'done'}, denials: []});
    expect(bench.model.requests[1]?.messages.at(-1)?.blocks[0]).toMatchObject({outcome: 'cancelled'});
  });
});

describe('sessions', () => {
  test('a call that a killed process left open is told as lost', async () => {
    const killed = engineBench([callsTools(callBlock('Bash', {command: 'x'}, 'lost'))], {
      shell: () => new Promise(() => {}),
    });
    killed.engine.submit(promptOp('go'));
    await killed.next('action-started');
    const bench = engineBench([says('I will look first.')], {
      session: memorySession(killed.session.kept),
      options: {origin: 'resumed'},
    });
    expect(historyFromJournal(killed.session.kept).callsWithoutResult).toEqual([actionId('lost')]);
    expect(await bench.prompt('go on')).toMatchObject({end: {kind: 'done'}});
    expect(bench.model.requests[0]?.messages.map(({role}) => role)).toEqual(['user', 'assistant', 'user', 'user']);
  });

  test('a todo list is told as task-protocol payloads, kept before it is published', async () => {
    const bench = engineBench([
      callsTools(callBlock('TodoWrite', {todos: [{content: 'one', status: 'in_progress'}]})),
      says('ok'),
    ]);
    await bench.prompt('go');
    const kept = bench.session.kept.flatMap(record => (record.kind === 'todo-frames' ? record.frames : []));
    const framed = bench.events.flatMap(event => (event.event === 'todos-framed' ? event.frames : []));
    expect(framed.length).toBeGreaterThan(0);
    expect(kept).toEqual(framed);
  });

  test('resuming one that is not there is a notice, and the present one stays', async () => {
    const bench = engineBench([says('still here')]);
    bench.engine.submit({op: 'open-session', session: {kind: 'resume', id: bench.session.id}});
    expect(await bench.next('notice')).toMatchObject({level: 'warning', text: 'no such session'});
    expect(await bench.prompt('hi')).toMatchObject({answer: 'still here'});
  });
});
