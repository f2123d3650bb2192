import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {allPrograms} from '../../../../src/safety/commands/known-programs.ts';
import {examplesOf} from '../../../../src/safety/commands/program-table.ts';
import {bash, judge} from '../support/judging.ts';

const readers = allPrograms.filter(({yes}) => yes !== undefined);

describe.each(readers.map(row => [row.names.trim().slice(0, 60), row] as const))('%s', (_, {yes = '', no = ''}) => {
  test.each(examplesOf(yes))('lets %j through', async command => {
    expect(await judge(bash(command))).toMatchObject({decision: 'allow', risk: 'read-only', reasons: []});
  });

  test.each(examplesOf(no))('asks about %j', async command => {
    expect((await judge(bash(command))).decision).toBe('ask');
  });
});

test('what a program does stands in one row', () => {
  const names = allPrograms.flatMap(row => row.names.split(',').map(name => name.trim()));
  expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([]);
  expect(names.every(name => /^\S+(?: \S+)*$/u.test(name))).toBe(true);
});

const text = (name: string): string =>
  readFileSync(new URL(`../../../../src/safety/commands/${name}`, import.meta.url), 'utf8');

test('the page on adding a program shows a row as it stands in the table', () => {
  const [, example = ''] = /```ts\n([\s\S]*?)```/u.exec(text('README.md')) ?? [];
  expect(example).not.toBe('');
  expect(text('programs/text.ts')).toContain(example);
});
