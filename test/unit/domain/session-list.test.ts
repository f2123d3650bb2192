import {expect, test} from 'vitest';
import {branchTitle, titleIn} from '../../../src/domain/session-list.ts';

test.each([
  ['Fix the cart', 'Fix the cart (branch)'],
  ['Fix the cart (branch)', 'Fix the cart (branch 2)'],
  ['Fix the cart (branch 9)', 'Fix the cart (branch 10)'],
  ['', 'Untitled (branch)'],
])('the branch of %j is %j', (title, branch) => {
  expect(branchTitle(title)).toBe(branch);
});

test('a title is one line of at most 200 characters', () => {
  expect(titleIn('  Fix\n the\tcart ')).toBe('Fix the cart');
  expect(titleIn('x'.repeat(500))).toHaveLength(200);
});
