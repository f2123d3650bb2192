import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {treeId} from '../../../src/domain/checkpoint.ts';
import {historyFromJournal} from '../../../src/domain/history.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import type {JournalRecord, RewindScope} from '../../../src/domain/journal.ts';
import {promptSpans, timelineOf} from '../../../src/domain/timeline.ts';
import {noUsage} from '../../../src/domain/usage.ts';

const prompted = (id: string): JournalRecord => ({
  kind: 'prompt',
  message: {role: 'user', id: messageId(id), blocks: [{kind: 'text', text: id}]},
});
const answered = (id: string): JournalRecord => ({
  kind: 'answer',
  message: {
    role: 'assistant',
    id: messageId(id),
    model: 'm',
    blocks: [{kind: 'text', text: id}],
    stop: 'end-turn',
    usage: noUsage,
  },
});
const rewound = (to: string, what: RewindScope = 'both'): JournalRecord => ({
  kind: 'rewind',
  to: messageId(to),
  what,
  files: 'untouched',
});
const redone: JournalRecord = {kind: 'redo', files: 'untouched'};
const kept = (prompt: string, moment: 'before' | 'after', tree: string): JournalRecord => ({
  kind: 'checkpoint',
  prompt: messageId(prompt),
  moment,
  tree: treeId(tree),
});
const frames = (byte: number): JournalRecord => ({kind: 'todo-frames', frames: [Uint8Array.of(byte)]});
const compacted = (id: string, ...messages: readonly string[]): JournalRecord => ({
  kind: 'compaction',
  id: messageId(id),
  trigger: 'manual',
  way: 'summary',
  summary: 's',
  messages: [id, ...messages].map(one => ({role: 'user', id: messageId(one), blocks: [{kind: 'text', text: one}]})),
  tokens: {before: 9, after: 1},
});
const reminded = (id: string): JournalRecord => ({
  kind: 'reminder',
  message: {role: 'user', id: messageId(id), blocks: [{kind: 'text', text: id}]},
});
const idsOf = (records: readonly JournalRecord[]): readonly string[] =>
  historyFromJournal(records).messages.map(({id}) => id);

const talk = [prompted('p1'), answered('a1'), prompted('p2'), answered('a2')];

describe('history after rewinds', () => {
  test.each<[string, readonly JournalRecord[], readonly string[]]>([
    ['what was said since counts no more', [...talk, rewound('p2')], ['p1', 'a1']],
    ['to the first prompt: nothing is left', [...talk, rewound('p1', 'talk')], []],
    ['files alone leave what was said', [...talk, rewound('p1', 'files')], ['p1', 'a1', 'p2', 'a2']],
    ['redo brings it back', [...talk, rewound('p2'), redone], ['p1', 'a1', 'p2', 'a2']],
    ['twice back, once forth', [...talk, rewound('p2'), rewound('p1'), redone], ['p1', 'a1']],
    ['twice back, twice forth', [...talk, rewound('p2'), rewound('p1'), redone, redone], ['p1', 'a1', 'p2', 'a2']],
    ['a new prompt ends redoing', [...talk, rewound('p2'), prompted('p3'), redone], ['p1', 'a1', 'p3']],
    ['redo without a rewind', [...talk, redone], ['p1', 'a1', 'p2', 'a2']],
    ['to a prompt that is not there', [...talk, rewound('p9')], ['p1', 'a1', 'p2', 'a2']],
    ['to a prompt that was already taken back', [...talk, rewound('p1'), rewound('p2')], []],
  ])('%s', (_, records, ids) => {
    expect(idsOf(records)).toEqual(ids);
  });

  test('the todo list goes back with what was said', () => {
    const records = [prompted('p1'), frames(1), prompted('p2'), frames(2), rewound('p2')];
    expect(historyFromJournal(records).todoFrames).toEqual([Uint8Array.of(1)]);
  });

  test('any journal: as many redos as rewinds give the conversation without either', () => {
    const steps = fc.array(fc.nat({max: 3}), {maxLength: 4});
    fc.assert(
      fc.property(steps, targets => {
        const back = targets.map(at => rewound(`p${at}`));
        const live = timelineOf([...talk, ...back, ...targets.map(() => redone)]).activeRecords;
        expect(live).toEqual(talk);
      }),
    );
  });
});

describe('history after compactions', () => {
  const done = [...talk, compacted('c')];
  test.each<[string, readonly JournalRecord[], readonly string[]]>([
    ['stands for all before it', [...done, prompted('p3')], ['c', 'p3']],
    ['the last of several counts', [...done, prompted('p3'), compacted('d', 'p3'), prompted('p4')], ['d', 'p3', 'p4']],
    ['is taken back alone', [...done, rewound('c')], ['p1', 'a1', 'p2', 'a2']],
    [
      'what was said after it stays when it is taken back',
      [...done, reminded('r'), rewound('c')],
      ['p1', 'a1', 'p2', 'a2', 'r'],
    ],
    ['is done again', [...done, rewound('c'), redone], ['c']],
    ['and what was said since stays behind it', [...done, rewound('c'), reminded('r'), redone], ['c', 'r']],
    [
      'also where prompts before it went and came back meanwhile',
      [...done, rewound('c'), rewound('p2'), reminded('r'), redone, redone],
      ['c'],
    ],
    ['a rewind to a prompt before it takes it back', [...done, prompted('p3'), rewound('p2')], ['p1', 'a1']],
    ['a rewind to a prompt after it does not', [...done, prompted('p3'), answered('a3'), rewound('p3')], ['c']],
    ['files alone leave it', [...done, rewound('p1', 'files')], ['c']],
    ['a rewind of one that is not there', [...done, rewound('d')], ['c']],
    ['a new one ends redoing', [...done, prompted('p3'), rewound('p3'), compacted('d'), redone], ['d']],
    [
      'none takes results of calls before it',
      [...done, {kind: 'result', result: {kind: 'tool-result', id: actionId('x'), content: [], outcome: 'success'}}],
      ['c'],
    ],
  ])('%s', (_, records, ids) => {
    expect(idsOf(records)).toEqual(ids);
  });
});

describe('what prompts did to the files', () => {
  test('from the first keeping to the last; where the end was not kept, to the next beginning or to now', () => {
    const records = [
      prompted('p1'),
      kept('p1', 'before', 't1'),
      prompted('p2'),
      prompted('p3'),
      kept('p3', 'before', 't3'),
      kept('p3', 'before', 't3b'),
      kept('p3', 'after', 't4'),
      prompted('p4'),
      kept('p4', 'before', 't5'),
    ];
    expect(promptSpans({activeRecords: records}).map(({message, files}) => [message.id, files])).toEqual([
      ['p1', [{before: 't1', after: 't3', more: {before: [], after: ['t3b', 't5']}}]],
      ['p2', []],
      ['p3', [{before: 't3', after: 't4', more: {before: ['t3b'], after: []}}]],
      ['p4', [{before: 't5', after: 'now'}]],
    ]);
  });

  test('without what others did between its changes', () => {
    const moments = ['before', 'after', 'before', 'before', 'after', 'before'] as const;
    const records = [prompted('p'), ...moments.map((moment, at) => kept('p', moment, `t${at}`))];
    expect(promptSpans({activeRecords: records})[0]?.files).toEqual([
      {before: 't0', after: 't1'},
      {before: 't2', after: 't4', more: {before: ['t3'], after: []}, since: ['t1']},
      {before: 't5', after: 'now', since: ['t4']},
    ]);
  });
});
