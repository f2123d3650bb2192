// @module-tag long
import {execFileSync} from 'node:child_process';
import {globSync, readFileSync, statSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {Ajv} from 'ajv';
import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import packageFile from '../../package.json' with {type: 'json'};

const root = fileURLToPath(new URL('../..', import.meta.url));

const packed = z.object({
  size: z.number(),
  unpackedSize: z.number(),
  files: z.array(z.object({path: z.string()})),
});

/** Packs the built program as it stands, without writing the tarball. */
function pack(): z.infer<typeof packed> {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
  const answer: unknown = JSON.parse(execFileSync('npm', args, {cwd: root, encoding: 'utf8', stdio: 'pipe'}));
  // npm 11 answers with an object by name, older ones with a list.
  const [found] = z.array(packed).parse(Array.isArray(answer) ? answer : Object.values(Object(answer)));
  if (found === undefined) throw new Error('npm pack names no package');
  return found;
}

test('the package takes at most 3 MB to download and 18 MB on disk, with the optional packages of this platform', () => {
  const {size, unpackedSize, files} = pack();
  const natives = globSync('node_modules/{@lydell/node-pty,@vscode/ripgrep}*/**', {cwd: root})
    .map(path => statSync(`${root}/${path}`))
    .reduce((all, stats) => all + (stats.isFile() ? stats.size : 0), 0);
  expect(natives).toBeGreaterThan(1_000_000);
  expect(size).toBeLessThanOrEqual(3_000_000);
  expect(unpackedSize + natives).toBeLessThanOrEqual(18_000_000);
  expect(files.map(({path}) => path)).toEqual(
    expect.arrayContaining([
      'README.md',
      'CHANGELOG.md',
      'docs/install.md',
      'man/weft.1',
      'completions/_weft',
      'dist/settings.schema.json',
      'dist/messages.schema.json',
      'dist/agent.json',
      'THIRD-PARTY-NOTICES',
    ]),
  );
});

const read = (path: string): unknown => JSON.parse(readFileSync(`${root}/${path}`, 'utf8'));

test("the package's entry for the ACP registry fits the registry's schema, and starts this version", () => {
  const entry = read('dist/agent.json');
  const ajv = new Ajv({validateFormats: false});
  expect([ajv.validate(Object(read('test/e2e/data/acp-agent.schema.json')), entry), ajv.errors]).toEqual([true, null]);
  const {name, version, repository} = packageFile;
  expect(entry).toMatchObject({
    version,
    repository: repository.url.replace(/^git\+(.*)\.git$/u, '$1'),
    distribution: {npx: {package: `${name}@${version}`, args: ['acp']}},
  });
});

test('the package needs no other package, no compiler and no script', () => {
  expect(Object.keys(packageFile.scripts).filter(name => /^(?:pre|post)?install$|^prepare$/u.test(name))).toEqual([]);
  expect('dependencies' in packageFile).toBe(false);
});

test('the README names the package and the repository of package.json', () => {
  const readme = readFileSync(`${root}/README.md`, 'utf8');
  const {name, repository, bugs, homepage} = packageFile;
  const address = repository.url.replace(/^git\+(.*)\.git$/u, '$1');
  expect([bugs.url, homepage]).toEqual([`${address}/issues`, `${address}#readme`]);
  const raw = `${address.replace('//github.com/', '//raw.githubusercontent.com/')}/main/`;
  const pictures = [...readme.matchAll(/!\[[^\]]*\]\(([^)]*)\)/gu)].map(([, target = '']) => target);
  expect(pictures.filter(target => !target.startsWith(raw))).toEqual([]);
  expect(pictures.map(target => statSync(`${root}/${target.slice(raw.length)}`).isFile())).toEqual(
    pictures.map(() => true),
  );
  const named = [...readme.matchAll(/@[\w-]+\/weft\b/gu)].map(([found]) => found);
  expect(new Set(named)).toEqual(new Set([name]));
});
