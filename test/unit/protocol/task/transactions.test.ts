import {assert, array, constant, constantFrom, integer, oneof, property, record} from 'fast-check';
import {expect, test} from 'vitest';
import {RevertibleMap} from '../../../../src/protocol/task/transactions.ts';

const step = oneof(
  record({kind: constant('set' as const), key: constantFrom('a', 'b', 'c'), value: integer()}),
  record({kind: constantFrom('begin', 'commit', 'rollback')}),
);

test('goes back to how it was, however transactions nest', () => {
  assert(
    property(array(step, {maxLength: 40, size: 'max'}), steps => {
      const map = new RevertibleMap<number>({limit: 100, weightOf: () => 1});
      let model = new Map<string, number>();
      const marks: Map<string, number>[] = [];
      for (const next of steps) {
        if (next.kind === 'set') {
          map.set(next.key, next.value);
          model.set(next.key, next.value);
        } else {
          map[next.kind]();
          if (next.kind === 'begin') marks.push(new Map(model));
          const mark = next.kind === 'begin' ? undefined : marks.pop();
          if (next.kind === 'rollback') model = mark ?? model;
        }
        expect(['a', 'b', 'c'].map(key => map.get(key))).toEqual(['a', 'b', 'c'].map(key => model.get(key)));
      }
    }),
  );
});

test('the oldest are forgotten, and what is heavier than an eighth is not remembered', () => {
  const map = new RevertibleMap<string>({limit: 24, weightOf: value => value.length});
  const keys = 'abcdefghijk'.split('');
  for (const key of keys.slice(0, 9)) map.set(key, 'xxx');
  map.set('b', 'yyy');
  map.set('j', 'xxx');
  map.set('k', 'xxxx');
  expect(keys.map(key => map.get(key))).toEqual([
    undefined,
    'yyy',
    undefined,
    ...Array<string>(7).fill('xxx'),
    undefined,
  ]);
});
