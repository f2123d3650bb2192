import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {confines} from '../../../../src/domain/sandbox.ts';
import {needs} from '../../../support/programs.ts';
import {attacks} from './attacks.ts';
import {sandboxPlace} from './sandbox-place.ts';

beforeEach(needs('git'));

/** The program of each backend. */
const backends = {bwrap: 'bwrap', codex: 'codex'} as const;

describe.each(['bwrap', 'codex'] as const)('what must not be possible in %s', provider => {
  beforeEach(needs(backends[provider]));
  const often = attacks.filter((_attack, at) => at % 5 === 0);
  for (const attack of attacks)
    test(attack.name, {tags: provider === 'bwrap' && often.includes(attack) ? [] : ['long']}, async ({skip}) => {
      const {command, succeeded, outside} = attack;
      await using place = await sandboxPlace(provider);
      const proof = await place.sandbox.proof();
      skip(!confines(proof), proof.reason);
      await using free = await sandboxPlace('native');
      for (const {root} of [place, free]) writeFileSync(join(root, 'denied.txt'), 'denied text');
      await free.run(command(free));
      if (outside === 'works') expect(await succeeded(free)).toBe(true);
      await place.run(command(place));
      expect(await succeeded(place)).toBe(false);
      expect(readFileSync(join(place.outside, 'file'), 'utf8')).toBe('as it was');
    });
});
