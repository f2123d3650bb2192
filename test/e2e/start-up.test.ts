// @module-tag long
import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {builtChunks} from '../support/built-chunks.ts';
import packageFile from '../../package.json' with {type: 'json'};
import {call, say} from '../support/model-script.ts';
import {openPty} from '../support/pty-terminal.ts';
import {runWeft, TempPlace, weftBin} from '../support/run-weft.ts';
import {openScene, pointedAt} from '../support/scene.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const chunks = builtChunks();

/** A text that the built code of each library, and of each part that costs nothing until it is used, cannot be without. */
const marks: ReadonlyMap<string, string> = new Map(
  Object.entries({
    react: 'react.transitional.element',
    ink: 'patchConsole',
    yoga: 'ALIGN_FLEX_START',
    marked: 'blockSkip',
    openai: 'OPENAI_ORG_ID',
    anthropic: 'anthropic-dangerous-direct-browser-access',
    store: 'node:sqlite',
    mcp: 'x-mcp-header',
    hooks: 'gave an unreadable answer',
    skills: 'its front matter has no closing line',
  }),
);

/** Writes the addresses of all modules that were loaded into the file that `LOADED` names. */
const recorder = `data:text/javascript,${encodeURIComponent(`
  import {writeFileSync} from 'node:fs';
  const loaded = new Set();
  const vm = process.getBuiltinModule('node:vm');
  vm.Script = class extends vm.Script {
    constructor(code, options) {
      loaded.add('file://' + options.filename);
      super(code, options);
    }
  };
  process.on('exit', () => writeFileSync(process.env.LOADED, JSON.stringify([...loaded])));
`)}`;

/** The same as the terminal UI writes its first bytes, just before its first frame, and at the end into another file. */
const screenRecorder = `data:text/javascript,${encodeURIComponent(`
  import {writeFileSync} from 'node:fs';
  const loaded = new Set();
  const vm = process.getBuiltinModule('node:vm');
  vm.Script = class extends vm.Script {
    constructor(code, options) {
      loaded.add('file://' + options.filename);
      super(code, options);
    }
  };
  const write = process.stdout.write;
  process.stdout.write = function (text, ...rest) {
    writeFileSync(process.env.LOADED, JSON.stringify([...loaded]));
    process.stdout.write = write;
    return write.call(this, text, ...rest);
  };
  process.on('exit', () => writeFileSync(process.env.LOADED + '.end', JSON.stringify([...loaded])));
`)}`;

/** The built files that a run loaded. */
async function loadedBy(
  place: TempPlace,
  run: (environment: Record<string, string>) => Promise<unknown>,
): Promise<readonly string[]> {
  const list = join(place.home, 'loaded.json');
  await run({LOADED: list, NODE_OPTIONS: `--import=${recorder}`});
  return builtFilesIn(list);
}

function builtFilesIn(list: string): readonly string[] {
  const urls: unknown = JSON.parse(readFileSync(list, 'utf8'));
  const built = new URL('dist/', `file://${root}`).href;
  return Array.isArray(urls) ? urls.map(String).filter(url => url.startsWith(built)) : [];
}

const librariesIn = (files: readonly string[]): readonly string[] => {
  const code = files.map(file => chunks.get(file) ?? readFileSync(file, 'utf8')).join('\n');
  return [...marks].filter(([, mark]) => code.includes(mark)).map(([library]) => library);
};

const paths = (urls: readonly string[]): readonly string[] => urls.map(url => fileURLToPath(url));

describe('what is loaded', () => {
  test('the marks are in the built program', {tags: 'smoke'}, () => {
    expect(librariesIn([...chunks.keys()])).toEqual([...marks.keys()]);
  });

  test('--version: nothing of the built program', {tags: 'smoke'}, async () => {
    using place = new TempPlace();
    expect(await loadedBy(place, environment => runWeft(['--version'], {place, environment}))).toEqual([]);
  });

  test('--help: no library', async () => {
    using place = new TempPlace();
    const urls = await loadedBy(place, environment => runWeft(['--help'], {place, environment}));
    expect([urls.length > 0, librariesIn(paths(urls))]).toEqual([true, []]);
  });

  test('--help: of Node itself no cryptography, which takes a third of the time that Node takes to start', async () => {
    using place = new TempPlace();
    const list = join(place.home, 'builtins.json');
    const atExit = `process.on('exit', () => process.getBuiltinModule('node:fs').writeFileSync(process.env.LOADED, JSON.stringify(process.moduleLoadList)));`;
    const environment = {LOADED: list, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(atExit)}`};
    expect((await runWeft(['--help'], {place, environment})).code).toBe(0);
    const loaded: unknown = JSON.parse(readFileSync(list, 'utf8'));
    expect(loaded).toContain('NativeModule events');
    expect(loaded).not.toContain('NativeModule crypto');
  });

  test('what is built is ASCII, which is read in less time and takes half the memory', {tags: 'smoke'}, () => {
    expect(readFileSync(join(root, 'dist/chunks.js'), 'utf8')).toMatch(/^\p{ASCII}*$/u);
  });

  test.each(['anthropic', 'openai'] as const)('--prompt with tools: %s and the store alone', async dialect => {
    await using scene = await openScene(
      [[call('Bash', {command: 'echo 1'}), call('Glob', {pattern: '*'})], say('done')],
      dialect,
    );
    const urls = await loadedBy(scene.place, async environment => {
      const args = ['--prompt', 'x', '--permission-mode', 'bypassPermissions', '--output-format', 'stream-json'];
      expect((await scene.run(args, {environment})).code).toBe(0);
    });
    expect(librariesIn(paths(urls))).toEqual([dialect, 'store']);
  });

  test('--prompt: of Node itself neither fetch nor what only faces of its modules ask for', async () => {
    await using scene = await openScene([say('done')]);
    const list = join(scene.place.home, 'builtins.json');
    const atExit = `process.on('exit', () => process.getBuiltinModule('node:fs').writeFileSync(process.env.LOADED, JSON.stringify(process.moduleLoadList)));`;
    const environment = {LOADED: list, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(atExit)}`};
    expect((await scene.run(['--prompt', 'x'], {environment})).code).toBe(0);
    const loaded = new Set<unknown>(JSON.parse(readFileSync(list, 'utf8')));
    expect(loaded).toContain('NativeModule http');
    const dear = ['internal/deps/undici/undici', 'internal/crypto/webcrypto', 'perf_hooks', 'http2', 'worker_threads'];
    expect(dear.filter(name => loaded.has(`NativeModule ${name}`))).toEqual([]);
  });

  test('--no-session-persistence: no store', async () => {
    await using scene = await openScene([say('done')]);
    const urls = await loadedBy(scene.place, environment =>
      scene.run(['--prompt', 'x', '--no-session-persistence'], {environment}),
    );
    expect(librariesIn(paths(urls))).toEqual(['anthropic']);
  });

  test.each(['anthropic', 'openai'] as const)(
    'the terminal UI: the SDK of %s is not loaded before the first frame',
    async dialect => {
      await using scene = await openScene([say('Here it is.')], dialect);
      const list = join(scene.place.home, 'loaded.json');
      const environment = {
        ...pointedAt(scene.server, dialect),
        TMPDIR: scene.place.home,
        LOADED: list,
        NODE_OPTIONS: `--import=${screenRecorder}`,
      };
      using terminal = openPty({place: scene.place, environment, args: [], answers: 'all', size: [100, 30]});
      await terminal.until(/Ask weft/u);
      terminal.type('hello\r');
      await terminal.until(/Here it is\./u);
      terminal.type('/exit\r');
      expect(await terminal.exited).toBe(0);
      expect(librariesIn(paths(builtFilesIn(list)))).toEqual(['react', 'ink', 'yoga', 'store']);
      expect(librariesIn(paths(builtFilesIn(`${list}.end`)))).toContain(dialect);
    },
  );

  test('the demo without a terminal: neither screen nor network nor store', async () => {
    using place = new TempPlace();
    const urls = await loadedBy(place, environment => runWeft(['demo'], {place, environment}));
    expect(librariesIn(paths(urls))).toEqual([]);
  });
});

test.each([
  ['asking', []],
  ['planning', ['--permission-mode', 'plan']],
  ['with a schema', ['--json-schema', '{"type":"object","properties":{"a":{"type":"string"}}}']],
])('the first request of a run, %s, has at most 10 kB', async (_how, args) => {
  await using scene = await openScene([say('{"a":"b"}'), say('{"a":"b"}')]);
  await scene.run(['--prompt', 'x', ...args]);
  expect(Buffer.byteLength(JSON.stringify(scene.server.requests[0]?.body))).toBeLessThanOrEqual(10_000);
});

test('the schemas that the build has made are those of the catalogue', async () => {
  await using scene = await openScene([say('done')]);
  expect((await scene.run(['--prompt', 'x'])).code).toBe(0);
  const sent = scene.server.requests[0]?.body.tools?.map(({name, description, input_schema}) => ({
    name,
    description,
    input_schema,
  }));
  // The description of ToolSearch names the tools that this run does not send.
  const [search, ...more] = sent?.filter(({name}) => name === 'ToolSearch') ?? [];
  expect([search?.description, more]).toEqual([expect.stringContaining('SearchCodebase'), []]);
  expect(sent?.filter(({name}) => name !== 'ToolSearch')).toEqual(
    JSON.parse(readFileSync(join(root, 'test/golden/tools.json'), 'utf8')),
  );
});

test.each(['20.20.2', '22.12.0', '18.0.0'])('Node %s is too old: one line and exit code 2', async version => {
  using place = new TempPlace();
  const old = `Object.defineProperty(process, 'versions', {value: {...process.versions, node: '${version}'}});`;
  const environment = {NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(old)}`};
  for (const args of [['--prompt', 'x'], ['--version'], []]) {
    expect(await runWeft(args, {place, environment})).toEqual({
      code: 2,
      signal: null,
      stdout: '',
      stderr: `weft needs Node.js 22.13 or newer; this is ${version}. Install a newer Node.js and try again.\n`,
    });
  }
});

test('Windows itself is refused with the way that works', async () => {
  using place = new TempPlace();
  const windows = `Object.defineProperty(process, 'platform', {value: 'win32'});`;
  const environment = {NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(windows)}`};
  expect(await runWeft(['--prompt', 'x'], {place, environment})).toEqual({
    code: 2,
    signal: null,
    stdout: '',
    stderr: 'weft does not run on Windows itself. Install WSL (`wsl --install`), and install weft there.\n',
  });
});

test('started as a program, V8 has little room for new objects, which weft does not need', async () => {
  using place = new TempPlace();
  const tell = `data:text/javascript,${encodeURIComponent('process.stderr.write(process.execArgv.join());')}`;
  const env = place.environment({NODE_OPTIONS: `--import=${tell}`});
  const run = spawnSync(weftBin, ['--version'], {env, encoding: 'utf8'});
  expect([run.stdout, run.stderr]).toEqual([`${packageFile.version}\n`, '--max-semi-space-size=1']);
});

test('started by node, V8 does not give new objects more room either', async () => {
  using place = new TempPlace();
  const code = "import v8 from 'node:v8'; v8.setFlagsFromString = flag => void process.stderr.write(flag);";
  const environment = {NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`};
  const {stderr} = await runWeft(['sessions', '--help'], {place, environment});
  expect(stderr).toBe('--semi-space-growth-factor=1');
});

test.each(['--version', '-V'])('%s', async flag => {
  using place = new TempPlace();
  expect(await runWeft([flag], {place})).toEqual({
    code: 0,
    signal: null,
    stdout: `${packageFile.version}\n`,
    stderr: '',
  });
  expect(existsSync(join(place.home, 'weft'))).toBe(false);
});

test('--help lists options and commands on stdout', async () => {
  using place = new TempPlace();
  const {code, stdout, stderr} = await runWeft(['--help'], {place});
  expect([code, stderr]).toEqual([0, '']);
  for (const word of ['--prompt', '--output-format', '--permission-mode', 'sessions', 'completion', 'demo']) {
    expect(stdout).toContain(word);
  }
});

describe('completion', () => {
  const files = {bash: 'weft.bash', zsh: '_weft', fish: 'weft.fish', powershell: 'weft.ps1'};
  test.each(Object.entries(files))('%s: what is printed is the file completions/%s', async (shell, file) => {
    using place = new TempPlace();
    const {code, stdout, stderr} = await runWeft(['completion', shell], {place});
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(readFileSync(join(root, 'completions', file), 'utf8'));
  });

  test('on TAB weft answers what can stand there, without a library and quietly', async () => {
    using place = new TempPlace();
    const answers: unknown[] = [];
    const urls = await loadedBy(place, async environment => {
      const {code, stdout, stderr} = await runWeft(['__complete', '--', '--model', 'm', 'worktree', 'r'], {
        place,
        environment,
      });
      answers.push(code, stderr, stdout);
    });
    expect(answers).toEqual([
      0,
      '',
      [
        'words',
        'list\tList the worktrees of this repository with their changes',
        'merge\tMerge the changes of a worktree into its original folder, all or none, and remove it',
        'remove\tRemove a worktree and its branch',
        'help\tShow this help',
        '',
      ].join('\n'),
    ]);
    expect(librariesIn(paths(urls))).toEqual([]);
    expect(existsSync(join(place.home, 'weft'))).toBe(false);
  });

  test('an empty word at the end may be lost on the way', async () => {
    using place = new TempPlace();
    const {stdout} = await runWeft(['__complete', '--next', '--', 'config', 'set', 'permissionMode'], {place});
    expect(stdout).toMatch(/^words\ndefault\t\n/u);
  });
});
