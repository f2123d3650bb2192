// @module-tag long
import {spawnSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setImmediate as immediate, setTimeout as pause} from 'node:timers/promises';
import {beforeEach, expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, say} from '../support/model-script.ts';
import {processesWith} from '../support/processes.ts';
import {needs} from '../support/programs.ts';
import {finish} from '../support/run-weft.ts';
import {endProcess, openScene, type Scene} from '../support/scene.ts';
import {auto, byPrompt, filesOf, makeRepository, skipWithoutOverlay, waitingPoint} from './support/overlay.ts';

beforeEach(needs('bwrap', 'unshare', 'git'));

const files = 40;
const body = 'a line of a file that takes a while to copy\n'.repeat(400);
const contentOf = (version: number): string => `version ${version}\n${body}`;

/** All files of `src` get the next version, one is deleted and one made; output is made, too. */
const build = (wait: string, version: number): string => `
for i in $(seq 0 ${files - 1}); do sed -i '1s/.*/version ${version}/' src/f$i; done
rm -f src/only${version - 1}; echo only >src/only${version}
mkdir -p dist/v${version}; for i in $(seq 0 200); do echo ${version} >dist/v${version}/held-output$i; done
${wait}
`;

/** The versions that the files have; anything else is half a file. */
function versionsOf(scene: Scene): readonly number[] {
  const found = Array.from({length: files}, (_, at) => {
    const text = scene.read(`src/f${at}`);
    const version = Number(/^version (\d+)\n/u.exec(text)?.[1]);
    if (text !== contentOf(version)) throw new Error(`src/f${at} is torn: ${text.slice(0, 60)}`);
    return version;
  });
  return [...new Set(found)];
}

/** Mounts of anybody that name the folder. */
const mountsIn = (folder: string): readonly string[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/u.test(name))
    .flatMap(pid => {
      try {
        return readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n');
      } catch {
        return []; // it has ended meanwhile
      }
    })
    .filter(line => line.includes(folder));

/** What a command had written, or a mark of a view, anywhere but in the workspace. */
const keptIn = (home: string): readonly string[] =>
  // What is removed just now is an error to find(1), and no matter here.
  spawnSync('find', [home, '-name', 'held-output*', '-o', '-name', 'upper', '-o', '-name', 'weft-sandbox-*'], {
    encoding: 'utf8',
  })
    .stdout.split('\n')
    .filter(path => path !== '')
    .slice(0, 5);

/** The watchdog that ends the command. Without it the command would go on, and weft would name it. */
const ending = 'weft-process-watchdog';

type Moment = 'in the command' | 'after its end' | 'when changes are applied';

const told = expect.stringMatching(
  /^(?:weft: [^\n]*killed while it applied the changes of 1 command\. They are [^\n]*\n)?$/u,
);

const moments = Array.from({length: 30}, (_, at) => {
  const when: Moment = at < 4 ? 'in the command' : at < 14 ? 'after its end' : 'when changes are applied';
  return {
    at,
    when,
    moreMs: when === 'in the command' ? 0 : when === 'after its end' ? (at - 4) * 12 : (at - 14) * 2,
    who: at % 3 === 2 ? ('weft and its other watchdogs' as const) : ('weft' as const),
  };
});

/** Resolves as soon as anything of the next version is in the workspace, or after the whole run. */
async function applying(work: string, version: number, finished: Promise<unknown>): Promise<void> {
  const run = {isOver: false};
  void finished.then(() => (run.isOver = true));
  const [first, made] = [join(work, 'src/f0'), join(work, `dist/v${version}`)];
  const start = statSync(first).ino;
  while (!run.isOver && !existsSync(made) && statSync(first).ino === start) await immediate();
}

test('killed at any moment of a command and of what follows, nothing is half applied, and nothing is left', async ({
  skip,
}) => {
  await using scene = await openScene(byPrompt({BUILD: [call('Bash', {command: 'sh build.sh'}), say('Done.')]}));
  await skipWithoutOverlay(scene, skip);
  const {work, home} = scene.place;
  let version = 1;
  makeRepository(work, {
    ...Object.fromEntries(Array.from({length: files}, (_, at) => [`src/f${at}`, contentOf(version)])),
    [`src/only${version}`]: 'only\n',
    '.gitignore': 'dist\nbuild.sh\n',
  });
  const ended = new Map<string, number>();
  for (const {at, when, moreMs, who} of moments) {
    const {line, reached, goOn} = waitingPoint();
    writeFileSync(join(work, 'build.sh'), build(line, version + 1));
    const child = scene.start(['--prompt', 'BUILD', '--permission-mode', 'acceptEdits'], auto);
    const finished = finish(child);
    await reached;
    if (when !== 'in the command') goOn();
    if (when === 'when changes are applied') await applying(work, version + 1, finished);
    await pause(moreMs);
    const watchdogs =
      who === 'weft'
        ? []
        : processesWith('watchdog').filter(({parent, words}) => parent === child.pid && !words.includes(ending));
    child.kill('SIGKILL');
    for (const {pid} of watchdogs) endProcess(pid);
    await finished;

    const atOnce = versionsOf(scene);
    expect([at, atOnce.every(each => each === version || each === version + 1)]).toEqual([at, true]);
    // The next start in the workspace finishes what was begun, or takes it back.
    expect([at, await scene.run(['--prompt', 'NEXT'], auto)]).toMatchObject([at, {code: 0, stderr: told}]);
    const [now = 0, ...others] = versionsOf(scene);
    const only = Object.keys(filesOf(work)).filter(path => path.startsWith('src/only'));
    expect([at, others, only]).toEqual([at, [], [`src/only${now}`]]);
    await lookUntil(
      () => processesWith(line).length === 0 && mountsIn(home).length === 0 && keptIn(home).length === 0,
      () => `left after moment ${at}: ${JSON.stringify([processesWith(line), mountsIn(home), keptIn(home)])}`,
      15_000,
    );
    ended.set(`${atOnce.length} versions, then ${now === version ? 'old' : 'new'}`, 1);
    version = now;
  }
  expect([...ended.keys()].length, [...ended.keys()].join()).toBeGreaterThan(1);
});

test('`doctor` finds and removes the empty files that an older weft left for protected names', async ({skip}) => {
  await using scene = await openScene([]);
  await skipWithoutOverlay(scene, skip);
  const {work} = scene.place;
  makeRepository(work, {'a.ts': 'a\n'});
  // As bubblewrap makes a place to mount on: empty, and nobody may write it.
  for (const name of [
    '.claude',
    '.envrc',
    '.github',
    '.gitlab-ci.yml',
    '.husky',
    '.idea',
    '.mcp.json',
    '.npmrc',
    '.vscode',
  ])
    writeFileSync(join(work, name), '', {mode: 0o444});
  const {stdout} = await scene.run(['doctor', '--json'], auto);
  expect(stdout).toMatch(/\.github/u);
  await scene.run(['doctor'], auto);
  expect(Object.keys(filesOf(work))).toEqual(['a.ts']);
});
