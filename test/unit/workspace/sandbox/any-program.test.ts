import {join} from 'node:path';
import * as fc from 'fast-check';
import {beforeEach, describe, expect, test} from 'vitest';
import {randomInputs} from '../../../support/random-inputs.ts';
import {applyAll, heldPlace, needsOverlay, treeOf} from './overlay-view.ts';

beforeEach(needsOverlay);

const name = fc.constantFrom('a', 'b', 'c');
const path = fc.array(name, {minLength: 1, maxLength: 3}).map(names => names.join('/'));
const text = fc.constantFrom('', 'one', 'two', 'three lines');
const mode = fc.constantFrom('644', '755', '600', '400', '700');
const two = fc.tuple(path, path);

/** One step of a program; it may fail. */
const step = fc.oneof(
  {weight: 4, arbitrary: fc.tuple(path, text).map(([to, words]) => `printf '${words}' >${to}`)},
  {weight: 2, arbitrary: fc.tuple(path, text).map(([to, words]) => `printf '${words}' >>${to}`)},
  {weight: 3, arbitrary: path.map(at => `mkdir -p ${at}`)},
  {weight: 2, arbitrary: path.map(at => `rm -rf ${at}`)},
  path.map(at => `rm -f ${at}`),
  path.map(at => `rmdir ${at}`),
  path.map(at => `touch ${at}`),
  {weight: 3, arbitrary: two.map(([from, to]) => `mv -T ${from} ${to}`)},
  // What is copied of a folder into itself depends on the order of its names.
  two.map(([from, to]) => `[ -d ${from} ] || cp ${from} ${to}`),
  two.map(([from, to]) => `ln ${from} ${to}`),
  two.map(([from, to]) => `ln -sfn ${from} ${to}`),
  fc.tuple(path, mode).map(([at, bits]) => `[ -L ${at} ] || chmod ${bits} ${at}`),
  path.map(at => `rm -rf ${at}; mkdir ${at}`),
  path.map(at => `rm -rf ${at}; printf file >${at}`),
);

const program = fc
  .array(step, {minLength: 1, maxLength: 14})
  .map(steps => steps.map(one => `{ ${one}; } 2>/dev/null || :`).join('\n'));

const files = {'a/a': '1', 'a/b/c': '2', 'a/b/a': '3', b: '4', 'c/c/c': '5', 'c/a': '6'};

describe('whatever a command does', () => {
  test('the workspace is afterwards as if it had run there', {tags: 'long'}, async () => {
    await fc.assert(
      fc.asyncProperty(program, program, async (before, script) => {
        using workspace = heldPlace(files);
        workspace.sh(before);
        workspace.sh(`cp -a . ../native; cd ../native; ${script}`);
        const held = await workspace.hold(script);
        expect((await applyAll(held)).dropped).toEqual([]);
        expect(workspace.tree()).toEqual(treeOf(join(workspace.folder, '../native')));
      }),
      {numRuns: randomInputs(150)},
    );
  });

  test('what others write meanwhile stays byte for byte', {tags: 'long'}, async () => {
    const theirs = fc.uniqueArray(
      fc.tuple(path, fc.constantFrom('/m', '/n', '')).map(parts => parts.join('')),
      {minLength: 1, maxLength: 5},
    );
    await fc.assert(
      fc.asyncProperty(program, theirs, async (script, places) => {
        using workspace = heldPlace(files);
        const meanwhile = places
          .map(at => `{ mkdir -p "$(dirname ${at})"; printf 'mine ${at}' >${at}; } 2>/dev/null || :`)
          .join('\n');
        const held = await workspace.hold(script, meanwhile);
        const written = Object.entries(workspace.tree()).filter(([, state]) => state.includes(' mine '));
        await applyAll(held);
        const now = workspace.tree();
        expect(Object.fromEntries(written.map(([at]) => [at, now[at]]))).toEqual(Object.fromEntries(written));
      }),
      {numRuns: randomInputs(150)},
    );
  });
});
