import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {folderOf, homeBreaks, importRings, layerBreaks, packagesOf, unusedPlaces} from './import-graph.ts';
import {dependencyHomes, importsOnly, mayImport, mayNotImport, nodeModules, topLevel} from './layers.ts';
import {foldersIn, readText, root, sourceFiles} from './repository.ts';
import {parseSource} from './source-file.ts';

const source = sourceFiles('src');

describe('the sources', () => {
  test('import only what lies below them', () => {
    expect(source.flatMap(layerBreaks)).toEqual([]);
  });

  test('draw in components, a component each', () => {
    const others = source.filter(({path}) => path.startsWith('src/tui/components/') && !path.endsWith('.tsx'));
    expect(others.map(({path}) => path)).toEqual([]);
  });

  test('import in no ring', () => {
    expect(importRings(source)).toEqual([]);
  });

  test('keep every dependency in its home', () => {
    expect(source.flatMap(homeBreaks)).toEqual([]);
  });

  test('write every import as a plain string', () => {
    expect(source.flatMap(({path, unreadable}) => unreadable.map(target => `${path}: import(${target})`))).toEqual([]);
  });

  test('lie in folders of the table', () => {
    expect(foldersIn('src').toSorted()).toEqual(Object.keys(mayImport).toSorted());
    expect(source.filter(({path}) => folderOf(path) === undefined).map(({path}) => path)).toEqual([]);
  });

  test('use only packages that package.json names', () => {
    const {optionalDependencies, devDependencies} = JSON.parse(readText('package.json'));
    const named = new Set(Object.keys({...optionalDependencies, ...devDependencies}));
    expect(source.flatMap(packagesOf).filter(name => !named.has(name))).toEqual([]);
    expect(Object.keys(dependencyHomes).filter(name => !named.has(name))).toEqual([]);
  });
});

describe('the table', () => {
  test('points down only', () => {
    const order = Object.keys(mayImport);
    const upward = Object.entries(mayImport).flatMap(([folder, open]) =>
      open.filter(place => order.indexOf(place.split('/')[0] ?? '') >= order.indexOf(folder)).map(up => [folder, up]),
    );
    expect(upward).toEqual([]);
  });

  test('opens no folder in vain', () => {
    expect(unusedPlaces(source)).toEqual([]);
  });

  test('gives homes that exist in it', () => {
    const homes = Object.values(dependencyHomes)
      .flat()
      .map(home => home.split('/')[0] ?? '');
    expect(homes.filter(home => !(home in mayImport))).toEqual([]);
    expect(
      Object.values(dependencyHomes)
        .flat()
        .filter(home => !existsSync(join(root, 'src', home))),
    ).toEqual([]);
    expect(Object.keys(nodeModules).toSorted()).toEqual(Object.keys(mayImport).toSorted());
    expect(
      [...Object.entries(mayNotImport), ...Object.entries(importsOnly)]
        .flat(2)
        .filter(folder => !existsSync(join(root, 'src', folder))),
    ).toEqual([]);
  });
});

test('the top of the repository holds nothing but what the table names', () => {
  const names = readdirSync(root).filter(name => !name.startsWith('.') && !topLevel.includes(name));
  expect(names).toEqual([]);
});

/** The rules on files that break them: a scanner that finds nothing proves nothing. */
describe('the rules find', () => {
  test.each([
    ['src/agent/x.ts', `import {a} from '../models/anthropic.ts';`, 'src/models/anthropic.ts'],
    ['src/tui/components/x.tsx', `import type {A} from '../../agent/create-engine.ts';`, 'src/agent/create-engine.ts'],
    ['src/safety/x.ts', `export {a} from '../store/open-store.ts';`, 'src/store/open-store.ts'],
    ['src/headless/x.ts', `export * from '../tui/run-tui.tsx';`, 'src/tui/run-tui.tsx'],
    ['src/domain/x.ts', `const a = () => import('../cli/main.ts');`, 'src/cli/main.ts'],
    ['src/base/x.ts', `type A = import('../domain/ids.ts').TodoId;`, 'src/domain/ids.ts'],
    ['src/agent/x.ts', `import {version} from '../../package.json';`, 'package.json'],
    ['src/cli/x.ts', `import {start} from '../../test/support/model-server.ts';`, 'test/support/model-server.ts'],
    ['src/tui/x.ts', `import {a} from '../tui-theme/colours.ts';`, 'src/tui-theme/colours.ts'],
    ['src/safety/commands/x.ts', `import {a} from '../judge.ts';`, 'src/safety/judge.ts'],
    ['src/safety/rules/x.ts', `import {a} from '../../actions/catalogue.ts';`, 'src/actions/catalogue.ts'],
    ['src/safety/paths/x.ts', `import {a} from '../../config/settings-schema.ts';`, 'src/config/settings-schema.ts'],
    ['src/safety/shell/x.ts', `import {a} from '../paths/path-parts.ts';`, 'src/safety/paths/path-parts.ts'],
    ['src/tui/state/press.ts', `import {Card} from '../components/card.tsx';`, 'src/tui/components/card.tsx'],
    ['src/tui/editor/vim/x.ts', `import type {Ui} from '../../state/ui.ts';`, 'src/tui/state/ui.ts'],
  ])('a forbidden import in %s: %s', (path, text, target) => {
    expect(layerBreaks(parseSource(path, text))).toEqual([`${path} may not import ${target}`]);
  });

  test('no fault in allowed imports', () => {
    const allowed = [
      parseSource('src/tui/x.ts', `import type {AgentClient} from '../agent/client.ts'; import './views/card.tsx';`),
      parseSource(
        'src/cli/x.ts',
        `const tui = () => import('../tui/run-tui.tsx'); import {version} from '../app/version.ts';`,
      ),
      parseSource('src/app/x.ts', `import p from '../../package.json';`),
    ];
    expect(allowed.flatMap(layerBreaks)).toEqual([]);
  });

  test.each([
    ['src/headless/x.ts', `import {render} from 'ink';`, 'src/headless/x.ts is not the home of ink'],
    [
      'src/protocol/rpc/x.ts',
      `import p from 'protobufjs/minimal.js';`,
      'src/protocol/rpc/x.ts is not the home of protobufjs/minimal.js',
    ],
    [
      'src/cli/x.ts',
      `const s = () => import('@anthropic-ai/sdk/client');`,
      'src/cli/x.ts is not the home of @anthropic-ai/sdk/client',
    ],
    ['src/domain/x.ts', `import * as z from 'zod/mini';`, 'src/domain/x.ts is not the home of zod/mini'],
    ['src/cli/x.ts', `import {DatabaseSync} from 'node:sqlite';`, 'src/cli/x.ts is not the home of node:sqlite'],
    ['src/agent/x.ts', `import type {Stats} from 'node:fs';`, 'src/agent/x.ts may not import node:fs'],
    ['src/tui/x.ts', `import {readFileSync} from 'node:fs';`, 'src/tui/x.ts may not import node:fs'],
    [
      'src/tui/x.ts',
      `import _ from 'lodash';`,
      'src/tui/x.ts imports lodash, which has no home in test/architecture/layers.ts',
    ],
    [
      'src/tui/x.ts',
      `const rg = require.resolve('@vscode/ripgrep');`,
      'src/tui/x.ts is not the home of @vscode/ripgrep',
    ],
  ])('a dependency away from home in %s: %s', (path, text, fault) => {
    expect(homeBreaks(parseSource(path, text))).toEqual([fault]);
  });

  test('a type import of Node in the terminal UI harmless', () => {
    expect(homeBreaks(parseSource('src/tui/x.ts', `import type {ReadStream} from 'node:tty';`))).toEqual([]);
  });

  test('rings, through types and dynamic imports too', () => {
    const files = [
      parseSource('src/cli/c.ts', `import './a.ts';`),
      parseSource('src/cli/a.ts', `import type {B} from './b.ts';`),
      parseSource('src/cli/b.ts', `export {c} from './c.ts'; const lazy = () => import('./d.ts');`),
      parseSource('src/cli/d.ts', `import './b.ts';`),
    ];
    expect(importRings(files)).toEqual([
      ['src/cli/a.ts', 'src/cli/b.ts', 'src/cli/c.ts'],
      ['src/cli/b.ts', 'src/cli/d.ts'],
    ]);
  });

  test('imports that cannot be followed', () => {
    const file = parseSource('src/cli/x.ts', 'const load = (name: string) => import(`./commands/${name}.ts`);');
    expect(file.unreadable).toEqual(['`./commands/${name}.ts`']);
  });
});
