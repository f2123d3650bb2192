import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {realPath} from '../files/resolve-path.ts';
import type {SandboxSession} from './sandbox.ts';

/**
 * Makes the folder that belongs to the sandboxed commands of one weft process: their temporary files, which live as long as weft does,
 * and what weft itself hands in. Only this user can enter it.
 */
export function openSession(): SandboxSession & {close(): void} {
  const folder = realPath(mkdtempSync(join(tmpdir(), 'weft-sandbox-')));
  const at = (name: string): string => {
    mkdirSync(join(folder, name), {mode: 0o700});
    return join(folder, name);
  };
  // It is mounted read-only. Without the right to write to it, programs would hear that instead of why they may not.
  writeFileSync(join(folder, 'empty'), '', {mode: 0o644});
  return {
    folder,
    tmp: at('tmp'),
    scripts: {outside: at('scripts'), inside: '/run/weft'},
    reports: {outside: at('reports'), inside: '/run/weft-reports'},
    close: () => rmSync(folder, {recursive: true, force: true}),
  };
}
