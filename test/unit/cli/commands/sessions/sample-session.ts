import {actionId, messageId, parseSessionId} from '../../../../../src/domain/ids.ts';
import type {JournalRecord, SessionSummary} from '../../../../../src/domain/journal.ts';
import {reminderBlock} from '../../../../../src/domain/reminder.ts';
import {noUsage} from '../../../../../src/domain/usage.ts';

const id = parseSessionId('6ba7b810-9dad-41d1-80b4-00c04fd430c8');
if (id === undefined) throw new Error('no id');

export const sampleSummary: SessionSummary = {
  id,
  title: 'mend the *test*',
  directory: '/work/some_project',
  model: 'm-1',
  createdAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  updatedAt: Date.UTC(2026, 0, 2, 4, 4, 5),
  messages: 3,
};

export const sampleRecords: readonly JournalRecord[] = [
  {
    kind: 'prompt',
    message: {
      role: 'user',
      id: messageId('p'),
      blocks: [
        {kind: 'text', text: 'mend the *test*\nplease \u001b[2J'},
        {kind: 'image', mediaType: 'image/png', data: 'A'.repeat(16_000)},
        reminderBlock('Be brief.'),
      ],
    },
  },
  {
    kind: 'answer',
    message: {
      role: 'assistant',
      id: messageId('a'),
      model: 'm-1',
      blocks: [
        {kind: 'thinking', text: 'hm\nwell', signature: 's'},
        {kind: 'sealed-thinking', data: 'x'},
        {kind: 'text', text: 'I look.'},
        {kind: 'tool-call', id: actionId('1'), name: 'Bash', input: {command: 'npm test\nls', timeout: 3}},
        {kind: 'tool-call', id: actionId('2'), name: 'Read', input: 'not json'},
      ],
      stop: 'tool-use',
      usage: noUsage,
    },
  },
  {kind: 'approval', id: actionId('1'), label: 'Run npm test', decision: 'allowed', by: 'user'},
  {kind: 'todo-frames', frames: [Uint8Array.of(1, 2, 3)]},
  {
    kind: 'result',
    result: {
      kind: 'tool-result',
      id: actionId('2'),
      content: [{kind: 'text', text: '```\ncode\u202e\n```'}],
      outcome: 'error',
    },
  },
  {
    kind: 'result',
    result: {
      kind: 'tool-result',
      id: actionId('1'),
      content: [
        {kind: 'text', text: '\u001b[32mok\u001b[0m\u2028\n[exit code 1 after 2.0 s in /w]'},
        reminderBlock('Go on.'),
      ],
      outcome: 'success',
    },
  },
  {
    kind: 'answer',
    message: {
      role: 'assistant',
      id: messageId('b'),
      model: 'm-1',
      blocks: [{kind: 'text', text: 'Done, al'}],
      stop: 'interrupted',
      usage: noUsage,
    },
  },
  {kind: 'usage', model: 'm-1', usage: noUsage},
];
