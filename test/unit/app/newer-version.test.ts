import {expect, test} from 'vitest';
import {isNewer} from '../../../src/app/daily-work.ts';

// The order of https://semver.org/#spec-item-11, and weft's own.
const ordered =
  '0.9.9 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.10 1.2.0 10.0.0'.split(
    ' ',
  );

test.each(ordered.map((version, at) => [version, at] as const))('%s', (version, at) => {
  expect(ordered.filter(each => isNewer(version, each))).toEqual(ordered.slice(0, at));
  expect(isNewer(version, 'unknown') || isNewer('E404', version) || isNewer('', version)).toBe(false);
});
