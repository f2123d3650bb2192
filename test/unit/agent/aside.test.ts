import {expect, test} from 'vitest';
import {messageText} from '../../../src/domain/conversation.ts';
import {
  callBlock,
  callsTools,
  engineBench,
  finishedReport,
  promptOp,
  says,
  valueOf,
} from '../../support/memory-ports.ts';

const words = 'Which file was that?';

test('a question beside the conversation begins like its next request, costs, and leaves no message', async () => {
  const bench = engineBench([says('It is a.ts.'), says('That was a.ts.'), says('Go on.')]);
  await bench.prompt('look');
  const {kept} = bench.session;
  const before = kept.length;
  expect(valueOf(await bench.query({query: 'ask-aside', question: words}))).toBe('That was a.ts.');
  // The journal gets the usage and nothing else.
  expect(kept.slice(before).map(({kind}) => kind)).toEqual(['agent-usage']);
  await bench.prompt('go on');
  const [first, aside, next] = bench.model.requests;
  const earlier = next?.messages.slice(0, 2) ?? [];
  expect(aside?.messages.slice(0, 2)).toEqual(earlier);
  expect([aside?.system, aside?.tools, aside?.thinking]).toEqual([first?.system, first?.tools, first?.thinking]);
  expect(aside?.messages.at(-1)?.blocks.at(-1)).toEqual({kind: 'text', text: words});
  expect(JSON.stringify(next?.messages)).not.toContain(words);
  const usage = bench.events.findLast(event => event.event === 'usage-changed');
  expect(usage?.event === 'usage-changed' && Object.values(usage.usage.models)[0]?.requests).toBe(3);
});

test('the question is answered while a call runs, which gets a result in that request alone', async () => {
  const gate = Promise.withResolvers<undefined>();
  const begun = Promise.withResolvers<undefined>();
  const shell = async () => {
    begun.resolve(undefined);
    await gate.promise;
    return finishedReport('done');
  };
  const bench = engineBench([callsTools(callBlock('Bash', {command: 'npm test'}, 'c1')), says('Tests.'), says('Ok.')], {
    shell,
  });
  bench.engine.submit(promptOp('run the tests'));
  await begun.promise;
  expect(valueOf(await bench.query({query: 'ask-aside', question: 'What runs?'}))).toBe('Tests.');
  gate.resolve(undefined);
  expect((await bench.next('prompt-finished')).summary.end).toEqual({kind: 'done'});
  const [, aside, next] = bench.model.requests;
  const last = aside?.messages.at(-1);
  expect(last?.blocks[0]).toMatchObject({kind: 'tool-result', id: 'c1'});
  expect(next?.messages.length).toBe(3);
  expect(JSON.stringify(next?.messages)).toContain('done');
  expect(JSON.stringify(next?.messages)).not.toContain('What runs?');
});

test('a question without an answer in words, without a model, and an empty one fail', async () => {
  const bench = engineBench([callsTools(callBlock('Bash', {command: 'ls'}))]);
  const messages = [
    await bench.query({query: 'ask-aside', question: 'x'}),
    await bench.query({query: 'ask-aside', question: 'x'}),
    await bench.query({query: 'ask-aside', question: ''}),
  ].map(answer => answer.tag === 'failed' && answer.error.message);
  expect(messages).toEqual([
    'The model gave no answer in words. Ask it as a prompt instead.',
    'The model did not answer: The script has ended.',
    'Add the question, such as /btw which file was that?',
  ]);
});

test('/btw as a prompt is answered without a trace, and /rename takes the name that the model proposes', async () => {
  const bench = engineBench([says('Hello.'), says('Because.'), says('**"Greet the user."**'), says('Bye.')]);
  await bench.prompt('hi');
  expect(await bench.prompt('/btw why?')).toMatchObject({answer: 'Because.', end: {kind: 'done'}});
  expect(await bench.prompt('/rename')).toMatchObject({answer: 'Session renamed: Greet the user'});
  await bench.prompt('bye');
  expect(bench.model.requests.at(-1)?.messages.map(message => messageText(message))).toEqual(['hi', 'Hello.', 'bye']);
  expect(bench.session.kept).toContainEqual({kind: 'title', title: 'Greet the user'});
});

test('a session without messages gets no name from the model', async () => {
  const bench = engineBench([]);
  expect(await bench.query({query: 'rename-session', title: ''})).toMatchObject({tag: 'failed'});
  expect(bench.model.requests).toEqual([]);
});
