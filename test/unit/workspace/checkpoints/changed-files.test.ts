import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {TreeId} from '../../../../src/domain/checkpoint.ts';
import {hasExactFolderTimes} from '../../../../src/workspace/checkpoints/folder-table.ts';
import {makeCheckpoints} from '../../../../src/workspace/checkpoints/make-checkpoints.ts';
import {randomInputs} from '../../../support/random-inputs.ts';
import {everything, place, revert, take} from './checkpoint-place.ts';

type Place = ReturnType<typeof place>;

/** By this clock, no file was changed just now, so that all are in the index. Changes need another second then: see `nextSecond`. */
const aheadOfTime = (): number => Date.now() + 10_000;

const checkpointsOf = (here: Place, name: string, environment: NodeJS.ProcessEnv = {}) =>
  makeCheckpoints({
    roots: [here.work],
    folder: join(here.folder, '..', name),
    environment: {PATH: process.env['PATH'], HOME: join(here.work, '../home'), ...environment},
    now: aheadOfTime,
    minIndexedFiles: 1,
  });

/** Waits until a change gets a ctime of another second than every change so far. */
async function nextSecond(): Promise<void> {
  using probe = place();
  const second = (): number => {
    probe.put('probe', '');
    return Math.floor(lstatSync(join(probe.work, 'probe')).ctimeMs / 1000);
  };
  for (const first = second(); second() === first;) await delay(20);
}

/** A tree of files that had not changed for a while. */
function filled(): Place {
  const here = place();
  for (const path of ['a', 'b', 'empty', 'd/c', 'd/e/f', 'd/e/g', 'x/c', 'x/é'])
    here.put(path, path === 'empty' ? '' : path);
  mkdirSync(join(here.work, 'd/none'));
  return here;
}

const at = (here: Place, path: string): string => join(here.work, path);

/** Writes other content of the same length, and sets the old times again. */
function rewrite(here: Place, path: string): void {
  const {size, atime, mtime} = lstatSync(at(here, path));
  writeFileSync(at(here, path), '#'.repeat(size));
  utimesSync(at(here, path), atime, mtime);
}

const changes: Readonly<Record<string, (here: Place) => void>> = {
  nothing: () => {},
  'other content of the same size and time': here => rewrite(here, 'd/e/f'),
  'a file that has been replaced by another of the same size and time': here => {
    const {atime, mtime} = lstatSync(at(here, 'a'));
    here.put('new', '#');
    utimesSync(at(here, 'new'), atime, mtime);
    renameSync(at(here, 'new'), at(here, 'a'));
  },
  'two files that have been swapped': here => {
    renameSync(at(here, 'a'), at(here, 'tmp'));
    renameSync(at(here, 'b'), at(here, 'a'));
    renameSync(at(here, 'tmp'), at(here, 'b'));
  },
  'another mode': here => chmodSync(at(here, 'd/c'), 0o600),
  'content of an empty file': here => here.put('empty', 'now'),
  'a file that is empty now': here => here.put('b', ''),
  'a new file, and one that is gone': here => {
    here.put('d/new', 'new');
    rmSync(at(here, 'd/e/g'));
  },
  'a file that is a folder now, and the reverse': here => {
    rmSync(at(here, 'a'));
    here.put('a/b', 'b');
    rmSync(at(here, 'x'), {recursive: true});
    here.put('x', 'x');
  },
  'a file that is a link now': here => {
    renameSync(at(here, 'b'), at(here, '../b'));
    symlinkSync('../b', at(here, 'b'));
  },
  'a folder that is a link to its copy now': here => {
    cpSync(at(here, 'd'), at(here, '../copy'), {recursive: true, preserveTimestamps: true});
    rmSync(at(here, 'd'), {recursive: true});
    symlinkSync('../copy', at(here, 'd'));
  },
  'a folder that has been replaced by its copy': here => {
    cpSync(at(here, 'd'), at(here, 'copy'), {recursive: true, preserveTimestamps: true});
    rmSync(at(here, 'd'), {recursive: true});
    renameSync(at(here, 'copy'), at(here, 'd'));
  },
  'content that was written by another name of the file': here => {
    linkSync(at(here, 'x/é'), at(here, '../other'));
    writeFileSync(at(here, '../other'), '##');
  },
  'a file that looks like the last of the index': here => {
    for (const name of readdirSync(here.work)) copyFileSync('/dev/null', at(here, `.weft-${name}`));
  },
  'a time in the future': here => utimesSync(at(here, 'a'), 5e9, 5e9),
};

/** Returns the file with the index of a folder of checkpoints. It is not there if weft does not trust the file system. */
const indexIn = (here: Place, name: string): string => {
  const folder = join(here.folder, '..', name);
  return join(folder, readdirSync(folder).find(each => each.endsWith('.index')) ?? 'none');
};

describe('a checkpoint by the stat index has', () => {
  test.concurrent.each(Object.entries(changes))('%s', async (_, change) => {
    using here = filled();
    const checkpoints = checkpointsOf(here, 'kept');
    await take(checkpoints);
    expect(existsSync(indexIn(here, 'kept'))).toBe(hasExactFolderTimes(here.work));
    await nextSecond();
    change(here);
    expect(await take(checkpoints)).toBe(await take(checkpointsOf(here, 'fresh')));
    expect(await take(checkpointsOf(here, 'kept'))).toBe(await take(checkpointsOf(here, 'fresh')));
  });
});

describe('a checkpoint is right', () => {
  const same = {};

  test.concurrent.each<[string, (here: Place) => NodeJS.ProcessEnv]>([
    [
      'if the user has told git to trust less',
      here => {
        const home = join(here.work, '../home');
        writeFileSync(
          join(home, '.gitconfig'),
          '[core]\ntrustctime = false\ncheckStat = minimal\nignoreStat = true\nfileMode = false\n',
        );
        return {HOME: home, GIT_CONFIG_PARAMETERS: "'core.checkstat'='minimal' 'core.trustctime'='false'"};
      },
    ],
    [
      'if the index is gone',
      here => {
        rmSync(indexIn(here, 'kept'), {force: true});
        return same;
      },
    ],
    [
      'if the index is damaged',
      here => {
        writeFileSync(indexIn(here, 'kept'), 'DIRC');
        return same;
      },
    ],
    [
      'if git has no repository for it',
      here => {
        rmSync(join(here.folder, 'stats.git'), {recursive: true});
        return same;
      },
    ],
    ['without git', () => ({PATH: '/nowhere'})],
    ['if git prints more than it should', () => ({GIT_TRACE: '1'})],
  ])('%s', async (_, prepare) => {
    using here = filled();
    await take(checkpointsOf(here, 'kept'));
    await nextSecond();
    const environment = prepare(here);
    for (const path of ['a', 'd/e/f']) rewrite(here, path);
    expect(await take(checkpointsOf(here, 'kept', environment))).toBe(await take(checkpointsOf(here, 'fresh')));
  });

  test.concurrent('if another process has written an index of the same workspace', async () => {
    using here = filled();
    const checkpoints = checkpointsOf(here, 'kept');
    await take(checkpoints);
    await nextSecond();
    for (const path of ['a', 'b', 'd/c', 'd/e/f', 'x/c']) rewrite(here, path);
    await take(checkpointsOf(here, 'kept'));
    expect(await take(checkpoints)).toBe(await take(checkpointsOf(here, 'fresh')));
  });
});

const paths = [
  'a',
  'b',
  'empty',
  'd',
  'd/c',
  'd/e',
  'd/e/f',
  'd/e/g',
  'x',
  'x/c',
  'x/é',
  'n/new',
  '.gitignore',
] as const;
const step = fc.record({
  does: fc.constantFrom('write', 'rewrite', 'remove', 'mode', 'move', 'link', 'add', 'commit'),
  path: fc.constantFrom(...paths),
  other: fc.constantFrom(...paths),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function carryOut(here: Place, {does, path, other}: Step): void {
  try {
    if (does === 'write') here.put(path, `${other}\n`);
    else if (does === 'rewrite') rewrite(here, path);
    else if (does === 'remove') rmSync(at(here, path), {recursive: true});
    else if (does === 'mode') chmodSync(at(here, path), lstatSync(at(here, path)).isFile() ? 0o755 : 0o700);
    else if (does === 'link') symlinkSync(other, at(here, path));
    else if (does === 'add') here.git('add', '-A');
    else if (does === 'commit') here.git('commit', '-qam', 'x');
    else {
      mkdirSync(dirname(at(here, other)), {recursive: true});
      renameSync(at(here, path), at(here, other));
    }
  } catch {
    // A path of another kind, or none, is in the way.
  }
}

test('whatever changes, each change is undone to the byte', {tags: 'long'}, async () => {
  const histories = fc.sample(
    fc.record({
      isRepository: fc.boolean(),
      rounds: fc.array(fc.array(step, {maxLength: 5}), {minLength: 3, maxLength: 3}),
    }),
    randomInputs(12),
  );
  const runs = histories.map(history => {
    const here = filled();
    if (history.isRepository) here.git('init', '-q');
    return {
      ...history,
      here,
      checkpoints: checkpointsOf(here, 'kept'),
      states: [] as TreeId[],
      contents: [] as unknown[],
    };
  });
  const look = async ({here, checkpoints, states, contents}: (typeof runs)[number]): Promise<void> => {
    states.push(await take(checkpoints));
    contents.push(everything(here.work));
  };
  try {
    for (const run of runs) await look(run);
    for (const round of [0, 1, 2]) {
      await nextSecond();
      for (const run of runs) {
        for (const one of run.rounds[round] ?? []) carryOut(run.here, one);
        await look(run);
      }
    }
    for (const {here, rounds, states, contents} of runs) {
      // The clock of these is right, so they know nothing of the files that have just changed.
      for (const name of readdirSync(here.folder)) if (name.startsWith('seen-')) rmSync(join(here.folder, name));
      const checkpoints = here.open();
      for (const round of [2, 1, 0]) {
        const [before, after] = [states[round], states[round + 1]];
        if (before === undefined || after === undefined) throw new Error('no state');
        const {report} = await revert(checkpoints, {before, after});
        const steps = JSON.stringify(rounds.slice(0, round + 1));
        expect([steps, report.conflicts, everything(here.work)]).toEqual([steps, [], contents[round]]);
      }
    }
  } finally {
    for (const {here} of runs) here[Symbol.dispose]();
  }
});
