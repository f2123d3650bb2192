import {failed, ok} from '../../../src/base/outcome.ts';
import {changeRules, type SaveRule} from '../../../src/app/change-rules.ts';
import type {RuleChange} from '../../../src/domain/risk.ts';
import {type ChangeableRules, makeChangeableRules, rulesOfAgent} from '../../../src/safety/rules/permission-rule.ts';
import {describe, expect, test} from 'vitest';

const scene = (keep: SaveRule = async () => ok('changed')) => {
  const live = makeChangeableRules({allow: [], ask: [], deny: []});
  const kept: string[] = [];
  const change = changeRules({...live, ...rulesOfAgent(live.rules)}, async rule => {
    kept.push(`${rule.scope} ${rule.list} ${rule.rule}`);
    return keep(rule);
  });
  return {live, kept, change};
};

const add = (rule: string, more: Partial<Extract<RuleChange, {change: 'add'}>> = {}): RuleChange => ({
  change: 'add',
  list: 'allow',
  rule,
  scope: 'session',
  ...more,
});

const texts = ({rules}: ChangeableRules): readonly string[] => rules.allow.map(({text}) => text);

describe('adding', () => {
  test('for the session it holds and is not kept; for good it is both', async () => {
    const {live, kept, change} = scene();
    expect(await change(add(' Bash(make:*) '))).toEqual(ok(undefined));
    expect([texts(live), kept]).toEqual([['Bash(make:*)'], []]);
    expect(await change(add('Edit(src/**)', {scope: 'user'}))).toEqual(ok(undefined));
    expect([texts(live), kept]).toEqual([['Bash(make:*)', 'Edit(src/**)'], ['user allow Edit(src/**)']]);
    expect(texts(live).map(text => live.scopeOf('allow', text))).toEqual(['session', 'user']);
  });

  test('what forbids and what asks too', async () => {
    const {live, kept, change} = scene();
    await change(add('Bash(rm:*)', {list: 'deny', scope: 'local'}));
    await change(add('Write', {list: 'ask'}));
    expect([live.rules.deny.map(({text}) => text), live.rules.ask.map(({text}) => text), kept]).toEqual([
      ['Bash(rm:*)'],
      ['Write'],
      ['local deny Bash(rm:*)'],
    ]);
  });

  test('what is no rule allows nothing', async () => {
    const {live, kept, change} = scene();
    expect(await change(add('bash(x)', {scope: 'user'}))).toEqual(
      failed({kind: 'rejected', message: 'The rule bash(x) names an unknown tool. Did you mean Bash?'}),
    );
    expect([texts(live), kept]).toEqual([[], []]);
  });

  test('what cannot be kept holds for now, and says so', async () => {
    const {live, change} = scene(async () =>
      failed({kind: 'needs-user', message: 'The disk is full', fix: 'Nothing was changed.'}),
    );
    const changed = await change(add('Bash(make:*)', {scope: 'user'}));
    expect(live.scopeOf('allow', 'Bash(make:*)')).toBe('session');
    expect(changed).toEqual(
      failed({
        kind: 'needs-user',
        message: 'The disk is full. Nothing was changed.',
        fix: 'The rule applies until weft exits.',
      }),
    );
    expect(texts(live)).toEqual(['Bash(make:*)']);
  });
});

test('removing what is there, and what is not', async () => {
  const {live, change} = scene();
  await change(add('Read'));
  expect(await change({change: 'remove', list: 'allow', rule: 'Read'})).toEqual(ok(undefined));
  expect(await change({change: 'remove', list: 'allow', rule: 'Read'})).toMatchObject({tag: 'failed'});
  expect(texts(live)).toEqual([]);
});

test('replacing all at once, or none where one is no rule', async () => {
  const {live, change} = scene();
  await change(add('Read'));
  expect(await change({change: 'replace', list: 'allow', rules: ['Grep', 'rEAd']})).toMatchObject({tag: 'failed'});
  expect(texts(live)).toEqual(['Read']);
  expect(await change({change: 'replace', list: 'allow', rules: ['Grep', 'Glob']})).toEqual(ok(undefined));
  expect(texts(live)).toEqual(['Grep', 'Glob']);
});
