import {lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {swappingFolder} from '../../../support/swapping-folder.ts';
import {place, take} from './checkpoint-place.ts';

const {signal} = new AbortController();

const names = Array.from({length: 20}, (_, number) => `${number < 10 ? '' : 'deep/'}f${number}`);

/** The files below a folder. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();

/** A workspace with a folder `d`, and a folder outside of it with files of the same names. */
function twoFolders() {
  const here = place();
  const outside = join(dirname(here.work), 'outside');
  const write = (content: string): void => names.forEach(name => here.put(`d/${name}`, content));
  const writeOutside = (content: string): void => names.forEach(name => writeFileSync(join(outside, name), content));
  mkdirSync(join(outside, 'deep'), {recursive: true});
  write('inside 0');
  writeOutside('a key');
  const swap = {outside, parked: join(dirname(here.work), 'parked')};
  return {...here, write, writeOutside, outside, swapping: () => swappingFolder(join(here.work, 'd'), swap)};
}

test(
  'a checkpoint holds nothing of a folder outside that a link leads to while it is taken',
  {tags: 'long'},
  async () => {
    using here = twoFolders();
    const checkpoints = here.open();
    for (let run = 0; run < 10; run += 1) {
      here.write(`inside ${run}`);
      here.writeOutside(`a key ${run}`);
      let before;
      {
        await using _ = await here.swapping();
        before = await take(checkpoints);
      }
      here.write('changed');
      await checkpoints.revert([{before, after: 'now'}], signal);
      // The checkpoint may have seen the link itself, or nothing.
      const isFolder = lstatSync(join(here.work, 'd'), {throwIfNoEntry: false})?.isDirectory() === true;
      const kept = isFolder ? filesIn(join(here.work, 'd')).map(name => here.read(`d/${name}`)) : [];
      expect(kept.filter(text => text.startsWith('a key'))).toEqual([]);
      rmSync(join(here.work, 'd'), {recursive: true, force: true});
    }
  },
);

test('an undo changes nothing in a folder outside that a link leads to meanwhile', {tags: 'long'}, async () => {
  using here = twoFolders();
  const checkpoints = here.open();
  for (let run = 0; run < 4; run += 1) {
    here.write(`inside ${run}`);
    const before = await take(checkpoints);
    here.write(`changed ${run}`);
    here.put(`d/new-${run}`, 'new');
    const after = await take(checkpoints);
    {
      await using _ = await here.swapping();
      for (let turn = 0; turn < 5; turn += 1) {
        await checkpoints.revert([{before, after}], signal);
        await checkpoints.revert([{before: after, after: before}], signal);
      }
    }
    expect(filesIn(here.outside)).toEqual(names.toSorted());
    expect(names.map(name => readFileSync(join(here.outside, name), 'utf8'))).toEqual(names.map(() => 'a key'));
  }
});
