import {expect, test} from 'vitest';
import {
  splitArguments,
  parseBodyParts,
  type BodyValues,
  fillBody,
} from '../../../../src/extensions/skills/expand-body.ts';

const values = (more: Partial<BodyValues>): BodyValues => ({
  argument: '',
  firstNumber: 1,
  folder: '/s',
  pluginFolder: '',
  ...more,
});

test.each([
  ['Fix $1 as $2, $3.', '12 "two words"', 'Fix 12 as two words, .'],
  ['All: $ARGUMENTS', 'a  b', 'All: a  b'],
  ['$ARGUMENTS[1] then $ARGUMENTS[0]', 'a b', 'b then a'],
  ['No place', 'for this', 'No place\n\nARGUMENTS: for this'],
  ['No place', '', 'No place'],
  ['$12 is money', 'x', '$12 is money\n\nARGUMENTS: x'],
])('in a command %j with %j', (body, argument, filled) => {
  expect(fillBody(body, values({argument}))).toBe(filled);
});

test('in a skill $0 is the first argument, and without arguments its code stays as it is', () => {
  const body = "Open $0. Run awk '{print $1}' in ${CLAUDE_SKILL_DIR} of ${CLAUDE_PLUGIN_ROOT}";
  expect(fillBody(body, values({firstNumber: 0, argument: 'a b'}))).toBe(
    "Open a. Run awk '{print b}' in /s of ${CLAUDE_PLUGIN_ROOT}",
  );
  expect(fillBody(body, values({firstNumber: 0, pluginFolder: '/p'}))).toBe(
    "Open $0. Run awk '{print $1}' in /s of /p",
  );
});

test('command lines stand at the start of a word, and arguments make none', () => {
  const body = 'State: !`git log $1`\n- !`ls`\nnot`!`this` or a!`b`. $ARGUMENTS';
  expect(parseBodyParts(body, values({argument: '!`rm`'}))).toEqual([
    {kind: 'text', text: 'State: '},
    {kind: 'shell', command: 'git log !`rm`'},
    {kind: 'text', text: '\n- '},
    {kind: 'shell', command: 'ls'},
    {kind: 'text', text: '\nnot`!`this` or a!`b`. !`rm`'},
  ]);
});

test('quotes hold words together', () => {
  expect(splitArguments(`a "b c" 'd e' f"g`)).toEqual(['a', 'b c', 'd e', 'f"g']);
});
