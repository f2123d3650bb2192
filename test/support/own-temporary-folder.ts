import {existsSync, mkdtempSync} from 'node:fs';
import {homedir, tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {removeFolder} from './remove-folder.ts';

/**
 * A run of the tests has a temporary folder of its own, in which all others are made: what a test leaves behind goes with it, and
 * processes of another run are told apart by where they run. In it the runs of the built program share their compiled code, since
 * each of them has a temporary folder of its own again, where it would compile anew.
 */
const folder = mkdtempSync(join(placeForTests(), 'weft-tests-'));

/** A repository or instructions above the folder, such as a forgotten `/tmp/.git`, would count for every workspace of a test. */
function placeForTests(): string {
  const places = [tmpdir(), '/var/tmp', homedir()];
  const isAlone = (path: string): boolean =>
    !['.git', 'AGENTS.md', 'CLAUDE.md'].some(name => existsSync(join(path, name))) &&
    (dirname(path) === path || isAlone(dirname(path)));
  const found = places.find(place => existsSync(place) && isAlone(place));
  if (found === undefined)
    throw new Error(`${places.join(', ')} lie below a repository or AGENTS.md. Set TMPDIR to a folder that does not.`);
  return found;
}

export function setup(): void {
  process.env['TMPDIR'] = folder;
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled');
  process.env['WEFT_COMPILE_CACHE'] = join(folder, 'compiled-weft');
}

export function teardown(): void {
  removeFolder(folder);
}
