// @module-tag long
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {JournalRecord} from '../../src/domain/journal.ts';
import {messageId} from '../../src/domain/ids.ts';
import {migrations} from '../../src/store/migrations.ts';
import {openSqlite} from '../../src/store/sqlite-database.ts';
import {loadSqlite} from '../../src/store/sqlite-database.ts';
import {Store} from '../../src/store/open-store.ts';
import {runWeft, TempPlace, weftBin} from '../support/run-weft.ts';
import {WeftServer} from '../support/weft-server.ts';

const day = 24 * 60 * 60 * 1000;
const prompt = (text: string): JournalRecord => ({
  kind: 'prompt',
  message: {role: 'user', id: messageId('p'), blocks: [{kind: 'text', text}]},
});

/** Makes sessions, each a day older than the one before it, and returns their ids, newest first. */
function makeSessions(place: TempPlace, count: number): readonly string[] {
  const folder = join(place.home, 'weft');
  mkdirSync(folder, {recursive: true});
  let at = Date.now() - count * day;
  const db = openSqlite(join(folder, 'weft.db'), {now: () => at, process});
  if (db.tag === 'failed') expect.unreachable();
  const store = new Store(db.value, {now: () => at, uuid: () => crypto.randomUUID()});
  const ids = Array.from({length: count}, (_, index) => {
    at += day;
    const session = store.create({directory: place.work, model: 'm', title: `Session ${String(index)}`});
    for (let each = 0; each < 10; each += 1) session.append(prompt('x'.repeat(20_000)));
    session.close();
    return session.id;
  });
  store.close();
  return ids.toReversed();
}

const keep = (place: TempPlace, value: unknown): void =>
  writeFileSync(join(place.home, 'weft', 'settings.json'), JSON.stringify({keepSessions: value}));

async function listed(place: TempPlace): Promise<readonly string[]> {
  const {stdout} = await runWeft(['sessions', 'list', '--json'], {place});
  const rows: unknown = JSON.parse(stdout);
  return Array.isArray(rows) ? rows.map((row: {readonly id: string}) => row.id) : [];
}

test('prune deletes what is too old, and keeps the newest 50, pinned and open sessions', {tags: 'smoke'}, async () => {
  using place = new TempPlace();
  const ids = makeSessions(place, 70);
  keep(place, {days: 60});
  const [pinned = '', open = ''] = [ids[65], ids[66]];
  expect((await runWeft(['sessions', 'pin', pinned], {place})).code).toBe(0);
  const db = openSqlite(join(place.home, 'weft', 'weft.db'), {now: Date.now, process});
  if (db.tag === 'failed') expect.unreachable();
  // This process has the session open, and it is alive.
  db.value.run(
    'INSERT INTO owners (session_id, pid, started, at) VALUES (?, ?, ?, ?)',
    open,
    process.pid,
    db.value.mark().started,
    Date.now(),
  );
  const dry = await runWeft(['sessions', 'prune', '--dry-run'], {place});
  expect(dry).toMatchObject({code: 0, stderr: 'weft: would delete 8 sessions, 1.5 MB\n'});
  expect(await listed(place)).toEqual(ids);
  expect((await runWeft(['sessions', 'prune'], {place})).code).toBe(0);
  expect(await listed(place)).toEqual([...ids.slice(0, 60), pinned, open]);
  expect(db.value.space()).toMatchObject({free: 0, file: 'shrinks'});
  db.value.close();
  keep(place, {gigabytes: 0.0001});
  await runWeft(['sessions', 'unpin', pinned], {place});
  expect((await runWeft(['sessions', 'prune'], {place})).code).toBe(0);
  expect(await listed(place)).toEqual([...ids.slice(0, 50), open]);
});

test('the size of a session includes the texts that its requests begin with', async () => {
  using place = new TempPlace();
  const ids = makeSessions(place, 52);
  const db = openSqlite(join(place.home, 'weft', 'weft.db'), {now: () => Date.now() - 60 * day, process});
  if (db.tag === 'failed') expect.unreachable();
  const store = new Store(db.value, {now: () => Date.now() - 60 * day, uuid: () => crypto.randomUUID()});
  const session = store.create({directory: place.work, model: 'm'});
  session.append(prompt('Hi'));
  const tools = 't'.repeat(2 * 1024 ** 2);
  session.append({kind: 'request-prefix', tools, system: 's'.repeat(1024 ** 2)});
  store.close();
  keep(place, {gigabytes: 0.012});
  expect(await runWeft(['sessions', 'prune', '--dry-run'], {place})).toMatchObject({
    stdout: expect.stringContaining('3.0 MB'),
    stderr: 'weft: would delete 1 session, 3.0 MB\n',
  });
  expect(await listed(place)).toEqual([...ids, session.id]);
});

test('weft serve prunes once a day, and says so in its log', async () => {
  using place = new TempPlace();
  const ids = makeSessions(place, 70);
  keep(place, {days: 60});
  const [stamp, log] = [join(place.home, 'weft', 'pruned'), join(place.home, 'weft', 'logs', 'weft.log')];
  writeFileSync(stamp, '');
  utimesSync(stamp, new Date(), new Date(Date.now() - 2 * day));
  await using server = await WeftServer.start({place});
  await expect.poll(() => readFileSync(log, 'utf8'), {timeout: 60_000}).toContain('Deleted 10 old sessions');
  expect(await listed(place)).toEqual(ids.slice(0, 60));
  expect((await server.ask('GET', '/api/tasks/list')).status).toBe(200);
  expect(Date.now() - statSync(stamp).mtimeMs).toBeLessThan(day);
});

/** Lets a process kill itself before it runs the SQL statement of this number. */
const killedAt = (statement: number): string =>
  `--import data:text/javascript,${encodeURIComponent(`
    import {DatabaseSync, StatementSync} from 'node:sqlite';
    let left = ${statement};
    for (const [kind, name] of [[DatabaseSync, 'exec'], [StatementSync, 'run']]) {
      const own = kind.prototype[name];
      kind.prototype[name] = function (...given) {
        left -= 1;
        if (left === 0) process.kill(process.pid, 'SIGKILL');
        return own.apply(this, given);
      };
    }`)}`;

test('a kill at any moment loses nothing that was to stay', async () => {
  using place = new TempPlace();
  const ids = makeSessions(place, 200);
  keep(place, {days: 100});
  for (let statement = 3; statement < 47; statement += 4) {
    const env = place.environment({NODE_OPTIONS: killedAt(statement)});
    const child = spawn(process.execPath, [weftBin, 'sessions', 'prune'], {env, stdio: 'ignore'});
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    expect((await listed(place)).filter(id => ids.indexOf(id) < 99)).toEqual(ids.slice(0, 99));
  }
  expect((await runWeft(['sessions', 'prune'], {place})).code).toBe(0);
  expect(await listed(place)).toEqual(ids.slice(0, 100));
});

/** Makes a database as an earlier weft left it, which does not shrink before it is rebuilt. */
function openEarlier(place: TempPlace): InstanceType<ReturnType<typeof loadSqlite>['DatabaseSync']> {
  mkdirSync(join(place.home, 'weft'));
  const {DatabaseSync} = loadSqlite();
  const earlier = new DatabaseSync(join(place.home, 'weft', 'weft.db'));
  earlier.exec('PRAGMA journal_mode = WAL');
  for (const step of migrations.slice(0, 10)) earlier.exec(step);
  earlier.exec('PRAGMA user_version = 10');
  earlier.exec('CREATE TABLE junk (x); INSERT INTO junk VALUES (hex(zeroblob(5000000))); DROP TABLE junk');
  return earlier;
}

/** Lets a process take its time to rebuild a database, as it does for a large one. */
const slowRebuild = `--import data:text/javascript,${encodeURIComponent(`
  import {DatabaseSync} from 'node:sqlite';
  const own = DatabaseSync.prototype.exec;
  DatabaseSync.prototype.exec = function (sql) {
    if (sql.includes('VACUUM;')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 7000);
    return own.call(this, sql);
  };`)}`;

test('weft that starts while the database is rebuilt waits, and one that was killed meanwhile holds nobody up', async () => {
  using place = new TempPlace();
  openEarlier(place).close();
  const mark = join(place.home, 'weft', 'weft.db-rebuild');
  const env = place.environment({NODE_OPTIONS: slowRebuild});
  const prune = (): ReturnType<typeof spawn> =>
    spawn(process.execPath, [weftBin, 'sessions', 'prune'], {env, stdio: 'ignore'});
  const killed = prune();
  await expect.poll(() => existsSync(mark), {timeout: 20_000}).toBe(true);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  expect((await runWeft(['sessions', 'list'], {place})).code).toBe(0);
  const rebuilt = once(prune(), 'exit');
  await expect
    .poll(() => existsSync(mark) && readFileSync(mark, 'utf8'), {timeout: 20_000})
    .not.toContain(`${killed.pid} `);
  expect(await runWeft(['sessions', 'list'], {place})).toMatchObject({code: 0, stderr: 'weft: no sessions yet\n'});
  expect(await rebuilt).toEqual([0, null]);
  expect(existsSync(mark)).toBe(false);
});

test('a database of an earlier weft shrinks once no other process has it open', async () => {
  using place = new TempPlace();
  const file = join(place.home, 'weft', 'weft.db');
  const earlier = openEarlier(place);
  const whileOpen = await runWeft(['sessions', 'prune'], {place});
  expect(whileOpen.stderr).toContain('The database keeps its size while weft runs elsewhere.');
  earlier.close();
  expect((await runWeft(['sessions', 'prune'], {place})).stderr).toBe('weft: deleted 0 sessions, 0.0 MB\n');
  const db = openSqlite(file, {now: Date.now, process});
  if (db.tag === 'failed') expect.unreachable();
  expect(db.value.space()).toMatchObject({free: 0, file: 'shrinks'});
  db.value.close();
});
