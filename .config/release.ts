import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdtempSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import packageFile from '../package.json' with {type: 'json'};
import {billOfMaterials} from './bill-of-materials.ts';

/* `npm run release -- --dry-run` makes and checks all files of a release and prints the remaining steps. It tags and publishes nothing. */
const {version} = packageFile;
const root = fileURLToPath(new URL('..', import.meta.url));
const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, {cwd: root, encoding: 'utf8'}).trim();
const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Builds and packs weft into a new folder, and returns the path of the tarball. */
function packInto(folder: string): string {
  run('npm', 'pack', '--silent', '--pack-destination', folder);
  return join(folder, readdirSync(folder).find(name => name.endsWith('.tgz')) ?? '');
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'weft-release-'));
const folder = newFolder();
const tarball = packInto(folder);
const again = hashOf(packInto(newFolder()));
const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /mu);
const bill = join(folder, `weft-${version}.cdx.json`);
const notices = readFileSync(join(root, 'THIRD-PARTY-NOTICES'), 'utf8');
writeFileSync(bill, `${JSON.stringify(billOfMaterials(notices, packageFile), undefined, 2)}\n`);
const sums = [tarball, bill].map(file => `${hashOf(file)}  ${file.slice(folder.length + 1)}`).join('\n');
writeFileSync(join(folder, 'SHA256SUMS'), `${sums}\n`);

const problems = [
  process.argv.includes('--dry-run') ? '' : 'Only --dry-run is there: run the printed steps yourself.',
  run('git', 'status', '--porcelain') === '' ? '' : 'The checkout has changes: commit them first.',
  run('git', 'tag', '--list', `v${version}`) === ''
    ? ''
    : `The tag v${version} exists: raise the version in package.json.`,
  sections.some(section => section.startsWith(`${version}\n`))
    ? ''
    : `CHANGELOG.md has no section ${version}: write one.`,
  hashOf(tarball) === again ? '' : 'Two builds differ: find what makes them differ.',
].filter(problem => problem !== '');

process.stdout.write(`weft ${version}, files in ${folder}:\n${sums}\n\nSteps that remain:
  git tag --sign v${version} --message "weft ${version}"
  git push origin v${version}
  npm publish ${tarball}\n`);
for (const problem of problems) process.stderr.write(`✗ ${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
