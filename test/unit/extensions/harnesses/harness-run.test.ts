import {expect, test} from 'vitest';
import type {HarnessDecision} from '../../../../src/actions/harness-port.ts';
import {lookUntil} from '../../../support/look-until.ts';
import {claudeResult, greetClaude, runOf, startScripted} from './support/scripted-harness.ts';

const say = (text: string, id = 'm1') => ({
  type: 'assistant',
  parent_tool_use_id: null,
  message: {id, role: 'assistant', content: [{type: 'text', text}]},
});
const use = (id: string, command: string) => ({
  type: 'assistant',
  parent_tool_use_id: null,
  message: {id: `m-${id}`, role: 'assistant', content: [{type: 'tool_use', id, name: 'Bash', input: {command}}]},
});
const ask = (id: string, command: string) => ({
  type: 'control_request',
  request_id: `r-${id}`,
  request: {subtype: 'can_use_tool', tool_name: 'Bash', input: {command}, tool_use_id: id},
});
const used = {
  event: 'usage',
  used: {
    model: '',
    usage: {inputTokens: 1000, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0},
    cost: {kind: 'known', usd: 0.0045},
  },
};

test('a prompt is told from its beginning to its end, whatever else the program prints', async () => {
  const scene = await startScripted(async side => {
    side.say('Debugger attached.', '{', '[1,2]', 'null', `{"deep":${'['.repeat(300)}${']'.repeat(300)}}`);
    await greetClaude(side);
    side.say({type: 'nobody knows this'}, {}, {type: 'assistant'}, {type: 'user', message: {content: 'x'}});
    side.say(say('Hello\u001B[2J\u202E'), claudeResult('Hello'), claudeResult('again'));
  });
  await scene.first;
  expect(scene.events).toEqual([
    {event: 'started', session: 'id-1', model: '', version: '2.1.330'},
    {event: 'working'},
    {event: 'text', message: 1, delta: 'Hello[2J'},
    used,
    {event: 'finished', outcome: {kind: 'succeeded', text: 'Hello'}},
    {event: 'usage', used: {...used.used, usage: {...used.used.usage, inputTokens: 2000, outputTokens: 200}}},
  ]);
});

test('a program that ends fails its prompt in its own last words, and its tools end with it', async () => {
  const scene = await startScripted(async side => {
    await greetClaude(side);
    side.say(use('t1', 'make'));
    side.complain('out of \u0007memory');
    side.exit('it was ended by SIGKILL');
  });
  await scene.first;
  await runOf(scene).dispose();
  expect(scene.events.slice(2)).toEqual([
    {
      event: 'tool-started',
      id: 't1',
      name: 'Bash',
      title: 'make',
      input: {command: 'make'},
      access: expect.any(Object),
    },
    {event: 'tool-finished', id: 't1', end: 'failed', output: '', files: []},
    {
      event: 'finished',
      outcome: {
        kind: 'failed',
        reason: 'Claude Code ended before it was done: it was ended by SIGKILL (it wrote: out of memory).',
        text: '',
      },
    },
    {event: 'closed', reason: 'it was ended by SIGKILL'},
  ]);
  expect(await runOf(scene).send('more')).toEqual({
    tag: 'failed',
    error: {kind: 'rejected', message: 'Claude Code has ended: start it again to continue.'},
  });
});

test('a program that ends or refuses before it can work is a fault in words', async () => {
  const ended = await startScripted(async side => {
    side.complain("error: unknown option '--input-format'");
    side.exit('it exited with code 1');
  });
  expect(ended.started).toEqual({
    tag: 'failed',
    error: {
      kind: 'rejected',
      message: "Claude Code could not start: it exited with code 1 (it wrote: error: unknown option '--input-format').",
    },
  });
  const silent = await startScripted(async () => {}, {times: {open: 1}});
  expect(silent.started).toEqual({
    tag: 'failed',
    error: {kind: 'rejected', message: 'Claude Code could not start: it did not answer within 0 s.'},
  });
  const refused = await startScripted(async side => {
    const {request_id} = await side.next();
    side.say({type: 'control_response', response: {subtype: 'error', request_id, error: 'too old'}});
  });
  expect(refused.started).toMatchObject({error: {message: /it refused to begin: too old/u}});
  expect(refused.events).toEqual([]);
});

test('an interrupted start is a fault, and nothing is told', async () => {
  const abort = new AbortController();
  const scene = await startScripted(
    async side => {
      await side.next();
      abort.abort();
    },
    {signal: abort.signal},
  );
  expect(scene.started).toMatchObject({error: {message: 'Claude Code was interrupted while starting.'}});
  expect(scene.events).toEqual([]);
});

test('an approval is answered once, by what the host decides', async () => {
  const answers: unknown[] = [];
  const decisions: HarnessDecision[] = [{kind: 'allowed'}, {kind: 'denied', message: 'not now'}];
  const scene = await startScripted(
    async side => {
      await greetClaude(side);
      side.say(use('t1', 'ls'), ask('t1', 'ls'));
      answers.push(await side.next());
      side.say(use('t2', 'rm x'), ask('t2', 'rm x'));
      answers.push(await side.next());
      side.say(claudeResult('done'));
    },
    {decide: async () => decisions.shift() ?? {kind: 'cancelled'}},
  );
  await scene.first;
  expect(scene.approvals.map(({access}) => access)).toEqual([
    {kind: 'command', command: 'ls', directory: '/project', paths: []},
    {kind: 'command', command: 'rm x', directory: '/project', paths: []},
  ]);
  expect(answers).toEqual([
    {
      type: 'control_response',
      response: {subtype: 'success', request_id: 'r-t1', response: {behavior: 'allow', updatedInput: {command: 'ls'}}},
    },
    {
      type: 'control_response',
      response: {subtype: 'success', request_id: 'r-t2', response: {behavior: 'deny', message: 'not now'}},
    },
  ]);
});

test('a host that breaks has allowed nothing', async () => {
  let answer: unknown;
  const scene = await startScripted(
    async side => {
      await greetClaude(side);
      side.say(ask('t1', 'ls'));
      answer = await side.next();
      side.say(claudeResult('done'));
    },
    {decide: async () => Promise.reject(new Error('broken'))},
  );
  await scene.first;
  expect(answer).toMatchObject({response: {response: {behavior: 'deny', interrupt: true}}});
});

test('what only reads is asked about, and the rest denied, where nothing may change', async () => {
  const answers: unknown[] = [];
  const scene = await startScripted(
    async side => {
      await greetClaude(side);
      side.say(ask('t1', 'ls'));
      answers.push(await side.next());
      const request = {subtype: 'can_use_tool', tool_name: 'Read', input: {file_path: '/x'}, tool_use_id: 't2'};
      side.say({type: 'control_request', request_id: 'r-t2', request});
      answers.push(await side.next());
      side.say(claudeResult('done'));
    },
    {request: {access: 'read-only'}},
  );
  await scene.first;
  expect(scene.approvals.map(({access}) => access)).toEqual([{kind: 'read', paths: ['/x']}]);
  expect(answers).toMatchObject([
    {response: {response: {behavior: 'deny'}}},
    {response: {response: {behavior: 'allow'}}},
  ]);
});

test('a request that the harness withdraws is withdrawn from the host, and not answered', async () => {
  const aborted: boolean[] = [];
  const scene = await startScripted(
    async side => {
      await greetClaude(side);
      side.say(ask('t1', 'ls'), {type: 'control_cancel_request', request_id: 'r-t1'}, claudeResult('done'));
    },
    {
      decide: async (_approval, signal) => {
        await new Promise(resolve => signal.addEventListener('abort', resolve));
        aborted.push(signal.aborted);
        return {kind: 'allowed'};
      },
    },
  );
  await scene.first;
  await lookUntil(
    () => aborted.length === 1,
    () => 'the host was not told',
  );
  await runOf(scene).dispose();
  expect(scene.processes.written.filter(({type}) => type === 'control_response')).toEqual([]);
});

test('an interrupt cancels what is asked, drops what is queued, and the conversation goes on', async () => {
  const said: unknown[] = [];
  const scene = await startScripted(
    async side => {
      await greetClaude(side);
      side.say(ask('t1', 'ls'));
      for (;;) {
        const message = await side.next();
        said.push(message);
        if (message['type'] === 'control_request')
          side.say({
            type: 'result',
            subtype: 'error_during_execution',
            is_error: true,
            terminal_reason: 'aborted_tools',
          });
        if (message['type'] === 'user') side.say(claudeResult('second'));
      }
    },
    {
      decide: async (_approval, signal) =>
        new Promise(resolve => signal.addEventListener('abort', () => resolve({kind: 'allowed'}))),
    },
  );
  const run = runOf(scene);
  await run.interrupt();
  const second = scene.finished();
  expect(await run.send('more')).toEqual({tag: 'ok', value: 'begun'});
  await second;
  expect(scene.events.filter(({event}) => event === 'finished')).toEqual([
    {event: 'finished', outcome: {kind: 'cancelled', text: ''}},
    {event: 'finished', outcome: {kind: 'succeeded', text: 'second'}},
  ]);
  expect(said).toMatchObject([
    {type: 'control_response', response: {response: {behavior: 'deny', interrupt: true}}},
    {type: 'control_request', request: {subtype: 'interrupt'}},
    {type: 'user'},
  ]);
});

test('a harness that does not stop is ended', async () => {
  const scene = await startScripted(async side => void (await greetClaude(side)), {times: {interrupt: 1}});
  await runOf(scene).interrupt();
  expect(scene.events.slice(2)).toEqual([
    {event: 'warning', text: 'Claude Code did not stop when asked, so weft ended it.'},
    {event: 'finished', outcome: {kind: 'cancelled', text: ''}},
    {event: 'closed', reason: 'it was stopped'},
  ]);
});

test('an abort ends the prompt and the program', async () => {
  const abort = new AbortController();
  const scene = await startScripted(async side => void (await greetClaude(side)), {
    signal: abort.signal,
    times: {interrupt: 1},
  });
  abort.abort();
  await runOf(scene).dispose();
  expect(scene.events.slice(2)).toEqual([
    {event: 'finished', outcome: {kind: 'cancelled', text: ''}},
    {event: 'closed', reason: 'it was stopped'},
  ]);
});

test('what is said without end is shown up to a bound, and said once to be cut', async () => {
  const part = 'x'.repeat(1_000_000);
  const scene = await startScripted(async side => {
    await greetClaude(side);
    for (let turn = 0; turn < 10; turn += 1) side.say(say(part, `m${turn}`));
    side.say(claudeResult('end'));
  });
  await scene.first;
  const text = scene.events.flatMap(event => (event.event === 'text' ? [event.delta] : [])).join('');
  expect(text.length).toBe(4_000_000);
  expect(scene.events.filter(({event}) => event === 'warning')).toEqual([
    {event: 'warning', text: 'Claude Code wrote more than weft can show.'},
  ]);
});

test('an answer without words is a failure that says what was denied', async () => {
  const scene = await startScripted(
    async side => {
      await greetClaude(side);
      side.say(ask('t1', 'npm publish'));
      await side.next();
      side.say(claudeResult(' '));
    },
    {decide: async () => ({kind: 'denied', message: ''})},
  );
  await scene.first;
  expect(scene.events.at(-1)).toEqual({
    event: 'finished',
    outcome: {
      kind: 'failed',
      reason: 'Claude Code ended without an answer after this was denied: npm publish.',
      text: '',
    },
  });
});
