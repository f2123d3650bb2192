import {execFileSync} from 'node:child_process';
import {expect, test} from 'vitest';
import {hasTaggedLimit, isStartedByWeft, tagLimitCommand} from '../../../../src/workspace/exec/run-tag.ts';

test.each([
  ['Max msgqueue size         819187               819187               bytes     ', true],
  ['Max msgqueue size         100                  819187               bytes     ', true],
  ['Max msgqueue size         819200               819200               bytes     ', false],
  ['Max msgqueue size         unlimited            unlimited            bytes     ', false],
  ['Max open files            819187               819187               files     ', false],
  ['', false],
])('%j', (limits, marked) => {
  expect(hasTaggedLimit(limits)).toBe(marked);
});

test.skipIf(process.platform !== 'linux')('the limit goes on to whatever a shell starts', () => {
  const shown = execFileSync('bash', ['-c', `${tagLimitCommand}env -i cat /proc/self/limits`], {encoding: 'utf8'});
  expect(hasTaggedLimit(shown)).toBe(true);
});

test.each(['WEFT_ACTIVE', 'WEFT_RUN'])('%s tells it', async name => {
  expect(await isStartedByWeft({[name]: '1'})).toBe(true);
});
