import {execFileSync} from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import type {TestContext} from 'vitest';
import type {PendingChanges} from '../../../../src/actions/changes-port.ts';
import {isProtectedBelow} from '../../../../src/safety/paths/protected-paths.ts';
import {isSecretFile} from '../../../../src/safety/secrets/secret-files.ts';
import type {ChangesContext} from '../../../../src/workspace/sandbox/changes/held-set.ts';
import {openHeldChanges} from '../../../../src/workspace/sandbox/changes/open-changes.ts';
import {never, temporaryFolder} from '../temporary-folder.ts';
import type {CommandView} from '../../../../src/workspace/sandbox/sandbox.ts';

const mountAndRun = `
exec 3<"$1" 4<"$2" 5<"$3"
mount -t overlay weft -o lowerdir=/proc/self/fd/3,upperdir=/proc/self/fd/4,workdir=/proc/self/fd/5,userxattr "$1" && cd "$1" && exec sh -ec "$4"`;

/** Runs a shell script in a view of the folder `lower`, which stays as it is. The changes lie below `own`. */
function runInView(
  command: string,
  {lower, own}: {readonly lower: string; readonly own: string},
): Omit<CommandView, 'read'> {
  const folder = mkdtempSync(join(own, 'view-'));
  const [upper, work] = [join(folder, 'upper'), join(folder, 'work')];
  for (const each of [upper, work]) mkdirSync(each);
  const begunNs = statSync(upper, {bigint: true}).ctimeNs;
  execFileSync('unshare', ['-Urm', 'sh', '-c', mountAndRun, 'sh', lower, upper, work, command], {
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

/** A workspace in which scripts run in a view. */
export interface HeldPlace extends Disposable {
  /** The workspace. */
  readonly folder: string;
  sh(script: string): void;
  readonly settings: ChangesContext;
  /** Runs a script in a view of the workspace. */
  view(script: string): Pick<CommandView, 'layers'>;
  /** The same, and reads what it has changed. */
  hold(script: string, meanwhile?: string): Promise<PendingChanges>;
  tree(): Readonly<Record<string, string>>;
}

/** Makes a workspace with these files. */
export function heldPlace(files: Readonly<Record<string, string>> = {}): HeldPlace {
  const own = temporaryFolder();
  const folder = join(own.path, 'workspace');
  const environment = {PATH: process.env['PATH'], HOME: own.path, GIT_CONFIG_NOSYSTEM: '1'};
  const sh = (script: string): void =>
    void execFileSync('sh', ['-ec', script], {cwd: folder, env: environment, stdio: ['ignore', 'ignore', 'inherit']});
  const data = join(own.path, 'data');
  const settings: ChangesContext = {
    roots: [folder],
    isProtected: isProtectedBelow,
    isSecret: isSecretFile,
    environment,
    folder: data,
  };
  mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), {recursive: true});
    writeFileSync(join(folder, path), text);
  }
  const view = (script: string): Pick<CommandView, 'layers'> => runInView(script, {lower: folder, own: own.path});
  return {
    folder,
    settings,
    sh,
    view,
    tree: () => treeOf(folder),
    async hold(script, meanwhile = ':') {
      const made = view(script);
      sh(meanwhile);
      const held = await openHeldChanges(made, settings, never);
      if (held.tag === 'failed') throw new Error(held.error);
      return held.value;
    },
    [Symbol.dispose]() {
      execFileSync('chmod', ['-R', 'u+rwX', own.path]);
      own[Symbol.dispose]();
    },
  };
}

/** Applies every change. */
export const applyAll = async (held: PendingChanges): Promise<Awaited<ReturnType<PendingChanges['apply']>>> =>
  held.apply(
    held.changes.map(({path}) => path),
    'each',
    never,
  );
