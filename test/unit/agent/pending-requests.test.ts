import {expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/actions/agent-event.ts';
import {type Interaction, PendingRequests} from '../../../src/agent/pending-requests.ts';
import {actionId, blockId} from '../../../src/domain/ids.ts';
import type {Asker} from '../../../src/domain/sub-agent.ts';

const main: Asker = 'main';
const never = new AbortController().signal;
const question = (text: string) => ({question: text, header: 'h', options: [], choice: 'one'}) as const;
const answered = (other: string) => ({kind: 'answered', answers: [{selected: ['a'], other}]}) as const;

const redact = (text: string): string => text.replaceAll('secret', 'XXX');

/** Requests whose clock a test sets, and in whose answers the secret stands as XXX. */
function requests(interaction: Interaction = 'interactive') {
  const told: string[] = [];
  const clock = {time: 0};
  const pending = new PendingRequests({
    interaction,
    clock: {now: () => clock.time},
    publish: events => told.push(...events.map(nameOf)),
    secrets: {redact, redactDeep: value => JSON.parse(redact(JSON.stringify(value)))},
  });
  pending.onAsking((_, on) => told.push(on === undefined ? 'asks nothing' : `asks ${on}`));
  return {pending, told, clock, portsOf: (id: string) => pending.portsFor(actionId(id), main)};
}

const nameOf = (event: AgentEvent): string => ('id' in event ? `${event.event} ${event.id}` : event.event);
/** Lets all go on that waits for nothing else. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

test('one question at a time stands before the user, and each takes the answer to itself', async () => {
  const {pending, told, portsOf} = requests();
  const [one, two] = ['one', 'two'].map(id => portsOf(id).questions.ask([question(`${id}?`)], never));
  await settle();
  expect(told).toEqual(['asks one?', 'question-asked one']);
  pending.answer({op: 'answer-question', id: actionId('two'), answer: answered('too early')});
  pending.answer({op: 'answer-question', id: actionId('one'), answer: answered('my secret')});
  await settle();
  pending.answer({op: 'answer-question', id: actionId('one'), answer: answered('too late')});
  pending.answer({op: 'answer-question', id: actionId('two'), answer: {kind: 'dismissed'}});
  expect(await Promise.all([one, two])).toEqual([answered('my XXX'), {kind: 'dismissed'}]);
  expect(told).toEqual([
    'asks one?',
    'question-asked one',
    'question-settled one',
    'asks nothing',
    'asks two?',
    'question-asked two',
    'question-settled two',
    'asks nothing',
  ]);
});

test('who is stopped before his turn is never shown, and the next one has it', async () => {
  const {pending, told, portsOf} = requests();
  const stop = new AbortController();
  const open = portsOf('open').questions.ask([question('open?')], never);
  const stopped = [
    portsOf('question').questions.ask([question('why?')], stop.signal),
    portsOf('hand-over').handOvers.handOver({id: blockId('b'), reason: 'log in'}, stop.signal),
  ];
  const last = portsOf('last').handOvers.handOver({id: blockId('b'), reason: 'look'}, never);
  await settle();
  stop.abort();
  expect(await Promise.all(stopped)).toEqual([{kind: 'dismissed'}, 'declined']);
  pending.answer({op: 'answer-question', id: actionId('open'), answer: answered('')});
  await open;
  await settle();
  pending.answer({op: 'answer-hand-over', id: actionId('last'), end: 'detached'});
  expect(await last).toBe('detached');
  expect(told).toEqual([
    'asks open?',
    'question-asked open',
    'question-settled open',
    'asks nothing',
    'asks look',
    'hand-over-asked last',
    'hand-over-settled last',
    'asks nothing',
  ]);
});

test('what is stopped while it is asked is settled as not answered', async () => {
  const {told, portsOf} = requests();
  const stop = new AbortController();
  const asked = portsOf('q').questions.ask([question('why?')], stop.signal);
  await settle();
  stop.abort();
  expect(await asked).toEqual({kind: 'dismissed'});
  const given = portsOf('h').handOvers.handOver({id: blockId('b'), reason: 'look'}, stop.signal);
  expect(await given).toBe('declined');
  expect(told).toEqual([
    'asks why?',
    'question-asked q',
    'question-settled q',
    'asks nothing',
    'asks look',
    'hand-over-asked h',
    'hand-over-settled h',
    'asks nothing',
  ]);
});

test('a question that breaks gives its turn on', async () => {
  const {pending, told} = requests();
  const broken = pending.runInTurn({asker: main, on: 'one'}, () => Promise.reject(new Error('broken')), never);
  const next = pending.runInTurn({asker: main, on: 'two'}, async () => 'fine', never);
  await expect(broken).rejects.toThrow('broken');
  expect(await next).toBe('fine');
  expect(told).toEqual(['asks one', 'asks nothing', 'asks two', 'asks nothing']);
});

test('where nobody answers, nothing is asked', async () => {
  const {told, portsOf} = requests('unattended');
  const {questions, handOvers} = portsOf('a');
  expect(await questions.ask([question('why?')], never)).toEqual({kind: 'unattended'});
  expect(await handOvers.handOver({id: blockId('b'), reason: 'look'}, never)).toBe('unattended');
  expect(told).toEqual([]);
});

test('the time in which anything waits for the user counts once', async () => {
  const {pending, clock} = requests();
  const waits = (id: string, signal = never) => pending.approvals.wait(actionId(id), 'aborted', signal);
  const allow = (id: string) =>
    pending.answer({op: 'answer-approval', id: actionId(id), answer: {decision: 'allow', scope: 'once'}});
  clock.time = 100;
  const one = waits('one');
  clock.time = 110;
  expect(pending.waitedMs).toBe(10);
  const two = waits('two');
  clock.time = 130;
  allow('one');
  clock.time = 150;
  expect(pending.waitedMs).toBe(50);
  allow('two');
  allow('two');
  await Promise.all([one, two]);
  clock.time = 1000;
  expect(pending.waitedMs).toBe(50);
  expect(await waits('late', AbortSignal.abort())).toBe('aborted');
  const stop = new AbortController();
  const stopped = waits('stopped', stop.signal);
  clock.time = 1005;
  stop.abort();
  expect(await stopped).toBe('aborted');
  clock.time = 2000;
  expect(pending.waitedMs).toBe(55);
});

test('what the end of an action finds answered stays answered', async () => {
  const {pending, clock} = requests();
  const stop = new AbortController();
  const waiting = pending.approvals.wait(actionId('a'), 'aborted', stop.signal);
  pending.answer({op: 'answer-approval', id: actionId('a'), answer: {decision: 'allow', scope: 'once'}});
  stop.abort();
  const next = pending.approvals.wait(actionId('b'), 'aborted', never);
  clock.time = 7;
  expect(pending.waitedMs).toBe(7);
  pending.answer({op: 'answer-approval', id: actionId('b'), answer: {decision: 'allow', scope: 'session'}});
  expect(await Promise.all([waiting, next])).toEqual([
    {decision: 'allow', scope: 'once'},
    {decision: 'allow', scope: 'session'},
  ]);
});

test.each([
  {decision: 'allow-rule', rule: 'Bash(secret:*)', scope: 'user'} as const,
  {decision: 'allow-files', paths: ['secret']} as const,
])('an answer that names a rule or paths is taken as it is: $decision', async answer => {
  const {pending} = requests();
  const waiting = pending.approvals.wait(actionId('a'), 'aborted', never);
  pending.answer({op: 'answer-approval', id: actionId('a'), answer});
  expect(await waiting).toEqual(answer);
});

test.each([
  [
    {decision: 'allow-updated', input: {command: 'secret'}, rules: []} as const,
    {decision: 'allow-updated', input: {command: 'XXX'}, rules: []},
  ],
  [{decision: 'allow-edited', command: 'echo secret'} as const, {decision: 'allow-edited', command: 'echo XXX'}],
  [
    {decision: 'refuse', message: 'no secret', by: 'user'} as const,
    {decision: 'refuse', message: 'no XXX', by: 'user'},
  ],
])('no secret that the user types into an answer goes on: %j', async (answer, taken) => {
  const {pending} = requests();
  const waiting = pending.approvals.wait(actionId('a'), 'aborted', never);
  pending.answer({op: 'answer-approval', id: actionId('a'), answer});
  expect(await waiting).toEqual(taken);
});
