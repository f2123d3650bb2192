import {DatabaseSync} from 'node:sqlite';
import {mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {describe, expect, test} from 'vitest';
import {ok, type Outcome} from '../../../src/base/outcome.ts';
import {type TreeChange, treeId} from '../../../src/domain/checkpoint.ts';
import {faultText, type Fault} from '../../../src/domain/fault.ts';
import {actionId, documentId, messageId, parseSessionId, type SessionId} from '../../../src/domain/ids.ts';
import type {JournalRecord, SessionSummary} from '../../../src/domain/journal.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {Store} from '../../../src/store/open-store.ts';
import {encodeBody} from '../../../src/store/record-body.ts';
import {openSqlite} from '../../../src/store/sqlite-database.ts';
import {StoreError} from '../../../src/store/store-fault.ts';
import {openDatabase, tryDatabase} from './open-database.ts';
import {countingStore, onEachDatabase, temporaryFile, uuid} from './temporary-store.ts';

const details = {directory: '/work', model: 'm'};
const prompt = (text: string): JournalRecord => ({
  kind: 'prompt',
  message: {role: 'user', id: messageId('p'), blocks: [{kind: 'text', text}]},
});
const prefix = (system: string) =>
  ({kind: 'request-prefix', tools: `[${'"\0\uD800{"hash"'.repeat(5000)}]`, system: system.repeat(300)}) as const;
const answer: JournalRecord = {
  kind: 'answer',
  message: {
    role: 'assistant',
    id: messageId('a'),
    model: 'm-1',
    blocks: [
      {kind: 'thinking', text: 'hm', signature: 's'},
      {kind: 'sealed-thinking', data: 'd'},
      {kind: 'other', type: 'poem', data: {lines: [1, null]}},
      {kind: 'text', text: 'so'},
      {kind: 'tool-call', id: actionId('1'), name: 'Bash', input: {command: 'ls', deep: [null, 1.5, {a: true}]}},
    ],
    stop: 'tool-use',
    usage: {inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4},
  },
};
const others: readonly JournalRecord[] = [
  {
    kind: 'result',
    result: {
      kind: 'tool-result',
      id: actionId('1'),
      content: [
        {kind: 'text', text: 'out'},
        {kind: 'image', mediaType: 'image/png', data: 'AA=='},
      ],
      outcome: 'success',
    },
  },
  {kind: 'todo-frames', frames: [Uint8Array.of(1, 2, 255), new Uint8Array()]},
  {kind: 'approval', id: actionId('1'), label: 'Run', decision: 'refused', by: 'nobody'},
  {kind: 'document', id: documentId('d1'), title: 'Plan', by: 'user', text: '1. Look'},
  {
    kind: 'review',
    change: {
      change: 'add',
      by: 'agent',
      comments: [
        {path: 'a.ts', lines: {first: 1, last: 2}, text: 'x', severity: 'error'},
        {path: 'a.ts', lines: 'file', text: 'y', severity: 'note'},
      ],
    },
  },
  {kind: 'review', change: {change: 'answer', id: 'c1', by: 'user', text: 'z'}},
  {kind: 'review', change: {change: 'resolve', id: 'c1'}},
  {kind: 'usage', model: 'm', usage: noUsage},
];

onEachDatabase(database => {
  const withStore = (work: (store: Store) => void): void => {
    const store = countingStore(database.name);
    work(store);
    store.close();
  };

  test('keeps the checkpoints that undo and redo of a session, and of its copy, may go to', () => {
    withStore(store => {
      const session = store.create(details);
      for (const record of [
        {kind: 'checkpoint', prompt: messageId('p'), moment: 'before', tree: treeId('start')},
        {kind: 'step', prompt: messageId('p'), call: actionId('c'), began: 1, ran: 'on', files: changeOf('step')},
        {kind: 'checkpoint', prompt: messageId('p'), moment: 'after', tree: treeId('end')},
        {kind: 'rewind', to: messageId('p'), what: 'both', files: changeOf('rewind')},
        {kind: 'redo', files: changeOf('redo')},
        {kind: 'rewind', to: messageId('p'), what: 'talk', files: 'untouched'},
        {kind: 'redo', files: 'untouched'},
        prompt('x'),
      ] as const)
        session.append(record);
      store.fork(session.id, 'any-id');
      const trees = [
        'start',
        'step-before',
        'step-after',
        'end',
        'rewind-before',
        'rewind-after',
        'redo-before',
        'redo-after',
      ];
      const updatedAt = expect.any(Number);
      expect(store.checkpointTrees()).toEqual([
        {updatedAt, trees},
        {updatedAt, trees},
      ]);
    });
  });

  test('returns the changes of other sessions while a prompt changed files', () => {
    withStore(store => {
      const begin = (title: string, directory = '/work'): ((moment: 'before' | 'after', tree: string) => void) => {
        const session = store.create({...details, directory, title});
        const of = messageId(title);
        ids.set(title, session.id);
        return (moment, tree) => session.append({kind: 'checkpoint', prompt: of, moment, tree: treeId(tree)});
      };
      const ids = new Map<string, SessionId>();
      const alongside = (title: string): readonly string[] =>
        [
          ...new Set(
            store
              .changesAlongside(ids.get(title) ?? sessionId(99), [messageId(title)])
              .flatMap(({others: found}) => found.map(({title: other}) => other)),
          ),
        ].toSorted();
      const [earlier, own, inner, idle, elsewhere] = [
        begin('earlier'),
        begin('own'),
        begin('inner'),
        begin('idle'),
        begin('elsewhere', '/workshop'),
      ];
      earlier('before', 'a');
      earlier('after', 'b');
      own('before', 'b');
      inner('before', 'b');
      inner('after', 'c');
      idle('before', 'c');
      idle('after', 'c');
      elsewhere('before', 'b');
      elsewhere('after', 'c');
      begin('open')('before', 'c');
      own('after', 'd');
      store.fork(ids.get('own') ?? sessionId(99), 'any-id');
      expect(alongside('own')).toEqual(['inner', 'open']);
      expect(alongside('inner')).toEqual(['own']);
      expect(alongside('earlier')).toEqual([]);
      expect(alongside('open')).toEqual(['own']);
    });
  });

  test('gives back every kind of record as it was kept', () => {
    withStore(store => {
      const records = [prompt('hello\nworld'), answer, ...others];
      const session = store.create(details);
      for (const record of records) session.append(record);
      expect(store.read(session.id)).toEqual({
        tag: 'ok',
        value: {
          summary: summary({id: session.id, title: 'hello …', updatedAt: 11, createdAt: 1, messages: 2}),
          records,
          skipped: [],
        },
      });
    });
  });

  test('an open session reads each of its records again, by position', () => {
    withStore(store => {
      const first = store.create(details);
      first.append(prompt('one'));
      first.append(answer);
      first.close();
      const session = value(store.resume(first.id));
      for (const record of others) session.append(record);
      const all = [prompt('one'), answer, ...others];
      expect([...all, undefined]).toEqual([...all.keys(), all.length].map(at => session.readAgain?.(at)));
    });
  });

  test('keeps text no line format could', () => {
    const strange = ['\u2028 \u2029', 'NUL \0 after', '\ud800 alone', 'tail \udfff', '💡\r\n\t\u001b[31m', ''];
    withStore(store => {
      const session = store.create({directory: '/a\0b', model: '\ud800'});
      for (const text of strange) session.append(prompt(text));
      const read = value(store.read(session.id));
      expect(read.records).toEqual(strange.map(prompt));
      expect([read.summary.directory, read.summary.model]).toEqual(['/ab', '\ufffd']);
    });
  });

  test('keeps a record of five megabytes', () => {
    withStore(store => {
      const session = store.create(details);
      const record = prompt('x\n'.repeat(2_500_000));
      session.append(record);
      expect(value(store.read(session.id)).records).toEqual([record]);
    });
  });

  test('a session without a record is nowhere', () => {
    withStore(store => {
      const session = store.create(details);
      expect(store.list({})).toEqual([]);
      expect(complaint(store.read(session.id))).toContain('No session');
      session.close();
    });
  });

  test('lists newest first, by directory too', () => {
    withStore(store => {
      const [one, two, three] = ['/a', '/b', '/a'].map(directory => {
        const session = store.create({...details, directory});
        session.append(prompt(directory));
        return session;
      });
      one?.append(prompt('again'));
      expect(store.list({}).map(each => each.id)).toEqual([one?.id, three?.id, two?.id]);
      expect(store.list({directory: '/a'}).map(each => each.id)).toEqual([one?.id, three?.id]);
      expect(store.latest('/a')).toEqual(
        summary({id: one?.id, directory: '/a', title: '/a', createdAt: 1, updatedAt: 5, messages: 2}),
      );
      expect(store.latest('/c')).toBeUndefined();
      expect(store.list({limit: 2}).map(each => each.id)).toEqual([one?.id, three?.id]);
      expect(store.list({directory: '/a', idPrefix: one?.id.slice(0, 35)}).length).toBeGreaterThan(0);
      expect(store.list({idPrefix: two?.id}).map(each => each.id)).toEqual([two?.id]);
      expect(store.list({directory: '/a', idPrefix: two?.id})).toEqual([]);
    });
  });

  test('tells what was said in other sessions', () => {
    withStore(store => {
      const session = store.create(details);
      for (const record of [prompt('one\ntwo three'), answer, ...others, prompt('four'), answer])
        session.append(record);
      const unasked = store.create(details);
      for (const record of others) unasked.append(record);
      const elsewhere = store.create({...details, directory: '/else'});
      elsewhere.append(prompt('elsewhere'));
      expect(store.firstPrompts('/work')).toEqual(new Map([[session.id, 'one\ntwo three']]));
      const words = [prompt('four'), answer].flatMap(record => ('message' in record ? [record.message] : []));
      expect(store.lastMessages(session.id, 2)).toEqual(words);
      expect(store.lastMessages(session.id, 0)).toEqual([]);
      expect(store.lastMessages(unasked.id, 5)).toEqual([]);
    });
  });

  test('resumes with what was kept and goes on after it', () => {
    withStore(store => {
      const first = store.create(details);
      first.append(prompt('one'));
      first.close();
      const second = value(store.resume(first.id));
      expect({id: second.id, records: second.records}).toEqual({id: first.id, records: [prompt('one')]});
      second.append(answer);
      expect(value(store.read(first.id)).records).toEqual([prompt('one'), answer]);
    });
  });

  test('a session is open once', () => {
    withStore(store => {
      const session = store.create(details);
      session.append(prompt('one'));
      expect(complaint(store.resume(session.id))).toContain('is already open here');
      expect(complaint(store.delete(session.id))).toContain('is already open here');
      session.close();
      expect(() => {
        session.append(prompt('late'));
      }).toThrow('is closed');
      const again = value(store.resume(session.id));
      session.close();
      again.append(prompt('two'));
      expect(again.records).toEqual([prompt('one')]);
    });
  });

  test('a fork goes its own way', () => {
    withStore(store => {
      const session = store.create(details);
      session.append(prompt('one'));
      const fork = value(store.fork(session.id, 'any-id'));
      fork.append(prompt('two'));
      session.append(prompt('three'));
      expect(fork.records).toEqual([prompt('one')]);
      expect(value(store.read(fork.id))).toEqual({
        summary: summary({id: fork.id, title: 'one', createdAt: 3, updatedAt: 4, messages: 2}),
        records: [prompt('one'), prompt('two')],
        skipped: [],
      });
      expect(value(store.read(session.id)).records).toEqual([prompt('one'), prompt('three')]);
      expect(complaint(store.fork(sessionId(99), 'any-id'))).toContain('No session');
    });
  });

  test('an id of choice must be free', () => {
    withStore(store => {
      const session = value(store.createWithId(sessionId(77), details));
      expect(complaint(store.createWithId(sessionId(77), details))).toContain('already exists');
      session.append(prompt('one'));
      session.close();
      expect(complaint(store.createWithId(sessionId(77), details))).toContain('already exists');
    });
  });

  test('a copy gets the id of choice, which must be free', () => {
    withStore(store => {
      const session = store.create(details);
      session.append(prompt('one'));
      const fork = value(store.fork(session.id, sessionId(77)));
      expect({id: fork.id, records: fork.records}).toEqual({id: sessionId(77), records: [prompt('one')]});
      expect(complaint(store.fork(session.id, sessionId(77)))).toContain(`${sessionId(77)} already exists`);
      fork.close();
      expect(complaint(store.fork(session.id, sessionId(77)))).toContain(`${sessionId(77)} already exists`);
      const unwritten = store.create(details);
      expect(complaint(store.fork(session.id, unwritten.id))).toContain(`${unwritten.id} already exists`);
      expect(value(store.read(sessionId(77))).records).toEqual([prompt('one')]);
    });
  });

  test('the beginning of requests is kept once for a session and its sub-agents, and goes with it', () => {
    const db = openDatabase(database.name, {now: () => 1});
    const count = (): unknown => db.first('SELECT CAST(count(*) AS BIGINT) AS texts FROM session_texts')?.['texts'];
    withStore(store => {
      const session = store.create(details);
      session.append(prefix('one '));
      let parent = session.id;
      for (const system of ['one ', 'two ', 'one ']) {
        const sub = store.createSubSession(parent, details);
        sub.append(prefix(system));
        sub.append(prefix(system));
        parent = sub.id;
        expect(value(store.read(sub.id)).records).toEqual([prefix(system), prefix(system)]);
        expect(sub.readAgain?.(1)).toEqual(prefix(system));
        expect(store.timedRecords(sub.id)[0]?.record).toEqual(prefix(system));
        sub.close();
      }
      expect(count()).toBe(3);
      const fork = value(store.fork(session.id, 'any-id'));
      session.close();
      expect(store.delete(session.id).tag).toBe('ok');
      // Earlier versions of weft kept the texts in the records.
      const earlier = encodeBody(prefix('old '));
      db.run(
        "INSERT INTO records (session_id, seq, kind, body, at) VALUES (?, 2, 'request-prefix', ?, 1)",
        fork.id,
        earlier,
      );
      expect(value(store.read(fork.id)).records).toEqual([prefix('one '), prefix('old ')]);
      fork.close();
      expect(store.delete(fork.id).tag).toBe('ok');
      expect(count()).toBe(0);
    });
    db.close();
  });

  test('what was begun and not written needs no letting go, and what is closed twice frees nobody else', () => {
    withStore(store => {
      const session = store.create(details);
      session.append(prompt('one'));
      session.close();
      session.close();
      const again = value(store.resume(session.id));
      session.close();
      expect(complaint(store.resume(session.id))).toContain('is already open here');
      again.close();
      store.close();
      store.close();
    });
  });

  test('deletes a session with its records', () => {
    withStore(store => {
      const session = store.create(details);
      session.append(prompt('one'));
      session.close();
      expect(store.delete(session.id)).toEqual({tag: 'ok', value: undefined});
      expect(store.list({})).toEqual([]);
      expect(complaint(store.delete(session.id))).toContain('No session');
      const next = value(store.createWithId(session.id, details));
      next.append(prompt('two'));
      expect(value(store.read(session.id)).records).toEqual([prompt('two')]);
    });
  });

  test('adds up what the requests of each session used', () => {
    withStore(store => {
      const session = store.create(details);
      for (const record of [prompt('NUL \0'), answer, answer, ...others]) session.append(record);
      const used = {inputTokens: 2, outputTokens: 4, cacheReadTokens: 6, cacheWriteTokens: 8};
      expect(store.usage({})).toEqual([
        {id: session.id, model: 'm', usage: noUsage},
        {id: session.id, model: 'm-1', usage: used},
      ]);
    });
  });

  test('requests whose cost is known are counted apart, and records have their times', () => {
    withStore(store => {
      const session = store.create(details);
      const usage = {inputTokens: 1, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0};
      const records: readonly JournalRecord[] = [
        prompt('one'),
        {kind: 'usage', model: 'm', usage: {...usage, costUsd: 0.25}},
        {kind: 'usage', model: 'm', usage: {...usage, costUsd: 0}},
        {kind: 'usage', model: 'm', usage},
        {kind: 'agent-usage', model: 'm', usage, costUsd: 0.5},
        {kind: 'agent-usage', model: 'm', usage, costUsd: 'unknown'},
      ];
      for (const record of records) session.append(record);
      const found = store.usage({}).filter(({id}) => id === session.id);
      expect(found.toSorted((one, other) => one.usage.inputTokens - other.usage.inputTokens)).toEqual([
        {id: session.id, model: 'm', usage: {...usage, inputTokens: 2}},
        {id: session.id, model: 'm', usage: {...usage, inputTokens: 3, costUsd: 0.75}},
      ]);
      const timed = store.timedRecords(session.id);
      expect(timed.map(({record}) => record)).toEqual(records);
      expect(timed.every(({at}, index) => at > 0 && at >= (timed[index - 1]?.at ?? 0))).toBe(true);
    });
  });
});

describe('the database file', () => {
  test('belongs to this user alone', () => {
    using temporary = temporaryFile();
    countingStore(temporary.file).close();
    expect(statSync(temporary.file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(temporary.file)).mode & 0o777).toBe(0o700);
  });

  test('what a record says that cannot be read is skipped and named', () => {
    using temporary = temporaryFile();
    const store = countingStore(temporary.file);
    const session = store.create(details);
    for (const text of ['one', 'two', 'three', 'four', 'five']) session.append(prompt(text));
    const other = new DatabaseSync(temporary.file);
    other.exec('UPDATE records SET body = \'{"role":\' WHERE seq = 2');
    other.exec('UPDATE records SET body = \'{"role":"user","id":"p","blocks":[{"kind":"text"}]}\' WHERE seq = 3');
    other.exec("UPDATE records SET kind = 'song' WHERE seq = 4");
    other.close();
    const {records, skipped} = value(store.read(session.id));
    store.close();
    expect(records).toEqual([prompt('one'), prompt('five')]);
    expect(skipped.map(({seq, kind}) => [seq, kind])).toEqual([
      [2, 'prompt'],
      [3, 'prompt'],
      [4, 'song'],
    ]);
    expect(skipped.slice(1).map(each => each.reason)).toEqual([
      'blocks.0.text: invalid_type',
      'a kind this version of weft does not know',
    ]);
  });

  test('of a newer weft is left alone', () => {
    using temporary = temporaryFile();
    countingStore(temporary.file).close();
    const other = new DatabaseSync(temporary.file);
    other.exec('PRAGMA user_version = 99');
    other.close();
    expect(complaint(openOnce(temporary.file))).toBe(
      `The session database ${temporary.file} was made by a newer version of weft. Update weft, or choose another folder with WEFT_HOME=<dir>.`,
    );
  });

  test('of a newer weft is read by commands that only read, with a sentence', () => {
    using temporary = temporaryFile();
    const store = countingStore(temporary.file);
    const session = store.create(details);
    session.append(prompt('one'));
    store.close();
    const other = new DatabaseSync(temporary.file);
    other.exec('PRAGMA user_version = 99');
    other.close();
    const told: string[] = [];
    const readNewer = (sentence: string): void => void told.push(sentence);
    const reader = new Store(value(openSqlite(temporary.file, {now: Date.now, process, readNewer})), {
      now: Date.now,
      uuid: () => uuid(9),
    });
    expect(value(reader.read(session.id)).records).toEqual([prompt('one')]);
    expect(() => reader.rename(session.id, 'x')).toThrow(StoreError);
    reader.close();
    expect(told).toEqual([
      `The session database ${temporary.file} was made by a newer version of weft. This one only reads it.`,
    ]);
  });

  test('that is no database is named, with what to do', () => {
    using temporary = temporaryFile();
    mkdirSync(dirname(temporary.file));
    writeFileSync(temporary.file, 'not a database, but long enough to be looked at as one '.repeat(100));
    expect(complaint(openOnce(temporary.file))).toBe(
      `The session database ${temporary.file} is damaged or not a database (file is not a database). ` +
        `Move ${temporary.file} and its -wal and -shm files away; weft starts a new one.`,
    );
  });

  test('that is damaged inside is a fault where it is read', () => {
    using temporary = temporaryFile();
    const store = countingStore(temporary.file);
    const session = store.create(details);
    session.append(prompt('x'.repeat(20_000)));
    store.close();
    const bytes = readFileSync(temporary.file);
    writeFileSync(temporary.file, bytes.fill(0xff, 4096));
    const opened = openOnce(temporary.file);
    expect(opened.tag === 'failed' ? complaint(opened) : complaint(opened.value.read(session.id))).toContain(
      `The session database ${temporary.file} is damaged`,
    );
    if (opened.tag === 'ok') opened.value.close();
  });

  test('where no file can be is a fault that names it', () => {
    using temporary = temporaryFile();
    mkdirSync(temporary.file, {recursive: true});
    expect(complaint(openOnce(temporary.file))).toContain(`${temporary.file} cannot be opened (`);
    writeFileSync(`${temporary.file}-not-a-folder`, '');
    expect(complaint(openOnce(`${temporary.file}-not-a-folder/weft.db`))).toContain("Can't open the session database");
  });
});

const changeOf = (name: string): TreeChange => ({before: treeId(`${name}-before`), after: treeId(`${name}-after`)});

function openOnce(file: string): Outcome<Store, Fault> {
  const opened = tryDatabase(file, {now: () => 1, process});
  return opened.tag === 'failed' ? opened : ok(new Store(opened.value, {now: () => 1, uuid: () => uuid(1)}));
}

function sessionId(number: number): SessionId {
  const id = parseSessionId(uuid(number));
  if (id === undefined) throw new Error('no id');
  return id;
}

function summary(differs: Partial<SessionSummary> | {readonly id: SessionId | undefined}): object {
  return {title: '', directory: '/work', model: 'm', createdAt: 0, updatedAt: 0, messages: 0, ...differs};
}

function value<T>(outcome: Outcome<T, Fault>): T {
  if (outcome.tag === 'failed') throw new Error(faultText(outcome.error));
  return outcome.value;
}

function complaint(outcome: Outcome<unknown, Fault>): string {
  if (outcome.tag === 'ok') throw new Error('that should have failed');
  return faultText(outcome.error);
}
