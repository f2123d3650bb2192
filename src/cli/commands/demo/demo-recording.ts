import type {JsonObject} from '../../../base/json.ts';

type TodoStatus = 'pending' | 'in_progress' | 'completed';

const todos = (test: TodoStatus, find: TodoStatus, fix: TodoStatus, check: TodoStatus): JsonObject => ({
  tool: 'TodoWrite',
  input: {
    todos: [
      {content: 'Run the tests', activeForm: 'Running the tests', status: test},
      {content: 'Find the cause', activeForm: 'Finding the cause', status: find},
      {content: 'Correct the discount', activeForm: 'Correcting the discount', status: fix},
      {content: 'Run the tests again', activeForm: 'Running the tests again', status: check},
    ],
  },
});

const usage = (inputTokens: number, outputTokens: number): JsonObject => ({inputTokens, outputTokens});

/** The command is the same both times, so that one approval for the session covers both. */
const runTests: JsonObject = {
  tool: 'Bash',
  input: {command: 'node --test', description: 'Run the tests', is_read_only: false, is_risky: false},
};

/**
 * The model's answers in the demo, in the line format that `--record` writes and `--replay` reads. Only these words are
 * recorded: every action in them really runs. The answers also explain what weft does and doesn't ask about, when each
 * first happens.
 */
const lines: readonly JsonObject[] = [
  {weft: 'recording', version: 1},
  {
    answer: [
      {
        text: "I'll run the tests first. *weft asks before it runs code: press `s` to allow this command for the whole session.*",
      },
      todos('in_progress', 'pending', 'pending', 'pending'),
      runTests,
    ],
    usage: usage(2100, 140),
  },
  {
    answer: [
      {
        text: "One test fails: three of the same item should get 10 % off, but pay the full price. I'll find the line that decides it. *Reading and searching in this folder needs no approval.*",
      },
      todos('completed', 'in_progress', 'pending', 'pending'),
      {tool: 'Grep', input: {pattern: 'discount|bulk', path: 'src', output_mode: 'content'}},
      {tool: 'Read', input: {file_path: 'src/discount.js'}},
      {tool: 'Read', input: {file_path: 'README.md'}},
    ],
    usage: usage(2600, 160),
  },
  {
    answer: [
      {
        text: 'The README says **three or more**, but `discountFor` compares with `>`, so the discount begins at four. *Every edit is shown before it is written: `y` writes it, `n` says what you want instead.*',
      },
      todos('completed', 'completed', 'in_progress', 'pending'),
      {
        tool: 'Edit',
        input: {
          file_path: 'src/discount.js',
          old_string: '  if (item.quantity > bulkFrom) {',
          new_string: '  if (item.quantity >= bulkFrom) {',
        },
      },
    ],
    usage: usage(3200, 180),
  },
  {
    answer: [
      {text: 'Now the same tests again. *After `s`, they run without another question.*'},
      todos('completed', 'completed', 'completed', 'in_progress'),
      runTests,
    ],
    usage: usage(3500, 90),
  },
  {answer: [todos('completed', 'completed', 'completed', 'completed')], usage: usage(3700, 60)},
  {
    answer: [
      {
        text: [
          'All tests pass now.',
          '- **Cause:** `src/discount.js:6` gave the discount for *more than* three items instead of *three or more*.\n- **Fix:** `>` became `>=`. Nothing else changed.',
          'My answers were recorded. The tests, the search and the edit were real, and `/undo` undoes the edit. **Next:** run ${next} in one of your own projects. Paste an API key there, or choose a model server on this machine (Ollama, LM Studio, llama.cpp, vLLM).',
        ].join('\n\n'),
      },
    ],
    usage: usage(3800, 90),
  },
];

export const demoRecording: string = lines.map(line => `${JSON.stringify(line)}\n`).join('');

/** The project of the demo: real files with a test that fails. Paths are relative to its folder. */
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

/** The total of the cart, in whole cents. */
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

/** The discount on one line of the cart, in whole cents. */
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
  const cost = total([{cents: 200, quantity: 3}]);
  assert.equal(cost, 540, \`three cost \${cost} cents instead of 540\`);
});
`,
  },
];

export const demoPrompt = 'The tests of this project fail. Find out why and fix it.';
