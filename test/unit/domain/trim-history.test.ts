import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {estimateMessagesTokens} from '../../../src/domain/compaction.ts';
import {toolCalls, type Message, type ResultContent} from '../../../src/domain/conversation.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import {trimHistory} from '../../../src/domain/history.ts';
import {noUsage} from '../../../src/domain/usage.ts';

const said = (text: string): Message => ({role: 'user', id: messageId(text), blocks: [{kind: 'text', text}]});
const answered = (text: string, ...calls: readonly string[]): Message => ({
  role: 'assistant',
  id: messageId(text),
  model: 'm',
  blocks: [
    {kind: 'text', text},
    ...calls.map(id => ({kind: 'tool-call', id: actionId(id), name: 'Bash', input: {command: id}}) as const),
  ],
  stop: calls.length > 0 ? 'tool-use' : 'end-turn',
  usage: noUsage,
});
const told = (...results: readonly (readonly [string, ResultContent])[]): Message => ({
  role: 'user',
  id: messageId(`told ${results.map(([id]) => id).join(' ')}`),
  blocks: results.map(([id, content]) => ({
    kind: 'tool-result',
    id: actionId(id),
    content: [content],
    outcome: 'success',
  })),
});
const text = (length: number): ResultContent => ({kind: 'text', text: 'x'.repeat(length)});
const image: ResultContent = {kind: 'image', mediaType: 'image/png', data: 'AAAA'};

/** Two exchanges with a long result each. */
const talk = [
  said('p1'),
  answered('a1', 'c1'),
  told(['c1', text(8000)]),
  answered('b1'),
  said('p2'),
  answered('a2', 'c2'),
  told(['c2', text(8000)]),
  answered('b2'),
];
const lengths = (messages: readonly Message[]): readonly number[] =>
  messages.flatMap(({blocks}) =>
    blocks.flatMap(block => (block.kind === 'tool-result' ? [JSON.stringify(block.content).length] : [])),
  );

describe('a history is made shorter', () => {
  test('what fits stays as it is', () => {
    expect(trimHistory(talk, 10_000)).toEqual({messages: talk, shortenedResults: 0, droppedExchanges: 0});
  });

  test('the message to keep stays, even if nothing fits', () => {
    const kept = messageId('p2');
    expect(trimHistory(talk, 0, kept).messages).toEqual([said('p2')]);
    expect(trimHistory([...talk, said('a note'), answered('b3')], 0, kept).messages).toEqual([said('p2')]);
  });

  test('first the oldest results are cut, and say so', () => {
    const {messages, shortenedResults, droppedExchanges} = trimHistory(talk, 3000);
    expect({shortenedResults, droppedExchanges}).toEqual({shortenedResults: 1, droppedExchanges: 0});
    expect(messages.map(({id}) => id)).toEqual(talk.map(({id}) => id));
    expect(messages.slice(4)).toEqual(talk.slice(4));
    expect(JSON.stringify(messages[2])).toContain('it had 8000 characters');
  });

  test('then the oldest exchanges go, before anything of the last one', () => {
    expect(trimHistory(talk, 2100)).toEqual({messages: talk.slice(4), shortenedResults: 1, droppedExchanges: 1});
  });

  test('then the results of the last and its rounds, and its prompt goes at the very last', () => {
    const {messages, shortenedResults, droppedExchanges} = trimHistory(talk, 300);
    expect({ids: messages.map(({id}) => id), shortenedResults, droppedExchanges}).toEqual({
      ids: talk.slice(4).map(({id}) => id),
      shortenedResults: 2,
      droppedExchanges: 1,
    });
    expect(lengths(messages)[0]).toBeLessThan(600);
    const few = trimHistory(talk, 15);
    expect(few.messages.map(({id}) => id)).toEqual(['p2', 'b2']);
    expect(few).toMatchObject({shortenedResults: 2, droppedExchanges: 1});
    expect(trimHistory(talk, 3)).toEqual({messages: [], shortenedResults: 2, droppedExchanges: 2});
  });

  test('images in results are left out', () => {
    const seen = [said('p'), answered('a', 'c'), told(['c', image]), answered('b')];
    const {messages} = trimHistory(seen, 200);
    expect(messages[2]).toEqual(told(['c', {kind: 'text', text: '[image left out by weft]'}]));
  });

  test('any history stays valid, comes to no more than asked for, and never grows', () => {
    const call = fc.constantFrom(text(10), text(700), text(5000), image);
    const turn = fc.array(call, {maxLength: 3});
    const exchange = fc.array(turn, {maxLength: 4});
    fc.assert(
      fc.property(fc.array(exchange, {maxLength: 6}), fc.nat({max: 12_000}), (exchanges, most) => {
        let number = 0;
        const history = exchanges.flatMap((turns, at) => [
          said(`p${at}`),
          ...turns.flatMap(results => {
            const ids = results.map(() => `c${number++}`);
            const answer = answered(`a${number++}`, ...ids);
            return ids.length === 0
              ? [answer]
              : [answer, told(...ids.map((id, of) => [id, results[of] ?? image] as const))];
          }),
        ]);
        const {messages, droppedExchanges} = trimHistory(history, most);
        expect(messages[0]?.blocks[0]?.kind ?? 'text').toBe('text');
        expect(messages[0]?.role ?? 'user').toBe('user');
        for (const [at, message] of messages.entries()) {
          if (message.role !== 'assistant') continue;
          const results =
            messages[at + 1]?.blocks.flatMap(block => (block.kind === 'tool-result' ? [block.id] : [])) ?? [];
          expect(results).toEqual(toolCalls(message).map(({id}) => id));
        }
        expect(estimateMessagesTokens(messages)).toBeLessThanOrEqual(Math.min(most, estimateMessagesTokens(history)));
        // The prompt of the last exchange stays, and what is left of the rest is the end.
        const rest = messages.map(({id}) => id).filter(id => id !== `p${exchanges.length - 1}`);
        const ids = history.map(({id}) => id).filter(id => id !== `p${exchanges.length - 1}`);
        expect(rest).toEqual(ids.slice(ids.length - rest.length));
        expect(droppedExchanges).toBe(exchanges.length - messages.filter(({id}) => id.startsWith('p')).length);
      }),
    );
  });
});
