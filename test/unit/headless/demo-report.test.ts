import {expect, test} from 'vitest';
import {runReport} from '../../../src/headless/demo-report.ts';
import {asks, callBlock, callsTools, engineBench, finishedReport, says} from '../../support/memory-ports.ts';

const todos = (first: string, second: string) =>
  callBlock('TodoWrite', {
    todos: [
      {content: 'Run the tests', status: first, activeForm: 'Running the tests'},
      {content: 'Mend the sum', status: second, activeForm: 'Mending the sum'},
    ],
  });

test('a report tells the prompt, the todo list, each action with its outcome, and the answer, in order', async () => {
  const bench = engineBench(
    [
      callsTools({kind: 'text', text: 'I will run the tests.'}, todos('in_progress', 'pending')),
      callsTools(callBlock('Bash', {command: 'npm test'}), callBlock('Grep', {pattern: 'sum'})),
      callsTools(callBlock('Bush', {})),
      callsTools(todos('completed', 'completed')),
      says('All green.'),
    ],
    {
      assess: action => (action.name === 'request-command-output' ? asks : {...asks, decision: 'allow'}),
      shell: async () => finishedReport('> test\n\nok 1\nnot ok 2\n', 1),
    },
  );
  const lines: string[] = [];
  const end = await runReport({
    engine: bench.engine,
    prompt: 'Make the tests pass.',
    print: line => lines.push(line),
    uuid: () => 'p1',
  });
  expect(end).toEqual({exitCode: 0, notes: []});
  expect(lines).toMatchInlineSnapshot(`
    [
      "> Make the tests pass.",
      "",
      "I will run the tests.",
      "",
      "Tasks 0/2",
      "  ● Run the tests",
      "  ◌ Mend the sum",
      "approved by the demo: Run npm test",
      "! Run npm test · exit code 1 · 0.0 s",
      "    not ok 2",
      "✔ Search "sum" in . · 0 lines · 0.0 s",
      "✖ Bush · No tool named "Bush". Available: Bash, BashInput, BashOutput, Read, Edit, Write, Grep, Glob, ToolSearch, WebFetch, Agent, AskUserQuestion, TodoWrite, ExitPlanMode. · 0.0 s",
      "Tasks 2/2",
      "  ✓ Run the tests",
      "  ✓ Mend the sum",
      "",
      "All green.",
      "",
    ]
  `);
});

test('a run that fails says so and ends with its exit code', async () => {
  const lines: string[] = [];
  const {engine} = engineBench([]);
  const end = await runReport({engine, prompt: 'go', print: line => lines.push(line), uuid: () => 'p1'});
  expect({end, lines}).toEqual({
    end: {exitCode: 1, notes: ['The script has ended.']},
    lines: ['> go', 'The script has ended.'],
  });
});
