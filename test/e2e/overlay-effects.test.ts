// @module-tag long
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {needs} from '../support/programs.ts';
import {openScene, type Scene, toldResults} from '../support/scene.ts';
import {jsonLines, resultOf} from './support/messages.ts';
import {answerTo, isAnswer, isType, prompt, request, startRpc} from './support/rpc-client.ts';
import {auto, filesOf, git, makeRepository, skipWithoutOverlay, treeOf, writeFiles} from './support/overlay.ts';

beforeEach(needs('bwrap', 'unshare', 'git', 'make'));

const json = ['--prompt', 'x', '--output-format', 'json'] as const;
const acceptEdits = ['--permission-mode', 'acceptEdits'] as const;

const denials = (stdout: string): readonly Record<string, unknown>[] => JSON.parse(stdout).permission_denials;

/** The changes of each denial, as `kind path`. */
const denied = (stdout: string): readonly unknown[] =>
  denials(stdout).map(({tool_name: tool, changes}) =>
    Array.isArray(changes) ? [tool, ...changes.map(({kind, path}) => `${kind} ${path}`)] : [tool],
  );

async function ranWith(scene: Scene, words: readonly string[]): Promise<readonly [number | null, readonly unknown[]]> {
  const {code, stdout} = await scene.run([...json, ...words], auto);
  return [code, denied(stdout)];
}

const listed = (denial: unknown): readonly string[] =>
  Array.isArray(denial) ? denial.slice(1).map(String).toSorted(compareText) : [];

const compareText = (one: string, other: string): number => (one < other ? -1 : 1);

const leftOut = (path: string): boolean => ['.git', '.weft', 'dist'].includes(path);

describe('code that something outside the sandbox runs later', () => {
  /** What a build rewrites, and what would run it. */
  const files = {
    'lib.sh': 'said=old\n',
    'package.json': '{"scripts": {"lint": "echo old", "build": "sh build.sh"}}\n',
    'server/tools.mjs': 'export const tools = [];\n',
    'run.sh': 'echo old\n',
    '.gitignore': 'dist\n',
    'build.sh': `echo said=new >lib.sh
sed -i s/old/new/ package.json run.sh
echo 'export const tools = ["new"];' >server/tools.mjs
mkdir -p dist node_modules/tool && echo out >dist/out && echo new >node_modules/tool/index.js
echo "module.exports = 1" >later.test.js\n`,
  };
  const dropped = [
    'changed lib.sh',
    'created node_modules/tool/index.js',
    'changed package.json',
    'changed run.sh',
    'changed server/tools.mjs',
    'created later.test.js',
  ].toSorted(compareText);

  test('is as it was after unasked builds, and a hook runs the old', async ({skip}) => {
    const commands = ['sh build.sh', 'npm run build', 'bash -c "sh build.sh"'];
    await using scene = await openScene([...commands.map(command => call('Bash', {command})), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    const {work, home} = scene.place;
    makeRepository(work, {...files, '.gitignore': 'dist\nnode_modules\n'});
    const hook = {type: 'command', command: `. ./lib.sh; echo $said >>${home}/hooked`};
    writeFiles(home, {
      'weft/settings.json': JSON.stringify({hooks: {PostToolUse: [{matcher: 'Bash', hooks: [hook]}]}}),
    });
    const before = filesOf(work);
    const {code, stdout, stderr} = await scene.run([...json], auto);
    expect(filesOf(work)).toEqual({...before, dist: '755 folder', 'dist/out': '644 out\n'});
    expect(treeOf(home)['hooked']).toBe('644 old\nold\nold\n');
    expect([code, denied(stdout).map(listed)]).toEqual([3, commands.map(() => dropped)]);
    expect(stderr).toContain('--permission-mode acceptEdits');
    for (const sent of scene.server.requests.slice(1)) expect(toldResults(sent)[0]).toContain('lib.sh');
  });

  test('changes with acceptEdits, and that is shown and undone', async ({skip}) => {
    const id = '0f9a1a34-1111-4222-8333-444455557777';
    await using scene = await openScene([call('Bash', {command: 'sh build.sh'}), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    const {work} = scene.place;
    makeRepository(work, {...files, '.gitignore': 'dist\nnode_modules\n'});
    const before = filesOf(work);
    const {code, stdout} = await scene.run([...json, ...acceptEdits, '--session-id', id], auto);
    expect([code, denied(stdout), scene.read('lib.sh'), scene.read('run.sh')]).toEqual([
      0,
      [],
      'said=new\n',
      'echo new\n',
    ]);
    expect(existsSync(join(work, 'node_modules/tool/index.js'))).toBe(true);
    expect((await scene.run(['sessions', 'rewind', id, '--yes', '--files'])).code).toBe(0);
    const undone = filesOf(work);
    for (const path of ['lib.sh', 'run.sh', 'package.json', 'server/tools.mjs'])
      expect([path, undone[path]]).toEqual([path, before[path]]);
    expect(existsSync(join(work, 'later.test.js'))).toBe(false);
  });

  test.for([
    {who: 'a sub-agent', words: []},
    {who: 'an agent in a worktree of its own', words: ['--worktree']},
  ])('is as it was for $who', async ({who, words}, {skip}) => {
    await using scene = await openScene(({body}) => {
      const asked = JSON.stringify(body.messages[0]?.content);
      const said = body.messages.filter(({role}) => role === 'assistant').length;
      if (said > 0) return say('Done.');
      return who === 'a sub-agent' && !asked.includes('BUILD')
        ? call('Task', {description: 'build', prompt: 'BUILD it.', subagent_type: 'general-purpose'})
        : call('Bash', {command: 'sh build.sh'});
    });
    await skipWithoutOverlay(scene, skip);
    const {work} = scene.place;
    makeRepository(work, files);
    const before = filesOf(work);
    const {stdout} = await scene.run([...json, ...words], auto);
    expect(treeOf(work, leftOut)).toEqual(before);
    expect(JSON.stringify(denials(stdout))).toContain('lib.sh');
  });
});

describe('repositories inside', () => {
  const config = '[core]\n\tfsmonitor = touch monitored; false\n';
  const plant: Readonly<Record<string, string>> = {
    'a repository in a new folder': `git init -q new || mkdir -p new/.git; printf '${config}' >>new/.git/config`,
    'a repository in ignored output': `mkdir -p dist/x/.git && printf '${config}' >dist/x/.git/config`,
    'a bare repository in ignored output':
      'mkdir -p dist/bare/objects dist/bare/refs && echo "ref: refs/heads/main" >dist/bare/HEAD && ' +
      `printf '${config}' >dist/bare/config`,
    'a pointer to a repository': 'mkdir -p dist/p && echo "gitdir: ../../elsewhere" >dist/p/.git',
    'a repository moved into place': `mkdir -p dist/y/git && printf '${config}' >dist/y/git/config && mv dist/y/git dist/y/.git`,
    'a repository of vendor': `printf '${config}' >>vendor/lib/.git/config`,
    'a repository far below': `printf '${config}' >>a/b/c/d/e/f/.git/config; echo x >a/b/c/d/e/f/.git/hooks/pre-commit`,
    "the repository's own": `printf '${config}' >>.git/config; echo x >.git/hooks/pre-commit; git config core.fsmonitor x`,
    'a submodule pointer changed': 'echo "gitdir: ../elsewhere" >sub/.git',
    'a repository in an installed package': `mkdir -p node_modules/p/.git && printf '${config}' >node_modules/p/.git/config`,
  };

  test('unasked builds change no data of them', async ({skip}) => {
    const scripts = Object.values(plant);
    const commands = scripts.map((_script, at) => `sh build-${at}.sh`);
    await using scene = await openScene([...commands.map(command => call('Bash', {command})), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    const {work} = scene.place;
    for (const nested of ['vendor/lib', 'a/b/c/d/e/f']) makeRepository(join(work, nested), {'own.txt': 'x\n'});
    writeFiles(work, {'sub/.git': 'gitdir: ../vendor/lib/.git\n'});
    const builds = scripts.map(
      (script, at) => [`build-${at}.sh`, `${script}\nmkdir -p dist; echo out >dist/out-${at}\n`] as const,
    );
    makeRepository(work, {'.gitignore': 'dist\nnode_modules\nvendor\na\nsub\n', ...Object.fromEntries(builds)});
    const outputs = scripts.map((_script, at) => `dist/out-${at}`);
    const before = treeOf(work);
    const {stdout} = await scene.run([...json, ...acceptEdits], auto);
    const after = treeOf(work);
    const changed = Object.keys({...before, ...after}).filter(path => before[path] !== after[path]);
    const outputOnly = changed.filter(path => !['dist', ...outputs].includes(path));
    // Folders around what was left out may be made, nothing else.
    expect(outputOnly.filter(path => after[path] !== '755 folder')).toEqual([]);
    expect(outputs.map(path => scene.read(path))).toEqual(outputs.map(() => 'out\n'));
    expect(changed.filter(path => /(?:^|\/)\.git(?:\/|$)/u.test(path))).toEqual([]);
    for (const folder of ['.', 'new', 'dist/x', 'dist/bare', 'dist/y', 'vendor/lib', 'a/b/c/d/e/f'])
      if (existsSync(join(work, folder))) git(join(work, folder), 'status', '--porcelain');
    expect(Object.keys(treeOf(work)).filter(path => path.endsWith('monitored'))).toEqual([]);
    expect(denials(stdout).length).toBeLessThanOrEqual(commands.length);
  });
});

describe('default mode', () => {
  const writing = [
    'touch x',
    'echo "export {}" >new.ts',
    'cp a.ts b.ts',
    'mkdir -p made/here',
    'sed -i s/old/new/ a.ts',
  ];

  test('changes no file unasked, with a sandbox and without', async ({skip}) => {
    await using scene = await openScene(() =>
      scene.server.requests.length % 2 === 1 ? writing.map(command => call('Bash', {command})) : say('Done.'),
    );
    await skipWithoutOverlay(scene, skip);
    const {work} = scene.place;
    makeRepository(work, {'a.ts': 'old\n'});
    const before = filesOf(work);
    for (const sandbox of ['auto', 'native']) {
      const {code, stdout} = await scene.run([...json], {environment: {WEFT_SANDBOX: sandbox}});
      expect([sandbox, code, denials(stdout).length, filesOf(work)]).toEqual([sandbox, 3, writing.length, before]);
    }
  });

  test('a client that did not turn the sandbox on is asked before; one that did is asked about the effects', async ({
    skip,
  }) => {
    const command = 'sh build.sh';
    await using scene = await openScene(() =>
      scene.server.requests.length % 2 === 1
        ? call('Bash', {command}, {id: `id${scene.server.requests.length}`})
        : say('Done.'),
    );
    await skipWithoutOverlay(scene, skip);
    const {work} = scene.place;
    const script = 'echo new >a.ts; mkdir -p dist; echo out >dist/out';
    makeRepository(work, {'a.ts': 'old\n', '.gitignore': 'dist\n', 'build.sh': script});
    const asks = async (settings: readonly string[], behavior: 'allow' | 'deny') => {
      const client = startRpc(scene, ['--permission-prompt-tool', 'stdio', ...settings], {WEFT_SANDBOX: ''});
      client.send(request('init', {subtype: 'initialize'}));
      await client.next(isAnswer('init'));
      client.send(prompt('x'));
      const asked = await client.next(isType('control_request'));
      const seen = [scene.read('a.ts'), existsSync(join(work, 'dist/out'))];
      const answer = behavior === 'allow' ? {behavior, updatedInput: {command}} : {behavior, message: 'no'};
      client.send(answerTo(asked['request_id'], answer));
      await client.next(isType('result'));
      const {stdout} = await client.finish();
      const questions = jsonLines(stdout).filter(({type}) => type === 'control_request');
      return {
        asked: asked['request'],
        seen,
        questions: questions.length,
        a: scene.read('a.ts'),
        result: resultOf(stdout),
      };
    };
    const on = ['--settings', JSON.stringify({sandbox: {enabled: true, autoAllowBashIfSandboxed: true}})];

    expect(await asks([], 'deny')).toMatchObject({
      asked: {subtype: 'can_use_tool', tool_name: 'Bash', input: {command}},
      seen: ['old\n', false],
      questions: 1,
      a: 'old\n',
    });
    const effects = {
      asked: {
        subtype: 'can_use_tool',
        tool_name: 'Bash',
        input: {command},
        changes: expect.arrayContaining([{path: 'a.ts', kind: 'changed'}]),
      },
      questions: 1,
    };
    expect(await asks(on, 'deny')).toMatchObject({...effects, a: 'old\n', result: {subtype: 'success'}});
    expect(existsSync(join(work, 'dist/out'))).toBe(true);
    expect(await asks(on, 'allow')).toMatchObject({...effects, a: 'new\n'});
  });

  test('`permissions check` tells of each command what a session does', async ({skip}) => {
    const commands = [
      ...writing,
      'sh build.sh',
      'npm test',
      'node x.mjs',
      './build.sh',
      'cd src && sh ../build.sh',
      'cd src && npm test',
      'python3 a.py',
      'ls',
      'git status',
      'rm -rf src',
      'git commit -qm x',
      'curl http://example.com',
      'cat ~/.ssh/id_rsa',
      'echo x >.mcp.json',
      'npm install left-pad',
      'git push',
      'sudo ls',
    ];
    await using scene = await openScene([...commands.map(command => call('Bash', {command})), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    const {work} = scene.place;
    makeRepository(work, {
      'a.ts': 'old\n',
      'src/b.ts': 'b\n',
      'build.sh': 'true\n',
      'x.mjs': '',
      'package.json': '{"scripts": {"test": "true"}}',
    });
    const checked = await scene.run(['permissions', 'check', '--json'], {
      ...auto,
      stdin: {text: commands.map(command => `${JSON.stringify(command)}\n`).join('')},
    });
    const verdicts = checked.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    const {stdout} = await scene.run([...json], auto);
    // A denial without changes is one of the command itself: it did not run.
    const refused = new Set(
      denials(stdout).flatMap(each => ('changes' in each ? [] : [JSON.stringify(each['tool_input'])])),
    );
    const done = commands.map(command => [command, refused.has(JSON.stringify({command})) ? 'not run' : 'ran']);
    expect(verdicts.map(({command, verdict}) => [command, verdict === 'allow' ? 'ran' : 'not run'])).toEqual(done);
    const build = verdicts.find(({command}) => command === 'sh build.sh');
    expect(JSON.stringify(build)).toMatch(/runs in the sandbox without asking; weft asks about its changes/iu);
    expect(Object.fromEntries(done)).toMatchObject({
      'sh build.sh': 'ran',
      './build.sh': 'ran',
      'cd src && npm test': 'ran',
      'touch x': 'ran',
      'rm -rf src': 'not run',
      'git commit -qm x': 'not run',
      'curl http://example.com': 'not run',
      'git push': 'not run',
    });
  });
});

describe('what need not ask', () => {
  const project = {
    Makefile: 'test:\n\tmkdir -p build && echo passed >build/report\n',
    'snapshot.test.mjs': "import test from 'node:test'; test('s', t => t.assert.snapshot({a: 1}));\n",
    'fmt.mjs': "import {writeFileSync} from 'node:fs'; writeFileSync('a.ts', 'formatted\\n');\n",
    'a.ts': 'old\n',
    '.gitignore': 'build\n',
  };

  test('`make test` that writes ignored output alone: it is there', async ({skip}) => {
    await using scene = await openScene([call('Bash', {command: 'make test'}), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    makeRepository(scene.place.work, project);
    expect([await ranWith(scene, []), scene.read('build/report')]).toEqual([[0, []], 'passed\n']);
  });

  test('a formatter that a rule allowed keeps its changes, and snapshots that an allowed test run updated stay', async ({
    skip,
  }) => {
    const update = 'node --test --test-update-snapshots snapshot.test.mjs';
    await using scene = await openScene([
      [call('Bash', {command: 'node fmt.mjs'}), call('Bash', {command: update})],
      say('Done.'),
    ]);
    await skipWithoutOverlay(scene, skip);
    makeRepository(scene.place.work, project);
    const rules = ['--allowed-tools', 'Bash(node fmt.mjs)', `Bash(${update})`];
    expect([await ranWith(scene, rules), scene.read('a.ts')]).toEqual([[0, []], 'formatted\n']);
    expect(scene.read('snapshot.test.mjs.snapshot')).toContain('"a": 1');
  });

  test('the same without a rule: they run, and their changes are dropped, or kept with acceptEdits', async ({skip}) => {
    await using scene = await openScene(() =>
      scene.server.requests.length % 2 === 1 ? call('Bash', {command: 'node fmt.mjs'}) : say('Done.'),
    );
    await skipWithoutOverlay(scene, skip);
    makeRepository(scene.place.work, project);
    expect([await ranWith(scene, []), scene.read('a.ts')]).toEqual([[3, [['Bash', 'changed a.ts']]], 'old\n']);
    expect([await ranWith(scene, ['--permission-mode', 'dontAsk']), scene.read('a.ts')]).toMatchObject([
      [expect.any(Number), [['Bash', 'changed a.ts']]],
      'old\n',
    ]);
    expect([
      await ranWith(scene, [...acceptEdits, '--disallowed-tools', 'Edit(a.ts)']),
      scene.read('a.ts'),
    ]).toMatchObject([[expect.any(Number), [['Bash', 'changed a.ts']]], 'old\n']);
    expect([await ranWith(scene, [...acceptEdits]), scene.read('a.ts')]).toEqual([[0, []], 'formatted\n']);
  });

  test('without a repository known output folders are output, and all else is files', async ({skip}) => {
    await using scene = await openScene([call('Bash', {command: 'sh build.sh'}), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    const script = 'for d in dist build target __pycache__ .cache src; do mkdir -p $d; echo x >$d/f; done';
    writeFiles(scene.place.work, {'build.sh': script});
    expect(await ranWith(scene, [])).toEqual([3, [['Bash', 'created src/f']]]);
    expect(Object.keys(treeOf(scene.place.work)).filter(path => path.endsWith('f'))).toEqual([
      '.cache/f',
      '__pycache__/f',
      'build/f',
      'dist/f',
      'target/f',
    ]);
  });

  test('installed packages are files, but for their caches; what builds name alike is output', async ({skip}) => {
    await using scene = await openScene([call('Bash', {command: 'sh build.sh'}), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    const folders = 'node_modules/p node_modules/.cache/p node_modules/.vitest-cache deps/p target/debug/deps';
    makeRepository(scene.place.work, {
      '.gitignore': 'node_modules\ndeps\ntarget\n',
      'build.sh': `for d in ${folders}; do mkdir -p $d; echo x >$d/f; done`,
    });
    expect(await ranWith(scene, [])).toEqual([3, [['Bash', 'created deps/p/f', 'created node_modules/p/f']]]);
    expect(Object.keys(treeOf(scene.place.work)).filter(path => path.endsWith('/f'))).toEqual([
      'node_modules/.cache/p/f',
      'node_modules/.vitest-cache/f',
      'target/debug/deps/f',
    ]);
  });

  test('what git follows is never output, and new ignore rules count from the next command on', async ({skip}) => {
    const script = "echo '*' >.gitignore; mkdir -p dist; echo new >dist/kept; echo x >other; echo y >dist/out";
    await using scene = await openScene([call('Bash', {command: 'sh build.sh'}), say('Done.')]);
    await skipWithoutOverlay(scene, skip);
    const {work} = scene.place;
    makeRepository(work, {'.gitignore': '', 'dist/kept': 'old\n', 'build.sh': script});
    writeFileSync(join(work, '.gitignore'), 'dist\n');
    git(work, 'commit', '-qam', 'ignore');
    expect(await ranWith(scene, [])).toEqual([
      3,
      [['Bash', 'changed .gitignore', 'changed dist/kept', 'created other']],
    ]);
    expect([scene.read('dist/kept'), scene.read('dist/out'), existsSync(join(work, 'other'))]).toEqual([
      'old\n',
      'y\n',
      false,
    ]);
  });

  test('two folders: a change in a second one is named by its whole path', async ({skip}) => {
    await using scene = await openScene([]);
    await skipWithoutOverlay(scene, skip);
    const second = join(scene.place.home, 'second');
    mkdirSync(second);
    await using other = await openScene([call('Bash', {command: `sh build.sh ${second}`}), say('Done.')]);
    writeFileSync(join(other.place.work, 'build.sh'), 'echo x >"$1/made"; echo y >here\n');
    const {stdout} = await other.run([...json, '--add-dir', second], auto);
    expect(denied(stdout)).toEqual([['Bash', `created ${join(second, 'made')}`, 'created here']]);
    expect([existsSync(join(second, 'made')), existsSync(join(other.place.work, 'here'))]).toEqual([false, false]);
  });
});
