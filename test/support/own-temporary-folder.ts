import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/**
 * A run of the tests has a temporary folder of its own, in which all others are made: what a test leaves behind goes with it, and
 * processes of another run are told apart by where they run. In it the runs of the built program share their compiled code, since
 * each of them has a temporary folder of its own again, where it would compile anew.
 */
const folder = mkdtempSync(join(tmpdir(), 'weft-tests-'));

export function setup(): void {
  process.env['TMPDIR'] = folder;
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled');
}

export function teardown(): void {
  rmSync(folder, {recursive: true, force: true, maxRetries: 3});
}
