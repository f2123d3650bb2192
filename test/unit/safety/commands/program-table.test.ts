import {describe, expect, test} from 'vitest';
import {allPrograms} from '../../../../src/safety/commands/only-reads.ts';
import {bash, judge} from '../support/judging.ts';

describe.each(allPrograms.map(row => [row.names.slice(0, 60), row] as const))('%s', (_, {match, notMatch}) => {
  test.each(match)('lets %j through', async command => {
    expect(await judge(bash(command))).toMatchObject({decision: 'allow', risk: 'read-only', reasons: []});
  });

  test.each(notMatch)('asks about %j', async command => {
    expect((await judge(bash(command))).decision).toBe('ask');
  });
});
