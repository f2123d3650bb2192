// @module-tag long
import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {runWeft, TempPlace} from '../support/run-weft.ts';

const help = async (place: TempPlace, cache: string): Promise<number | null> =>
  (await runWeft(['--help'], {place, environment: {WEFT_COMPILE_CACHE: cache}})).code;

/** The kept files with their bytes; a file that is written again is another one. */
const kept = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder).map(name => {
      const {ino, mode, size} = statSync(join(folder, name));
      return [name, `${ino} ${(mode & 0o777).toString(8)} ${size}`];
    }),
  );

describe('compiled code', () => {
  test('is kept by the first start, for the user alone, and serves the next ones', {tags: 'smoke'}, async () => {
    using place = new TempPlace();
    const folder = join(place.home, 'weft', 'cache');
    expect([await help(place, ''), existsSync(folder)]).toEqual([0, false]);
    mkdirSync(join(place.home, 'weft'));
    expect(await help(place, '')).toBe(0);
    const first = kept(folder);
    expect(Object.keys(first).length).toBeGreaterThan(3);
    expect(Object.values(first).filter(text => !/ 600 \d{3,}$/u.test(text))).toEqual([]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    // V8 has taken all of it: what it rejects is written again.
    expect([await help(place, ''), kept(folder)]).toEqual([0, first]);
  });

  test.each([40, 200])('is made anew where garbage begins at byte %i', async start => {
    using place = new TempPlace();
    const folder = join(place.home, 'kept');
    await help(place, folder);
    for (const name of readdirSync(folder))
      writeFileSync(join(folder, name), readFileSync(join(folder, name)).fill(7, start));
    const before = kept(folder);
    expect(await help(place, folder)).toBe(0);
    const after = kept(folder);
    expect(Object.keys(after).filter(name => after[name] === before[name])).toEqual([]);
  });

  test('is made anew where it is broken, of others, or old', async () => {
    using place = new TempPlace();
    const folder = join(place.home, 'kept');
    await help(place, folder);
    const [broken = '', open = '', old = '', ...others] = readdirSync(folder).toSorted();
    const before = kept(folder);
    writeFileSync(join(folder, broken), readFileSync(join(folder, broken)).fill(7, 0, 40));
    chmodSync(join(folder, open), 0o620);
    utimesSync(join(folder, old), 0, 0);
    for (const end of ['x64', 'x64.k3j9x.tmp']) {
      writeFileSync(join(folder, `weft-OfOneGon.js.v24.0.0-${end}`), '');
      utimesSync(join(folder, `weft-OfOneGon.js.v24.0.0-${end}`), 0, 0);
    }
    expect(await help(place, folder)).toBe(0);
    const after = kept(folder);
    const changed = Object.keys(after).filter(name => after[name] !== before[name]);
    expect(changed.toSorted()).toEqual([broken, open, old]);
    expect(Object.keys(after).toSorted()).toEqual([broken, open, old, ...others]);
  });

  test('is kept beside files of others, which stay', async () => {
    using place = new TempPlace();
    const names = ['a.txt', 'app.js', 'app.js.v1', 'weft.db'];
    for (const name of names) {
      writeFileSync(join(place.work, name), '');
      utimesSync(join(place.work, name), 0, 0);
    }
    expect([await help(place, place.work), readdirSync(place.work)]).toEqual([0, expect.arrayContaining(names)]);
    expect(readdirSync(place.work).length).toBeGreaterThan(names.length + 3);
  });

  test(
    'is not waited for where a pipe lies in its place, and leaves nothing where a folder does',
    {tags: 'smoke'},
    async () => {
      using place = new TempPlace();
      const folder = join(place.home, 'kept');
      await help(place, folder);
      const before = readdirSync(folder);
      const [pipe = '', taken = ''] = before;
      rmSync(join(folder, pipe));
      execFileSync('mkfifo', [join(folder, pipe)]);
      rmSync(join(folder, taken));
      mkdirSync(join(folder, taken));
      expect([await help(place, folder), readdirSync(folder)]).toEqual([0, before]);
      expect(statSync(join(folder, pipe)).isFile()).toBe(true);
    },
  );

  test('is kept nowhere, and not read, in a folder that others can write', async () => {
    using place = new TempPlace();
    const folder = join(place.home, 'kept');
    await help(place, folder);
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'theirs');
    const before = kept(folder);
    chmodSync(folder, 0o777);
    expect([await help(place, folder), kept(folder)]).toEqual([0, before]);
  });

  test.each(['off', 'in-the-workspace'])('is kept nowhere for %s', async chosen => {
    using place = new TempPlace();
    expect([await help(place, chosen), readdirSync(place.work), readdirSync(place.home)]).toEqual([0, [], []]);
  });

  test.runIf(process.getuid?.() !== 0)('is not missed where it cannot be written', async () => {
    using place = new TempPlace();
    const folder = join(place.home, 'kept');
    mkdirSync(folder, {mode: 0o500});
    expect([await help(place, folder), readdirSync(folder)]).toEqual([0, []]);
  });
});
