import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {AssistantBlock, Message, ResultContent, UserBlock} from '../../../src/domain/conversation.ts';
import {lostResultText} from '../../../src/domain/history.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {ModelRequest} from '../../../src/domain/model-stream.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {type ToValidId, idRules, sendableRequest, ToolNames, wireJson} from '../../../src/models/sendable-request.ts';
import {ask} from '../../support/model-events.ts';
import {randomInputs} from '../../support/random-inputs.ts';

const user = (...blocks: readonly UserBlock[]): Message => ({role: 'user', id: messageId('u'), blocks});
const assistant = (...blocks: readonly AssistantBlock[]): Message => ({
  role: 'assistant',
  id: messageId('a'),
  model: 'm',
  blocks,
  stop: 'end-turn',
  usage: noUsage,
});
const text = (words: string) => ({kind: 'text', text: words}) as const;
const call = (id: string, name = 'Bash'): AssistantBlock => ({kind: 'tool-call', id: actionId(id), name, input: {}});
const result = (id: string, ...content: readonly ResultContent[]): UserBlock => ({
  kind: 'tool-result',
  id: actionId(id),
  content,
  outcome: 'success',
});
const lost = (id: string): UserBlock => ({
  kind: 'tool-result',
  id: actionId(id),
  content: [text(lostResultText)],
  outcome: 'cancelled',
  reason: 'unknown',
});
const tool = (name: string): ModelRequest['tools'][number] => ({
  name,
  description: 'Does it.',
  inputSchema: {type: 'object'},
  offered: 'from-the-start',
});

const sent = (messages: readonly Message[], fitId: ToValidId = idRules.chat): readonly Message[] =>
  sendableRequest(ask('', {messages}), {fitId, schema: 'any'}).messages;

describe('ids of calls', () => {
  const odd = 'functions.Bash:0';
  const long = 'x'.repeat(70);
  test.each([
    {rule: 'anthropic', ids: ['functions_Bash_0', `${'x'.repeat(55)}_77f3c97d`, 'call', 'toolu_1']},
    {rule: 'responses', ids: [odd, `${'x'.repeat(55)}_77f3c97d`, 'call', 'toolu_1']},
    {rule: 'chat', ids: [odd, `${'x'.repeat(31)}_77f3c97d`, 'call', 'toolu_1']},
    {rule: 'mistral', ids: ['wfde9f3f4', 'w77f3c97d', 'wb3f184a9', 'wc7fc710e']},
  ] as const)('of $rule are valid, the same in the call and its result', ({rule, ids}) => {
    const given = [odd, long, '', 'toolu_1'];
    const messages = sent(
      [user(text('Go')), assistant(...given.map(id => call(id))), user(...given.map(id => result(id, text('ok'))))],
      idRules[rule],
    );
    expect(messages).toEqual([
      user(text('Go')),
      assistant(...ids.map(id => call(id))),
      user(...ids.map(id => result(id, text('ok')))),
    ]);
  });

  test('that a server gives again in another answer become unique, and the beginning stays the same', () => {
    const turn = [assistant(call('call_0')), user(result('call_0', text('ok')))];
    const first = [user(text('Go')), ...turn];
    const both = sent([...first, ...turn]);
    expect(both).toEqual([...first, assistant(call('call_0_2')), user(result('call_0_2', text('ok')))]);
    expect(both.slice(0, first.length)).toEqual(sent(first));
  });

  test('of Mistral that are valid stay', () => {
    expect(idRules.mistral('aB3dE6gH9')).toBe('aB3dE6gH9');
  });
});

describe('calls and results', () => {
  test('a call without a result gets one, and a result without a call goes', () => {
    expect(
      sent([
        user(text('Go')),
        assistant(call('a'), call('b')),
        user(text('Stop'), result('b', text('ok')), result('stray', text('?')), result('b', text('again'))),
        assistant(call('c')),
        assistant(text('Done')),
        user(result('c', text('late'))),
        assistant(call('d')),
      ]),
    ).toEqual([
      user(text('Go')),
      assistant(call('a'), call('b')),
      user(result('b', text('ok')), lost('a'), text('Stop')),
      assistant(call('c')),
      {...user(lost('c')), id: 'a:results'},
      assistant(text('Done')),
      assistant(call('d')),
      {...user(lost('d')), id: 'a:results'},
    ]);
  });

  test('blank text is left out, and a result without text says so', () => {
    expect(
      sent([
        user(text(' \n'), text('Go')),
        assistant(text('\n')),
        assistant(text(' '), call('a'), call('b')),
        user(result('a', text('\n')), result('b'), text('')),
        user(text(' ')),
      ]),
    ).toEqual([
      user(text('Go')),
      assistant(call('a'), call('b')),
      user(result('a', text('(no output)')), result('b', text('(no output)'))),
    ]);
  });
});

describe('names of tools', () => {
  const long = `mcp__server__${'x'.repeat(60)}`;
  const wire = `${long.slice(0, 55)}_decef93c`;

  test('are valid on the wire, in the history too', () => {
    const found = {kind: 'text', text: 'Found it.', foundTool: long} as const;
    const request = ask('', {
      tools: [tool('Bash'), tool(long), tool('a.b'), tool('a_b')],
      messages: [
        user(text('Go')),
        assistant(call('1', long), call('2', 'a.b'), call('3', 'no such tool'), call('4', '')),
        user(result('1', found), result('2', text('ok')), result('3', text('ok')), result('4', text('ok'))),
      ],
    });
    expect(sendableRequest(request, {fitId: idRules.chat, schema: 'any'})).toEqual({
      ...request,
      tools: [tool('Bash'), tool(wire), tool('a_b_2'), tool('a_b')],
      messages: [
        user(text('Go')),
        assistant(call('1', wire), call('2', 'a_b_2'), call('3', 'no_such_tool'), call('4', 'unknown')),
        user(
          result('1', {...found, foundTool: wire}),
          result('2', text('ok')),
          result('3', text('ok')),
          result('4', text('ok')),
        ),
      ],
    });
  });

  test('are translated back', () => {
    const names = new ToolNames([tool('Grep'), tool(long), tool('a.b'), tool('a_b')]);
    const asked = [wire, 'a_b_2', 'a_b', 'Grep', 'Grep<arg_value>x', 'Other<arg_value>', 'Other', long];
    expect(asked.map(name => names.toOwn(name))).toEqual([
      long,
      'a.b',
      'a_b',
      'Grep',
      'Grep',
      'Other<arg_value>',
      'Other',
      long,
    ]);
  });

  test('are unique and valid, whatever they are', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({maxLength: 90, unit: 'grapheme'}), {maxLength: 8}), given => {
        const names = new ToolNames(given.map(tool));
        const all = given.map(name => names.toWire(name));
        expect(new Set(all).size).toBe(given.length);
        expect(all.filter(name => !/^[\w-]{1,64}$/u.test(name))).toEqual([]);
        expect(all.map(name => names.toOwn(name))).toEqual(given);
      }),
      {numRuns: randomInputs(100)},
    );
  });
});

describe('JSON', () => {
  test('holds no half of a surrogate pair, and everything else as it is', () => {
    const body = {a: '\ud83d', b: 'x\udc00y', c: '\ud83d\ude00', d: '\\ud83d', e: '\\\ud83d\n', f: '\\n"'};
    expect(JSON.parse(wireJson(body))).toEqual({
      a: '\ufffd',
      b: 'x\ufffdy',
      c: '\ud83d\ude00',
      d: '\\ud83d',
      e: '\\\ufffd\n',
      f: '\\n"',
    });
  });

  test('is as JSON.stringify writes it if the text is well formed', () => {
    fc.assert(
      fc.property(fc.string({unit: 'binary'}), given => {
        expect(JSON.parse(wireJson({given}))).toEqual({given: given.toWellFormed()});
      }),
      {numRuns: randomInputs(200)},
    );
  });
});
