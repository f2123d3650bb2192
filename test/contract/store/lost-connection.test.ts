import {beforeEach, expect, test} from 'vitest';
import {messageId} from '../../../src/domain/ids.ts';
import {faultText} from '../../../src/domain/fault.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {postgresMissing, startPostgres} from '../../support/postgres-server.ts';
import {makeJobStore} from '../../../src/store/job-store.ts';
import {openDatabase, tryDatabase} from './open-database.ts';
import {countingStore} from './temporary-store.ts';

beforeEach(({skip}) => {
  skip(postgresMissing !== '', postgresMissing);
});

const prompt = (text: string): JournalRecord => ({
  kind: 'prompt',
  message: {role: 'user', id: messageId(text), blocks: [{kind: 'text', text}]},
});

test('a session whose connection was lost takes no record any more; resumed, it goes on', {tags: 'long'}, async () => {
  await using server = await startPostgres();
  const url = await server.newDatabase();
  const store = countingStore(url);
  const session = store.create({directory: '/w', model: 'm'});
  session.append(prompt('one'));
  await server.dropConnections(url);
  const refused = `Lost the connection to the database, and session ${session.id} with it. Continue with --resume ${session.id}.`;
  expect(() => session.append(prompt('two'))).toThrow(refused);
  // Another process may have it by now.
  expect(() => session.append(prompt('two'))).toThrow(refused);
  session.close();
  const again = store.resume(session.id);
  if (again.tag === 'failed') throw new Error(faultText(again.error));
  again.value.append(prompt('three'));
  const read = store.read(session.id);
  expect(read).toMatchObject({tag: 'ok', value: {records: [prompt('one'), prompt('three')], skipped: []}});
  store.close();
});

test('so does one that was resumed and has had no record since', {tags: 'long'}, async () => {
  await using server = await startPostgres();
  const url = await server.newDatabase();
  const store = countingStore(url);
  const session = store.create({directory: '/w', model: 'm'});
  session.append(prompt('one'));
  session.close();
  const again = store.resume(session.id);
  if (again.tag === 'failed') throw new Error(faultText(again.error));
  await server.dropConnections(url);
  // The first look only finds that the connection is gone.
  expect(() => again.value.append(prompt('two'))).toThrow('Lost the connection to the database');
  expect(() => again.value.append(prompt('two'))).toThrow('Lost the connection to the database');
  store.close();
});

test(
  'one process at a time runs the task stack, until the connection that it began with is gone',
  {tags: 'long'},
  async () => {
    await using server = await startPostgres();
    const url = await server.newDatabase();
    const jobs = makeJobStore(openDatabase(url), () => 1);
    const spec = {kind: 'stack', harness: 'weft', afterFailure: 'stop', positions: 'all', directory: '/w'} as const;
    const add = (id: string) => jobs.add({id, spec, session: 'not-open'}, 'running');
    expect([await add('a'), await add('b')]).toEqual(['added', 'busy']);
    await jobs.change({id: 'a', attempt: 1}, {state: 'completed'});
    expect([await add('c'), await add('d')]).toEqual(['added', 'busy']);
    await server.dropConnections(url);
    expect(await add('e')).toBe('added');
    // What the one before it writes is too late.
    await server.dropConnections(url);
    expect(await jobs.claim('e')).toMatchObject({tag: 'ok', value: {attempt: 2}});
    expect(await jobs.append({id: 'e', attempt: 1}, {id: 1, data: '"late"'})).toBe('lost');
    expect(await jobs.change({id: 'e', attempt: 1}, {state: 'completed'})).toBe('lost');
    jobs.close();
  },
);

test('a server that is not there is named without the password, with what to do', () => {
  const opened = tryDatabase('postgres://weft:secret@127.0.0.1:1/db', {now: () => 0, process});
  expect(opened.tag === 'failed' ? faultText(opened.error) : opened).toBe(
    "The session database 127.0.0.1:1/db can't be reached (connect ECONNREFUSED 127.0.0.1:1). Check that the server is running and reachable from here, then try again.",
  );
});
