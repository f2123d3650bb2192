import type {TreeChange} from '../../../../src/domain/checkpoint.ts';
import {rmSync, utimesSync} from 'node:fs';
import {join} from 'node:path';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {randomInputs} from '../../../support/random-inputs.ts';
import {everything, place, revert, take} from './checkpoint-place.ts';

const paths = ['a.txt', 'd/b.txt', 'd/e/c.txt', 'x.log', 'deep/er/f', '.gitattributes'] as const;
const contents = ['', 'one\n', 'two\n', 'ones\n', 'crlf\r\n', '* text=auto\n'] as const;

/** What somebody does to the files: edits, also such that look as if nothing had happened, and git. */
const step = fc.oneof(
  fc.record({
    kind: fc.constant('write' as const),
    path: fc.constantFrom(...paths),
    content: fc.constantFrom(...contents),
    mode: fc.constantFrom(0o644, 0o755, 0o600),
    time: fc.constantFrom('now' as const, 'old' as const),
  }),
  fc.record({kind: fc.constant('remove' as const), path: fc.constantFrom(...paths, 'd', 'deep')}),
  fc.record({
    kind: fc.constant('git' as const),
    words: fc.constantFrom(
      ['add', '-A'],
      ['commit', '-qam', 'x', '--allow-empty'],
      ['stash', '-q', '-u'],
      ['stash', 'pop', '-q'],
      ['reset', '-q', '--hard'],
      ['checkout', '-q', '-B', 'other'],
      ['checkout', '-q', 'HEAD~1'],
      ['clean', '-qfdx'],
      ['rm', '-rq', '--cached', '.'],
      ['update-index', '--index-version', '4'],
      ['update-index', '--assume-unchanged', 'a.txt'],
      ['config', 'core.autocrlf', 'true'],
      ['gc', '-q'],
    ),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function carryOut(here: ReturnType<typeof place>, done: Step): void {
  try {
    if (done.kind === 'git') here.git(...done.words);
    else if (done.kind === 'remove') rmSync(join(here.work, done.path), {recursive: true, force: true});
    else {
      here.put(done.path, done.content, done.mode);
      if (done.time === 'old') utimesSync(join(here.work, done.path), 1000, 1000);
    }
  } catch {
    // Git refuses some of them; what it has done by then counts.
  }
}

// Hundreds of git processes are started, so the histories are spread over several tests, each with a time limit of its own.
test.each([1, 2, 3])(
  'whatever prompts and git do, each of them is taken back to the byte, and brought again (%i)',
  {tags: 'long'},
  async part => {
    const seed = 3 * (fc.readConfigureGlobal().seed ?? 1) + part;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({steps: fc.array(step, {minLength: 1, maxLength: 6}), ahead: fc.boolean()}), {
          minLength: 1,
          maxLength: 4,
        }),
        async prompts => {
          using here = place();
          here.git('init', '-q');
          here.git('config', 'gc.auto', '0');
          here.put('.gitignore', '*.log\n');
          for (const path of paths) here.put(path, 'one\n');
          for (const path of paths) utimesSync(join(here.work, path), 500, 500);
          here.git('add', '.');
          here.git('commit', '-qm', 'all');
          let checkpoints = here.open();
          const states = [everything(here.work)];
          const changes: TreeChange[] = [];
          for (const {steps, ahead} of prompts) {
            if (ahead) await checkpoints.prefetch(new AbortController().signal);
            const before = await take(checkpoints);
            for (const one of steps) carryOut(here, one);
            changes.push({before, after: await take(checkpoints)});
            states.push(everything(here.work));
            // Now and then another process goes on.
            if (ahead) checkpoints = here.open();
          }
          const undone: TreeChange[] = [];
          for (const [at, change] of [...changes.entries()].toReversed()) {
            const {report, change: undo} = await revert(checkpoints, change);
            undone.push(undo);
            expect([report.conflicts, everything(here.work)]).toEqual([[], states[at]]);
          }
          for (const change of undone.toReversed()) await revert(checkpoints, change);
          expect(everything(here.work)).toEqual(states.at(-1));
          await revert(checkpoints, ...changes.toReversed());
          expect(everything(here.work)).toEqual(states[0]);
        },
      ),
      {numRuns: randomInputs(10), seed},
    );
  },
);
