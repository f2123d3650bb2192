import {existsSync} from 'node:fs';
import {join, posix} from 'node:path';
import {describe, expect, test} from 'vitest';
import {filesLinked, filesNamed, foldersNamed, scriptsNamed, type Page} from './documents.ts';
import {filesUnder, readText, root} from './repository.ts';

const pages: readonly Page[] = [
  'AGENTS.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  ...filesUnder('docs'),
  ...filesUnder('src'),
  ...filesUnder('test'),
]
  .filter(path => path.endsWith('.md') && existsSync(join(root, path)))
  .map(path => ({path, text: readText(path)}));

describe.each(pages)('$path', page => {
  test('names only scripts that package.json has', () => {
    const scripts = JSON.parse(readText('package.json')).scripts ?? {};
    expect(scriptsNamed(page).filter(script => !(script in scripts))).toEqual([]);
  });

  test('points only at files that exist', () => {
    const missing = [...filesLinked(page), ...filesNamed(page)].filter(path => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });

  test('names no folder that is not there', () => {
    const missing = foldersNamed(page).filter(
      // What the build makes is not there before it.
      ({folder, from}) => folder !== 'dist/' && !from.some(base => existsSync(join(root, base, folder))),
    );
    expect(missing.map(({folder}) => folder)).toEqual([]);
  });
});

test('the pages every contributor is sent to exist', () => {
  const paths = pages.map(({path}) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['src/README.md', 'src/actions/README.md', 'src/domain/GLOSSARY.md', 'test/README.md']),
  );
});

test('the map of the sources names every folder of src, and the folders in it', () => {
  const named = foldersNamed({path: 'src/README.md', text: readText('src/README.md')});
  const mapped = new Set(named.flatMap(({folder, from}) => from.map(base => posix.join(base, folder))));
  const folders = new Set(filesUnder('src').map(path => `${posix.dirname(path).split('/').slice(0, 3).join('/')}/`));
  folders.delete('src/');
  expect([...folders].filter(folder => !mapped.has(folder))).toEqual([]);
});

test('continuous integration runs nothing that CONTRIBUTING.md does not name', () => {
  const told = scriptsNamed({path: 'CONTRIBUTING.md', text: readText('CONTRIBUTING.md')});
  expect(scriptsNamed({path: '.ci/run', text: readText('.ci/run')}).filter(script => !told.includes(script))).toEqual(
    [],
  );
});

describe('the scanners find', () => {
  test('scripts', () => {
    const text =
      'Run `npm ci && npm start`, then `npm run check -- --fix` and `npm test`; `npm install`, `npm run x:*` are none.';
    expect(scriptsNamed({path: 'README.md', text})).toEqual(['start', 'check', 'test']);
  });

  test('links', () => {
    const text = '[map](../README.md#where) [home](https://example.com/a) [here](#top) ![shot](shot.png)';
    expect(filesLinked({path: 'src/actions/README.md', text})).toEqual(['src/README.md', 'src/actions/shot.png']);
  });

  test('folders in code spans and maps', () => {
    const text = 'In `tui/theme/` and `src/x.ts`:\n```\ntui/   the terminal UI: state/ (folds), and/or `no`\n```\n';
    expect(foldersNamed({path: 'src/README.md', text}).map(({folder}) => folder)).toEqual([
      'tui/theme/',
      'tui/',
      'state/',
    ]);
  });

  test('paths in code spans', () => {
    const text =
      '`src/actions/grep.ts`, `src/actions/NAME.ts`, `test/unit/`, `src/**`, `other/x.ts`, `src/domain/GLOSSARY.md`';
    expect(filesNamed({path: 'README.md', text})).toEqual(['src/actions/grep.ts', 'src/domain/GLOSSARY.md']);
    expect(filesNamed({path: 'src/README.md', text: '`tui/state/press.ts`, `actions/NAME.ts`, `press.ts`'})).toEqual([
      'src/tui/state/press.ts',
    ]);
  });
});
