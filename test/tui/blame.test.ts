import {expect, test} from 'vitest';
import type {BlamedFile} from '../../src/domain/blame.ts';
import {blameSentences, blameText} from '../../src/tui/text/blame-text.ts';
import {cellWidth} from '../../src/tui/text/cell-width.ts';

const now = Date.parse('2026-01-02T00:00:00Z');
const agent = {
  by: 'agent',
  session: 's1',
  prompt: 'Fix the parser, and say why it failed',
  call: 'c1',
  tool: 'Edit',
  model: 'sonnet',
  at: '2026-01-01T22:00:00Z',
} as const;
const file: BlamedFile = {
  path: 'src/a.ts',
  lines: [
    {line: 9, by: 'unknown'},
    {line: 10, ...agent},
    {line: 11, ...agent},
    {line: 12, by: 'person'},
  ],
  texts: ['import x;', `const wide = '${'漢'.repeat(60)}';`, '\treturn 1;', ''],
};

test.each([100, 60, 40, 20])('the authors stand in a column beside the code, %i columns wide', width => {
  const lines = blameText(file, {width, now});
  expect(lines).toHaveLength(4);
  expect(Math.max(...lines.map(cellWidth))).toBeLessThanOrEqual(width);
});

test('on a terminal a repeated author is left out; in a pipe each line has all of its author and code', () => {
  expect(blameText(file, {width: 60, now})).toEqual([
    'unknown                       9  import x;',
    "2 h ago   Edit  Fix the pa…  10  const wide = '漢漢漢漢漢漢…",
    '                             11    return 1;',
    'person                       12',
  ]);
  const piped = blameText(file, {width: 'pipe', now});
  expect(piped[2]).toBe('2 h ago   Edit  Fix the parser, and say why i…  11    return 1;');
  expect(piped[1]).toContain('漢'.repeat(60));
});

test('facts about one line wrap between words, and no part is lost', () => {
  const session = '0f9a1a34-1111-4222-8333-444455556666';
  const lines = blameText({...file, lines: [{line: 11, ...agent, session}], texts: ['x']}, {width: 40, now});
  expect(lines).toEqual([
    'src/a.ts:11',
    'Edit  Fix the par…  11  x',
    '  Prompt    Fix the parser, and say why',
    '            it failed',
    '  Call      Edit c1',
    '  Model     sonnet',
    '  Session   0f9a1a34-1111-4222-8333-4444',
    '            55556666',
    '  Time      2026-01-01T22:00:00Z',
  ]);
});

test('one line tells everything about its author, and a screen reader hears each author once', () => {
  const one = {
    ...file,
    lines: [{line: 11, ...agent, approval: 'allowed by user', receipt: 'npm test passed'}],
    texts: ['x'],
  };
  expect(blameText(one, {width: 60, now})).toEqual([
    'src/a.ts:11',
    '2 h ago   Edit  Fix the pa…  11  x',
    '  Prompt    Fix the parser, and say why it failed',
    '  Call      Edit c1',
    '  Model     sonnet',
    '  Session   s1',
    '  Time      2026-01-01T22:00:00Z',
    '  Approval  allowed by user',
    '  Check     npm test passed',
  ]);
  expect(blameSentences({...file, lines: file.lines.slice(1), texts: ['a', 'b', 'c']}, {now})).toEqual([
    'By agent, 2 h ago. Prompt: Fix the parser, and say why it failed. Call: Edit c1. Model: sonnet',
    'Line 10: a',
    'Line 11: b',
    'By person',
    'Line 12: c',
  ]);
});
