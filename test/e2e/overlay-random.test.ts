import {spawnSync} from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import * as fc from 'fast-check';
import {beforeEach, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {needs} from '../support/programs.ts';
import {randomInputs} from '../support/random-inputs.ts';
import {finish} from '../support/run-weft.ts';
import {openScene, toldResults} from '../support/scene.ts';
import {auto, skipWithoutOverlay, treeOf, waitingPoint, writeFiles} from './support/overlay.ts';

beforeEach(needs('bwrap', 'unshare'));

/** What there is before each program. */
const start = {a: 'a\n', b: 'b\n', 'd/x': 'x\n', 'd/y': 'y\n', 'd/e/z': 'z\n', 'f/x': 'fx\n'};

const name = fc.constantFrom('a', 'b', 'c', 'd', 'f', 'd/x', 'd/y', 'd/e', 'd/e/z', 'd/n', 'f/x', 'f/n', 'g/n', 'n');

const step = fc.oneof(
  {weight: 4, arbitrary: fc.tuple(name, fc.nat(9)).map(([at, n]) => `mkdir -p "$(dirname ${at})"; echo ${n} >>${at}`)},
  {weight: 2, arbitrary: name.map(at => `rm -rf ${at}`)},
  {weight: 2, arbitrary: fc.tuple(name, name).map(([from, to]) => `mv ${from} ${to}`)},
  {weight: 1, arbitrary: name.map(at => `mkdir -p ${at}`)},
  {
    weight: 1,
    arbitrary: fc.tuple(name, fc.constantFrom('600', '755', '444')).map(([at, mode]) => `chmod ${mode} ${at}`),
  },
  {weight: 1, arbitrary: fc.tuple(fc.constantFrom('a', 'd', 'nothing'), name).map(([to, at]) => `ln -s ${to} ${at}`)},
  {weight: 1, arbitrary: fc.tuple(name, name).map(([from, to]) => `ln ${from} ${to}`)},
  {weight: 1, arbitrary: fc.tuple(name, name).map(([from, to]) => `cp -r ${from} ${to}`)},
  {weight: 1, arbitrary: name.map(at => `sed -i s/x/q/ ${at}`)},
);

type Own = readonly [kind: 'write' | 'append' | 'mode' | 'link' | 'delete', path: string];

const own = fc.tuple(fc.constantFrom<Own[0][]>('write', 'write', 'append', 'mode', 'link', 'delete'), name);

/** The user's own doing; what does not go (a file where a folder is) is not done, as in a shell. */
function workAs(folder: string, [kind, path]: Own): boolean {
  const at = join(folder, path);
  try {
    if (kind === 'delete') rmSync(at, {recursive: true});
    if (kind === 'mode' && lstatSync(at).isFile()) chmodSync(at, 0o640);
    if (kind === 'append') appendFileSync(at, 'mine\n');
    if (kind !== 'write' && kind !== 'link') return true;
    mkdirSync(dirname(at), {recursive: true});
    if (kind === 'write') writeFileSync(at, `mine ${path}\n`);
    else symlinkSync('mine', at);
    return true;
  } catch {
    return false; // there is nothing of the kind to do
  }
}

test(
  'whatever programs write while the user edits: what the user made stays, and all else is as outside',
  {tags: 'long'},
  async ({skip}) => {
    const programs = fc.sample(
      fc.record({steps: fc.array(step, {minLength: 1, maxLength: 8}), owns: fc.array(own, {maxLength: 4})}),
      {
        numRuns: randomInputs(200),
        seed: fc.readConfigureGlobal()?.seed ?? 1,
      },
    );
    const cases = programs.map(({steps, owns}, at) => ({steps, owns, folder: `case${at}`, wait: waitingPoint()}));
    await using scene = await openScene([
      ...cases.map(({folder}) => call('Bash', {command: `sh ${folder}.sh`})),
      say('Done.'),
    ]);
    await skipWithoutOverlay(scene, skip);
    const {work} = scene.place;
    const outside = mkdtempSync(join(tmpdir(), 'weft-outside-'));
    for (const {folder, steps, wait} of cases) {
      writeFiles(join(work, folder), start);
      const script = steps.map(line => `{ ${line}; } 2>/dev/null\n`).join('');
      writeFileSync(join(work, `${folder}.sh`), `cd ${folder}\n${script}${wait.line}\ntrue\n`);
      // The same program without weft and without a user.
      writeFiles(join(outside, folder), start);
      spawnSync('sh', ['-c', script], {cwd: join(outside, folder), stdio: 'ignore'});
    }
    const running = finish(scene.start(['--prompt', 'x', '--permission-mode', 'acceptEdits'], auto));
    const faults: string[] = [];
    const expected: {folder: string; mine: Record<string, string>; gone: readonly string[]}[] = [];
    for (const {folder, owns, wait} of cases) {
      await wait.reached.catch((cause: unknown) => {
        throw new Error(JSON.stringify(scene.server.requests.slice(1).flatMap(toldResults)), {cause});
      });
      const before = treeOf(join(work, folder));
      const done = owns.filter(each => workAs(join(work, folder), each));
      const after = treeOf(join(work, folder));
      // What differs now is the user's, and so is what was written again with the bytes it had.
      const touched = new Set<string>(done.map(([, path]) => path));
      const mine = Object.fromEntries(
        Object.entries(after).filter(
          ([path, text]) => before[path] !== text || (touched.has(path) && !text.endsWith('folder')),
        ),
      );
      expected.push({folder, mine, gone: Object.keys(before).filter(path => !(path in after))});
      wait.goOn();
    }
    const {code, stderr} = await running;
    expect([code, stderr]).toEqual([0, '']);
    for (const [at, {folder, mine, gone}] of expected.entries()) {
      const found = treeOf(join(work, folder));
      const native = treeOf(join(outside, folder));
      const {steps, owns} = cases[at] ?? {};
      const told = (what: string): string => `${what}\n${JSON.stringify({steps, owns})}`;
      const near = (path: string): boolean =>
        [...Object.keys(mine), ...gone].some(
          each => each === path || each.startsWith(`${path}/`) || path.startsWith(`${each}/`),
        );
      for (const [path, text] of Object.entries(mine))
        if (found[path] !== text) faults.push(told(`${path}: mine ${text}, found ${found[path]}`));
      for (const path of new Set([...Object.keys(found), ...Object.keys(native)]))
        if (!near(path) && found[path] !== native[path])
          faults.push(told(`${path}: outside ${native[path]}, in the overlay ${found[path]}`));
    }
    rmSync(outside, {recursive: true});
    expect(faults).toEqual([]);
  },
);
