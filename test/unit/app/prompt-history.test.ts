import {appendFileSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, expect, test} from 'vitest';
import {openHistory} from '../../../src/app/user-ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'weft-history-'));
const file = join(folder, 'data', 'history.jsonl');
afterEach(() => rmSync(folder, {recursive: true, force: true}));

test('the prompts of this folder are the latest; bare lines and broken ones do no harm', () => {
  openHistory(file, '/a').add('in a');
  openHistory(file, '/b').add('in b\nand more');
  appendFileSync(file, '"from before"\nnot json\n[1]\n{"prompt": 1, "directory": "/a"}\n');
  openHistory(file, '/a').add('in a too');
  expect(openHistory(file, '/a').load()).toEqual(['in b\nand more', 'from before', 'in a', 'in a too']);
  expect(openHistory(file, '/b').load()).toEqual(['in a', 'from before', 'in a too', 'in b\nand more']);
});

test('only the end of a long file is read, in whole lines', () => {
  const long = 'long '.repeat(2000);
  for (let number = 0; number < 200; number += 1) openHistory(file, '/a').add(`${number} ${long}`);
  const prompts = openHistory(file, '/a').load();
  const first = 200 - prompts.length;
  expect(first).toBeGreaterThan(80);
  expect(prompts).toEqual(Array.from(prompts, (_, at) => `${first + at} ${long}`));
});

test('without a file there are none', () => {
  expect(openHistory(file, '/a').load()).toEqual([]);
});
