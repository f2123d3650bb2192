import {expect, test} from 'vitest';
import {secretNamesIn} from '../../../../src/safety/secrets/placeholders.ts';
import {bash, judge} from '../support/judging.ts';

const given = '[[secret:API_KEY:0123abcd]]';

test.each([
  [`echo "${given}" ${given} '[[secret:OTHER_1:0123abcdef01]]'`, ['API_KEY', 'OTHER_1']],
  ['[[ -f secret ]] && echo [[secret:low:0123abcd]] [[secret:A:xyz]] [[secret:', []],
])('the secrets in %s', (text, names) => {
  expect(secretNamesIn(text)).toEqual(names);
});

test('a command that is given a secret is asked about, whatever it does with it', async () => {
  expect((await judge(bash('echo hello'))).decision).toBe('allow');
  expect(await judge(bash(`echo "${given}"`))).toMatchObject({
    decision: 'ask',
    reasons: ['Gets the secret API_KEY'],
  });
  expect((await judge(bash(`echo "${given}"`), {allow: ['Bash']})).decision).toBe('allow');
});
