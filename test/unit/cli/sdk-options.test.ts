import {describe, expect, test} from 'vitest';
import {type MainOptions, sdkFlags} from '../../../src/app/main-options.ts';
import {makeProgram} from '../../../src/cli/program.ts';
import {thinkingOf} from '../../../src/app/main-options.ts';
import {normalizeOptions} from '../../../src/cli/sdk-options.ts';

/** What the command line of a program comes to. */
async function optionsOf(args: readonly string[]): Promise<MainOptions> {
  const program = makeProgram('prompt').action(() => {});
  await program.parseAsync(['node', 'weft', ...args]);
  return program.opts<MainOptions>();
}

const valueFor = (flags: string): readonly string[] =>
  flags.includes('<level>') ? ['high'] : /[<[]/u.test(flags) ? ['1'] : [];

describe('every flag is one word or two', () => {
  const flagsWithEffect = Object.entries(sdkFlags).flatMap(([effect, rows]) => rows.map(([flags]) => [flags, effect]));
  test.each(flagsWithEffect)('%s: %s', async (flags = '', effect = '') => {
    const [flag = ''] = flags.split(' ');
    const two = await optionsOf([flag, ...valueFor(flags)]);
    const one = await optionsOf([[flag, ...valueFor(flags)].join('=')]);
    expect(one).toEqual(two);
    expect(Object.keys(two).length).toBeGreaterThan(2);
    if (effect === 'refused') expect(() => normalizeOptions(two)).toThrow(`weft doesn't support ${flag}:`);
  });
});

test.each([
  [['--max-budget-usd=0.5'], {maxCost: 0.5}],
  [['--max-cost', '1', '--max-budget-usd=0.5'], {maxCost: 1}],
  [['--dangerously-skip-permissions'], {permissionMode: 'bypassPermissions'}],
  [['--dangerously-skip-permissions', '--permission-mode=plan'], {permissionMode: 'plan'}],
  [['--permission-mode=manual'], {permissionMode: 'default'}],
  [['--permission-mode', 'auto'], {permissionMode: 'default'}],
  [['--effort=xhigh'], {effort: 'xhigh'}],
  [['--tools='], {tools: ''}],
  [['--plan-mode-instructions=Plan.'], {appendSystemPrompt: 'While the permission mode is plan:\nPlan.'}],
])('%j', async (args, expected) => {
  expect(normalizeOptions(await optionsOf(args))).toMatchObject(expected);
});

test('a time limit is one that a timer can hold', async () => {
  await expect(optionsOf(['--timeout=2000001'])).rejects.toThrow('It must be at most 2000000.');
});

test('the default model is none in particular', async () => {
  expect(normalizeOptions(await optionsOf(['--model=default'])).model).toBeUndefined();
});

test.each([
  [['--thinking=disabled'], {kind: 'disabled'}],
  [['--thinking=adaptive'], {kind: 'adaptive'}],
  [['--max-thinking-tokens=0'], {kind: 'disabled'}],
  [['--max-thinking-tokens=4000'], {kind: 'budget', tokens: 4000}],
  [[], {kind: 'default'}],
])('thinking by %j', async (args, thinking) => {
  expect(thinkingOf(await optionsOf(args))).toEqual(thinking);
});
