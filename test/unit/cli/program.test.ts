import {Help} from 'commander';
import {describe, expect, test} from 'vitest';
import {commandTable} from '../../../src/cli/command-table.ts';
import {makeProgram, misspelledCommand, openCommand, programFor} from '../../../src/cli/program.ts';

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
  ['install', 'help install'],
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
  ['review it', undefined],
  ['Serve.', undefined],
  ['Stack?', undefined],
  ['serv', 'serve'],
])('%s', async (line, meant) => {
  expect(await misspelledCommand(line.split(' '))).toBe(meant);
});

test('a quoted prompt is one word', async () => {
  expect(await misspelledCommand(['sesions list'])).toBeUndefined();
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
  ['logout button', 'command'],
  ['login gatway', 'command'],
  ['status x', 'command'],
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
])('%s: %s', async (args, expected) => {
  const {commands} = await programFor(args.split(' '));
  expect(commands.length === 0 ? 'prompt' : 'command').toBe(expected);
});

describe('the table of commands', () => {
  test.each(commandTable.map(([term]) => term))('%s is what the help shows of the command itself', async term => {
    const program = makeProgram('commands');
    const command = await openCommand(program, /^[a-z]+/u.exec(term)?.[0] ?? '');
    expect(command === undefined ? '' : new Help().subcommandTerm(command)).toBe(term);
  });

  test('a command that is named is loaded, and no other', async () => {
    const {commands} = await programFor(['--verbose', 'sessions', 'list']);
    const loaded = commands.filter(
      each => each.commands.length + each.options.length + each.registeredArguments.length > 0,
    );
    expect(loaded.map(each => each.name())).toEqual(['sessions']);
  });
});
