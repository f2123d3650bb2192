import {spawn, type ChildProcessByStdio} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {DatabaseSync} from 'node:sqlite';
import {fileURLToPath} from 'node:url';
import type {Readable, Writable} from 'node:stream';
import {expect, test} from 'vitest';
import {faultText} from '../../../src/domain/fault.ts';
import {messageText} from '../../../src/domain/conversation.ts';
import {messageId, parseSessionId, type SessionId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {Store} from '../../../src/store/open-store.ts';
import {StackStore} from '../../../src/store/stack-store.ts';
import {lookUntil} from '../../support/look-until.ts';
import {randomInputs} from '../../support/random-inputs.ts';
import {openDatabase} from './open-database.ts';
import {countingStore, onEachDatabase, temporaryFile} from './temporary-store.ts';

onEachDatabase(database => {
  test('a record that was announced survives kill -9 at any moment', {tags: 'long', timeout: 60_000}, async () => {
    let announced = 0;
    const rounds = randomInputs(12);
    for (let round = 0; round < rounds; round += 1) {
      using child = otherWeft(database.name, 'append');
      // Rounds end at different numbers of records, and each at whatever the child was doing then.
      const lines = await child.readUntil(told => told.length > 2 + round * 6);
      const told = [...lines, ...(await child.kill())];
      const store = countingStore(database.name);
      const id = idOf(told[0]);
      const read = store.read(id);
      const kept = read.tag === 'ok' ? read.value.records.map(textOf) : [];
      expect(read).toMatchObject({tag: 'ok', value: {skipped: []}});
      expect(kept).toEqual(kept.map((_, seq) => String(seq).padEnd(2000, '.')));
      expect(kept.length).toBeGreaterThanOrEqual(told.length);
      // A server of a database hears of the end a moment later.
      await lookUntil(
        () => store.resume(id).tag === 'ok',
        () => 'it is open still',
      );
      announced += told.length;
      store.close();
    }
    expect(announced).toBeGreaterThan(rounds === 12 ? 12 * 30 : 0);
  });

  test('processes that make the database at the same time all get it', {tags: 'long'}, async () => {
    const children = Array.from({length: 6}, () => otherWeft(database.name, 'open'));
    try {
      expect(await Promise.all(children.map(child => child.readUntil(told => told.length > 0)))).toEqual(
        children.map(() => ['opened']),
      );
    } finally {
      for (const child of children) child[Symbol.dispose]();
    }
  });

  test('a session that another process has open is refused until that one is gone', {tags: 'long'}, async () => {
    using child = otherWeft(database.name, 'hold');
    const id = idOf((await child.readUntil(told => told.length > 0))[0]);
    const store = countingStore(database.name);
    const refusal = `Session ${id} is open in another weft process (${String(child.pid)}). Add --fork-session to continue in a copy, or close the other one first.`;
    const refused = [store.resume(id), store.delete(id)].map(each =>
      each.tag === 'failed' ? faultText(each.error) : each,
    );
    expect(refused).toEqual([refusal, refusal]);
    expect(store.read(id).tag).toBe('ok');
    expect(store.fork(id, 'any-id').tag).toBe('ok');
    await child.kill();
    await lookUntil(
      () => store.resume(id).tag === 'ok',
      () => 'it is open still',
    );
    store.close();
  });

  test(
    'two processes change the task stack in turn, and what each answered survives kill -9',
    {tags: 'long'},
    async () => {
      using one = otherWeft(database.name, 'stack');
      using other = otherWeft(database.name, 'stack');
      const answered = [
        ...(await one.readUntil(lines => lines.length > 20)),
        ...(await other.readUntil(lines => lines.length > 20)),
        ...(await one.kill()),
        ...(await other.kill()),
      ];
      const stack = new StackStore(openDatabase(database.name), {now: () => 0, digits: () => 'mine'});
      const kept = stack.read(each => each.tasks().map(({id}) => id));
      const placed = stack.read(each => each.layers().flatMap(({tasks}) => tasks.map(({task_id}) => task_id)));
      stack.close();
      // At most one request of each process was kept and not yet answered.
      expect(answered.filter(id => !kept.some(each => each === id))).toEqual([]);
      expect(kept.length - answered.length).toBeLessThanOrEqual(2);
      expect(new Set(kept).size).toBe(kept.length);
      expect(kept.map(id => id.split('_')[1])).toEqual(kept.map((_, index) => String(index + 1)));
      expect(placed).toEqual(kept);
    },
  );
});

test('the session of a process whose number another one has now is free', () => {
  using temporary = temporaryFile();
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {stdio: ['pipe', 'ignore', 'ignore']});
  const owner = openAs(temporary.file, child.pid ?? 0);
  const [taken, deleted, own] = [begun(owner), begun(owner), begun(owner)];
  const store = openAs(temporary.file, process.pid);
  const refusal = expect.stringContaining(`is open in another weft process (${String(child.pid)})`);
  for (const refused of [store.resume(taken), store.delete(deleted)])
    expect(refused).toMatchObject({tag: 'failed', error: {message: refusal}});

  // The numbers stay; the processes that had them when the sessions were opened were others.
  const file = new DatabaseSync(temporary.file);
  file.exec("UPDATE owners SET at = 0, started = CASE started WHEN '' THEN '' ELSE started || '0' END");
  file.prepare('UPDATE owners SET pid = ? WHERE session_id = ?').run(process.pid, own);
  file.close();
  expect(store.delete(deleted).tag).toBe('ok');
  for (const id of [taken, own]) {
    const resumed = store.resume(id);
    if (resumed.tag === 'ok') resumed.value.append(prompt);
    expect(resumed.tag).toBe('ok');
  }
  // The end of the former owner does not free it for a third one.
  owner.close();
  const third = openAs(temporary.file, child.pid ?? 0);
  expect(third.resume(taken)).toMatchObject({tag: 'failed'});
  child.kill('SIGKILL');
  store.close();
  expect(third.resume(taken).tag).toBe('ok');
  third.close();
});

test('a session that another process has resumed or copied is refused, until it is closed there', () => {
  using temporary = temporaryFile();
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {stdio: ['pipe', 'ignore', 'ignore']});
  const [own, other] = [openAs(temporary.file, process.pid), openAs(temporary.file, child.pid ?? 0)];
  const id = begun(own);
  own.close();
  const resumed = other.resume(id);
  const copy = other.fork(id, 'any-id');
  if (resumed.tag === 'failed' || copy.tag === 'failed') throw new Error('that should not have failed');
  const third = openAs(temporary.file, process.pid);
  const message = expect.stringContaining(`is open in another weft process (${String(child.pid)})`);
  for (const each of [id, copy.value.id]) {
    expect(third.resume(each)).toMatchObject({tag: 'failed', error: {message}});
    expect(third.delete(each)).toMatchObject({tag: 'failed', error: {message}});
  }
  resumed.value.close();
  copy.value.close();
  for (const each of [id, copy.value.id]) expect(third.resume(each).tag).toBe('ok');
  third.close();
  other.close();
  child.kill('SIGKILL');
});

const openAs = (file: string, pid: number): Store =>
  new Store(openDatabase(file, {process: {pid}}), {now: Date.now, uuid: randomUUID});

const prompt: JournalRecord = {kind: 'prompt', message: {role: 'user', id: messageId('m'), blocks: []}};

/** A session with a first record. */
function begun(store: Store): SessionId {
  const session = store.create({directory: '/w', model: 'm'});
  session.append(prompt);
  return session.id;
}

interface OtherWeft extends Disposable {
  readonly pid: number | undefined;
  /** All lines so far, once `enough` of them are there or the process has ended. */
  readUntil(enough: (lines: readonly string[]) => boolean): Promise<readonly string[]>;
  /** Kills it and gives the whole lines that were still under way. */
  kill(): Promise<readonly string[]>;
}

function otherWeft(file: string, task: 'append' | 'hold' | 'open' | 'stack'): OtherWeft {
  const program = fileURLToPath(new URL('child.ts', import.meta.url));
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, [program, file, task], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdout.setEncoding('utf8');
  let rest = '';
  const take = (chunk: string): string[] => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    return lines;
  };
  const chunks = child.stdout[Symbol.asyncIterator]();
  const next = async (): Promise<string | undefined> => {
    const read: IteratorResult<unknown> = await chunks.next();
    return read.done === true ? undefined : String(read.value);
  };
  return {
    pid: child.pid,
    readUntil: async enough => {
      const lines: string[] = [];
      while (!enough(lines)) {
        const chunk = await next();
        if (chunk === undefined) break;
        lines.push(...take(chunk));
      }
      return lines;
    },
    kill: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      const lines: string[] = [];
      for (let chunk = await next(); chunk !== undefined; chunk = await next()) lines.push(...take(chunk));
      await gone;
      return lines;
    },
    [Symbol.dispose]: () => {
      child.kill('SIGKILL');
    },
  };
}

function idOf(line: string | undefined): SessionId {
  const id = parseSessionId(line ?? '');
  if (id === undefined) throw new Error(`no session id: ${line ?? 'nothing'}`);
  return id;
}

const textOf = (record: JournalRecord): string =>
  record.kind === 'prompt' ? messageText(record.message) : record.kind;
