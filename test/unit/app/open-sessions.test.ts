import {describe, expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/actions/agent-event.ts';
import type {BlockInfo} from '../../../src/actions/ports.ts';
import type {AgentClient, Op} from '../../../src/agent/client.ts';
import {failed, ok, type Outcome} from '../../../src/base/outcome.ts';
import {OpenSessions, withEarlierEvents} from '../../../src/app/open-sessions.ts';
import type {Message} from '../../../src/domain/conversation.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {actionId, blockId, messageId, parseSessionId, type SessionId} from '../../../src/domain/ids.ts';
import type {AgentRow} from '../../../src/domain/sub-agent.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {exploringAgent} from '../../support/exploring-agent.ts';
import {lookUntil} from '../../support/look-until.ts';
import {accepted, delta, finished, textStarted} from '../../tui/support/events.ts';
import {opening, scriptedEngine, sessionInfo} from '../../tui/support/scripted-engine.ts';

function idOf(n: number): SessionId {
  const id = parseSessionId(`00000000-0000-4000-8000-00000000000${n}`);
  if (id === undefined) throw new Error('no id');
  return id;
}

const block: BlockInfo = {
  id: blockId('b1'),
  command: 'npm run dev',
  state: {kind: 'running'},
  ageMs: 0,
  ports: [],
  lastLine: '',
  life: 'with-weft',
};

/** A session of a scripted engine, whose background commands the test tells. */
function session(n: number) {
  const engine = scriptedEngine();
  const watchers = new Set<(blocks: readonly BlockInfo[]) => void>();
  const state = {closed: 0, history: [] as readonly Message[], gate: Promise.resolve()};
  const client: AgentClient = {
    ...engine,
    subscribe: listener =>
      engine.subscribe(events =>
        listener(
          events.map(event =>
            event.event === 'session-opened'
              ? {...event, session: {...sessionInfo, id: idOf(n)}, history: state.history}
              : event,
          ),
        ),
      ),
    async watch(request, listener, signal) {
      if (request.watch !== 'terminals') return {tag: 'cancelled'};
      const hear = listener as (blocks: readonly BlockInfo[]) => void;
      watchers.add(hear);
      hear([]);
      await new Promise(resolve => signal.addEventListener('abort', resolve, {once: true}));
      watchers.delete(hear);
      return {tag: 'cancelled'};
    },
    async close() {
      state.closed += 1;
      engine.emit(finished({kind: 'interrupted'}));
      await state.gate;
    },
  };
  const runs = (...blocks: readonly BlockInfo[]): void => watchers.forEach(hear => hear(blocks));
  const emit = (...events: readonly AgentEvent[]): void => {
    for (const event of events)
      if (event.event === 'prompt-accepted')
        state.history = [{role: 'user', id: event.id, blocks: [{kind: 'text', text: event.text}]}];
    engine.emit(...events);
  };
  return {client: withEarlierEvents(client), emit, ops: engine.ops, runs, state, id: idOf(n)};
}

type Session = ReturnType<typeof session>;

/** Sessions of a front end that has opened the first of them; the others are those that are opened later, in order. */
function opened(first: Session, ...others: readonly Outcome<Session, string>[]) {
  const next = [...others];
  let ids = 0;
  const sessions = new OpenSessions(first.client, {
    async open() {
      const given = next.shift() ?? failed('None is left.');
      return given.tag === 'ok' ? ok(given.value.client) : given;
    },
    engineWhenIdle: 'reuse',
    newPromptId: () => messageId(`own${++ids}`),
    now: () => 0,
  });
  const heard: AgentEvent[] = [];
  sessions.subscribe(events => void heard.push(...events));
  const said = (): readonly string[] => heard.flatMap(event => (event.event === 'notice' ? [event.text] : []));
  const shown = (): readonly string[] =>
    heard.flatMap(event => (event.event === 'session-opened' ? [event.session.id] : []));
  const arrives = (id: SessionId): Promise<void> =>
    lookUntil(
      () => shown().at(-1) === id,
      () => `${id} was not shown`,
    );
  return {sessions, heard, said, shown, arrives};
}

const clear: Op = {op: 'open-session', session: {kind: 'new'}};
const resume = (id: SessionId): Op => ({op: 'open-session', session: {kind: 'resume', id}});
const prompt = (text: string): Op => ({op: 'prompt', id: messageId(text), text, images: [], when: 'queued'});
const states = (sessions: OpenSessions) => sessions.running().map(({summary, state}) => [summary.title, state]);

const row: AgentRow = {
  agent: {
    id: idOf(9),
    call: actionId('a'),
    name: 'find',
    ...exploringAgent,
  },
  status: {kind: 'in_progress', doing: ''},
  progress: {turns: 0, calls: 0, usage: noUsage, costUsd: 0, files: []},
  place: 'background',
};

describe('leaving a session', () => {
  test('at rest, its engine goes over to the next one itself', async () => {
    const one = session(1);
    const {sessions} = opened(one);
    sessions.submit(clear);
    await lookUntil(
      () => one.ops.length > 0,
      () => 'nothing submitted',
    );
    expect(one.ops).toEqual([clear]);
  });

  test('that works, it goes on and is entered again with all that has happened in it', async () => {
    const [one, two] = [session(1), session(2)];
    const {sessions, heard, said, arrives} = opened(one, ok(two));
    one.emit({event: 'mode-changed', mode: 'acceptEdits'}, accepted('Fix it'), textStarted, delta('Half '));
    sessions.submit(clear);
    // It is meant for the session that is being opened.
    sessions.submit(prompt('next'));
    await arrives(two.id);
    expect([one.ops, two.ops]).toEqual([[], [{op: 'set-mode', mode: 'acceptEdits'}, prompt('next')]]);
    expect(said()).toEqual(['Session "Fix it" continues in the background. To return to it, type /resume.']);
    expect(states(sessions)).toEqual([['Fix it', 'running']]);
    one.emit(delta('done'));
    two.emit({event: 'prompt-withdrawn', id: messageId('next')});
    heard.length = 0;
    sessions.submit(resume(one.id));
    await arrives(one.id);
    expect(heard).toEqual([
      expect.objectContaining({session: {...sessionInfo, origin: 'resumed', id: one.id}, history: []}),
      accepted('Fix it'),
      textStarted,
      delta('Half done'),
    ]);
    expect([two.state.closed, one.state.closed]).toEqual([1, 0]);
    one.emit({...opening, session: {...sessionInfo, origin: 'new'}});
    expect(heard.at(-1)).toMatchObject({session: {origin: 'new'}});
  });

  test('that cannot be opened leaves the user where he was', async () => {
    const one = session(1);
    const {sessions, said} = opened(one, failed('The disk is full.'));
    one.emit(accepted('Fix it'));
    sessions.submit(clear);
    sessions.submit(prompt('more'));
    await lookUntil(
      () => one.ops.length > 0,
      () => 'nothing submitted',
    );
    expect([said(), one.ops]).toEqual([['The disk is full.'], [prompt('more')]]);
  });

  test('more than eight are not open at once', async () => {
    const all = Array.from({length: 9}, (_, at) => session(at));
    const [first = expect.unreachable(), ...others] = all;
    const {sessions, said, arrives} = opened(first, ...others.map(each => ok(each)));
    for (const [at, each] of all.slice(0, 7).entries()) {
      each.emit(accepted(`Task ${at}`));
      sessions.submit(clear);
      await arrives(idOf(at + 1));
    }
    all[7]?.emit(accepted('Task 7'));
    sessions.submit(clear);
    await lookUntil(
      () => said().length === 8,
      () => said().join('\n'),
    );
    expect(said().at(-1)).toBe('8 sessions are open. Stop one first. To list them, type /resume.');
    await sessions.close('shutdown');
    expect(all.map(({state}) => state.closed)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0]);
    expect(sessions.running()).toHaveLength(7);
  });
});

/** A session that works and was left for another one. */
async function left(...events: readonly AgentEvent[]) {
  const [one, two] = [session(1), session(2)];
  const scene = opened(one, ok(two));
  one.emit(accepted('Fix it'), ...events);
  scene.sessions.submit(clear);
  await scene.arrives(two.id);
  scene.heard.length = 0;
  return {...scene, one, two};
}

describe('a session in the background', () => {
  test('says when it needs an answer', async () => {
    const {sessions, said, one} = await left();
    const id = actionId('q');
    one.emit({event: 'question-asked', id, asker: 'main', questions: [], files: []});
    expect(said()).toEqual(['Session "Fix it" needs your answer. To open it, type /resume.']);
    expect(states(sessions)).toEqual([['Fix it', 'needs-input']]);
    one.emit({event: 'question-settled', id});
    expect(states(sessions)).toEqual([['Fix it', 'running']]);
  });

  test.each([
    [{kind: 'done'}, 'Session "Fix it" is done. To open it, type /resume.'],
    [{kind: 'interrupted'}, 'Session "Fix it" was stopped. To open it, type /resume.'],
    [{kind: 'failed', fault: rejected('No network')}, 'Session "Fix it" failed: No network'],
  ] as const)('says how it ended, and is closed: %j', async (end, text) => {
    const {sessions, said, one} = await left();
    one.emit(finished(end));
    expect([said(), one.state.closed, sessions.running()]).toEqual([[text], 1, []]);
  });

  test('is closed before it is opened again', async () => {
    const {sessions, one, two} = await left();
    const gate = Promise.withResolvers<void>();
    one.state.gate = gate.promise;
    one.emit(finished({kind: 'done'}));
    sessions.submit(resume(one.id));
    await new Promise(resolve => setImmediate(resolve));
    expect(two.ops).toEqual([]);
    gate.resolve();
    await lookUntil(
      () => two.ops.length > 0,
      () => 'nothing submitted',
    );
    expect(two.ops).toEqual([resume(one.id)]);
  });

  test('stays open while its commands run', async () => {
    const {sessions, said, one} = await left();
    one.runs(block);
    one.emit(finished({kind: 'done'}));
    expect(said()).toEqual([
      'Session "Fix it" is done; its background commands are still running. To open it, type /resume.',
    ]);
    expect([states(sessions), one.state.closed]).toEqual([[['Fix it', 'commands']], 0]);
    expect(sessions.running()[0]?.background).toEqual(['npm run dev']);
    one.runs();
    expect([sessions.running(), one.state.closed]).toEqual([[], 1]);
  });

  test('hears of its agents, as a session that is shown does', async () => {
    const {said, one} = await left({event: 'agent-started', row});
    one.emit(finished({kind: 'done'}));
    expect([said(), one.state.closed]).toEqual([[], 0]);
    one.emit({event: 'agent-changed', row: {...row, status: {kind: 'succeeded', answer: 'There.'}}});
    expect([one.ops, one.state.closed]).toEqual([[{op: 'hear-agents', id: messageId('own1')}], 0]);
    one.emit({event: 'prompt-withdrawn', id: messageId('own1')});
    expect([said(), one.state.closed]).toEqual([['Session "Fix it" is done. To open it, type /resume.'], 1]);
  });

  test('does not show its commands among those of the session that is shown', async () => {
    const one = session(1);
    const two = session(2);
    const {sessions, arrives} = opened(one, ok(two));
    const lists: (readonly BlockInfo[])[] = [];
    const over = new AbortController();
    const watching = sessions.watch({watch: 'terminals'}, blocks => void lists.push(blocks), over.signal);
    one.emit(accepted('Fix it'));
    one.runs(block);
    sessions.submit(clear);
    await arrives(two.id);
    await lookUntil(
      () => lists.length === 3,
      () => JSON.stringify(lists),
    );
    one.runs(block, block);
    expect(lists).toEqual([[], [block], []]);
    over.abort();
    expect(await watching).toEqual({tag: 'cancelled'});
  });
});
