import {assert, property, stringMatching} from 'fast-check';
import {describe, expect, test} from 'vitest';
import {messageId} from '../../../src/domain/ids.ts';
import {attachedTo, attachmentBlock, formatMention, parseMentions} from '../../../src/domain/mention.ts';
import {processorClock} from '../../support/processor-clock.ts';

const readingsIn = (text: string): readonly string[] =>
  parseMentions(text).map(({candidates}) =>
    candidates.map(({path, lines}) => (lines === 'all' ? path : `${path} ${lines.first}..${lines.last}`)).join(' | '),
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
    expect(parseMentions(text).map(({from, to}) => text.slice(from, to))).toEqual(['@"a b":1-2', '@c']);
  });

  test('a path is read as it was written out', () => {
    const path = stringMatching(/^[\w./ äé日\\'()-]{1,30}$/u).filter(text => text.trim() !== '');
    assert(
      property(path, text => {
        const [mention] = parseMentions(`see ${formatMention(text)} now`);
        expect(mention?.candidates[0]?.path).toBe(text);
      }),
    );
  });

  test('takes time that grows with the text and no more', () => {
    const spentMs = processorClock();
    parseMentions('@"'.repeat(100_000));
    parseMentions('@a\\'.repeat(100_000));
    parseMentions(`@${'a.'.repeat(200_000)}`);
    expect(spentMs()).toBeLessThan(2000);
  });
});

test('what is attached to a prompt is named with its size', () => {
  const message = {
    role: 'user',
    id: messageId('p'),
    blocks: [
      {kind: 'image', mediaType: 'image/png', data: ''},
      {kind: 'text', text: 'look at @a.ts'},
      attachmentBlock({name: 'a "b".ts:1-2', text: '1\tone\n2\ttwo'}),
      {kind: 'text', text: '<attached> is no attachment'},
    ],
  } as const;
  expect(attachedTo(message)).toEqual(['image', 'a "b".ts:1-2 (2 lines)']);
});

test('what is attached counts the lines of a file, and not the notes between them', () => {
  const block = attachmentBlock({
    name: 'n.txt:1-2',
    text: '1\tone\n2\ttwo\n[lines 1 to 2 of 7; continue with offset 3]',
  });
  expect(attachedTo({role: 'user', id: messageId('m'), blocks: [block]})).toEqual(['n.txt:1-2 (2 lines)']);
});
