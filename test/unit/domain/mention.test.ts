import {assert, property, stringMatching} from 'fast-check';
import {describe, expect, test} from 'vitest';
import {mentionOf, mentionsIn} from '../../../src/domain/mention.ts';
import {processorClock} from '../../support/processor-clock.ts';

const readingsIn = (text: string): readonly string[] =>
  mentionsIn(text).map(({readings}) =>
    readings.map(({path, lines}) => (lines === 'all' ? path : `${path} ${lines.first}..${lines.last}`)).join(' | '),
  );

describe('mentions of a prompt', () => {
  test.each<readonly [string, readonly string[]]>([
    ['look at @src/a.ts', ['src/a.ts']],
    ['@a', ['a']],
    ['@src/a.ts:10-20 please', ['src/a.ts 10..20 | src/a.ts:10-20']],
    ['@src/a.ts:10', ['src/a.ts 10..10 | src/a.ts:10']],
    ['@src/a.ts:10-', ['src/a.ts 10..end | src/a.ts:10-']],
    ['@src/a.ts#L5-L7', ['src/a.ts 5..7 | src/a.ts#L5-L7']],
    ['@src/a.ts:20-10', ['src/a.ts 10..20 | src/a.ts:20-10']],
    ['@"my file.txt" and @"b c.md":3-4', ['my file.txt', 'b c.md 3..4']],
    [String.raw`@my\ file.txt`, ['my file.txt']],
    ['see @src/a.ts, then (@b.ts) and @c.ts.', ['src/a.ts, | src/a.ts', 'b.ts) | b.ts', 'c.ts. | c.ts']],
    ['@src/a.ts:3.', ['src/a.ts:3. | src/a.ts 3..3 | src/a.ts:3']],
    ['mail me@example.org, user@host:path', []],
    ['@@ -1,3 +1,4 @@', []],
    ['@ alone, and @"" too', []],
    ['a\n@b.ts\n@src/', ['b.ts', 'src/']],
    ['日本語 @src/日本.ts', ['src/日本.ts']],
  ])('%s', (text, expected) => {
    expect(readingsIn(text)).toEqual(expected);
  });

  test('stands where it says it does', () => {
    const text = 'see @"a b":1-2, and @c';
    expect(mentionsIn(text).map(({from, to}) => text.slice(from, to))).toEqual(['@"a b":1-2', '@c']);
  });

  test('a path is read as it was written out', () => {
    const path = stringMatching(/^[\w./ äé日\\'()-]{1,30}$/u).filter(text => text.trim() !== '');
    assert(
      property(path, text => {
        const [mention] = mentionsIn(`see ${mentionOf(text)} now`);
        expect(mention?.readings[0]?.path).toBe(text);
      }),
    );
  });

  test('takes time that grows with the text and no more', () => {
    const spentMs = processorClock();
    mentionsIn('@"'.repeat(100_000));
    mentionsIn('@a\\'.repeat(100_000));
    mentionsIn(`@${'a.'.repeat(200_000)}`);
    expect(spentMs()).toBeLessThan(2000);
  });
});
