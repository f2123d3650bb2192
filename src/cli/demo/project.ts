/** The project the demo works on: real files, a real failing test. Paths are relative to its folder. */
export const demoProject: readonly {readonly path: string; readonly text: string}[] = [
  {
    path: 'package.json',
    text: `{
  "name": "corner-shop",
  "private": true,
  "type": "module",
  "scripts": {"test": "node --test"}
}
`,
  },
  {
    path: 'README.md',
    text: `# corner-shop

Adds up what is in a shopping cart. Three or more of the same item get 10 % off. Prices are whole cents.
`,
  },
  {
    path: 'src/cart.js',
    text: `import {discountFor} from './discount.js';

/** What the cart costs, in whole cents. */
export function total(items) {
  let sum = 0;
  for (const item of items) {
    sum += item.cents * item.quantity - discountFor(item);
  }
  return sum;
}
`,
  },
  {
    path: 'src/discount.js',
    text: `const bulkFrom = 3;
const bulkRate = 0.1;

/** What is taken off one line of the cart, in whole cents. */
export function discountFor(item) {
  if (item.quantity > bulkFrom) {
    return Math.round(item.cents * item.quantity * bulkRate);
  }
  return 0;
}
`,
  },
  {
    path: 'test/cart.test.js',
    text: `import assert from 'node:assert/strict';
import {test} from 'node:test';
import {total} from '../src/cart.js';

test('single items cost their price', () => {
  assert.equal(total([{cents: 250, quantity: 1}, {cents: 199, quantity: 2}]), 648);
});

test('three of the same item get 10 % off', () => {
  assert.equal(total([{cents: 200, quantity: 3}]), 540);
});
`,
  },
];

export const demoPrompt = 'The tests of this project fail. Find out why and fix it.';
