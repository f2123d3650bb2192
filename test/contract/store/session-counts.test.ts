import {mkdirSync} from 'node:fs';
import {dirname} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import * as fc from 'fast-check';
import {Client} from 'pg';
import {expect, test} from 'vitest';
import {treeId} from '../../../src/domain/checkpoint.ts';
import {messageText} from '../../../src/domain/conversation.ts';
import {messageId, parseSessionId, type SessionId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {addUsage, noUsage, type Usage} from '../../../src/domain/usage.ts';
import {migrations} from '../../../src/store/migrations.ts';
import {postgresMigrations} from '../../../src/store/postgres/postgres-migrations.ts';
import {encodeBody} from '../../../src/store/record-body.ts';
import type {SessionUsage} from '../../../src/store/session-rows.ts';
import {processorClock} from '../../support/processor-clock.ts';
import {countingStore, onEachDatabase, temporaryFile, uuid} from './temporary-store.ts';

const words = fc.oneof(fc.string({unit: 'binary'}), fc.constantFrom('NUL \0', '\\u0000', 'x'.repeat(3000)));
const tokens = fc.nat({max: 1_000_000});
const usages: fc.Arbitrary<Usage> = fc.record(
  {
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadTokens: tokens,
    cacheWriteTokens: tokens,
    // Eighths add up exactly.
    costUsd: fc.nat({max: 800}).map(eighths => eighths / 8),
  },
  {requiredKeys: ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens']},
);
const models = fc.constantFrom('a', 'b', 'NUL \0');
const records: fc.Arbitrary<JournalRecord> = fc.oneof(
  words.map((text): JournalRecord => ({
    kind: 'prompt',
    message: {role: 'user', id: messageId('p'), blocks: [{kind: 'text', text}]},
  })),
  fc.tuple(models, usages, words).map(([model, usage, text]): JournalRecord => ({
    kind: 'answer',
    message: {
      role: 'assistant',
      id: messageId('a'),
      model,
      blocks: [{kind: 'text', text}],
      stop: 'end-turn',
      usage,
    },
  })),
  fc.tuple(models, usages).map(([model, usage]): JournalRecord => ({kind: 'usage', model, usage})),
  fc.tuple(models, usages).map(([model, {costUsd, ...usage}]): JournalRecord => ({
    kind: 'agent-usage',
    model,
    usage,
    costUsd: costUsd ?? 'unknown',
  })),
  // Longer texts are kept apart from the records.
  words.map((tools): JournalRecord => ({kind: 'request-prefix', tools: tools.slice(0, 20), system: ''})),
);

/** What lists show of a session, folded from its records. */
function fold(id: SessionId, kept: readonly JournalRecord[]) {
  const used = new Map<string, SessionUsage>();
  for (const record of kept) {
    if (record.kind !== 'answer' && record.kind !== 'usage' && record.kind !== 'agent-usage') continue;
    const {model: named, usage} = record.kind === 'answer' ? record.message : record;
    const usd = record.kind === 'agent-usage' && record.costUsd !== 'unknown' ? record.costUsd : usage.costUsd;
    const model = named.replaceAll('\0', '\n0000');
    const key = `${model} ${usd === undefined ? 'unknown' : 'known'}`;
    const before = used.get(key)?.usage ?? noUsage;
    const sum = addUsage(before, usage);
    used.set(key, {
      id,
      model,
      usage: usd === undefined ? sum : {...sum, costUsd: (before.costUsd ?? 0) + usd},
    });
  }
  const first = kept.find(record => record.kind === 'prompt');
  const prompt = first?.kind === 'prompt' ? messageText(first.message).slice(0, 2000) : undefined;
  const bytes = kept.reduce((all, record) => all + Buffer.byteLength(encodeBody(record)), 0);
  return {used: sorted([...used.values()]), prompt: prompt?.replaceAll('\0', '').toWellFormed(), bytes};
}

const sorted = (rows: readonly SessionUsage[]): readonly SessionUsage[] =>
  rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

function shown(store: ReturnType<typeof countingStore>, id: SessionId) {
  return {
    used: sorted(store.usage({directory: '/w'}).filter(row => row.id === id)),
    prompt: store.firstPrompts('/w').get(id),
    bytes: store.sizes().find(row => row.id === id)?.bytes,
  };
}

/** Makes the database as the version before this step left it, with one session. */
async function makeEarlier(name: string, id: string, kept: readonly JournalRecord[]): Promise<void> {
  const rows: readonly (readonly [string, ...(string | number)[]])[] = [
    [
      "INSERT INTO sessions (id, directory, model, title, created_at, updated_at, messages) VALUES (?, '/w', 'm', 't', 1, 1, ?)",
      id,
      kept.filter(({kind}) => kind === 'prompt' || kind === 'answer').length,
    ],
    ...kept.map(
      (record, at) =>
        [
          'INSERT INTO records (session_id, seq, kind, body, at) VALUES (?, ?, ?, ?, 1)',
          id,
          at + 1,
          record.kind,
          encodeBody(record),
        ] as const,
    ),
  ];
  if (name.startsWith('postgres:')) {
    const client = new Client({connectionString: name});
    await client.connect();
    await client.query(
      `CREATE SCHEMA weft; SET search_path = weft, pg_catalog; ${postgresMigrations.slice(0, 5).join(';')};
       CREATE TABLE schema_version (version BIGINT NOT NULL); INSERT INTO schema_version VALUES (5)`,
    );
    for (const [sql, ...values] of rows) {
      let count = 0;
      await client.query(
        sql.replaceAll('?', () => `$${String((count += 1))}`),
        values,
      );
    }
    await client.end();
    return;
  }
  mkdirSync(dirname(name), {recursive: true});
  const file = new DatabaseSync(name);
  for (const step of migrations.slice(0, 10)) file.exec(step);
  file.exec('PRAGMA user_version = 10');
  for (const [sql, ...values] of rows) file.prepare(sql).run(...values);
  file.close();
}

const earlier = parseSessionId(uuid(900)) ?? expect.unreachable();

onEachDatabase(database => {
  test('lists show what a fold of the records gives, also of a copy', () => {
    const store = countingStore(database.name);
    fc.assert(
      fc.property(fc.array(records, {minLength: 1, maxLength: 12}), kept => {
        const session = store.create({directory: '/w', model: 'm'});
        for (const record of kept) session.append(record);
        expect(shown(store, session.id)).toEqual(fold(session.id, kept));
        const copy = store.fork(session.id, 'any-id');
        if (copy.tag === 'failed') expect.unreachable();
        expect(shown(store, copy.value.id)).toEqual(fold(copy.value.id, kept));
      }),
      {numRuns: 20},
    );
    store.close();
  });

  test('lists show the same of a session from before, to which more is added before or after they count it', async () => {
    const [one, two, three] = fc.sample(fc.array(records, {minLength: 6, maxLength: 6}), {numRuns: 3, seed: 7});
    if (one === undefined || two === undefined || three === undefined) expect.unreachable();
    await makeEarlier(database.name, earlier, one);
    const store = countingStore(database.name);
    const session = store.resume(earlier);
    if (session.tag === 'failed') expect.unreachable();
    for (const record of two) session.value.append(record);
    expect(shown(store, earlier)).toEqual(fold(earlier, [...one, ...two]));
    for (const record of three) session.value.append(record);
    expect(shown(store, earlier)).toEqual(fold(earlier, [...one, ...two, ...three]));
    store.close();
  });
});

/** The processor time of 60 runs, after one that warms up: the system counts a single one in steps that may be longer than it takes. */
function timeOf(work: () => unknown): number {
  work();
  const clock = processorClock();
  for (let run = 0; run < 60; run += 1) work();
  return clock();
}

test('questions about files do not read the conversations', () => {
  using temporary = temporaryFile();
  const store = countingStore(temporary.file);
  const talk: JournalRecord = {
    kind: 'prompt',
    message: {role: 'user', id: messageId('p'), blocks: [{kind: 'text', text: 'x'.repeat(500)}]},
  };
  for (let at = 0; at < 300; at += 1) {
    const session = store.create({directory: '/w', model: 'm'});
    for (let record = 0; record < 60; record += 1) session.append(talk);
    session.append({kind: 'checkpoint', prompt: messageId('p'), moment: 'before', tree: treeId(String(at))});
    session.close();
  }
  const list = timeOf(() => store.list({}));
  expect(store.checkpointTrees()).toHaveLength(300);
  expect(timeOf(() => store.checkpointTrees()) / list).toBeLessThan(40);
  expect(store.fileRecords('/w')).toHaveLength(300);
  expect(timeOf(() => store.fileRecords('/w')) / list).toBeLessThan(5);
  expect(timeOf(() => store.latest('/w', 'receipt')) / list).toBeLessThan(1);
  store.close();
});
