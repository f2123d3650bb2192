import {expect, test} from 'vitest';
import {isSurelyKey, recognizeKey} from '../../../src/domain/api-key.ts';

const anthropic = 'sk-ant-api03-AbCdEfGhIjKlMnOp_-0123456789AA';
const openAi = 'sk-proj-AbCdEfGhIjKlMnOp_-0123456789';
const older = 'sk-0123456789abcdefghijT3BlbkFJ0123456789abcdefghij';
const google = 'AIzaSyA0123456789-abcdefghij_KLMNOPQRST';
const bare = 'sk-0123456789abcdef0123456789abcdef';

test.each([
  ['Anthropic', anthropic, {kind: 'key', provider: 'anthropic', key: anthropic}],
  ['OpenAI, of a project', openAi, {kind: 'key', provider: 'openai', key: openAi}],
  ['OpenAI, the older form', older, {kind: 'key', provider: 'openai', key: older}],
  ['Google', google, {kind: 'key', provider: 'gemini', key: google}],
  ['white space around it', `  ${anthropic}\r\n`, {kind: 'key', provider: 'anthropic', key: anthropic}],
  [
    'a line of a shell file',
    `export ANTHROPIC_API_KEY="${anthropic}";`,
    {kind: 'key', provider: 'anthropic', key: anthropic},
  ],
  ['the name of the variable says whose it is', `OPENAI_API_KEY=${bare}`, {kind: 'key', provider: 'openai', key: bare}],
  ['a form that several companies use', bare, {kind: 'unclear', key: bare}],
  [
    'OpenRouter',
    'sk-or-v1-0123456789abcdef',
    {kind: 'other-service', service: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1'},
  ],
  ['a sentence', 'please fix the failing test', {kind: 'no-key', reason: 'A key is one word without spaces.'}],
  ['nothing', ' \n', {kind: 'no-key', reason: 'Nothing was pasted.'}],
  ['a word', 'password', {kind: 'no-key', reason: 'A key has 16 to 512 characters; this has 8.'}],
  ['a terminal escape', `sk-ant-\u001B[31m${bare}`, {kind: 'no-key', reason: 'A key is one word without spaces.'}],
])('%s', (_, pasted, found) => {
  expect(recognizeKey(pasted)).toEqual(found);
});

test('only what is certainly a key is taken out of other texts', () => {
  expect([anthropic, openAi, bare, 'git status', 'averylongidentifier_in_code'].map(isSurelyKey)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
