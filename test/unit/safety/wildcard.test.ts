import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {fitsRun} from '../../../src/safety/wildcard.ts';
import {processorClock} from '../../support/processor-clock.ts';
import {randomInputs} from '../../support/random-inputs.ts';

const elements = {
  isStar: (wanted: string): boolean => wanted === '*',
  fits: (wanted: string, found: string): boolean => wanted === found,
};

const letters = (alphabet: readonly string[]) => fc.array(fc.constantFrom(...alphabet), {maxLength: 10});

test('agrees with a regular expression', () => {
  fc.assert(
    fc.property(letters(['a', 'b', '*']), letters(['a', 'b']), (pattern, run) => {
      const same = new RegExp(`^${pattern.join('').replaceAll('*', '.*')}$`, 'u').test(run.join(''));
      expect(fitsRun(pattern, run, elements)).toBe(same);
    }),
    {numRuns: randomInputs(2000)},
  );
});

test('many stars take no longer than the product of the lengths', () => {
  const spentMs = processorClock();
  expect(fitsRun(`${'a*'.repeat(50)}b`, 'a'.repeat(50_000), elements)).toBe(false);
  expect(spentMs()).toBeLessThan(1000);
});
