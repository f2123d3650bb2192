import {CommanderError, type Command} from 'commander';
import {expect, test} from 'vitest';
import {misspelledCommand, programFor} from '../../../src/cli/program.ts';
import {documentedLines, weftCalls} from '../../support/documented-commands.ts';

test('every call of weft in the pages has commands and flags that weft knows', async () => {
  const calls = documentedLines.flatMap(({page, text}) => weftCalls(text).map(args => ({page, args})));
  const faults: string[] = [];
  for (const {page, args} of calls) {
    const fault = await faultOf(args);
    if (fault !== '') faults.push(`${page}: weft ${args.join(' ')}: ${fault}`);
  }
  expect(faults).toEqual([]);
});

test.each<[line: string, calls: readonly (readonly string[])[]]>([
  ['weft --prompt "a b" < task.txt | jq .', [['--prompt', 'a b']]],
  ['git diff | A=1 weft config set passEnv \'["X"]\'  # list', [['config', 'set', 'passEnv', '["X"]']]],
  ['npm start && weft', [[]]],
  ['echo weft', []],
])('the calls in %s', (line, calls) => {
  expect(weftCalls(line)).toEqual(calls);
});

test.each([
  [['sesions', 'list'], 'sessions list'],
  [['--modle', 'x'], "unknown option '--modle'"],
  [['sessions', 'show'], "missing required argument 'session'"],
  [['help', 'sessions'], ''],
  [['--version'], ''],
])('weft %s is a fault: %s', async (args, fault) => {
  expect(await faultOf(args)).toContain(fault);
});

/** What weft would complain about; empty for nothing. Nothing runs. */
async function faultOf(args: readonly string[]): Promise<string> {
  const program = await programFor(args);
  let isPrompt = false;
  quieten(program);
  program.action(() => void (isPrompt = true));
  try {
    await program.parseAsync([...args], {from: 'user'});
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
    return cause.exitCode === 0 ? '' : cause.message;
  }
  return isPrompt ? ((await misspelledCommand(program.args)) ?? '') : '';
}

function quieten(command: Command): void {
  command
    .exitOverride()
    .configureOutput({writeOut: () => {}, writeErr: () => {}})
    .action(() => {});
  for (const each of command.commands) quieten(each);
}
