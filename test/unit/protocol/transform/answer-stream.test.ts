import {describe, expect, test} from 'vitest';
import type {JsonObject} from '../../../../src/base/json.ts';
import type {ClientAction, ResponseEvent} from '../../../../src/protocol/task/response-event.ts';
import {makeOpenAiStream} from '../../../../src/protocol/transform/openai-stream.ts';
import {
  acts,
  add,
  append,
  begin,
  callsMcp,
  callsNative,
  callsServer,
  commit,
  finished,
  init,
  item,
  rollback,
  running,
  says,
  snapshot,
  tells,
  thinks,
  update,
} from './event-builders.ts';
import {expectTold} from './read-answers.ts';
import {processorClock} from '../../../support/processor-clock.ts';

describe('calls of tools', () => {
  test('MCP and native calls with their ids and whole inputs, side by side', async () => {
    const input = {path: 'a "b"', deep: {list: [1, 2.5, null, true], text: '\u2028😀'}};
    await expectTold(
      [
        acts(add('m', says('Now: '))),
        acts(
          add('a', callsMcp('x1', 'search', input)),
          add('b', callsNative('x2', 'run_shell_command', {command: 'ls'})),
        ),
        acts(add('c', callsMcp('', 'search', {})), add('', callsMcp('', 'search', {}))),
        finished(),
      ],
      {
        text: 'Now: ',
        calls: [
          {id: 'x1', name: 'search', input},
          {id: 'x2', name: 'run_shell_command', input: {command: 'ls'}},
          {id: 'call_c', name: 'search', input: {}},
          {id: 'call_4', name: 'search', input: {}},
        ],
      },
    );
  });

  test('a call that comes again is one call, with the last input that came in time', async () => {
    await expectTold(
      [
        acts(add('a', callsMcp('x', 'search', {})), add('b', callsMcp('y', 'find', {q: 1}))),
        acts(update('a', callsMcp('x', 'search', {q: 'one'})), update('b', callsMcp('y', 'find', {q: 1}))),
        acts(update('a', callsMcp('x', '', {}), ['tool_call.tool_call_id'])),
        acts(add('m', says('Text.')), update('a', callsMcp('x', 'search', {q: 'too late'}))),
        finished(),
      ],
      {
        text: 'Text.',
        calls: [
          {id: 'x', name: 'search', input: {q: 'one'}},
          {id: 'y', name: 'find', input: {q: 1}},
        ],
      },
    );
  });

  test('strings of an input grow', async () => {
    await expectTold(
      [
        acts(add('a', callsNative('x', 'run_shell_command', {command: 'ls', risky: false, nested: {a: 'x'}}))),
        acts(
          append('a', callsNative('x', 'run_shell_command', {command: ' -la', nested: {a: 'y', b: 'z'}}), [
            'tool_call',
          ]),
        ),
        finished(),
      ],
      {
        text: '',
        calls: [
          {id: 'x', name: 'run_shell_command', input: {command: 'ls -la', risky: false, nested: {a: 'xy', b: 'z'}}},
        ],
      },
    );
  });

  test('a call that was rolled back is not told, its second attempt is', async () => {
    await expectTold(
      [
        acts(begin, add('m', says('I search. ')), add('a', callsMcp('x1', 'search', {q: 'a'})), rollback),
        acts(
          begin,
          add('n', says('I search. ')),
          add('b', callsMcp('x2', 'search', {q: 'b'})),
          add('o', says('Done.')),
          commit,
        ),
        finished(),
      ],
      {text: 'I search. Done.', calls: [{id: 'x2', name: 'search', input: {q: 'b'}}]},
    );
  });

  test('calls of a transaction that was never ended are told with the end', async () => {
    await expectTold([acts(begin, add('a', callsMcp('x', 'search', {})))], {
      text: '',
      calls: [{id: 'x', name: 'search', input: {}}],
    });
  });

  test('one without a name, one of an unknown field, one that nests too deep to be written', async () => {
    await expectTold(
      [
        acts(add('a', callsMcp('x', '', {a: 1})), add('b', callsNative('y', '', {}))),
        // A model server can send this; no literal type describes it.
        acts(add('c', callsMcp('z', 'deep', JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)))),
        finished(),
      ],
      {text: '', calls: [{id: 'x', name: 'call_mcp_tool', input: {a: 1}}]},
    );
  });

  test('an update that nests too deep to be written changes nothing', async () => {
    const deep: JsonObject = JSON.parse(`${'{"a":'.repeat(600)}1${'}'.repeat(600)}`);
    await expectTold(
      [acts(add('a', callsMcp('x', 'f', {b: 'c'})), append('a', callsMcp('x', 'f', deep))), finished()],
      {
        text: '',
        calls: [{id: 'x', name: 'f', input: {b: 'c'}}],
      },
    );
  });

  test('names of the prototype are names like others', async () => {
    const input = JSON.parse('{"__proto__":{"a":"b"},"constructor":"c"}');
    await expectTold(
      [
        acts(add('a', callsMcp('__proto__', 'toString', input)), append('a', callsMcp('__proto__', '', input))),
        finished(),
      ],
      {
        text: '',
        calls: [{id: '__proto__', name: 'toString', input: JSON.parse('{"__proto__":{"a":"bb"},"constructor":"cc"}')}],
      },
    );
  });
});

test('an answer without anything said', async () => {
  await expectTold([], {text: '', calls: []});
  await expectTold([init, acts(add('m', thinks('')), add('n', says('')))], {text: '', calls: []});
});

test('what follows the end belongs to another response', async () => {
  await expectTold([acts(add('m', says('One.'))), finished(), init, acts(add('n', says('Two.'))), finished()], {
    text: 'One.',
    calls: [],
  });
});

test('text comes with its event, in a transaction too; so do todos outside one', () => {
  const stream = makeOpenAiStream({id: 'c', created: 1, model: 'm'});
  const told = (event: ResponseEvent) => stream.push(event).length;
  expect(told(init)).toBe(1);
  expect(told(acts(begin))).toBe(0);
  expect(told(acts(append('m', says('Hel'))))).toBe(1);
  expect(told(acts(add('l', tells(snapshot([item('1')])))))).toBe(0);
  expect(told(acts(append('m', says('lo'))))).toBe(1);
  expect(told(acts(commit))).toBe(1);
  expect(told(acts(add('k', callsServer('k', running('1')))))).toBe(1);
  expect(told(finished())).toBe(2);
  expect([...stream.push(finished()), ...stream.end()]).toEqual([]);
});

test('a stream that begins ends the transactions of the one before', async () => {
  await expectTold([acts(begin, add('m', says('One. '))), init, acts(rollback, add('n', says('Two.'))), finished()], {
    text: 'One. Two.',
    calls: [],
  });
});

test('however many transactions are begun, what they hold comes out and time stays short', async () => {
  const many = 50_000;
  const spentMs = processorClock();
  await expectTold(
    [
      acts(...Array<ClientAction>(many).fill(begin), add('m', says('Hello')), add('a', callsMcp('x', 'search', {}))),
      acts(...Array<ClientAction>(many).fill(commit), add('n', says('.'))),
      finished(),
    ],
    {text: 'Hello.', calls: [{id: 'x', name: 'search', input: {}}]},
  );
  expect(spentMs()).toBeLessThan(5000);
});

test('of very many calls in one transaction the oldest do not wait for its end, and none is told twice', () => {
  const stream = makeOpenAiStream({id: 'c', created: 1, model: 'm'});
  const all = [...Array(300).keys()];
  const early = idsIn(
    [acts(begin), ...all.slice(0, 100).map(callNumber), acts(begin), ...all.slice(100).map(callNumber)].flatMap(event =>
      stream.push(event),
    ),
  );
  expect(early).toEqual(all.slice(0, 44).map(n => `x${n}`));
  const late = idsIn(
    [acts(rollback, commit), ...all.slice(0, 102).map(callNumber), finished()].flatMap(event => stream.push(event)),
  );
  expect(late).toEqual(all.slice(44, 102).map(n => `x${n}`));
});

const idsIn = (texts: readonly string[]) =>
  texts.flatMap(text => [...text.matchAll(/"id":"(x\d+(?:_\d+)?)"/gu)].map(([, id]) => id));

const callNumber = (n: number) => acts(add(`a${n}`, callsMcp(`x${n}`, 'search', {})));
