import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
  coversWords,
  exactPattern,
  matchesExactText,
  parseCommandPattern,
  type CommandPattern,
} from '../../../../src/safety/rules/command-pattern.ts';

const pattern = (written: string): CommandPattern => {
  const read = parseCommandPattern(written);
  if (read.tag === 'failed') throw new Error(read.error);
  return read.value;
};

const covers = (written: string, words: readonly string[]): boolean =>
  coversWords(pattern(written), {words, home: '/home/me'});

describe('coversWords', () => {
  test.each<[string, readonly string[], boolean]>([
    ['git status', ['git', 'status'], true],
    ['git  status ', ['git', 'status'], true],
    ['git status', ['git', 'status', '-s'], false],
    ['git status:*', ['git', 'status'], true],
    ['git status:*', ['git', 'status', '-s', 'a b'], true],
    ['git status:*', ['git', 'statusx'], false],
    ['git status:*', ['git status'], false],
    ['git status:*', ['git', 'status x'], false],
    ['git status:*', ['git'], false],
    ['git status:*', ['/usr/bin/git', 'status'], false],
    ['"git" \'status\':*', ['git', 'status'], true],
    ['git commit -m "a b"', ['git', 'commit', '-m', 'a b'], true],
    ['git commit -m "a b"', ['git', 'commit', '-m', 'a', 'b'], false],
    ['git commit -m "a \\" b"', ['git', 'commit', '-m', 'a " b'], true],
    ['npm run *', ['npm', 'run', 'build'], true],
    ['npm run *', ['npm', 'run', 'build', '--', '-x'], true],
    ['npm run *', ['npm', 'run'], false],
    ['npm run test*', ['npm', 'run', 'test:unit'], true],
    ['npm * --dry-run', ['npm', 'publish', '--dry-run'], true],
    ['ls \\*', ['ls', '*'], true],
    ['ls \\*', ['ls', 'a'], false],
    ["ls '*'", ['ls', 'a'], false],
    ["find . -name '*.ts':*", ['find', '.', '-name', '*.ts', '-print'], true],
    ['rm *', ['rm', '-rf', '/'], true],
    ['rm ./*', ['rm', '-rf', '/'], false],
    ['rm ./*', ['rm', './a'], true],
    ['rm ./a*', ['rm', 'abc'], true],
    ['cat ./a', ['cat', 'a'], true],
    ['cat a', ['cat', './/a'], true],
    ['cat -- ./-a', ['cat', '--', '-a'], false],
    ['./a', ['a'], false],
    ['a', ['./a'], false],
    ['./a/b', ['a/b'], true],
    ['cat ~/a', ['cat', '/home/me/a'], true],
    ['cat /home/me/a', ['cat', '/home/me/a'], true],
    ['cat ~/a', ['cat', '/home/you/a'], false],
    ['cat ~/*', ['cat', '/home/me/a/b'], true],
    ['echo "', ['echo', '"'], true],
    ['echo \\', ['echo', '\\'], true],
    ['echo', ['echo', ''], false],
    ['a b', ['a\0b'], false],
    ['\u{1f600} *', ['\u{1f600}', 'x'], true],
  ])('%s covers %j: %s', (written, words, expected) => {
    expect(covers(written, words)).toBe(expected);
  });

  test('a beginning is not outrun by time', () => {
    const words = ['a', ...Array.from({length: 2000}, () => 'b')];
    expect(covers(`a ${'*b '.repeat(50)}c`, words)).toBe(false);
  });

  test.each(['', '  ', ':*', ' :* '])('%j names no command', written => {
    expect(parseCommandPattern(written)).toEqual({
      tag: 'failed',
      error: 'the pattern names no command; leave the parentheses out to mean every command',
    });
  });
});

describe('exactPattern', () => {
  test.each([
    ['make a > out', 'make a > out'],
    [' ls *.ts | wc -l ', 'ls \\*.ts | wc -l'],
    ["find . -name '*.ts'", "find . -name '*.ts'"],
    ['echo "*" *', 'echo "*" \\*'],
    ['echo a:*', 'echo a:\\*'],
    ['echo \\*', 'echo \\*'],
  ])('%j is written %j', (command, written) => {
    expect(exactPattern(command)).toBe(written);
  });

  test('covers its text and no other', () => {
    const texts = fc
      .string({unit: fc.constantFrom(...Array.from('ab *"\'\\:|;>\n-$'))})
      .filter(text => text.trim() !== '');
    fc.assert(
      fc.property(texts, texts, (text, other) => {
        const exact = pattern(exactPattern(text));
        expect(matchesExactText(exact, text)).toBe(true);
        expect(matchesExactText(exact, other)).toBe(text.trim() === other.trim());
      }),
    );
  });

  test('a pattern with a star, or a beginning, is the text of nothing', () => {
    expect(matchesExactText(pattern('ls *'), 'ls *')).toBe(false);
    expect(matchesExactText(pattern('ls:*'), 'ls')).toBe(false);
  });
});
