import {realpathSync} from 'node:fs';
import {expect, test} from 'vitest';
import {allowed} from '../differential/allowed.ts';
import {recordedCommands} from '../differential/commands.ts';
import {allows, shown} from '../differential/differences.ts';
import {fillPlace} from '../differential/place.ts';
import {makeProbe} from '../oracle/judgement.mjs';
import {runWeft, TempPlace} from '../support/run-weft.ts';

test('permissions check answers as it did at commit 7ed81a1, but for what is listed', async () => {
  using place = new TempPlace();
  const at = {root: realpathSync(place.work), home: realpathSync(place.home)};
  fillPlace(at);
  const commands = recordedCommands().filter((_, index) => index % 40 === 0);
  const {stdout} = await runWeft(['permissions', 'check', '--json', '--sandbox', 'native'], {
    place,
    stdin: {text: commands.map(command => JSON.stringify(command)).join('\n')},
  });
  const old = makeProbe(at);
  const lines = stdout.trimEnd().split('\n');
  const differences = await Promise.all(
    commands.map(async (command, index) => {
      const was = await old(command, 'most');
      const {verdict, risk, reasons} = JSON.parse(lines[index] ?? '{}');
      const told = [reasons].flat().join('\n').replaceAll(at.root, '/w').replaceAll(at.home, '/home/me');
      const now = {decision: String(verdict), risk: String(risk), reasons: told};
      return (['decision', 'risk', 'reasons'] as const).flatMap(field =>
        was[field] === now[field] ? [] : [{command, field, was: was[field], now: now[field]}],
      );
    }),
  );
  const other = differences.flat().filter(each => !allowed.some(line => allows(line, each)));
  expect(other.map(shown).join('\n')).toBe('');
  expect(lines.length).toBe(commands.length);
});
