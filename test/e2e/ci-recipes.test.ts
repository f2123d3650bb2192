// @module-tag long
import {execFileSync, spawn} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {parse} from 'yaml';
import * as z from 'zod/mini';
import {call, say} from '../support/model-script.ts';
import {finish, weftBin} from '../support/run-weft.ts';
import {openScene, pointedAt, toldPrompt, type Scene} from '../support/scene.ts';

/* The commands of the files in docs/ci.md, each in a repository with an origin. `gh` notes its arguments and the file that it would send. */

const page = readFileSync(fileURLToPath(new URL('../../docs/ci.md', import.meta.url)), 'utf8');
const files = new Map(
  [...page.matchAll(/^```yaml\n# (\S+)\n(.*?)^```$/gmsu)].map(([, path = '', text = '']) => [path, parse(text)]),
);

const step = z.object({
  if: z.optional(z.string()),
  run: z.optional(z.string()),
  env: z.optional(z.record(z.string(), z.string())),
});
const workflow = z.object({jobs: z.record(z.string(), z.object({steps: z.array(step)}))});
const pipeline = z.record(z.string(), z.object({script: z.array(z.string())}));

interface Step {
  readonly run: string;
  readonly isAlways: boolean;
  readonly env: Readonly<Record<string, string>>;
}

const comment = "/weft Why $(touch made)? It's `touch made`.";

function stepsOf(path: string, scene: Scene): readonly Step[] {
  const known: Readonly<Record<string, string>> = {
    'secrets.ANTHROPIC_API_KEY': pointedAt(scene.server)['ANTHROPIC_API_KEY'] ?? '',
    'github.token': 'token',
    'github.event.pull_request.number': '7',
    'github.event.issue.number': '8',
    'github.event.comment.body': comment,
  };
  const valueOf = (text: string): string =>
    text.replaceAll(/\$\{\{ (.*?) \}\}/gu, (_, name: string) => known[name] ?? `unknown: ${name}`);
  return Object.values(workflow.parse(files.get(path)).jobs).flatMap(({steps}) =>
    steps.flatMap(({run, env = {}, if: when}) =>
      run === undefined
        ? []
        : [
            {
              run,
              isAlways: when === 'always()',
              env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, valueOf(value)])),
            },
          ],
    ),
  );
}

const scriptOf = (job: string): readonly Step[] =>
  (pipeline.parse(files.get('.gitlab-ci.yml'))[job]?.script ?? []).map(run => ({run, isAlways: false, env: {}}));

/** Runs steps as a runner does: after a failed one only those that always run. Returns the exit code of the job, and its output. */
async function runSteps(steps: readonly Step[], scene: Scene): Promise<{readonly code: number; readonly text: string}> {
  const {place, server} = scene;
  const {ANTHROPIC_API_KEY, ...pointed} = pointedAt(server);
  const {PATH = '', ...environment} = place.environment({
    ...pointed,
    GITHUB_REPOSITORY: 'me/shop',
    GITHUB_BASE_REF: 'main',
    GITHUB_RUN_ID: '42',
    RUNNER_TEMP: place.home,
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    ...(steps.every(({env}) => Object.keys(env).length === 0) ? {ANTHROPIC_API_KEY: ANTHROPIC_API_KEY ?? ''} : {}),
  });
  let [code, text] = [0, ''];
  for (const {run, isAlways, env} of steps) {
    if (code !== 0 && !isAlways) continue;
    const child = spawn('bash', ['-eo', 'pipefail', '-c', run], {
      cwd: place.work,
      env: {...environment, ...env, PATH: `${join(place.home, 'programs')}:${PATH}`},
    });
    child.stdin.end();
    const ended = await finish(child);
    text += `$ ${run}\n${ended.stdout}${ended.stderr}`;
    if (code === 0) code = ended.code ?? 1;
  }
  return {code, text};
}

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
  });

/** A repository whose branch `feature` adds a debugger statement to `main`, and `npm run lint` which finds it. */
async function openRepository(script: Parameters<typeof openScene>[0]): Promise<Scene> {
  const scene = await openScene(script);
  const {home, work} = scene.place;
  const programs = join(home, 'programs');
  mkdirSync(programs);
  symlinkSync(weftBin, join(programs, 'weft'));
  const npm = execFileSync('sh', ['-c', 'command -v npm'], {encoding: 'utf8'}).trim();
  const write = (name: string, text: string): void => writeFileSync(join(programs, name), text, {mode: 0o755});
  write('npm', `#!/bin/sh\ncase $1 in install | ci) exit ;; esac\nexec '${npm}' "$@"\n`);
  write(
    'gh',
    `#!/bin/sh\necho "$@" >>'${home}/gh.log'\nfor each; do case $before in --input | --body-file) cp "$each" '${home}/sent' ;; esac; before=$each; done\necho 'An issue about the cache.'\n`,
  );
  git(home, 'init', '-q', '--bare', '-b', 'main', 'origin.git');
  git(work, 'init', '-qb', 'main');
  writeFileSync(join(work, 'package.json'), '{"scripts": {"lint": "! grep -n debugger shop.js"}}\n');
  writeFileSync(join(work, 'shop.js'), 'open();\n');
  git(work, 'add', '.');
  git(work, 'commit', '-qm', 'one');
  git(work, 'remote', 'add', 'origin', join(home, 'origin.git'));
  git(work, 'push', '-q', 'origin', 'main');
  git(work, 'switch', '-qc', 'feature');
  writeFileSync(join(work, 'shop.js'), 'open();\ndebugger;\n');
  git(work, 'commit', '-qam', 'two');
  return scene;
}

const sentBy = ({place}: Scene): {readonly calls: string; readonly sent: string} => ({
  calls: existsSync(join(place.home, 'gh.log')) ? readFileSync(join(place.home, 'gh.log'), 'utf8') : '',
  sent: existsSync(join(place.home, 'sent')) ? readFileSync(join(place.home, 'sent'), 'utf8') : '',
});

let scene: Scene | undefined;
beforeEach(() => {
  scene = undefined;
});
afterEach(async () => scene?.[Symbol.asyncDispose]());

test('no command contains an expression, which others could fill with commands', () => {
  expect([...files.keys()]).toHaveLength(4);
  expect(page.match(/^.*run:.*\$\{\{.*$/gmu)).toBe(null);
});

describe('a review', () => {
  const found = {path: 'shop.js', line: 2, severity: 'error', text: 'It stops.'};
  test.each([
    [[found], 1, '**error**: It stops.'],
    [[], 0, 'weft has no comments.'],
  ])('on GitHub with %j exits with %i, and comments', async (comments, code, text) => {
    scene = await openRepository([call('StructuredOutput', {comments}), say('Done.')]);
    const ran = await runSteps(stepsOf('.github/workflows/weft-review.yml', scene), scene);
    expect(ran.code, ran.text).toBe(code);
    const {calls, sent} = sentBy(scene);
    expect(calls).toBe('api repos/me/shop/pulls/7/reviews --input review.json\n');
    expect(sent).toContain(text);
  });

  test('on GitHub that fails sends nothing', async () => {
    scene = await openRepository([]);
    git(scene.place.work, 'update-ref', '-d', 'refs/remotes/origin/main');
    const ran = await runSteps(stepsOf('.github/workflows/weft-review.yml', scene), scene);
    expect(ran.code).toBe(1);
    expect(sentBy(scene).calls).toBe('');
  });

  test('on GitLab is an artifact', async () => {
    scene = await openRepository([call('StructuredOutput', {comments: [found]}), say('Done.')]);
    expect(await runSteps(scriptOf('weft-review'), scene)).toMatchObject({code: 1});
    expect(scene.read('review.md')).toContain('- [ ] **error** line 2: It stops.');
  });
});

describe('a fix of lint errors', () => {
  const fix = [
    [call('Bash', {command: 'npm run lint'})],
    [call('Read', {file_path: 'shop.js'})],
    [call('Edit', {file_path: 'shop.js', old_string: 'debugger;\n', new_string: ''})],
    say('I removed it.'),
    [call('Bash', {command: 'npm run lint'})],
    say('npm run lint passes.'),
  ];

  test('on GitHub is a pull request with receipts', async () => {
    scene = await openRepository(fix);
    const ran = await runSteps(stepsOf('.github/workflows/weft-lint.yml', scene), scene);
    expect(ran.code, ran.text).toBe(0);
    const {home} = scene.place;
    expect(JSON.parse(readFileSync(join(home, 'receipts.json'), 'utf8'))).toMatchObject({
      predicate: {result: 'PASSED', passedTests: ['npm run lint']},
    });
    expect(git(join(home, 'origin.git'), 'show', 'weft/lint-42:shop.js')).toBe('open();\n');
    expect(sentBy(scene).calls).toBe('pr create --fill\n');
  });

  test('that does not work fails the job, and no pull request is opened', async () => {
    scene = await openRepository([say('I looked at it.'), say('I give up.'), say('I give up.')]);
    const ran = await runSteps(stepsOf('.github/workflows/weft-lint.yml', scene), scene);
    expect(ran.code, ran.text).not.toBe(0);
    expect(sentBy(scene).calls).toBe('');
  });

  test('on GitLab is a patch with receipts', async () => {
    scene = await openRepository(fix);
    const ran = await runSteps(scriptOf('weft-lint'), scene);
    expect(ran.code, ran.text).toBe(0);
    expect(scene.read('lint.patch')).toContain('\n-debugger;\n');
    expect(JSON.parse(scene.read('receipts.json'))).toMatchObject({predicate: {result: 'PASSED'}});
  });
});

test('an answer to a comment: its text is no command, and the issue is in the prompt', async () => {
  scene = await openRepository([say('It is **cold**.')]);
  const ran = await runSteps(stepsOf('.github/workflows/weft-answer.yml', scene), scene);
  expect(ran.code, ran.text).toBe(0);
  expect(existsSync(join(scene.place.work, 'made'))).toBe(false);
  const prompt = toldPrompt(scene.server.requests[0]);
  expect(prompt).toContain(comment.slice('/weft '.length));
  expect(prompt).toContain('An issue about the cache.');
  const {calls, sent} = sentBy(scene);
  expect(calls).toContain(`issue comment 8 --body-file ${scene.place.home}/answer.md\n`);
  expect(sent).toBe('It is **cold**.\n');
});
