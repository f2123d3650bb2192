import {expect, test} from 'vitest';
import {failed, ok} from '../../../src/base/outcome.ts';
import {allowRule, type KeepRule} from '../../../src/cli/allow-rule.ts';
import {makeLiveRules, type LiveRules} from '../../../src/safety/live-rules.ts';

const scene = (keep: KeepRule = async () => ok('changed')) => {
  const live = makeLiveRules({allow: [], ask: [], deny: []});
  const kept: string[] = [];
  const allow = allowRule(live, async (rule, reach) => {
    kept.push(`${reach} ${rule}`);
    return keep(rule, reach);
  });
  return {live, kept, allow};
};

const texts = ({rules}: LiveRules): readonly string[] => rules.allow.map(({text}) => text);

test('for the session it holds and is not kept; for good it is both', async () => {
  const {live, kept, allow} = scene();
  expect(await allow(' Bash(make:*) ', 'session')).toEqual(ok(undefined));
  expect([texts(live), kept]).toEqual([['Bash(make:*)'], []]);
  expect(await allow('Edit(src/**)', 'always')).toEqual(ok(undefined));
  expect([texts(live), kept]).toEqual([['Bash(make:*)', 'Edit(src/**)'], ['always Edit(src/**)']]);
});

test('what is no rule allows nothing', async () => {
  const {live, kept, allow} = scene();
  expect(await allow('bash(x)', 'always')).toEqual(
    failed({kind: 'rejected', message: 'The rule bash(x) names no tool of weft. Did you mean Bash?'}),
  );
  expect([texts(live), kept]).toEqual([[], []]);
});

test('what cannot be kept holds for now, and says so', async () => {
  const {live, allow} = scene(async () =>
    failed({kind: 'needs-user', message: 'The disk is full', fix: 'Nothing was changed.'}),
  );
  expect(await allow('Bash(make:*)', 'always')).toEqual(
    failed({
      kind: 'needs-user',
      message: 'The disk is full. Nothing was changed.',
      fix: 'The rule holds until weft ends.',
    }),
  );
  expect(texts(live)).toEqual(['Bash(make:*)']);
});
