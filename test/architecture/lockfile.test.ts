import {expect, test} from 'vitest';
import {missingOptionals} from './lockfile.ts';
import {readText} from './repository.ts';

test('the lock file holds every optional package it asks for, or npm ci refuses it', () => {
  expect(missingOptionals(readText('package-lock.json'))).toEqual([]);
});

test('what a lock file lacks is found, at the place where Node would look', () => {
  const packages = {
    '': {optionalDependencies: {top: '1.0.0'}},
    'node_modules/a': {version: '2.0.0', optionalDependencies: {'@a/linux': '2.0.0', '@a/mac': '2.0.0', any: '^1.0.0'}},
    'node_modules/@a/linux': {version: '2.0.0'},
    'node_modules/b/node_modules/a': {version: '1.0.0', optionalDependencies: {'@a/linux': '1.0.0', near: '1.0.0'}},
    'node_modules/b/node_modules/near': {version: '1.0.0'},
  };
  expect(missingOptionals(JSON.stringify({packages}))).toEqual(['top@1.0.0', '@a/mac@2.0.0', '@a/linux@1.0.0']);
});
