import {expect, test} from 'vitest';
import {fitPath, withRelativePaths, withTildes} from '../../src/tui/text/workspace-paths.ts';

test.each([
  ['Read /home/u/shop/src/a.ts, /home/u/shop/b.ts', 'Read src/a.ts, b.ts'],
  ['Search "x" in /home/u/shop', 'Search "x" in .'],
  ['Search "x" in /home/u/shop/', 'Search "x" in .'],
  ['/home/u/shop/a b.ts', 'a b.ts'],
  ['/home/u/shop2/a.ts', '/home/u/shop2/a.ts'],
  ['at f (file:///home/u/shop/a.ts:5:1)', 'at f (a.ts:5:1)'],
  ['/mnt/home/u/shop/a.ts', '/mnt/home/u/shop/a.ts'],
  ['src/a.ts', 'src/a.ts'],
])('%s', (text, shown) => {
  expect(withRelativePaths(text, '/home/u/shop')).toBe(shown);
});

test.each([
  ['Edit /home/u/notes/a.md', '/home/u', 'Edit ~/notes/a.md'],
  ['/home/u/a → /home/u/b, /home/u', '/home/u', '~/a → ~/b, ~'],
  ['/home/user2/a /mnt/home/u/a', '/home/u', '/home/user2/a /mnt/home/u/a'],
  ['/home/u/a', '', '/home/u/a'],
  ['/etc/hosts', '/', '/etc/hosts'],
])('%s in the home %s', (text, home, shown) => {
  expect(withTildes(text, home)).toBe(shown);
});

test('the directory is no pattern', () => {
  expect(withRelativePaths('/w/a+b (1)/x.ts /w/aab (1)/y.ts', '/w/a+b (1)')).toBe('x.ts /w/aab (1)/y.ts');
});

test.each([
  [20, 'src/models/retry.ts'],
  [18, '…/models/retry.ts'],
  [12, '…/retry.ts'],
  [8, 'retry.ts'],
  [5, 'retr…'],
])('at %i cells folders give way before the name', (cells, shown) => {
  expect(fitPath('src/models/retry.ts', cells)).toBe(shown);
});
