import type {JsonObject} from '../../base/json.ts';

const todos = (...statuses: readonly ('pending' | 'in_progress' | 'completed')[]): JsonObject => ({
  tool: 'TodoWrite',
  input: {
    todos: [
      {content: 'Run the tests', activeForm: 'Running the tests', status: statuses[0] ?? 'pending'},
      {content: 'Find the fault', activeForm: 'Finding the fault', status: statuses[1] ?? 'pending'},
      {content: 'Fix it', activeForm: 'Fixing it', status: statuses[2] ?? 'pending'},
      {content: 'Check with the tests', activeForm: 'Checking with the tests', status: statuses[3] ?? 'pending'},
    ],
  },
});

const usage = (inputTokens: number, outputTokens: number): JsonObject => ({inputTokens, outputTokens});

const runTests = (rationale: string): JsonObject => ({
  tool: 'Bash',
  input: {command: 'node --test', description: 'Run the tests', is_read_only: true, is_risky: false, rationale},
});

/**
 * What the model says in the demo, line by line in the form that `--record` writes and `--replay` reads. Only these words are
 * recorded: every action in them really runs.
 */
const lines: readonly JsonObject[] = [
  {weft: 'recording', version: 1},
  {
    answer: [
      {text: 'I will run the tests first, then look for the cause.'},
      todos('in_progress'),
      runTests('To see which test fails and how.'),
    ],
    usage: usage(2100, 140),
  },
  {
    answer: [
      {
        text: 'One test fails: three of an item should get 10 % off and do not. I will look for where the discount is decided.',
      },
      todos('completed', 'in_progress'),
      {tool: 'Grep', input: {pattern: 'discount|bulk', path: 'src', output_mode: 'content'}},
      {tool: 'Glob', input: {pattern: '**/*.js'}},
    ],
    usage: usage(2600, 160),
  },
  {
    answer: [
      {tool: 'Read', input: {file_path: 'src/discount.js'}},
      {tool: 'Read', input: {file_path: 'README.md'}},
    ],
    usage: usage(2900, 60),
  },
  {
    answer: [
      {
        text: 'The README says **three or more**, but `discountFor` compares with `>`: the discount begins at four. The comparison must include three.',
      },
      todos('completed', 'completed', 'in_progress'),
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
    answer: [todos('completed', 'completed', 'completed', 'in_progress'), runTests('To check that the fix works.')],
    usage: usage(3500, 90),
  },
  {
    answer: [todos('completed', 'completed', 'completed', 'completed')],
    usage: usage(3700, 80),
  },
  {
    answer: [
      {
        text: 'All tests pass now.\n\n- **Cause:** `src/discount.js:6` gave the discount for *more than* three items instead of *three or more*.\n- **Fix:** `>` became `>=`. Nothing else changed.',
      },
    ],
    usage: usage(3800, 70),
  },
];

export const demoRecording: string = lines.map(line => `${JSON.stringify(line)}\n`).join('');
