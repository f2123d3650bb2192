import {describe, expect, test} from 'vitest';
import {type Answer, breakOff, dropAfter, fail, say, usage} from '../../support/model-script.ts';
import {blocksOf} from '../../support/model-events.ts';
import {dialects, run, type Run} from './run-provider.ts';

const models = ({server}: Run): readonly string[] => server.requests.map(({body}) => body.model);
const fallBacks = ({events}: Run): readonly unknown[] =>
  events.flatMap(event =>
    event.event === 'fell-back' ? [`${event.model} to ${event.fallback}: ${event.trigger}`] : [],
  );
const again = (answer: Answer, times: number): readonly Answer[] => Array<Answer>(times).fill(answer);
const asked = (model: string, times: number): readonly string[] => Array<string>(times).fill(model);

describe.each(dialects)('%s: where the model cannot answer, the same request goes to another one', dialect => {
  const fallbacks = ['large-model', 'last-model'];

  test.each([
    ['overloaded (529)', fail(529), 3, 'overloaded'],
    ['overloaded (503)', fail(503), 3, 'overloaded'],
    ['the rate is limited (429)', fail(429), 3, 'overloaded'],
    ['the server has trouble (500)', fail(500), 3, 'server-error'],
    ['the server asks to wait an hour', fail(429, {headers: {'retry-after': '3600'}}), 1, 'overloaded'],
    ['there is no such model (404)', fail(404), 1, 'model-not-found'],
    ['the key may not use it (403)', fail(403), 1, 'not-allowed'],
  ] as const)('%s', async (_title, trouble, times, trigger) => {
    const done = await run(dialect, [...again(trouble, times), say('Done.')], {fallbacks});
    expect(models(done)).toEqual([...asked('small-model', times), 'large-model']);
    expect(fallBacks(done)).toEqual([`small-model to large-model: ${trigger}`]);
    const [first, last] = [done.server.requests[0]?.body, done.server.requests.at(-1)?.body];
    expect({...last, model: ''}).toEqual({...first, model: ''});
    expect(blocksOf(done.events)).toEqual([{kind: 'text', text: 'Done.'}]);
    expect(done.events.findLast(({event}) => event === 'message-started')).toMatchObject({model: 'large-model'});
  });

  test.runIf(dialect !== 'anthropic')('there is no such model, said with a 400', async () => {
    const done = await run(dialect, [fail(400, {code: 'model_not_found'}), say('Done.')], {fallbacks});
    expect(fallBacks(done)).toEqual(['small-model to large-model: model-not-found']);
  });

  test('one after the other, and the fault of the last one where none answers', async () => {
    const done = await run(dialect, [fail(404), fail(404), ...again(fail(529), 10)], {
      fallbacks,
    });
    expect(models(done)).toEqual(['small-model', 'large-model', ...asked('last-model', 10)]);
    expect(done.events.at(-1)).toMatchObject({event: 'failed', fault: {status: 529}});
  });

  test.each([
    ['a wrong key', fail(401)],
    ['no credit', fail(402)],
    ['a request that does not fit', fail(400)],
  ])('%s is nobody else’s to answer', async (_title, trouble) => {
    const done = await run(dialect, [trouble], {fallbacks});
    expect([models(done), fallBacks(done)]).toEqual([['small-model'], []]);
  });

  test('what was asked as a fallback itself goes on to those behind it', async () => {
    const done = await run(dialect, [fail(404), say('Done.')], {fallbacks: ['small-model', 'last-model']});
    expect(models(done)).toEqual(['small-model', 'last-model']);
  });

  test('an overload in the middle of the stream, before anything was said', async () => {
    const begun: Answer = [usage({}), breakOff('error')];
    const done = await run(dialect, [begun, begun, begun, say('Done.')], {fallbacks});
    expect(models(done)).toEqual([...asked('small-model', 3), 'large-model']);
    expect(blocksOf(done.events)).toEqual([{kind: 'text', text: 'Done.'}]);
  });

  test('nothing is said by two models: once a word was shown the model alone goes on', async () => {
    const broken = dropAfter(1, say('one two three'));
    const done = await run(dialect, [broken, ...again(fail(529), 9)], {fallbacks});
    expect([models(done), fallBacks(done)]).toEqual([asked('small-model', 10), []]);
  });

  test('a connection that is not there is not there for the other model either', async () => {
    const done = await run(dialect, again(breakOff('reset'), 10), {fallbacks});
    expect([models(done), fallBacks(done)]).toEqual([asked('small-model', 10), []]);
  });
});
