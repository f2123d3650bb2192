import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline/promises';
import {DatabaseSync} from 'node:sqlite';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {parseSessionId, planId, scheduleId} from '../../../src/domain/ids.ts';
import type {JobSpec, JobStore, SpecOf} from '../../../src/domain/job.ts';
import type {RunningAgent} from '../../../src/domain/sub-agent.ts';
import {makeJobStore} from '../../../src/store/job-store.ts';
import {lookUntil} from '../../support/look-until.ts';
import {openDatabase} from './open-database.ts';
import {onEachDatabase, temporaryFile, uuid} from './temporary-store.ts';

const opened = (name: string, pid = process.pid): JobStore =>
  makeJobStore(openDatabase(name, {process: {pid}, now: () => 5}), () => 5);

const execution = (plan: string): SpecOf<'execution'> => ({
  kind: 'execution',
  plan: planId(plan),
  prompt: 'p',
  directory: '/w',
  sandbox: 'of-settings',
  model: '',
  baseUrl: '',
  skills: '/s',
});

const stackRun: JobSpec = {kind: 'stack', harness: 'weft', afterFailure: 'stop', positions: 'all', directory: '/w'};
const session = parseSessionId(uuid(1)) ?? expect.unreachable();
const other = parseSessionId(uuid(2)) ?? expect.unreachable();

const agent = (number: number): RunningAgent => ({
  id: parseSessionId(uuid(number)) ?? expect.unreachable(),
  parent: parseSessionId(uuid(9)) ?? expect.unreachable(),
  name: 'Look for prices',
  kind: 'explore',
  harness: 'weft',
  directory: '/w',
  startedAt: number,
  pid: 7,
});

/** Another process that works on jobs, and tells a line after each thing it has done. */
function startChild(
  name: string,
  task: 'steps' | 'hold' | 'work',
  id = '',
): {
  readonly lines: string[];
  next(): void;
  kill(): Promise<void>;
} {
  const program = fileURLToPath(new URL('job-child.ts', import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', program, name, task, id], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({input: child.stdout}).on('line', line => lines.push(line));
  return {
    lines,
    next: () => void child.stdin.write('\n'),
    async kill() {
      const gone = once(child, 'close');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

onEachDatabase(database => {
  test('a job is kept whole, and done by one at a time', async () => {
    const [one, two] = [opened(database.name), opened(database.name)];
    const job = {id: 'a', spec: execution('p'), session} as const;
    expect(await one.add(job, 'queued')).toBe('added');
    expect(await two.add({...job, spec: execution('q')}, 'queued')).toBe('used');
    expect(await two.add({...job, id: 'b'}, 'running')).toBe('busy');
    const waiting = {
      ...job,
      state: 'queued',
      attempt: 0,
      createdAt: 5,
      startedAt: 0,
      endedAt: 0,
      reason: '',
      cost: 0,
      files: [],
      news: 'none',
    };
    expect(await two.list({state: 'queued'})).toEqual([waiting]);
    const claimed = {...waiting, state: 'running', attempt: 1, startedAt: 5};
    expect(await two.claim('a')).toEqual({tag: 'ok', value: claimed});
    expect(await one.claim('a')).toEqual({tag: 'failed', error: 'running'});
    expect(await one.claim('x')).toEqual({tag: 'failed', error: 'unknown'});
    expect([...(await one.running())]).toEqual([session]);
    const files = [{path: 'f', action: 'created', at: 6, toolUseId: 't'}] as const;
    const end = {state: 'failed', session: other, reason: 'no \0 model', cost: 0.5, files, news: 'untold'} as const;
    expect(await two.change({id: 'a', attempt: 1}, end)).toBe('kept');
    expect(await one.list({id: 'a'})).toEqual([{...claimed, ...end, reason: 'no  model', endedAt: 5}]);
    expect(await one.claim('a')).toEqual({tag: 'failed', error: 'ended'});
    expect(await one.add({...job, id: 'b'}, 'running')).toBe('added');
    expect((await one.list({kind: 'execution'})).map(({id}) => id)).toEqual(['b', 'a']);
    one.close();
    two.close();
  });

  test('events are counted on from job to job of one key, of which the last two are kept', async () => {
    const store = opened(database.name);
    const of = {key: 'stack'} as const;
    for (const [index, id] of ['a', 'b', 'c'].entries()) {
      expect(await store.add({id, spec: stackRun, session: 'not-open'}, 'running')).toBe('added');
      expect(await store.add({id: 'x', spec: stackRun, session: 'not-open'}, 'running')).toBe('busy');
      const claim = {id, attempt: 1};
      expect(await store.lastEvent(of, 'ended')).toBe(index * 2);
      for (const data of ['1', '2'])
        expect(await store.append(claim, {id: index * 2 + Number(data), data: `"${id}${data}"`})).toBe('kept');
      await store.change(claim, {state: 'completed'});
    }
    expect(await store.events(of, 3, 9)).toEqual([
      {id: 4, data: '"b2"'},
      {id: 5, data: '"c1"'},
      {id: 6, data: '"c2"'},
    ]);
    expect([await store.events(of, 0, 1), await store.lastEvent(of, 'all')]).toEqual([[{id: 3, data: '"b1"'}], 6]);
    expect(await store.events({id: 'c'}, 0, 9)).toHaveLength(2);
    store.close();
  });

  test('what a job asks is seen and answered once by whoever shares the store', async () => {
    const [run, someone] = [opened(database.name), opened(database.name)];
    const claim = {id: 'j', attempt: 1};
    await run.add({id: 'j', spec: {kind: 'prompt', session}, session}, 'running');
    const allow = {kind: 'approval', decision: 'allow', message: ''} as const;
    const words = {kind: 'question', answers: {'Which?': ['A', 'B\0']}} as const;
    await run.ask(claim, {id: 'a', title: 'Run npm test'});
    await run.ask(claim, {id: 'b', title: 'Which\0?'});
    expect([await someone.waiting(session), await someone.waiting(other)]).toEqual([['Run npm test', 'Which?'], []]);
    expect([await someone.answer(session, 'a', allow), await someone.answer(session, 'a', allow)]).toEqual([
      'taken',
      'already-answered',
    ]);
    expect(await someone.answer(session, 'b', words)).toBe('taken');
    expect([await someone.answer(session, 'c', allow), await someone.answer(other, 'a', allow)]).toEqual([
      'unknown',
      'unknown',
    ]);
    const answers = [
      {id: 'a', answer: allow},
      {id: 'b', answer: words},
    ];
    expect(await run.heard(claim)).toEqual({stop: false, answers});
    await run.ask(claim, {id: 'd', title: 'Again'});
    await run.settle(claim, 'd');
    expect([await someone.answer(session, 'd', allow), await someone.waiting(session)]).toEqual([
      'already-answered',
      [],
    ]);
    expect([await someone.stop({session: other}), await someone.stop({session})]).toEqual(['unknown', 'asked']);
    expect(await run.heard(claim)).toEqual({stop: true, answers});
    await run.remove('j');
    expect([await someone.stop({session}), [...(await someone.running())]]).toEqual(['unknown', []]);
    expect(await run.heard(claim)).toBe('lost');
    run.close();
    someone.close();
  });

  test('agents at work are seen by others, which may ask to stop one', async () => {
    const [own, someone] = [opened(database.name), opened(database.name)];
    for (const each of [agent(1), agent(2)])
      await own.add({id: `agent ${each.id}`, spec: {kind: 'agent', agent: each}, session: 'not-open'}, 'running');
    expect((await someone.list({kind: 'agent'})).map(({spec}) => spec)).toEqual([
      {kind: 'agent', agent: agent(2)},
      {kind: 'agent', agent: agent(1)},
    ]);
    const key = `agent ${agent(1).id}`;
    expect([await someone.stop({key}), await someone.stop({key: 'agent x'})]).toEqual(['asked', 'unknown']);
    expect(await own.heard({id: key, attempt: 1})).toMatchObject({stop: true});
    await own.remove(key);
    expect(await someone.list({kind: 'agent'})).toHaveLength(1);
    own.close();
    someone.close();
  });

  test('what waits is stopped at once, and another one of its key may wait then', async () => {
    const store = opened(database.name);
    const job = {id: 'a', spec: execution('p'), session} as const;
    await store.add(job, 'queued');
    expect([await store.stop({session}), await store.stop({session})]).toEqual(['stopped', 'unknown']);
    expect(await store.list({id: 'a'})).toMatchObject([{state: 'stopped', endedAt: 5, startedAt: 0}]);
    expect(await store.claim('a')).toEqual({tag: 'failed', error: 'ended'});
    expect(await store.add({...job, id: 'b'}, 'queued')).toBe('added');
    store.close();
  });

  test('what a user has stopped is not gone on with; what its worker has stopped is', async () => {
    const store = opened(database.name);
    for (const id of ['a', 'b']) {
      await store.add({id, spec: execution(id), session}, 'queued');
      await store.claim(id);
      if (id === 'a') expect(await store.stop({id})).toBe('asked');
      await store.change({id, attempt: 1}, {state: 'stopped'});
    }
    expect(await store.claim('a')).toEqual({tag: 'failed', error: 'ended'});
    expect(await store.claim('b')).toMatchObject({tag: 'ok', value: {attempt: 2, state: 'running', reason: ''}});
    // Nor what another job of its key has taken over.
    await store.change({id: 'b', attempt: 2}, {state: 'stopped'});
    expect(await store.add({id: 'c', spec: execution('b'), session}, 'queued')).toBe('added');
    expect(await store.claim('b')).toEqual({tag: 'failed', error: 'ended'});
    store.close();
  });

  const told = ['added', 'claimed', 'open', 'event', 'asked', 'ended'];
  test.each(told.map((line, index) => [line, index] as const))(
    'killed after it was %s, a job is in one state, and is gone on with once',
    {tags: 'long', timeout: 60_000},
    async (line, index) => {
      const store = opened(database.name);
      const child = startChild(database.name, 'steps', 'a');
      for (let at = 0; at <= index; at += 1) {
        await lookUntil(
          () => child.lines.length > at,
          () => child.lines.join(' '),
        );
        if (at < index) child.next();
      }
      await child.kill();
      expect(child.lines.at(-1)).toBe(line);
      const state = async () => (await store.list({id: 'a'}))[0];
      // A server of a database hears of the end a moment later.
      await lookUntil(
        async () => (await state())?.state !== 'running',
        async () => JSON.stringify(await state()),
      );
      const cut = {state: 'stopped', reason: 'weft was cut off', attempt: 1};
      expect(await state()).toMatchObject(
        line === 'added'
          ? {state: 'queued', attempt: 0}
          : line === 'ended'
            ? {state: 'completed', attempt: 1, reason: ''}
            : cut,
      );
      expect(await store.events({id: 'a'}, 0, 9)).toHaveLength(index >= told.indexOf('event') ? 1 : 0);
      expect([await store.waiting(session), [...(await store.running())]]).toEqual([[], []]);
      const claims = [await store.claim('a'), await store.claim('a')].map(each =>
        each.tag === 'ok' ? each.value.attempt : each.error,
      );
      expect(claims).toEqual(line === 'ended' ? ['ended', 'ended'] : [line === 'added' ? 1 : 2, 'running']);
      // What it asked before it was killed waits for nothing.
      expect(await store.waiting(session)).toEqual([]);
      store.close();
    },
  );

  test(
    'the job of a schedule that was cut off is told to the user, and one of a plan is not',
    {tags: 'long'},
    async () => {
      const store = opened(database.name);
      const child = startChild(database.name, 'hold');
      await lookUntil(
        () => child.lines.length > 0,
        () => 'not begun',
      );
      await child.kill();
      const states = async () => {
        const [p, s] = [await store.list({id: 'p'}), await store.list({id: 's'})];
        return [...p, ...s].map(({id, state, news}) => [id, state, news]);
      };
      await lookUntil(
        async () => (await states()).every(([, state]) => state !== 'running'),
        async () => JSON.stringify(await states()),
      );
      const news = Object.fromEntries((await states()).map(([id, ...rest]) => [id, rest]));
      expect(news).toEqual({p: ['stopped', 'none'], s: ['stopped', 'untold']});
      store.close();
    },
  );

  test('two workers do 200 jobs, one of them is killed: each ends once', {tags: 'long', timeout: 120_000}, async () => {
    const store = opened(database.name);
    const names = Array.from({length: 200}, (_, at) => `job${String(at)}`);
    for (const id of names) await store.add({id, spec: execution(id), session: 'not-open'}, 'queued');
    const [victim, survivor] = [startChild(database.name, 'work'), startChild(database.name, 'work')];
    try {
      await lookUntil(
        () => victim.lines.length > 40,
        () => `${String(victim.lines.length)} begun`,
        60_000,
      );
      await victim.kill();
      const open = async () => (await store.list({kind: 'execution'})).filter(({state}) => state !== 'completed');
      await lookUntil(
        async () => (await open()).length === 0,
        async () => JSON.stringify((await open()).slice(0, 3)),
        60_000,
      );
    } finally {
      await survivor.kill();
    }
    const begun = [...victim.lines, ...survivor.lines];
    expect([...new Set(begun)].toSorted()).toEqual(names.toSorted());
    expect(begun.length - names.length).toBeLessThanOrEqual(1);
    for (const {id, attempt} of await store.list({kind: 'execution'})) {
      const events = await store.events({id}, 0, 9);
      expect([id, events.length]).toEqual([id, 1]);
      expect(attempt).toBeLessThanOrEqual(2);
    }
    store.close();
  });
});

test('who looks at jobs of a dead process waits for no lock of another program', async () => {
  using temporary = temporaryFile();
  const store = opened(temporary.file);
  const child = startChild(temporary.file, 'hold');
  await lookUntil(
    () => child.lines.length > 0,
    () => 'not begun',
  );
  await child.kill();
  const holder = new DatabaseSync(temporary.file);
  holder.exec('BEGIN IMMEDIATE');
  const states = await Promise.all(['p', 's'].map(async id => (await store.list({id})).map(({state}) => state)));
  expect([states, await store.running()]).toEqual([[['stopped'], ['stopped']], new Set()]);
  expect((await store.list({state: 'stopped'})).map(({id}) => id).toSorted()).toEqual(['p', 's']);
  holder.close();
  store.close();
});

test('a worker that was taken for dead writes nothing any more', async () => {
  using temporary = temporaryFile();
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {stdio: ['pipe', 'ignore', 'ignore']});
  const [stale, store] = [opened(temporary.file, child.pid), opened(temporary.file)];
  await store.add({id: 'a', spec: execution('p'), session: 'not-open'}, 'queued');
  expect(await stale.claim('a')).toMatchObject({tag: 'ok', value: {attempt: 1}});
  const gone = once(child, 'close');
  child.kill('SIGKILL');
  await gone;
  expect(await store.claim('a')).toMatchObject({tag: 'ok', value: {attempt: 2}});
  const late = {id: 'a', attempt: 1};
  expect(await stale.append(late, {id: 1, data: '"late"'})).toBe('lost');
  expect(await stale.change(late, {state: 'completed'})).toBe('lost');
  expect(await stale.heard(late)).toBe('lost');
  expect(await store.append({id: 'a', attempt: 2}, {id: 1, data: '"own"'})).toBe('kept');
  expect([await store.list({id: 'a'}), await store.events({id: 'a'}, 0, 9)]).toMatchObject([
    [{state: 'running', attempt: 2}],
    [{data: '"own"'}],
  ]);
  stale.close();
  store.close();
});

test('a damaged job is none, and hides no other', async () => {
  using temporary = temporaryFile();
  const store = opened(temporary.file);
  await store.add({id: 'a', spec: {kind: 'scheduled', schedule: scheduleId('s')}, session: 'not-open'}, 'queued');
  const raw = new DatabaseSync(temporary.file);
  for (const [at, spec] of ['', '[]', '{"kind":"odd"}', '{"kind":"scheduled"}'].entries())
    raw
      .prepare("INSERT INTO jobs VALUES (?, 'scheduled', ?, ?, 'queued', 0, '', 9, 0, 0, '', '', 'none', 0, 1, '', 0)")
      .run(`x${String(at)}`, `k${String(at)}`, spec);
  raw.close();
  expect((await store.list({state: 'queued'})).map(({id}) => id)).toEqual(['a']);
  expect(await store.claim('x1')).toEqual({tag: 'failed', error: 'unknown'});
  store.close();
});
