import {statSync} from 'node:fs';
import {rejected, type Fault} from '../domain/fault.ts';

/** The largest argument Linux hands to a program, with its closing byte. */
const longestCommand = 128 * 1024;

/** What would keep the command from starting, before anything is tried. */
export function findObstacle(command: string, directory: string): Fault | undefined {
  if (command.includes('\0')) return rejected('The command holds a NUL character; leave it out.');
  if (Buffer.byteLength(command) >= longestCommand) {
    return rejected(`The command is ${Buffer.byteLength(command)} bytes long; write it to a script and run that.`);
  }
  if (isFolder(directory)) return undefined;
  return {
    kind: 'needs-user',
    message: `The command was not started: ${directory} is not a folder (any more).`,
    fix: 'Make the folder again, or start weft in another one.',
  };
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
