import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {expect, test} from 'vitest';
import {recordingSession} from '../../../src/agent/conversation.ts';
import {historyFromJournal} from '../../../src/domain/history.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {Store} from '../../../src/store/open-store.ts';
import {openSqlite} from '../../../src/store/sqlite-database.ts';

function openStore(): Store {
  const opened = openSqlite(':memory:', {now: Date.now, process});
  if (opened.tag === 'failed') throw new Error(opened.error.message);
  return new Store(opened.value, {now: Date.now, uuid: () => '00000000-0000-4000-8000-000000000001'});
}

/** A prompt, the pieces of an answer, the answer with a call, and the call's result. */
const exchange = (number: number): readonly JournalRecord[] => [
  {
    kind: 'prompt',
    message: {role: 'user', id: messageId(`p${number}`), blocks: [{kind: 'text', text: `Go ${number}`}]},
  },
  {kind: 'piece', message: messageId(`a${number}`), model: 'm', index: 0, text: 'I '},
  {
    kind: 'answer',
    message: {
      role: 'assistant',
      id: messageId(`a${number}`),
      model: 'm',
      stop: 'tool-use',
      usage: noUsage,
      blocks: [
        {kind: 'text', text: 'I look'},
        {kind: 'tool-call', id: actionId(`c${number}`), name: 'Bash', input: {command: 'ls'}},
      ],
    },
  },
  {
    kind: 'result',
    result: {
      kind: 'tool-result',
      id: actionId(`c${number}`),
      content: [{kind: 'text', text: `output ${number}`}],
      outcome: 'success',
    },
  },
];

const compaction = (number: number): JournalRecord => ({
  kind: 'compaction',
  id: messageId(`s${number}`),
  trigger: 'manual',
  way: 'summary',
  summary: 'short',
  messages: [{role: 'user', id: messageId(`s${number}`), blocks: [{kind: 'text', text: 'short'}]}],
  tokens: {before: 2, after: 1},
});

const withoutPieces = (records: readonly JournalRecord[]): readonly JournalRecord[] =>
  records.filter(({kind}) => kind !== 'piece');

test('has all records after a compaction, and a rewind brings back the conversation before it', () => {
  const store = openStore();
  const earlier = [...exchange(1), compaction(1), ...exchange(2)];
  const first = store.create({directory: '/w', model: 'm'});
  for (const record of earlier) first.append(record);
  first.close();
  const resumed = store.resume(first.id);
  if (resumed.tag === 'failed') throw new Error(resumed.error.message);
  const session = recordingSession(resumed.value);
  const later = [...exchange(3), compaction(2), ...exchange(4), compaction(3)];
  for (const record of later) session.append(record);
  const all = [...earlier, ...withoutPieces(later)];
  expect(session.records).toEqual(all);
  for (const to of ['s3', 's2', 's1', 'p4', 'p3', 'p2', 'p1']) {
    const rewound: JournalRecord = {kind: 'rewind', to: messageId(to), what: 'talk', files: 'untouched'};
    const history = historyFromJournal([...session.records, rewound]);
    expect([to, history]).toEqual([to, historyFromJournal([...all, rewound])]);
  }
});

test('keeps no results in memory that a compaction has replaced', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const session = recordingSession(openStore().create({directory: '/w', model: 'm'}));
  const results = ((): readonly WeakRef<object>[] => {
    const records = exchange(1);
    for (const record of records) session.append(record);
    return records.flatMap(record => (record.kind === 'result' ? [new WeakRef(record.result.content)] : []));
  })();
  session.append(compaction(1));
  await expect
    .poll(() => {
      collect();
      return results.every(result => result.deref() === undefined);
    })
    .toBe(true);
  expect(session.records).toEqual([...withoutPieces(exchange(1)), compaction(1)]);
});
