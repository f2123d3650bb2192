import {mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import packageFile from '../../package.json' with {type: 'json'};
import {billOfMaterials} from '../../.config/bill-of-materials.ts';
import {thirdPartyNotices} from '../../.config/third-party-notices.ts';
import {readText} from './repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'weft-notices-'));
afterAll(() => rmSync(folder, {recursive: true, force: true}));

/** Makes a package; answers with the path of a module in it. */
function makePackage(name: string, files: Readonly<Record<string, string>>): string {
  const at = join(folder, 'node_modules', name);
  mkdirSync(join(at, 'lib'), {recursive: true});
  writeFileSync(join(at, 'package.json'), JSON.stringify({name, version: '1.0.0', license: 'MIT'}));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(at, file), text);
  return join(at, 'lib/index.js');
}

test('THIRD-PARTY-NOTICES names packages in the versions that are installed: else run the build', () => {
  const {packages}: {readonly packages: Readonly<Record<string, {readonly version?: string}>>} = JSON.parse(
    readText('package-lock.json'),
  );
  const installed = new Set(
    Object.entries(packages).map(([path, {version}]) => `${path.replace(/^.*node_modules\//u, '')} ${version}`),
  );
  const named = [...readText('THIRD-PARTY-NOTICES').matchAll(/^(\S+ \d\S*) \(\S.*\)$/gmu)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(name => !installed.has(name))).toEqual([]);
});

test('packages come by name, those with one licence text together, weft itself not at all', () => {
  const modules = [
    makePackage('b', {LICENSE: 'Ours.\r\n'}),
    makePackage('@a/c', {'license.md': 'Ours.\n'}),
    makePackage('a', {COPYING: 'Mine.'}),
    join(folder, 'src/main.ts'),
  ];
  const rule = '-'.repeat(80);
  expect(thirdPartyNotices(modules).split('\n').slice(2)).toEqual(
    `${rule}\n@a/c 1.0.0 (MIT)\nb 1.0.0 (MIT)\n${rule}\n\nOurs.\n\n${rule}\na 1.0.0 (MIT)\n${rule}\n\nMine.\n`.split(
      '\n',
    ),
  );
});

test('a package without a licence text is an error', () => {
  expect(() => thirdPartyNotices([makePackage('bare', {'readme.md': 'MIT'})])).toThrow(/bare has no licence/u);
});

test('the bill of materials has what CycloneDX 1.6 requires, and parts inside packages', () => {
  const bill = billOfMaterials(readText('THIRD-PARTY-NOTICES'), packageFile);
  expect([bill.bomFormat, bill.specVersion, bill.version]).toEqual(['CycloneDX', '1.6', 1]);
  expect(bill.metadata.component.purl).toBe(`pkg:npm/%40weft-cli/weft@${packageFile.version}`);
  expect(bill.components.filter(({type, name}) => type === '' || name === '')).toEqual([]);
  const names = bill.components.map(({name}) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'zod',
      'PDF.js',
      'tree-sitter',
      'tree-sitter-bash',
      'dlmalloc',
      'wasm-bindgen',
      '@vscode/ripgrep',
    ]),
  );
  const refs = bill.components.flatMap(part => ('bom-ref' in part ? [part['bom-ref']] : []));
  expect(new Set(refs).size).toBe(refs.length);
});

test('the versions of parts inside packages are those in their files', () => {
  expect(readText('node_modules/unpdf/dist/pdfjs.mjs')).toContain('apiVersion:`6.1.200`');
  expect(readText('node_modules/@vscode/tree-sitter-wasm/cgmanifest.json')).toContain('"version": "0.25.1"');
  // Rust writes the paths of sources that may panic into a program.
  const wasm = readFileSync('node_modules/mdream/wasm/mdream_edge_bg.wasm', 'latin1');
  const crates = wasm.matchAll(/\/(?:registry\/src\/[^/]+|deps)\/([\w-]+)-(\d+\.\d+\.\d+)\/|\/rustc\/\w+\/library\//gu);
  const found = new Set(
    [...crates].map(([, name, version]) => (name === undefined ? 'rust-std' : `${name} ${version}`)),
  );
  const named = readText('THIRD-PARTY-NOTICES').matchAll(/^(.*) \(.*\), in mdream$/gmu);
  expect([...found].toSorted()).toEqual([...named].map(([, name = '']) => name));
});
