import {expect, test} from 'vitest';
import {looksLikePrompt} from '../../../../src/workspace/exec/input-wait.ts';

test.each([
  'Password:',
  "[sudo] password for ada's account",
  'Your name? ',
  '>>> ',
  'mysql> ',
  '$ ',
  'Overwrite? (y/n)',
  'Ok to proceed? (y) ',
  '? Pick one › ',
  '--More--(6%)',
  '(END)',
])('%j asks for something', text => {
  expect(looksLikePrompt(text)).toBe(true);
});

test.each(['', '   ', 'up', 'Listening on http://x', '45%', 'done.', 'compiled (3)', '<html>'])('%j does not', text => {
  expect(looksLikePrompt(text)).toBe(false);
});
