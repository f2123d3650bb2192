import {mkdir, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import type {FoundFiles} from '../../../../src/actions/files-port.ts';
import {makeFinder} from '../../../../src/workspace/search/make-finder.ts';
import {temporaryFolder} from '../temporary-folder.ts';

async function workspace(excluded: readonly string[] = []) {
  const folder = temporaryFolder();
  for (const path of ['src/tui', 'node_modules/left-pad', '.github', 'my docs', 'secret', '.git']) {
    await mkdir(join(folder.path, path), {recursive: true});
  }
  await writeFile(join(folder.path, '.gitignore'), 'node_modules\n*.log\n');
  const files = [
    'src/session.ts',
    'src/tui/session.ts',
    'src/tui/sessions.log',
    'node_modules/left-pad/session.js',
    '.github/session.yml',
    'my docs/a file.txt',
    'secret/session.pem',
    '.git/session',
  ];
  await Promise.all(files.map(async path => writeFile(join(folder.path, path), '')));
  await symlink('..', join(folder.path, 'src/loop'));
  const index = makeFinder({
    roots: [folder.path],
    home: '/nonexistent',
    environment: process.env,
    excluded: () => excluded,
  });
  const find = async (query: string): Promise<readonly string[]> => {
    const told: FoundFiles[] = [];
    await index.find(query, found => void told.push(found), new AbortController().signal);
    expect(told.at(-1)?.state).toBe('complete');
    return told.at(-1)?.paths ?? [];
  };
  return {folder, index, find};
}

describe('finding files', () => {
  test('files and folders by some of their letters; ignored ones last, links not followed, .git never', async () => {
    const {folder, find} = await workspace();
    using _ = folder;
    expect(await find('session')).toEqual([
      'src/session.ts',
      'secret/session.pem',
      'src/tui/session.ts',
      '.github/session.yml',
      'node_modules/left-pad/session.js',
      'src/tui/sessions.log',
    ]);
    expect(await find('tui')).toContain('src/tui/');
    expect(await find('a file')).toEqual(['my docs/a file.txt']);
    expect(await find('zzz')).toEqual([]);
  });

  test('what the rules leave out is never shown', async () => {
    const {folder, find} = await workspace(['secret']);
    using _ = folder;
    expect(await find('pem')).toEqual([]);
  });

  test('after an abort nothing is told', async () => {
    const {folder, index} = await workspace();
    using _ = folder;
    const abort = new AbortController();
    const told: FoundFiles[] = [];
    const search = index.find('s', found => void told.push(found), abort.signal);
    abort.abort();
    await search;
    expect(told).toEqual([]);
    index.close();
  });
});
