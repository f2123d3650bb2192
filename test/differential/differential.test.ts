import {expect, inject, test} from 'vitest';
import {makeProbe as makeOldProbe} from '../oracle/judgement.mjs';
import {makeProbe} from './adapter.ts';
import {allowed} from './allowed.ts';
import {mutatedCommands, recordedCommands} from './commands.ts';
import {allows, type Difference, differencesOf, shown} from './differences.ts';
import {openPlace} from './place.ts';

/** All of them, or each of so many. */
const part = (commands: readonly string[], step: number): readonly string[] =>
  inject('randomInputs') === 'all' ? commands : commands.filter((_, at) => at % step === 0);

async function compare(commands: readonly string[], fields: 'all' | 'most'): Promise<readonly Difference[]> {
  using place = openPlace();
  const probes = {old: makeOldProbe(place), current: makeProbe(place)};
  const found: Difference[] = [];
  for (const command of commands) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    found.push(...(await differencesOf(command, fields, probes)));
  }
  return found;
}

test('commands are judged as they were at commit 7ed81a1, but for what is listed', {timeout: 600_000}, async () => {
  const recorded = part(recordedCommands(), 10);
  const differences = [
    ...(await compare(
      recorded.filter((_, at) => at % 3 === 0),
      'all',
    )),
    ...(await compare(
      recorded.filter((_, at) => at % 3 > 0),
      'most',
    )),
    ...(await compare(part(mutatedCommands(), 40), 'most')),
  ];
  const other = differences.filter(each => !allowed.some(line => allows(line, each)));
  const unneeded = allowed.filter(line => !differences.some(each => allows(line, each)));
  expect(other.slice(0, 50).map(shown).join('\n'), `${other.length} differences`).toBe('');
  if (inject('randomInputs') === 'all') expect(unneeded).toEqual([]);
});
