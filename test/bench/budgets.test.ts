// @module-tag long
import {describe, expect, test} from 'vitest';
import {addToHistory, measureSizes, rowText} from './size-rows.ts';

describe.runIf(process.platform === 'linux')('what must not grow', () => {
  test('keeps its budgets', {timeout: 600_000}, async () => {
    const rows = await measureSizes('short');
    addToHistory('short', rows);
    expect(rows.filter(({ratio, budget}) => !(ratio <= budget)).map(rowText)).toEqual([]);
  });
});
