// @module-tag long
import {spawnSync} from 'node:child_process';
import {mkdirSync, renameSync, watch} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, say} from '../support/model-script.ts';
import {needs} from '../support/programs.ts';
import {openScene, type Scene, toldResults} from '../support/scene.ts';
import {auto, filesOf, makeRepository, skipWithoutOverlay} from './support/overlay.ts';

interface Project {
  readonly programs: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** Run one after the other; what one leaves, the next one builds on. */
  readonly commands: readonly string[];
  /** What differs from run to run outside, too. */
  readonly unlike?: RegExp;
}

const projects: Readonly<Record<string, Project>> = {
  make: {
    programs: ['make', 'cc'],
    files: {
      Makefile: `OBJS := build/add.o build/main.o
build/prog: $(OBJS)
\t$(CC) -o $@ $^
build/%.o: src/%.c
\t@mkdir -p build
\t$(CC) -MMD -c -o $@ $<
test: build/prog
\t./build/prog >build/out && cmp build/out expected
clean:
\trm -r build
-include $(OBJS:.o=.d)
`,
      'src/add.c': 'int add(int a, int b) { return a + b; }\n',
      'src/main.c':
        '#include <stdio.h>\nint add(int, int);\nint main(void) { printf("%d\\n", add(2, 3)); return 0; }\n',
      expected: '5\n',
      '.gitignore': 'build\n',
    },
    commands: [
      'make',
      'make',
      'make test',
      "sed -i 's/a + b/b + a/' src/add.c && make",
      'make -j4 test',
      'make none',
      'make',
    ],
  },
  cargo: {
    programs: ['cargo'],
    files: {
      'Cargo.toml': '[package]\nname = "own"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': 'pub fn add(a: u32, b: u32) -> u32 { a + b }\n',
      'src/main.rs': 'fn main() { println!("{}", own::add(2, 3)); }\n',
      'tests/adds.rs': '#[test]\nfn adds() { assert_eq!(own::add(1, 1), 2); }\n',
      '.gitignore': 'target\n',
    },
    commands: ['cargo build --offline', 'cargo build --offline', 'cargo test --offline', 'cargo run --offline'],
    unlike: /^target\/debug\/incremental\//u,
  },
  pytest: {
    programs: ['pytest'],
    files: {
      'mod.py': 'def f(x): return x + 1\n',
      'test_mod.py': 'from mod import f\ndef test_f(tmp_path): assert f(1) == 2\ndef test_fails(): assert f(2) == 4\n',
      '.gitignore': '__pycache__\n.pytest_cache\n',
    },
    commands: ['pytest -q', 'pytest -q --lf', 'python3 -m compileall -q .'],
  },
  go: {
    programs: ['go'],
    files: {
      'go.mod': 'module example.com/own\n\ngo 1.19\n',
      'main.go': 'package main\n\nimport "example.com/own/sub"\n\nfunc main() { println(sub.Add(2, 3)) }\n',
      'sub/sub.go': 'package sub\n\nfunc Add(a, b int) int { return a + b }\n',
      'sub/sub_test.go':
        'package sub\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) { if Add(1, 1) != 2 { t.Fatal("no") } }\n',
      '.gitignore': 'own\n',
    },
    commands: ['go vet ./...', 'go build', './own', 'go test ./...'],
  },
  npm: {
    programs: ['npm'],
    files: {
      'package.json':
        '{"name": "own", "version": "1.0.0", "scripts": {"test": "node --test", "build": "node build.js"}}\n',
      'dep/package.json': '{"name": "dep", "version": "1.0.0", "main": "main.js"}\n',
      'dep/main.js': 'exports.three = 3;\n',
      'build.js':
        "require('node:fs').cpSync('dep', 'dist', {recursive: true}); console.log(require('./dep/main.js').three);\n",
      'own.test.js':
        "require('node:test')('dep', () => require('node:assert').equal(require('./dep/main.js').three, 3));\n",
      '.gitignore': 'node_modules\ndist\n',
    },
    commands: ['npm run build', 'npm run build', 'npm test'],
  },
};

/** Lines that tell how long something took, and lines of weft's own. */
const withoutTimes = (output: string): string =>
  output
    .split('\n')
    .filter(line => !/^\[(?:it |exit code)|duration_ms|^\[/u.test(line))
    .join('\n')
    .replaceAll(/\d+(?:\.\d+)? ?(?:ms|s)\b|\d+\.\d+/gu, 'T')
    .replaceAll('(cached)', 'T')
    .trim();

const exitCodeOf = (told: string): number => Number(/\[exit code (\d+)/u.exec(told)?.[1] ?? Number.NaN);

describe.each(Object.entries(projects))('%s', (_, {programs, files, commands, unlike}) => {
  beforeEach(needs('bwrap', 'unshare', 'git', ...programs));

  const like = (tree: Record<string, string>): readonly string[] =>
    Object.entries(tree).flatMap(([path, text]) =>
      unlike?.test(path) === true ? [] : [`${path} ${text.slice(0, 3)}`],
    );

  test('behaves in the overlay as outside: exit codes, output, files, and what a second run need not do again', async ({
    skip,
  }) => {
    const home = process.env['HOME'] ?? '';
    const own = {
      HOME: home,
      CARGO_HOME: process.env['CARGO_HOME'] ?? join(home, '.cargo'),
      RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(home, '.rustup'),
    };
    await using scene = await openScene([...commands.map(command => call('Bash', {command})), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    const folder = scene.place.work;
    const start = (): void => {
      mkdirSync(folder, {recursive: true});
      makeRepository(folder, files);
    };
    start();
    const outside = commands.map(command => {
      const ran = spawnSync('sh', ['-c', `{ ${command}; } 2>&1`], {
        cwd: folder,
        env: scene.place.environment({...own, TMPDIR: scene.place.home}),
        encoding: 'utf8',
      });
      return [command, ran.status, withoutTimes(ran.stdout)];
    });
    const before = filesOf(folder);
    renameSync(folder, join(scene.place.home, 'outside'));
    start();
    const {stderr} = await run(scene, own);
    const inside = scene.server.requests
      .slice(1)
      .flatMap(toldResults)
      .map((told, at) => [commands[at], exitCodeOf(told), withoutTimes(told)]);
    expect([stderr, inside]).toEqual(['', outside]);
    expect(like(filesOf(folder))).toEqual(like(before));
  });
});

const run = (scene: Scene, environment: Readonly<Record<string, string>>) =>
  scene.run(['--prompt', 'x', '--permission-mode', 'acceptEdits'], {
    environment: {...auto.environment, ...environment},
  });

test("the user's watcher sees what was applied, when it is applied", async ({skip}) => {
  await using scene = await openScene([call('Bash', {command: 'sh build.sh'}), say('Done.')]);
  await skipWithoutOverlay(scene, skip);
  const {work} = scene.place;
  makeRepository(work, {
    'build.sh': 'mkdir -p dist/new; echo out >dist/new/out; echo 2 >dist/there; echo changed >a.ts; echo made >b.ts\n',
    'dist/there': '1\n',
    'a.ts': 'old\n',
    '.gitignore': 'dist\n',
  });
  const seen = new Set<string>();
  using watcher = new DisposableStack();
  const watching = watch(work, {recursive: true}, (_, name) => void (name !== null && seen.add(name)));
  watcher.defer(() => watching.close());
  await run(scene, {});
  const expected = ['a.ts', 'b.ts', 'dist/new', 'dist/there'];
  await lookUntil(
    () => expected.every(path => seen.has(path)),
    () => `seen ${[...seen].join(' ')}`,
  );
  expect(scene.read('dist/new/out')).toBe('out\n');
});

test('`sandbox apply` makes of the workspace what the command made of its view', async ({skip}) => {
  await using scene = await openScene([]);
  await skipWithoutOverlay(scene, skip);
  const {work} = scene.place;
  makeRepository(work, {
    'build.sh': 'rm a; mkdir a; echo in >a/in; rm -r d; echo file >d; mv e/f/g g; rm -r e; mkdir -p n/empty\n',
    a: 'a\n',
    'd/x': 'x\n',
    'e/f/g': 'g\n',
  });
  const before = filesOf(work);
  const ran = await scene.run(['sandbox', 'run', '--dry', '--json', '--', 'sh build.sh']);
  expect([ran.code, filesOf(work)]).toEqual([0, before]);
  expect(await scene.run(['sandbox', 'apply', JSON.parse(ran.stdout).id])).toMatchObject({code: 0});
  expect(filesOf(work)).toEqual({
    'build.sh': before['build.sh'],
    a: '755 folder',
    'a/in': '644 in\n',
    d: '644 file\n',
    g: '644 g\n',
    n: '755 folder',
    'n/empty': '755 folder',
  });
});
