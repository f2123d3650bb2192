import {chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join, relative} from 'node:path';
import type {ChangeKind} from '../../domain/change-set.ts';
import {gitEnvironment} from '../exec/git-environment.ts';
import {runProgram} from '../run-program.ts';
import type {ObjectStore} from './object-store.ts';
import {contentNames, type Difference, type TreeNode} from './tree.ts';

/** The time limit of git in milliseconds, and the maximum number of bytes of a patch. */
const limitMs = 120_000;
const maxOutput = 512 * 1024 * 1024;

/**
 * Returns the differences as a patch that `git apply` takes byte for byte, binary files included. Paths in it are relative to `top`;
 * files elsewhere are left out. Throws if git is missing or fails.
 */
export async function patchOf(
  differences: readonly Difference[],
  {
    top,
    objects,
    environment,
  }: {readonly top: string; readonly objects: ObjectStore; readonly environment: NodeJS.ProcessEnv},
  signal: AbortSignal,
): Promise<Buffer> {
  const inside = differences.filter(({path}) => !relative(top, path).startsWith('..'));
  objects.fetch(contentNames(inside.flatMap(({from, to}) => [from, to])));
  const folder = mkdtempSync(join(tmpdir(), 'weft-patch-'));
  try {
    for (const [side, nodeOf] of [
      ['a', ({from}: Difference) => from],
      ['b', ({to}: Difference) => to],
    ] as const) {
      mkdirSync(join(folder, side));
      // Links come last, so that no file is written through one.
      const nodes = inside.map(each => ({at: join(folder, side, relative(top, each.path)), node: nodeOf(each)}));
      for (const {at, node} of nodes.toSorted(
        (a, b) => Number(a.node?.kind === 'link') - Number(b.node?.kind === 'link'),
      ))
        write(at, node, objects);
    }
    // With attributes of a repository or a user, the patch would depend on the machine.
    const words = '--no-index --binary --no-prefix --no-renames --no-ext-diff --no-textconv --no-color'.split(' ');
    const settings = '-c core.attributesFile=/dev/null -c diff.noprefix=false -c diff.mnemonicPrefix=false'.split(' ');
    const run = {
      folder,
      environment: {...gitEnvironment(environment, folder), GIT_CEILING_DIRECTORIES: folder},
      input: '',
      limitMs,
      maxOutput,
    };
    const {kind, code, output, stderr} = await runProgram(
      'git',
      [...settings, 'diff', ...words, 'a', 'b'],
      run,
      signal,
    );
    signal.throwIfAborted();
    // Exit code 1 means that there are differences.
    // For a file on one side only, git writes the same name twice.
    const named = /^diff --git ("?)([ab])\/(.*) \1\2\/\3$/gmu;
    if (code === 0 || code === 1)
      return Buffer.from(output.toString('latin1').replace(named, 'diff --git $1a/$3 $1b/$3'), 'latin1');
    throw new Error(
      kind === 'not-started'
        ? 'git is not installed, and it writes the patch'
        : `git can't write the patch: ${stderr.trim()}`,
    );
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

/** Returns how a file changed. */
export function kindOfChange({from, to}: Difference): ChangeKind {
  if (to === undefined) return 'deleted';
  if (to.kind === 'link') return 'link';
  if (from === undefined) return 'created';
  return from.kind === 'file' && to.kind === 'file' && from.hash === to.hash ? 'mode' : 'changed';
}

function write(at: string, node: TreeNode | undefined, objects: ObjectStore): void {
  if (node === undefined || node.kind === 'folder') return;
  mkdirSync(dirname(at), {recursive: true});
  if (node.kind === 'link') symlinkSync(node.target, at);
  else if (objects.copyTo(node.hash, at)) chmodSync(at, (node.mode & 0o100) === 0 ? 0o644 : 0o755);
  else throw new Error('the checkpoint no longer has the content of a file');
}
