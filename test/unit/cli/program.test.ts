import {expect, test} from 'vitest';
import {makeProgram, misspelledCommand, programFor} from '../../../src/cli/program.ts';

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
  ['hepl sessions', 'help sessions'],
  ['completon bash', 'completion bash'],
  ['stat', 'status'],
  ['upgrad', 'upgrade'],
  ['install', 'help'],
  ['ls', 'sessions list'],
  ['continue', '--continue'],
  ['mpc', 'mcp'],
  ['mpc list', 'mcp list'],
  ['?', 'help'],
  ['undo', 'help commands'],
  ['sign-in', 'login'],
  ['.', '--cwd .'],
  ['../app', '--cwd ../app'],
  // Prompts.
  ['', undefined],
  ['tests', undefined],
  ['test', undefined],
  ['hi', undefined],
  ['x', undefined],
  ['co', undefined],
  ['Continue', undefined],
  ['install the packages', undefined],
  ['updte the README', undefined],
  ['session handling is broken, mend it', undefined],
  ['task: mend the tests', undefined],
  ['task 3 of the list', undefined],
  ['demos for the talk', undefined],
  ['configure eslint', undefined],
  ['list sessions', undefined],
  ['do it', undefined],
  ['.env is missing', undefined],
  ['clear the cache', undefined],
  ['review', undefined],
  ['Serve.', undefined],
  ['Stack?', undefined],
  ['serv', 'serve'],
])('%s', (line, meant) => {
  expect(misspelledCommand(line.split(' '), commands)).toBe(meant);
});

test('a quoted prompt is one word', () => {
  expect(misspelledCommand(['sesions list'], commands)).toBeUndefined();
});

test.each<[args: string, 'command' | 'prompt']>([
  ['help', 'command'],
  ['help sessions', 'command'],
  ['help sessions list', 'command'],
  ['help sesions', 'command'],
  ['help keys', 'command'],
  ['help nope', 'command'],
  ['help me', 'prompt'],
  ['help sessions are lost', 'prompt'],
  ['update', 'command'],
  ['update --help', 'command'],
  ['upgrade', 'command'],
  ['update the README', 'prompt'],
  ['upgrade react --model m', 'prompt'],
  ['--model update update', 'command'],
  ['--model m update the README', 'prompt'],
  ['status', 'command'],
  ['status of the build', 'prompt'],
  ['login --provider openai', 'command'],
  ['login page is broken', 'prompt'],
  ['logout', 'command'],
  ['logout openai', 'command'],
  ['logout button', 'prompt'],
  ['logout openai users', 'prompt'],
  ['--print help', 'prompt'],
  ['--prompt help', 'command'],
  ['--prompt x help', 'prompt'],
  ['-- help', 'prompt'],
  ['-- sessions list', 'prompt'],
  ['--model m -- help', 'prompt'],
  ['help -- me', 'prompt'],
  ['mcp add name -- sh', 'command'],
  ['--max-turns none help', 'command'],
])('%s: %s', (args, expected) => {
  expect(programFor(args.split(' ')).commands.length === 0 ? 'prompt' : 'command').toBe(expected);
});
