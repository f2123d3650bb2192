import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {filesLinked, filesNamed, scriptsNamed, type Page} from './documents.ts';
import {filesUnder, readText, root} from './repository.ts';

const pages: readonly Page[] = ['README.md', ...filesUnder('src'), ...filesUnder('test')]
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
});

test('the pages every contributor is sent to exist', () => {
  const paths = pages.map(({path}) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['src/README.md', 'src/actions/README.md', 'src/domain/GLOSSARY.md', 'test/README.md']),
  );
});

test('continuous integration runs nothing that the README does not name', () => {
  const told = scriptsNamed({path: 'README.md', text: readText('README.md')});
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

  test('paths in code spans', () => {
    const text =
      '`src/actions/grep.ts`, `src/actions/NAME.ts`, `test/unit/`, `src/**`, `other/x.ts`, `src/domain/GLOSSARY.md`';
    expect(filesNamed({path: 'README.md', text})).toEqual(['src/actions/grep.ts', 'src/domain/GLOSSARY.md']);
  });
});
