import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import packageFile from '../package.json' with {type: 'json'};
import {billOfMaterials} from './bill-of-materials.ts';
import {packStandalone} from './standalone.ts';

/*
 * `npm run release -- --dry-run [--into FOLDER]` makes, signs and checks all files of a release and prints the remaining steps. It tags
 * and publishes nothing. WEFT_RELEASE_KEY names the SSH key that signs. Without it, a key signs that is gone afterward.
 */
const {values} = parseArgs({options: {'dry-run': {type: 'boolean'}, into: {type: 'string'}}});
const {version} = packageFile;
const root = fileURLToPath(new URL('..', import.meta.url));
const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, {cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit']}).trim();
const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Builds and packs weft into a folder, and returns the path of the tarball. */
function packInto(folder: string): string {
  run('npm', 'pack', '--silent', '--pack-destination', folder);
  return join(folder, readdirSync(folder).find(name => name.endsWith('.tgz')) ?? '');
}

const work = mkdtempSync(join(tmpdir(), 'weft-release-'));
try {
  const folder = resolve(values.into ?? mkdtempSync(join(tmpdir(), 'weft-files-')));
  mkdirSync(folder, {recursive: true});
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty: name another folder`);
  release(folder);
} finally {
  rmSync(work, {recursive: true});
}

function release(folder: string): void {
  const tarball = packInto(folder);
  const again = hashOf(packInto(work));
  const key = process.env['WEFT_RELEASE_KEY'] ?? throwawayKey();
  // The comment of a key may name a person.
  const publicKey = run('ssh-keygen', '-y', '-f', key).split(' ').slice(0, 2).join(' ');
  const installer = readFileSync(join(root, '.config/install.sh'), 'utf8').replace('RELEASE_KEY', publicKey);
  const script = join(folder, 'install.sh');
  writeFileSync(script, installer, {mode: 0o755});
  const archive = packStandalone(tarball, installer, folder);
  const bill = join(folder, `weft-${version}.cdx.json`);
  const notices = readFileSync(join(root, 'THIRD-PARTY-NOTICES'), 'utf8');
  writeFileSync(bill, `${JSON.stringify(billOfMaterials(notices, packageFile), undefined, 2)}\n`);
  const sums = [tarball, archive, bill, script].map(file => `${hashOf(file)}  ${basename(file)}`).join('\n');
  const sumsFile = join(folder, 'SHA256SUMS');
  writeFileSync(sumsFile, `${sums}\n`);
  run('ssh-keygen', '-q', '-Y', 'sign', '-f', key, '-n', 'weft-release', sumsFile);

  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /mu);
  const problems = [
    values['dry-run'] === true ? '' : 'Only --dry-run is there: run the printed steps yourself.',
    run('git', 'status', '--porcelain') === '' ? '' : 'The checkout has changes: commit them first.',
    run('git', 'tag', '--list', `v${version}`) === ''
      ? ''
      : `The tag v${version} exists: raise the version in package.json.`,
    sections.some(section => section.startsWith(`${version}\n`))
      ? ''
      : `CHANGELOG.md has no section ${version}: write one.`,
    hashOf(tarball) === again ? '' : 'Two builds differ: find what makes them differ.',
  ].filter(problem => problem !== '');

  process.stdout.write(`weft ${version}, files in ${folder}:
${sums}
Signed with ${process.env['WEFT_RELEASE_KEY'] ?? 'a key for this try alone: name the key of the release in WEFT_RELEASE_KEY'}

Steps that remain:
  git tag --sign v${version} --message "weft ${version}"
  git push origin v${version}
  gh release create v${version} --verify-tag ${folder}/*
  npm publish ${tarball}
`);
  for (const problem of problems) process.stderr.write(`✗ ${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/** Makes a key for a try, and returns its path. */
function throwawayKey(): string {
  const key = join(work, 'key');
  run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', key);
  return key;
}
