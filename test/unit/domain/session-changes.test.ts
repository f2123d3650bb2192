import {expect, test} from 'vitest';
import {sessionChanges} from '../../../src/domain/timeline.ts';
import {treeId} from '../../../src/domain/checkpoint.ts';
import {messageId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';

const prompt = (id: string): JournalRecord => ({
  kind: 'prompt',
  message: {role: 'user', id: messageId(id), blocks: [{kind: 'text', text: id}]},
});
const tree = (of: string, moment: 'before' | 'after', name: string): JournalRecord => ({
  kind: 'checkpoint',
  prompt: messageId(of),
  moment,
  tree: treeId(name),
});

const records = [
  prompt('p1'),
  tree('p1', 'before', 't1'),
  tree('p1', 'after', 't2'),
  prompt('p2'),
  prompt('p3'),
  tree('p3', 'before', 't3'),
];

test('the changes of a session are those of its prompts, or everything since the first one', () => {
  expect(sessionChanges(records, 'session')).toEqual([
    {before: 't1', after: 't2'},
    {before: 't3', after: 'now'},
  ]);
  expect(sessionChanges(records, 'start')).toEqual([{before: 't1', after: 'now', more: {before: ['t3'], after: []}}]);
});

test('what was undone does not count', () => {
  const undone = [
    ...records,
    {kind: 'rewind', to: messageId('p1'), what: 'both', files: 'untouched'},
  ] satisfies readonly JournalRecord[];
  expect([sessionChanges(undone, 'session'), sessionChanges(undone, 'start')]).toEqual([[], []]);
});
