import {accessSync, constants} from 'node:fs';
import {join} from 'node:path';
import type {TestContext} from 'vitest';

export const isInstalled = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(':').some(folder => isExecutable(join(folder, program)));

/** For `beforeEach`: skips the tests where one of the programs is not installed, and says which. */
export const needs =
  (...programs: readonly string[]) =>
  ({skip}: TestContext): void => {
    for (const program of programs) skip(!isInstalled(program), `need ${program}`);
  };

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
