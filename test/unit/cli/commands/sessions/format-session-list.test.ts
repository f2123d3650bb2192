import {expect, test} from 'vitest';
import {parseSessionId, type SessionId} from '../../../../../src/domain/ids.ts';
import {shortSessionIds} from '../../../../../src/domain/session-list.ts';
import {formatSessionList} from '../../../../../src/cli/commands/sessions.ts';
import {cellWidth} from '../../../../../src/tui/text/cell-width.ts';
import {sampleSummary} from './sample-session.ts';

const now = sampleSummary.updatedAt;
const minute = 60_000;

const home = '/work';
const ids = shortSessionIds([sampleSummary]);

test('says when, how much, what and where, in columns', () => {
  const id = sampleSummary.id;
  const other = sessionId('6ba7b810-0000-41d1-80b4-00c04fd430c8');
  const third = sessionId('11111111-0000-41d1-80b4-00c04fd430c8');
  const summaries = [
    {...sampleSummary, updatedAt: now + 5},
    {...sampleSummary, id: other, updatedAt: now - 59 * minute, title: ''},
    {
      ...sampleSummary,
      id: third,
      updatedAt: now - 30 * 60 * minute,
      title: 'two\nlines\u001b]0;x\u0007',
      directory: '/x',
    },
  ];
  const costs = new Map([
    [id, 0.0312],
    [third, 12.5],
  ]);
  expect(formatSessionList(summaries, {now, width: 200, home, costs, ids: shortSessionIds(summaries)})).toBe(
    [
      '6ba7b810-9dad    just now  $0.0312  mend the *test*      ~/some_project',
      '6ba7b810-0000  59 min ago           Untitled             ~/some_project',
      '11111111          1 d ago   $12.50  two ⏎ lines^[]0;x^G  /x',
      '',
    ].join('\n'),
  );
  expect(formatSessionList([], {now, width: 80, home, costs, ids})).toBe('');
});

test('without a known price there is no column for it', () => {
  expect(formatSessionList([sampleSummary], {now, width: 200, home, costs: new Map(), ids})).toBe(
    '6ba7b810  just now  mend the *test*  ~/some_project\n',
  );
});

test.each([40, 60, 80, 100])('is at most %i cells wide, the id left whole', width => {
  const summaries = [{...sampleSummary, title: '漢字💡'.repeat(40)}];
  const [line = ''] = formatSessionList(summaries, {now, width, home, costs: new Map(), ids}).split('\n');
  expect(line.startsWith('6ba7b810  ')).toBe(true);
  expect(cellWidth(line)).toBeLessThanOrEqual(width);
});

function sessionId(text: string): SessionId {
  const id = parseSessionId(text);
  if (id === undefined) throw new Error('no id');
  return id;
}
