import {accessSync, constants, statSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import type {Environment} from './shell-environment.ts';
import {splitPath} from './trusted-path.ts';

/** The shell that runs commands: bash where there is one, else sh. Folders of PATH that depend on where we are do not count, nor do those in `roots`. */
export function findShell(environment: Environment, roots: readonly string[]): string {
  const path = splitPath(environment['PATH'] ?? '', roots).trusted.split(delimiter);
  const folders = [...path, '/bin', '/usr/bin'];
  return folders.map(folder => join(folder, 'bash')).find(isProgram) ?? '/bin/sh';
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
