import {accessSync, constants, statSync} from 'node:fs';
import {delimiter, isAbsolute, join} from 'node:path';
import type {Environment} from './shell-environment.ts';

/** The shell that runs commands: bash where there is one, else sh. Folders of PATH that depend on where we are do not count. */
export function findShell(environment: Environment): string {
  const path = (environment['PATH'] ?? '').split(delimiter).filter(isAbsolute);
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
