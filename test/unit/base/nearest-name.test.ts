import {expect, test} from 'vitest';
import {nearestName} from '../../../src/base/nearest-name.ts';

test.each([
  ['modle', 'model'],
  ['omdel', 'model'],
  ['MODEL', 'model'],
  ['base_url', 'baseUrl'],
  ['permisionMode', 'permissionMode'],
  ['temperature', undefined],
  ['', undefined],
  ['x'.repeat(10_000), undefined],
])('%s', (name, near) => {
  expect(nearestName(name, ['model', 'baseUrl', 'permissionMode', 'permissions'])).toBe(near);
});
