import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import type {CheckpointsPort, OpenTreeChange, TreeId} from '../../../../src/domain/checkpoint.ts';
import {makeCheckpoints} from '../../../../src/workspace/checkpoints/make-checkpoints.ts';
import {removeFolder} from '../../../support/remove-folder.ts';

const {signal} = new AbortController();

/** A workspace and a folder for checkpoints; both are gone when it is disposed. */
export function place() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'weft-checkpoints-')));
  const work = join(base, 'work');
  const home = join(base, 'home');
  mkdirSync(work);
  mkdirSync(home);
  const folder = join(base, 'kept');
  const environment = {PATH: process.env['PATH'], HOME: home};
  const open = (more: NodeJS.ProcessEnv = {}): CheckpointsPort =>
    makeCheckpoints({roots: [work], folder, environment: {...environment, ...more}, now: () => Date.now()});
  return {
    work,
    folder,
    open,
    put(path: string, content: string | Uint8Array, mode = 0o644): void {
      mkdirSync(dirname(join(work, path)), {recursive: true});
      writeFileSync(join(work, path), content);
      chmodSync(join(work, path), mode);
    },
    read: (path: string): string => readFileSync(join(work, path), 'utf8'),
    git: (...words: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
        cwd: work,
        env: {...environment, GIT_CONFIG_NOSYSTEM: '1'},
        encoding: 'utf8',
        // git warns about line ends; an error carries what it printed.
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    [Symbol.dispose]: () => removeFolder(base),
  };
}

/** Everything below a folder but `.git`: kind, mode and content. */
export function everything(folder: string, prefix = ''): Record<string, string> {
  return Object.assign(
    {},
    ...readdirSync(folder)
      .filter(name => name !== '.git')
      .map(name => {
        const path = join(folder, name);
        const stats = lstatSync(path);
        const mode = (stats.mode & 0o7777).toString(8);
        const key = prefix + name;
        if (stats.isSymbolicLink()) return {[key]: `link ${readlinkSync(path)}`};
        if (stats.isDirectory()) return {[key]: `folder ${mode}`, ...everything(path, `${key}/`)};
        return {[key]: `file ${mode} ${readFileSync(path).toString('base64')}`};
      }),
  );
}

export async function take(checkpoints: CheckpointsPort): Promise<TreeId> {
  const taken = await checkpoints.take(signal);
  if (taken.tag === 'failed' || taken.value === 'off') throw new Error('not taken');
  return taken.value;
}

export async function revert(checkpoints: CheckpointsPort, ...changes: readonly OpenTreeChange[]) {
  const done = await checkpoints.revert(changes, signal);
  if (done.tag === 'failed') throw new Error(done.error.message);
  return done.value;
}
