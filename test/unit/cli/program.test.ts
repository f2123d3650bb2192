import {expect, test} from 'vitest';
import {makeProgram, misspelledCommand} from '../../../src/cli/program.ts';

const {commands} = makeProgram();

test.each<[string, string | undefined]>([
  ['sesions list', 'sessions list'],
  ['session list', 'sessions list'],
  ['Sessions list', 'sessions list'],
  ['sessoins list', 'sessions list'],
  ['sesions lst', 'sessions list'],
  ['sesions show abc', 'sessions show'],
  ['permission check ls', 'permissions check'],
  ['confg get model', 'config get'],
  ['doctr', 'doctor'],
  ['dcotor', 'doctor'],
  ['session', 'sessions'],
  // Prompts.
  ['', undefined],
  ['tests', undefined],
  ['test', undefined],
  ['hi', undefined],
  ['continue', undefined],
  ['session handling is broken, mend it', undefined],
  ['task: mend the tests', undefined],
  ['task 3 of the list', undefined],
  ['demos for the talk', undefined],
  ['configure eslint', undefined],
  ['list sessions', undefined],
  ['do it', undefined],
  ['Serve.', undefined],
  ['Stack?', undefined],
  ['serv', 'serve'],
])('%s', (line, meant) => {
  expect(misspelledCommand(line.split(' '), commands)).toBe(meant);
});

test('a quoted prompt is one word', () => {
  expect(misspelledCommand(['sesions list'], commands)).toBeUndefined();
});
