import {expect, test} from 'vitest';
import {messageId} from '../../../src/domain/ids.ts';
import {reminderBlock} from '../../../src/domain/reminder.ts';
import {pastEntries} from '../../../src/tui/state/past-entries.ts';

test('a resumed session shows the doubts about an answer, and no other reminder', () => {
  const doubts = [
    'The answer says "It is \\"green\\".", but no test has run.',
    'The answer says "It builds.", but tsc failed, and npm run build has not run.',
  ];
  const told = [`${doubts.join('\n')}\nRun the check now.`, 'Something else.'];
  const messages = told.map((text, at) => ({
    role: 'user' as const,
    id: messageId(`m${at}`),
    blocks: [reminderBlock(text)],
  }));
  expect(pastEntries(messages, '/work')).toEqual([
    {kind: 'notice', level: 'warning', text: doubts[0]},
    {kind: 'notice', level: 'warning', text: `${doubts[1] ?? ''} Asked the agent to check.`},
  ]);
});
