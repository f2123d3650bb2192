import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {percentText, shareCells, sparkline} from '../../src/tui/text/chart.ts';

test('cells add up, no share above zero vanishes, and a larger share never gets fewer', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(1_000_000), {minLength: 1, maxLength: 8}),
      fc.integer({min: 8, max: 80}),
      (shares, cells) => {
        const given = shareCells(shares, cells);
        expect(given.reduce((sum, each) => sum + each, 0)).toBe(shares.some(share => share > 0) ? cells : 0);
        for (const [at, share] of shares.entries()) {
          expect((given[at] ?? 0) > 0).toBe(share > 0);
          for (const [other, less] of shares.entries())
            if (less < share) expect(given[other] ?? 0).toBeLessThanOrEqual(given[at] ?? 0);
        }
      },
    ),
  );
});

test('a sparkline has a cell for each value', () => {
  expect(sparkline([0, 1, 4, 8])).toBe('▁▁▄█');
  expect(sparkline([0, 0])).toBe('▁▁');
});

test('a share is never rounded to nothing', () => {
  expect([percentText(1, 1000), percentText(0, 1000), percentText(1, 3)]).toEqual(['<1 %', '0 %', '33 %']);
});
