import {expect, test} from 'vitest';
import {makeLiveRules} from '../../../src/safety/live-rules.ts';
import {parseRule, type PermissionRule} from '../../../src/safety/rules.ts';

const rule = (text: string): PermissionRule => {
  const read = parseRule(text);
  if (read.tag === 'failed') throw new Error(read.error.message);
  return read.value;
};

test('what is allowed later is seen by whoever holds the rules; what was given stays as it was', () => {
  const given = {allow: [rule('Read')], ask: [rule('Edit')], deny: [rule('Bash(rm:*)')]};
  const {rules, allow} = makeLiveRules(given);
  allow(rule('Bash(make:*)'));
  allow(rule('Read'));
  expect(rules.allow.map(({text}) => text)).toEqual(['Read', 'Bash(make:*)']);
  expect([rules.ask, rules.deny]).toEqual([given.ask, given.deny]);
  expect(given.allow.map(({text}) => text)).toEqual(['Read']);
});
