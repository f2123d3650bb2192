import {describe, expect, test} from 'vitest';
import {actionNames} from '../../src/actions/catalogue.ts';
import {ambientEffects} from './ambient-effects.ts';
import {folderOf} from './import-graph.ts';
import {longFiles, namesStandardStreams, standForPackages, touchesWorld} from './layers.ts';
import {sourceFiles} from './repository.ts';
import {parseSource, type SourceFile} from './source-file.ts';
import {
  bareSuppressions,
  explainsItself,
  isBarrel,
  isLong,
  nameFaults,
  suppressions,
  typeSuppressions,
} from './source-rules.ts';

const source = sourceFiles('src');
const tests = sourceFiles('test');
const all = [...source, ...tests];
const actions: ReadonlySet<string> = new Set(actionNames);

/** `path: what`, for every thing found. */
const named =
  (find: (file: SourceFile) => readonly string[]) =>
  (file: SourceFile): readonly string[] =>
    find(file).map(what => `${file.path}: ${what}`);

describe('the sources', () => {
  test('reach the world only in its four folders', () => {
    const pure = source.filter(({path}) => !touchesWorld.some(folder => folder === folderOf(path)));
    expect(pure.flatMap(named(ambientEffects))).toEqual([]);
  });

  test('write to stdout and stderr in one place, which makes text visible on a terminal', () => {
    const streams = /\bprocess\??\.std(?:out|err)\b|\bstd(?:out|err)\b[^{}]*\} = process\b|\bconsole\.\w/u;
    const naming = source.filter(({text}) => streams.test(text));
    expect(naming.map(({path}) => path)).toEqual(namesStandardStreams);
  });

  test('have no default exports', () => {
    expect(all.filter(({exportsDefault}) => exportsDefault === 'yes').map(({path}) => path)).toEqual(standForPackages);
  });

  test('have no barrels', () => {
    expect(all.filter(isBarrel).map(({path}) => path)).toEqual([]);
  });

  test('have names that say what they hold', () => {
    expect(all.flatMap(file => nameFaults(file, actions))).toEqual([]);
  });

  test('switch off a lint rule only by name and with a reason', () => {
    expect(all.flatMap(named(bareSuppressions))).toEqual([]);
  });

  test('never make the compiler look away; only type tests expect its errors', () => {
    const files = all.filter(({path}) => !path.endsWith('.types.ts'));
    expect(files.flatMap(named(typeSuppressions))).toEqual([]);
  });

  test('stay short, or say why not', () => {
    const long = all.filter(isLong);
    expect(long.map(({path}) => path).toSorted()).toEqual(Object.keys(longFiles).toSorted());
    expect(long.filter(file => !explainsItself(file)).map(({path}) => path)).toEqual([]);
  });
});

test('the tests are all run: none is singled out', () => {
  const only = tests.filter(
    ({path, text}) => /\.test\.tsx?$/u.test(path) && /^\s*(?:test|describe|it)\.only\b/mu.test(text),
  );
  expect(only.map(({path}) => path)).toEqual([]);
});

test('the tests put nothing in place of our own modules', () => {
  const mocked = tests.filter(({text}) => /\bvi\.(?:mock|doMock)\(\s*['"`]\./u.test(text));
  expect(mocked.map(({path}) => path)).toEqual([]);
});

test('the tests of the architecture suppress at most what reading a literal needs', () => {
  const found = tests.filter(({path}) => path.startsWith('test/architecture/')).flatMap(suppressions);
  expect(found.filter(comment => !comment.includes('typescript/no-unsafe-type-assertion'))).toEqual([]);
});

const at = (text: string): SourceFile => parseSource('src/agent/x.ts', text);

/** The rules on files that break them: a scanner that finds nothing proves nothing. */
describe('the rules find', () => {
  test.each([
    ['const home = process.env.HOME;', ['process.env']],
    ['const {env} = process;', ['process']],
    ['start(process);', ['process']],
    ['globalThis.process.exit(1);', ['globalThis.process']],
    ['const now = () => Date.now(); const when = new Date();', ['Date.now', 'new Date()']],
    ['const clock = {now: Date.now};', ['Date.now']],
    ['const dice = Math.random();', ['Math.random']],
    ['const id = crypto.randomUUID();', ['crypto.randomUUID']],
    ['await fetch(url); homedir();', ['fetch()', 'homedir()']],
    ['console.error("x");', ['console.error']],
    ['const text = "process.env"; // Date.now()', []],
    ['const at = new Date(ms); ports.clock.now(); ports.net.fetch(url); Math.max(1, 2);', []],
  ])('effects: %s', (text, found) => {
    expect(ambientEffects(at(text))).toEqual(found);
  });

  test.each([
    [`export * from './a.ts';`, true],
    [`import {a} from './a.ts'; export {a};`, true],
    [`export {a} from './a.ts'; export type {B} from './b.ts';`, true],
    [`export {a} from './a.ts'; export const b = 1;`, false],
    [`import './a.ts'; start();`, false],
    [`export interface A {}`, false],
  ])('barrels: %s', (text, barrel) => {
    expect(isBarrel(at(text))).toBe(barrel);
  });

  test.each([
    ['export default 1;', 'yes'],
    [`export {a as default} from './a.ts';`, 'yes'],
    ['export const a = 1;', 'no'],
  ])('default exports: %s', (text, answer) => {
    expect(at(text).exportsDefault).toBe(answer);
  });

  test.each([
    ['src/actions/file-glob-v2.ts', []],
    ['src/tui/components/card.test.tsx', []],
    ['src/tui/Card.tsx', ['src/tui/Card.tsx: file names are kebab-case']],
    ['src/store/utils.ts', ['src/store/utils.ts: "utils" says nothing of what it holds']],
    ['src/store/session-manager.ts', ['src/store/session-manager.ts: "manager" says nothing of what it holds']],
    ['src/store/open-store-v2.ts', ['src/store/open-store-v2.ts: no version numbers in names']],
  ])('names: %s', (path, faults) => {
    expect(nameFaults({path}, actions)).toEqual(faults);
  });

  test.each([
    ['oxlint-disable', ['oxlint-disable']],
    ['oxlint-disable-next-line no-console', ['oxlint-disable-next-line no-console']],
    ['oxlint-disable-next-line no-console -- why', ['oxlint-disable-next-line no-console -- why']],
    ['eslint-disable-next-line -- the rule is not named', ['eslint-disable-next-line -- the rule is not named']],
    ['oxlint-disable-next-line typescript/no-x -- the library types it with unknown leaves', []],
    ['a comment that speaks of oxlint-disable', []],
  ])('suppressions: %s', (comment, bare) => {
    expect(bareSuppressions({comments: [comment]})).toEqual(bare);
  });

  test('the compiler told to look away', () => {
    expect(typeSuppressions(at('// @ts-expect-error\nconst a = 1;\n/* @ts-nocheck */'))).toEqual([
      '@ts-expect-error',
      '@ts-nocheck',
    ]);
  });

  test('long files, and whether they say why', () => {
    const long = '\n'.repeat(601);
    expect(isLong({text: long})).toBe(true);
    expect(isLong({text: '\n'.repeat(600)})).toBe(false);
    expect(explainsItself(at(`const a = 1;${long}`))).toBe(false);
    expect(
      explainsItself(at(`/** One table of the wire format: split, it could not be read. */${long}const a = 1;`)),
    ).toBe(true);
  });
});
