import {expect, test} from 'vitest';
import {formatSessionList} from '../../../../src/cli/sessions/format-session-list.ts';
import {cellWidth} from '../../../../src/tui/text/cell-width.ts';
import {sampleSummary} from './sample-session.ts';

const now = sampleSummary.updatedAt;
const minute = 60_000;

test('says when, how much, what and where', () => {
  const summaries = [
    {...sampleSummary, updatedAt: now + 5, messages: 1},
    {...sampleSummary, updatedAt: now - 59 * minute, messages: 120, title: ''},
    {...sampleSummary, updatedAt: now - 30 * 60 * minute, title: 'two\nlines\u001b]0;x\u0007'},
    {...sampleSummary, updatedAt: now - 800 * 24 * 60 * minute},
  ];
  expect(formatSessionList(summaries, {now, width: 200})).toBe(
    [
      `${sampleSummary.id}    just now     1 message  mend the *test*  /work/some_project`,
      `${sampleSummary.id}  59 min ago  120 messages  (no text)  /work/some_project`,
      `${sampleSummary.id}     1 d ago    3 messages  two ⏎ lines^[]0;x^G  /work/some_project`,
      `${sampleSummary.id}     2 y ago    3 messages  mend the *test*  /work/some_project`,
      '',
    ].join('\n'),
  );
  expect(formatSessionList([], {now, width: 80})).toBe('');
});

test.each([40, 60, 80, 100])('is at most %i cells wide, the id left whole', width => {
  const [line = ''] = formatSessionList([{...sampleSummary, title: '漢字💡'.repeat(40)}], {now, width}).split('\n');
  expect(line.startsWith(sampleSummary.id)).toBe(true);
  expect(cellWidth(line)).toBeLessThanOrEqual(Math.max(width, `${sampleSummary.id}  just now  3 messages`.length));
});
