import {execFileSync} from 'node:child_process';
import {lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {TestContext} from 'vitest';
import type {CommandView} from '../../../../src/workspace/sandbox/sandbox.ts';

const script = `
exec 3<"$1" 4<"$2" 5<"$3"
mount -t overlay weft -o lowerdir=/proc/self/fd/3,upperdir=/proc/self/fd/4,workdir=/proc/self/fd/5,userxattr "$1" && cd "$1" && exec sh -ec "$4"`;

/** Runs a shell script in a view of the folder `lower`, which stays as it is. The changes lie below `own`. */
export function runInView(
  command: string,
  {lower, own}: {readonly lower: string; readonly own: string},
): Omit<CommandView, 'read'> {
  const folder = mkdtempSync(join(own, 'view-'));
  const [upper, work] = [join(folder, 'upper'), join(folder, 'work')];
  for (const each of [upper, work]) mkdirSync(each);
  const begunNs = statSync(upper, {bigint: true}).ctimeNs;
  execFileSync('unshare', ['-Urm', 'sh', '-c', script, 'sh', lower, upper, work, command], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return {
    layers: [{lower, upper, begunNs}],
    close: () => {
      execFileSync('chmod', ['-R', 'u+rwX', folder]);
      rmSync(folder, {recursive: true, force: true});
    },
  };
}

/** For `beforeEach`: skips the tests where the kernel mounts no overlay in a user's own namespace. */
export function needsOverlay({skip}: TestContext): void {
  skip(!canMount(), 'need overlays in user namespaces');
}

let known: boolean | undefined;

function canMount(): boolean {
  if (known !== undefined) return known;
  const folder = mkdtempSync('/tmp/weft-overlay-');
  try {
    mkdirSync(join(folder, 'lower'));
    runInView('true', {lower: join(folder, 'lower'), own: folder});
    known = true;
  } catch {
    known = false;
  } finally {
    execFileSync('chmod', ['-R', 'u+rwX', folder]);
    rmSync(folder, {recursive: true, force: true});
  }
  return known;
}

/** Every file, link and folder below a folder, with its mode and content. */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const look = (below: string): void => {
    for (const name of readdirSync(join(folder, below))) {
      const at = join(below, name);
      const path = join(folder, at);
      const stats = lstatSync(path);
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) found[at] = `-> ${readlinkSync(path)}`;
      else if (!stats.isDirectory()) found[at] = `${mode} ${stats.isFile() ? readFileSync(path, 'latin1') : 'device'}`;
      else {
        found[at] = `${mode} folder`;
        look(at);
      }
    }
  };
  look('');
  return found;
}
