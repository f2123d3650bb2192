import {describe, expect, test} from 'vitest';
import {actionNames} from '../../src/actions/catalogue.ts';
import type {ShellReport} from '../../src/actions/ports.ts';
import {actionId} from '../../src/domain/ids.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {actionCard} from '../../src/tui/views/action-card.ts';
import {renderers} from '../../src/tui/views/renderers.ts';

const frame = {theme: themeOf('plain'), width: 40, verbosity: 'summary'} as const;
const full = {...frame, verbosity: 'full'} as const;

const report = (text: string, end: ShellReport['end'], file?: string): ShellReport => ({
  end,
  output: {text, totalBytes: text.length, leftOutLines: 0, file},
  durationMs: 10,
  directory: '/x',
  nextDirectory: '/work',
  leftRunning: [],
  notes: [],
});

describe('renderers', () => {
  test('every action has one', () => {
    expect(Object.keys(renderers).toSorted()).toEqual(actionNames.toSorted());
  });

  test.each<[string, ShellReport, readonly string[]]>([
    ['no output', report('', {kind: 'exited', code: 0}), ['exit code 0']],
    [
      'the last three lines, colours dropped',
      report('1\n2\n3\n4\n\u001B[31m5\u001B[0m\n6\n7\n', {kind: 'exited', code: 2}),
      ['… 4 lines above', '5', '6', '7', 'exit code 2'],
    ],
    [
      'a long line is wrapped and still bounded',
      report('x'.repeat(1000), {kind: 'timed-out', afterMs: 5}),
      [...Array.from({length: 3}, () => 'x'.repeat(40)), 'timed out and was ended'],
    ],
    [
      'where the whole output is',
      report('a', {kind: 'signalled', signal: 'SIGTERM'}, '/tmp/out'),
      ['a', 'ended by SIGTERM, whole output in /tmp/out'],
    ],
  ])('a command: %s', (_name, one, lines) => {
    expect(renderers['request-command-output']({kind: 'completed', command: 'c', report: one}, frame)).toEqual(lines);
  });

  test('files read', () => {
    const output = {
      files: [
        {state: 'read', file: {kind: 'text', path: 'a', lines: ['x'], firstLine: 1, totalLines: 1, notes: []}},
        {state: 'read', file: {kind: 'text', path: 'b', lines: ['x', 'y'], firstLine: 5, totalLines: 9, notes: []}},
        {state: 'failed', path: 'c', fault: {kind: 'rejected', message: 'There is no such file.'}},
      ],
    } as const;
    expect(renderers['read-files'](output, frame)).toEqual([
      '1 line',
      'lines 5 to 6 of 9',
      'c: There is no such file.',
    ]);
  });

  test('full is all that came', () => {
    const output = '1\n2\n3\n4\n5\n';
    const one = report(output, {kind: 'exited', code: 0});
    const result = {kind: 'completed', command: 'c', report: one} as const;
    expect(renderers['request-command-output'](result, full)).toEqual(['1', '2', '3', '4', '5', 'exit code 0']);
    const found = {lines: ['a:1:x', 'b:2:y'], omitted: {count: 0, exact: 'exact'}} as const;
    expect(renderers.grep(found, full)).toEqual(['2 lines', 'a:1:x', 'b:2:y']);
    expect(renderers.grep(found, frame)).toEqual(['2 lines']);
  });
});

test.each<[string, ShellReport['end']]>([
  ['✓ Run command: c', {kind: 'exited', code: 0}],
  ['! Run command: c', {kind: 'exited', code: 1}],
  ['! Run command: c', {kind: 'timed-out', afterMs: 5}],
])('a tick stands only beside what ended well: %s', (title, end) => {
  const settled = {state: 'success', output: {kind: 'completed', command: 'c', report: report('', end)}} as const;
  const input = {
    command: 'c',
    timeoutMs: 1000,
    place: 'foreground',
    claims: {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'},
    description: '',
    rationale: '',
    citations: [],
  } as const;
  const stage = {
    stage: 'settled',
    result: {tag: 'action', result: {name: 'request-command-output', input, settled}},
    preview: {kind: 'none'},
    tail: '',
    durationMs: 10,
  } as const;
  const [line] = actionCard({kind: 'action', id: actionId('a'), label: 'Run command: c', stage}, frame, undefined);
  expect(line).toBe(title);
});
