import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {printRows} from '../../../src/cli/rows.ts';

let written: string[] = [];
beforeEach(() => {
  written = [];
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation(text => {
      written.push(`${name}: ${String(text)}`);
      return true;
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

const list = {line: (row: number) => `row ${row}`, none: 'nothing here'};

test.each([
  ['rows', {rows: [1, 2], json: undefined, ...list}, ['stdout: row 1\n', 'stdout: row 2\n']],
  ['no rows', {rows: [], json: undefined, ...list}, ['stderr: weft: nothing here\n']],
  ['no rows, and nothing to say of it', {rows: [], json: undefined, ...list, none: ''}, []],
  [
    'JSON',
    {rows: [1], json: true, ...list, toJson: (row: number) => ({row})},
    ['stdout: [\n  {\n    "row": 1\n  }\n]\n'],
  ],
  ['JSON of no rows', {rows: [], json: true, ...list}, ['stdout: []\n']],
] as const)('%s', (_, rows, expected) => {
  expect(printRows<number>(rows)).toBe(0);
  expect(written).toEqual(expected);
});
