import {execFileSync, spawn} from 'node:child_process';
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

// Runs in a process group of its own, since other tests run commands in the group of this process.
const besideTagged = `
  import {spawn} from 'node:child_process';
  const {isStartedByWeft, makeRunTags} = await import(process.argv[1]);
  const tag = process.argv[2] ?? (await makeRunTags('/blocks')).next();
  const child = spawn('sleep', ['60'], {env: {...process.env, WEFT_RUN: tag}});
  await new Promise(resolve => child.once('spawn', resolve));
  console.log(await isStartedByWeft({}));
  child.kill();
`;

test.skipIf(process.platform !== 'linux').each([
  ['a server of a weft in the same script', [], 'false\n'],
  ['a command whose weft has ended', ['1.0.0123456789ab.1.'], 'true\n'],
])('beside %s', async (_, tag, isStarted) => {
  const module = new URL('../../../../src/workspace/exec/run-tag.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', besideTagged, module, ...tag], {detached: true});
  let shown = '';
  for await (const chunk of child.stdout) shown += String(chunk);
  expect(shown).toBe(isStarted);
});
