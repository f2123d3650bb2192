// @module-tag long
import {existsSync, mkdirSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, expect, test, type TestContext} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {needs} from '../support/programs.ts';
import {finish} from '../support/run-weft.ts';
import {openScene, type Scene, toldResults} from '../support/scene.ts';
import {makeRepository, skipWithoutOverlay} from './support/overlay.ts';

/** A scene with a file that can be changed. */
async function openWork(skip: TestContext['skip'], script: Parameters<typeof openScene>[0] = []): Promise<Scene> {
  const scene = await openScene(script);
  await skipWithoutOverlay(scene, skip);
  writeFileSync(join(scene.place.work, 'kept'), 'one\ntwo\n');
  return scene;
}

const idIn = (text: string): string => /weft sandbox apply (\S+)/u.exec(text)?.[1] ?? 'no id';
const files = (scene: Scene): readonly string[] => readdirSync(scene.place.work).toSorted();

describe('with an overlay', () => {
  beforeEach(needs('bwrap'));

  test('a dry run shows the changes as a diff and applies none; then exactly these are applied, once', async ({
    skip,
  }) => {
    await using scene = await openWork(skip);
    const dry = await scene.run(['sandbox', 'run', '--dry', '--', 'echo said; echo 2 >kept; touch .mcp.json; exit 7']);
    const id = idIn(dry.stdout);
    expect(dry).toMatchObject({
      code: 7,
      stdout: [
        'said',
        'Changed kept (+1 -2)',
        '@@ -1 +1 @@',
        '-one',
        '-two',
        '+2',
        'created .mcp.json (never applied)',
        'Nothing is applied yet. To apply exactly these changes:',
        `  weft sandbox apply ${id}`,
        '',
      ].join('\n'),
      stderr: '',
    });
    expect([files(scene), scene.read('kept')]).toEqual([['kept'], 'one\ntwo\n']);
    const applied = await scene.run(['sandbox', 'apply', id]);
    expect([applied.code, files(scene), scene.read('kept')]).toEqual([0, ['kept'], '2\n']);
    const again = await scene.run(['sandbox', 'apply', id]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/already applied/u)]);
    expect(scene.read('kept')).toBe('2\n');
  });

  test('for programs the document is all of stdout, and the command keeps its stdin', async ({skip}) => {
    await using scene = await openWork(skip);
    const command = 'tee kept; chmod 600 kept; ln -s kept link; mkdir -p new/empty';
    const dry = ['sandbox', 'run', '--dry', '--json', '--', command];
    const {code, stdout, stderr} = await scene.run(dry, {stdin: {text: 'in\n'}});
    expect([code, JSON.parse(stdout), stderr]).toEqual([
      0,
      {
        id: expect.any(String),
        exitCode: 0,
        changes: [
          {path: 'kept', kind: 'changed', class: 'file'},
          {path: 'link', kind: 'link', class: 'file'},
          {path: 'new/empty', kind: 'created', class: 'file'},
        ],
      },
      'in\n',
    ]);
    const applied = await scene.run(['sandbox', 'apply', JSON.parse(stdout).id, '--json']);
    expect(JSON.parse(applied.stdout)).toEqual({
      id: JSON.parse(stdout).id,
      applied: JSON.parse(stdout).changes,
      dropped: [],
    });
    expect([files(scene), scene.read('link')]).toEqual([['kept', 'link', 'new'], 'in\n']);
  });

  test('what changed nothing is an ID that can be applied, too', async ({skip}) => {
    await using scene = await openWork(skip);
    const {stdout} = await scene.run(['sandbox', 'run', '--dry', '--json', 'true']);
    expect(JSON.parse(stdout)).toEqual({id: 'none', exitCode: 0, changes: []});
    expect(await scene.run(['sandbox', 'apply', 'none'])).toMatchObject({code: 0});
  });

  test('nothing is applied once one of the files has changed, and an unknown ID is told apart', async ({skip}) => {
    await using scene = await openWork(skip);
    const dry = await scene.run(['sandbox', 'run', '--dry', '--', 'echo 2 >kept; echo x >made']);
    writeFileSync(join(scene.place.work, 'kept'), 'mine\n');
    const applied = await scene.run(['sandbox', 'apply', idIn(dry.stdout)]);
    expect([applied.code, applied.stderr]).toEqual([1, expect.stringMatching(/nothing was applied[^]*kept/iu)]);
    expect([files(scene), scene.read('kept')]).toEqual([['kept'], 'mine\n']);
    const unknown = await scene.run(['sandbox', 'apply', 'nothing']);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('weft sandbox run --dry')]);
  });

  test('without --dry the changes are applied when it has ended, but for protected names', async ({skip}) => {
    await using scene = await openWork(skip);
    const whole = await scene.run(['sandbox', 'run', '--', 'rm kept; echo x >made; exit 7']);
    expect([whole, files(scene)]).toEqual([expect.objectContaining({code: 7, stdout: '', stderr: ''}), ['made']]);
    const partly = await scene.run(['sandbox', 'run', '--json', '--', 'echo y >made; echo x >.mcp.json']);
    expect([partly.code, JSON.parse(partly.stdout), files(scene), scene.read('made')]).toEqual([
      1,
      {
        exitCode: 0,
        applied: [{path: 'made', kind: 'changed', class: 'file'}],
        dropped: [{path: '.mcp.json', kind: 'created', class: 'protected', why: 'protected'}],
      },
      ['made'],
      'y\n',
    ]);
  });

  test.for<[line: string, code: number, said: RegExp]>([
    ['nosuchprogram a', 127, /: nosuchprogram: not found$|^nosuchprogram: command not found/mu],
    ['./kept', 126, /: .*Permission denied$/mu],
    ['git commit -m x', 128, /^weft: \.git is read-only in the sandbox\. .*outside the sandbox$/mu],
  ])('%s ends with %d, as in a shell, and says why', async ([line, code, said], {skip}) => {
    await using scene = await openWork(skip);
    makeRepository(scene.place.work, {kept: 'two\n', other: 'x'});
    const ran = await scene.run(['sandbox', 'run', '--', ...line.split(' ')]);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringMatching(said)]);
  });

  test('a dry run that is interrupted keeps what it had written', async ({skip}) => {
    await using scene = await openWork(skip);
    const child = scene.start(['sandbox', 'run', '--dry', '--', 'echo 2 >kept; echo ready; exec sleep 100']);
    const finished = finish(child);
    await new Promise(resolve => void child.stdout.once('data', resolve));
    child.kill('SIGINT');
    const {code, stdout} = await finished;
    expect([code, scene.read('kept')]).toEqual([130, 'one\ntwo\n']);
    expect(await scene.run(['sandbox', 'apply', idIn(stdout)])).toMatchObject({code: 0});
    expect(scene.read('kept')).toBe('2\n');
  });

  test('a model tries a command, reads what it would change, and nothing is applied until the user says so', async ({
    skip,
  }) => {
    await using scene = await openWork(skip, [call('SandboxExec', {command: 'node change.mjs'}), say('Done.')]);
    writeFileSync(join(scene.place.work, 'change.mjs'), `import {rmSync} from 'node:fs'; rmSync('kept');`);
    const auto = {environment: {WEFT_SANDBOX: 'auto'}};
    const {code, stdout} = await scene.run(['--prompt', 'Try it.', '--output-format', 'json'], auto);
    expect([code, JSON.parse(stdout).permission_denials]).toEqual([0, []]);
    const [told = ''] = toldResults(scene.server.requests[1]);
    expect(told).toMatch(
      /\[dry run: it would change 1 file; [^]*\nDeleted kept \(\+0 -2\)\n@@ -1 \+1 @@\n-one\n-two$/u,
    );
    expect(files(scene)).toEqual(['change.mjs', 'kept']);
    expect(await scene.run(['sandbox', 'apply', idIn(told).replace(/\W+$/u, '')])).toMatchObject({code: 0});
    expect(files(scene)).toEqual(['change.mjs']);
  });
});

test.for([['--dry'], ['--json']])(
  'without an overlay %s runs nothing and says what is missing',
  async ([flag = '']) => {
    await using scene = await openScene([]);
    const empty = join(scene.place.home, 'bin');
    mkdirSync(empty);
    for (const provider of ['bwrap', 'native']) {
      const {code, stdout, stderr} = await scene.run(
        ['sandbox', 'run', '--provider', provider, flag, '--', 'touch made'],
        {
          environment: {PATH: empty},
        },
      );
      expect([code, stdout, existsSync(join(scene.place.work, 'made'))]).toEqual([1, '', false]);
      expect(stderr).toMatch(new RegExp(`${provider} can't hold back its changes here \\(.+\\)`, 'u'));
    }
  },
);
