// @module-tag long
import {existsSync, mkdirSync, readdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {running} from '../support/processes.ts';
import {needs} from '../support/programs.ts';
import {openScene, pointedAt, type Scene, toldResults} from '../support/scene.ts';
import {openTerminal} from '../support/shell-terminal.ts';

const auto = {environment: {WEFT_SANDBOX: 'auto'}} as const;

const write = (scene: Scene, name: string, text: string): void => writeFileSync(join(scene.place.work, name), text);

/** Tests that write output, which is kept without a question, and a protected file, which they cannot. */
function writesProtected(scene: Scene): void {
  write(scene, '.envrc', 'mine');
  write(
    scene,
    'own.test.mjs',
    `import {appendFileSync, mkdirSync} from 'node:fs'; mkdirSync('dist', {recursive: true});
    appendFileSync('dist/runs', 'run '); appendFileSync('.envrc', ' and theirs');`,
  );
}
const isWritten = (scene: Scene): boolean => scene.read('.envrc') !== 'mine';

/** The reason is in the test's report where this machine lets no sandbox work. */
async function skipWithoutSandbox(
  scene: Scene,
  skip: (condition: boolean, reason: string) => void,
  provider = 'bwrap',
): Promise<void> {
  const {stdout} = await scene.run(['sandbox', 'test', '--provider', provider, '--json']);
  const {works, reason} = JSON.parse(stdout);
  skip(!works, reason);
}

describe('with bubblewrap', () => {
  beforeEach(needs('bwrap'));

  describe('a command that fails in the sandbox', () => {
    test('ran once and has failed where nobody can be asked; the model reads why', async ({skip}) => {
      await using scene = await openScene([call('Bash', {command: 'node --test own.test.mjs'}), say('Done.')]);
      await skipWithoutSandbox(scene, skip);
      writesProtected(scene);
      await scene.run(['--prompt', 'Test it.'], auto);
      expect(toldResults(scene.server.requests[1])).toEqual([
        expect.stringMatching(/\[it ran in the sandbox: it can write only to the workspace there[^]*\[exit code 1 /u),
      ]);
      expect([scene.read('dist/runs'), isWritten(scene)]).toEqual(['run ', false]);
    });

    test.for([
      {name: 'runs again outside when a person says so', keys: ['Down', 'Down', 'Enter'], runs: 'run ', out: true},
      {name: 'stays failed when a person keeps the result', keys: ['Down', 'Enter'], runs: 'run ', out: false},
    ])('$name', async ({keys, runs, out}, {skip}) => {
      await using scene = await openScene([call('Bash', {command: 'node --test own.test.mjs'}), say('All done.')]);
      await skipWithoutSandbox(scene, skip);
      writesProtected(scene);
      await using terminal = await openTerminal(scene.place, {...pointedAt(scene.server), WEFT_SANDBOX: 'auto'});
      await terminal.type('weft Test it.');
      await terminal.press('Enter');
      await terminal.onScreen(/failed in the sandbox[^]*Keep the result[^]*Run it outside/u);
      await terminal.press(...keys);
      await terminal.until(/All done\./u);
      expect([scene.read('dist/runs'), isWritten(scene)]).toEqual([runs, out]);
    });
  });

  test('a command that runs inside has the exit code and the folder of any other', async ({skip}) => {
    await using scene = await openScene([]);
    const {code, stderr} = await scene.run(['sandbox', 'run', '--', 'pwd >where; exit 7']);
    skip(code === 1, stderr);
    expect([code, scene.read('where')]).toEqual([7, `${scene.place.work}\n`]);
  });
});

describe.each([
  {provider: 'bwrap', program: 'bwrap'},
  {provider: 'codex', program: 'codex'},
  {provider: 'claude', program: 'srt'},
])('in the sandbox $provider, named', ({provider, program}) => {
  beforeEach(needs(program));

  test('a command cannot type into the terminal that it shares', async ({skip}) => {
    await using scene = await openScene([]);
    await skipWithoutSandbox(scene, skip, provider);
    // TIOCSTI, on the terminal by its name and on the one that is open.
    const types = 'for $t (*STDIN, *T) { ioctl($t, 0x5412, $_) for split(//, "touch typed\\n") }';
    write(scene, 'type.pl', `open(T, '</dev/tty'); ${types}`);
    const typed = (): boolean => existsSync(join(scene.place.work, 'typed'));
    await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
    const runs = async (command: string, turn: string): Promise<void> => {
      await terminal.type(`${command}; echo ended''-${turn}\r`);
      await terminal.until(new RegExp(`^ended-${turn}`, 'mu'));
      // What was typed comes before this.
      await terminal.type(`echo later''-${turn}\r`);
      await terminal.until(new RegExp(`^later-${turn}`, 'mu'));
    };
    await runs(`weft sandbox run --provider ${provider} -- perl type.pl`, 'inside');
    expect(typed()).toBe(false);
    await runs('perl type.pl', 'outside');
    skip(!typed(), 'this kernel lets no program type into a terminal');
  });

  test('all commands of a run are confined, those that need no approval, too', async ({skip}) => {
    await using scene = await openScene([call('Bash', {command: 'sh run.sh'}), say('Done.')]);
    write(scene, '.envrc', 'mine');
    write(scene, 'run.sh', 'echo x >made; echo x >.envrc; exit 4');
    await skipWithoutSandbox(scene, skip, provider);
    const run = ['--prompt', 'x', '--permission-mode', 'bypassPermissions', '--sandbox', provider];
    const {code, stdout} = await scene.run(run);
    expect([code, stdout, readdirSync(scene.place.work)]).toEqual([0, 'Done.\n', ['.envrc', 'made', 'run.sh']]);
    expect(toldResults(scene.server.requests[1])).toEqual([expect.stringMatching(/\.envrc[^]*\[exit code 4 /u)]);
  });
});

test('without a sandbox the same tests need an approval', async () => {
  await using scene = await openScene([call('Bash', {command: 'node --test own.test.mjs'}), say('Done.')]);
  writeFileSync(join(scene.place.work, 'own.test.mjs'), '');
  const {stdout} = await scene.run(['--prompt', 'Test it.', '--output-format', 'json']);
  expect(JSON.parse(stdout).permission_denials).toHaveLength(1);
  expect(toldResults(scene.server.requests[1])).toEqual([expect.stringContaining('Not permitted')]);
});

test('where the system forbids the sandbox the run goes on without it, and that is said once', async () => {
  const runTests = call('Bash', {command: 'node --test own.test.mjs'});
  await using scene = await openScene([runTests, runTests, say('Done.')]);
  writeFileSync(join(scene.place.work, 'own.test.mjs'), '');
  const bwrap = join(scene.place.home, 'bin', 'bwrap');
  mkdirSync(dirname(bwrap));
  const refuses = 'echo "bwrap: No permissions to create new namespace" >&2; exit 1';
  writeFileSync(bwrap, `#!/bin/sh\n[ "$1" != --version ] || exec echo bubblewrap 0.8.0\n${refuses}\n`, {mode: 0o755});
  const path = `${dirname(bwrap)}:${process.env['PATH'] ?? ''}`;
  const {code, stderr} = await scene.run(['--prompt', 'Test it.'], {environment: {WEFT_SANDBOX: 'auto', PATH: path}});
  expect(toldResults(scene.server.requests[1])).toEqual([expect.stringContaining('Not permitted')]);
  expect([code, stderr.match(/No sandbox: .*/gu)]).toEqual([
    3,
    [
      expect.stringMatching(
        /commands run as you, and ask first unless they only read \(bwrap: namespaces are not permitted/u,
      ),
    ],
  ]);
});

test('a named sandbox that cannot prove itself ends the run before the first request', async () => {
  await using scene = await openScene([say('Never.')]);
  const codex = join(scene.place.home, 'bin', 'codex');
  mkdirSync(dirname(codex));
  writeFileSync(codex, '#!/bin/sh\n[ "$1" != --version ] || exec echo codex-cli 0.1.0\nexit 1\n', {mode: 0o755});
  const path = `${dirname(codex)}:${process.env['PATH'] ?? ''}`;
  const {code, stderr} = await scene.run(['--prompt', 'x', '--sandbox', 'codex'], {environment: {PATH: path}});
  expect([code, scene.server.requests]).toEqual([1, []]);
  expect(stderr).toMatch(/the sandbox codex does not confine commands here: .*weft sandbox test/u);
});

test('a bubblewrap that hangs counts as not working, in at most ten seconds', {timeout: 120_000}, async () => {
  await using scene = await openScene([]);
  const bin = join(scene.place.home, 'bin');
  mkdirSync(bin);
  const bwrap =
    '#!/bin/sh\ncase "$1" in --version) echo bubblewrap 0.9.0; exit;; --help) exit;; esac\nexec sleep 7306\n';
  writeFileSync(join(bin, 'bwrap'), bwrap, {mode: 0o755});
  const started = performance.now();
  const {stdout, code} = await scene.run(['sandbox', 'test', '--provider', 'bwrap', '--json'], {
    environment: {PATH: `${bin}:${process.env['PATH'] ?? ''}`},
  });
  const seconds = (performance.now() - started) / 1000;
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    expect.objectContaining({works: false, reason: 'its probe did not end in time'}),
  ]);
  // Three times the limit, since other tests run at the same time.
  expect(seconds).toBeLessThan(30);
  expect(running('sleep 7306')).toEqual([]);
});
