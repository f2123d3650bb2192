// @module-tag long
import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import type {Script} from '../support/model-server.ts';
import {openScene, toldResults, toldSystem, type Scene} from '../support/scene.ts';

/** A scene with files; paths begin in the workspace, or with `~` in the user's config folder. */
async function openWith(files: Readonly<Record<string, string>>, script: Script = [say('ok')]): Promise<Scene> {
  const scene = await openScene(script);
  for (const [path, text] of Object.entries(files)) {
    const file = path.startsWith('~/') ? join(scene.place.home, 'weft', path.slice(2)) : join(scene.place.work, path);
    mkdirSync(dirname(file), {recursive: true});
    writeFileSync(file, text);
  }
  return scene;
}

const settings = (value: object): string => JSON.stringify(value);

const touch = (): Script => [call('Bash', {command: 'touch made'}), say('done')];

const systemIn = async (scene: Scene, folder: string, ...flags: readonly string[]): Promise<string> => {
  await scene.run(['--prompt', 'x', '--cwd', folder, ...flags]);
  return toldSystem(scene.server.requests[0]);
};

describe('instructions', () => {
  test("the user's, then the folders' from the outermost down, the nearest last", async () => {
    await using scene = await openWith({
      '~/AGENTS.md': 'of the user',
      'AGENTS.md': 'of the root',
      'CLAUDE.md': 'not read beside the other',
      'packages/CLAUDE.md': 'of the packages',
      'packages/a/AGENTS.md': 'of a',
      'packages/b/AGENTS.md': 'of b',
    });
    const told = await systemIn(scene, 'packages/a');
    expect(told).toMatch(/of the user[^]*of the root[^]*of the packages[^]*of a\n/u);
    expect(told).not.toMatch(/not read|of b/u);
    expect(told).toContain(`<instructions file="${join(scene.place.work, 'packages/CLAUDE.md')}">`);
  });

  test('a link out of the workspace is not followed, which is said', async () => {
    await using scene = await openWith({'~/settings.json': '{}', 'CLAUDE.md': 'of the project'});
    const {home, work} = scene.place;
    writeFileSync(join(home, '.netrc'), 'machine example.org login me password hunter2hunter2');
    symlinkSync(join(home, '.netrc'), join(work, 'AGENTS.md'));
    const {stderr} = await scene.run(['--prompt', 'x']);
    expect(toldSystem(scene.server.requests[0])).toMatch(/<instructions file="[^"]*\/CLAUDE.md">\nof the project\n/u);
    expect(toldSystem(scene.server.requests[0])).not.toContain('example.org');
    expect(stderr).toBe(
      `weft: Skipped ${join(work, 'AGENTS.md')}: it is a link to ${join(home, '.netrc')}, outside the workspace\n`,
    );
  });

  test('--system-prompt stands for everything, --append-system-prompt comes last', {tags: 'smoke'}, async () => {
    await using scene = await openWith({'AGENTS.md': 'of the project'});
    expect(await systemIn(scene, '.', '--system-prompt', 'Be brief.', '--append-system-prompt', 'In French.')).toBe(
      'Be brief.\n\nIn French.',
    );
  });

  test('--append-system-prompt comes after the instructions', async () => {
    await using scene = await openWith({'AGENTS.md': 'of the project'});
    const told = await systemIn(scene, '.', '--append-system-prompt', 'In French.');
    expect(told).toMatch(/^You are weft[^]*of the project\n<\/instructions>\n\nIn French\.$/u);
  });

  test('an empty --system-prompt is no system prompt', async () => {
    await using scene = await openWith({});
    expect(await systemIn(scene, '.', '--system-prompt=')).toBe('');
    expect(scene.server.requests[0]?.body).not.toHaveProperty('system');
  });
});

describe('settings', () => {
  test('model: flag, environment, --settings, local, project, user: the first that speaks', async () => {
    await using scene = await openWith(
      {
        '~/settings.json': settings({model: 'of-the-user'}),
        'project/.weft/settings.json': settings({model: 'of-the-project'}),
        'local/.weft/settings.json': settings({model: 'of-the-project'}),
        'local/.weft/settings.local.json': settings({model: 'of-local'}),
        'foreign/.weft/settings.json': settings({model: 'of-the-project'}),
        'none/file': '',
      },
      () => say('ok'),
    );
    const given = ['--settings', settings({model: 'given'})];
    const environment = {WEFT_MODEL: 'of-the-environment'};
    for (const folder of ['project', 'local']) await scene.run(['permissions', 'trust', '--yes', '--cwd', folder]);
    await scene.run(['--prompt', 'x', '--cwd', 'none']);
    const {stderr} = await scene.run(['--prompt', 'x', '--cwd', 'foreign']);
    expect(stderr).toContain('"model" is ignored: this folder is not trusted');
    await scene.run(['--prompt', 'x', '--cwd', 'project']);
    await scene.run(['--prompt', 'x', '--cwd', 'local']);
    await scene.run(['--prompt', 'x', '--cwd', 'local', ...given]);
    await scene.run(['--prompt', 'x', '--cwd', 'local', ...given], {environment});
    await scene.run(['--prompt', 'x', '--cwd', 'local', ...given, '--model', 'of-the-flag'], {environment});
    expect(scene.server.requests.map(({body}) => body.model)).toEqual([
      'of-the-user',
      'of-the-user',
      'of-the-project',
      'of-local',
      'given',
      'of-the-environment',
      'of-the-flag',
    ]);
  });

  test("the user's rules permit", async () => {
    await using scene = await openWith(
      {'~/settings.json': settings({permissions: {allow: ['Bash(touch:*)']}})},
      touch(),
    );
    expect(await scene.run(['--prompt', 'x'])).toEqual({code: 0, signal: null, stdout: 'done\n', stderr: ''});
    expect(scene.read('made')).toBe('');
  });

  test("the project's rules forbid, whatever the mode", async () => {
    await using scene = await openWith({'.weft/settings.json': settings({permissions: {deny: ['Bash']}})}, touch());
    await scene.run(['--prompt', 'x', '--permission-mode', 'bypassPermissions']);
    expect(toldResults(scene.server.requests[1])).toEqual([expect.stringContaining('Denied by the rule Bash')]);
    expect(() => scene.read('made')).toThrow('ENOENT');
  });

  const mayNot: readonly (readonly [key: string, value: object])[] = [
    ['permissions.allow', {permissions: {allow: ['Bash']}}],
    ['permissionMode', {permissionMode: 'bypassPermissions'}],
    ['baseUrl', {baseUrl: 'http://127.0.0.1:9'}],
    ['env', {env: {ANTHROPIC_BASE_URL: 'http://127.0.0.1:9'}}],
  ];
  test.each(mayNot)('a project may not set %s: it is ignored, and the user is told', async (key, value) => {
    await using scene = await openWith({'.weft/settings.json': settings(value)}, touch());
    const {code, stdout, stderr} = await scene.run(['--prompt', 'x']);
    expect([code, stdout, scene.server.requests.length]).toEqual([3, 'done\n', 2]);
    expect(() => scene.read('made')).toThrow('ENOENT');
    const file = join(scene.place.work, '.weft/settings.json');
    expect(stderr.split('\n')).toContainEqual(expect.stringContaining(`weft: ${file}: "${key}" is ignored: `));
  });

  test("a project's settings that do not count, since weft starts below them, are named", async () => {
    await using scene = await openWith({
      '.git/HEAD': '',
      '.weft/settings.json': settings({permissions: {deny: ['Bash(touch:*)']}}),
      'packages/a/x': '',
      'packages/b/.weft/settings.json': settings({}),
    });
    const noted = async (folder: string): Promise<string> =>
      (await scene.run(['--prompt', 'x', '--cwd', folder, '--no-session-persistence'])).stderr;
    const {work} = scene.place;
    expect(await noted('packages/a')).toBe(
      `weft: ${join(work, '.weft', 'settings.json')} applies only when weft starts in ${work}: weft --cwd ${work}\n`,
    );
    // The script has no more answers: what is looked at is said before they are missed.
    expect(await noted('.')).not.toContain('counts only');
  });

  test('a key that nobody knows is named, with what was meant', async () => {
    await using scene = await openWith({'~/settings.json': settings({modle: 'x'})});
    const {code, stdout, stderr} = await scene.run(['--prompt', 'x']);
    expect([code, stdout]).toEqual([0, 'ok\n']);
    expect(stderr).toContain('"modle" is not a setting and is ignored. Did you mean "model"?');
  });

  test('a settings file that is broken stops weft', async () => {
    await using scene = await openWith({'.weft/settings.json': '{"permissions": {"deny": ["Bash"}}'});
    const {code, stdout, stderr} = await scene.run(['--prompt', 'x']);
    expect([code, stdout, scene.server.requests.length]).toEqual([2, '', 0]);
    expect(stderr).toMatch(/^weft: [^\n]*\.weft\/settings\.json is not JSON: [^\n]*\n$/u);
  });
});
