import {ruleKinds} from '../../../../src/actions/catalogue.ts';
import {expect, test} from 'vitest';
import {
  type ChangeableRules,
  makeChangeableRules,
  parseRule,
  type PermissionRule,
  rulesOfAgent,
} from '../../../../src/safety/rules/permission-rule.ts';

const rule = (text: string): PermissionRule => {
  const read = parseRule(text, ruleKinds);
  if (read.tag === 'failed') throw new Error(read.error.message);
  return read.value;
};

const given = {allow: [rule('Read')], ask: [rule('Edit')], deny: [rule('Bash(rm:*)')]};
const texts = ({rules}: Pick<ChangeableRules, 'rules'>) =>
  [rules.allow, rules.ask, rules.deny].map(list => list.map(({text}) => text));

test('what is added later is seen by whoever holds the rules; what was given stays as it was', () => {
  const live = makeChangeableRules(given);
  live.add('allow', rule('Bash(make:*)'));
  live.add('allow', rule('Read'));
  live.add('deny', rule('Grep'));
  expect(texts(live)).toEqual([['Read', 'Bash(make:*)'], ['Edit'], ['Bash(rm:*)', 'Grep']]);
  expect(given.allow.map(({text}) => text)).toEqual(['Read']);
});

test('only what was added can be taken out or replaced', () => {
  const live = makeChangeableRules(given);
  live.add('deny', rule('Grep'));
  expect([live.remove('deny', ' Grep '), live.remove('deny', 'Grep'), live.remove('deny', 'Bash(rm:*)')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(texts(live)).toEqual([['Read'], ['Edit'], ['Bash(rm:*)']]);
  live.add('allow', rule('Glob'));
  live.replace('allow', [rule('Grep'), rule('Write')]);
  expect(texts(live)).toEqual([['Read', 'Grep', 'Write'], ['Edit'], ['Bash(rm:*)']]);
});

test('what the prompt of an agent allows is seen below it, and nowhere else', () => {
  const live = makeChangeableRules(given);
  const main = rulesOfAgent(live.rules);
  const [one, other] = [rulesOfAgent(main.rules), rulesOfAgent(main.rules)];
  const below = rulesOfAgent(one.rules);
  main.allowForPrompt([rule('Glob')]);
  one.allowForPrompt([rule('Bash(rm:*)')]);
  live.add('allow', rule('Grep'));
  const [ask, deny] = [['Edit'], ['Bash(rm:*)']];
  expect([live, main, other, one, below].map(texts)).toEqual([
    [['Read', 'Grep'], ask, deny],
    [['Read', 'Grep', 'Glob'], ask, deny],
    [['Read', 'Grep', 'Glob'], ask, deny],
    [['Read', 'Grep', 'Glob', 'Bash(rm:*)'], ask, deny],
    [['Read', 'Grep', 'Glob', 'Bash(rm:*)'], ask, deny],
  ]);
  main.allowForPrompt([]);
  one.allowForPrompt([]);
  expect(texts(below)).toEqual([['Read', 'Grep'], ask, deny]);
});
