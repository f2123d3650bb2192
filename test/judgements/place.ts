import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import type {Place} from './probe.ts';

const files: Readonly<Record<string, string>> = {
  a: 'one\ntwo\n',
  b: 'three\n',
  c: '',
  x: 'x\n',
  out: 'out\n',
  'a.txt': 'text\n',
  'd/a': 'four\n',
  'd/b': 'five\n',
  'src/a.ts': 'export const a = 1;\n',
  'src/b.ts': 'export const b = 2;\n',
  'src/index.ts': 'export {a} from "./a.ts";\n',
  '.env': 'KEY=secret\n',
  'secret/key': 'secret\n',
  'package.json': '{"scripts": {"test": "true"}}\n',
  Makefile: 'all:\n\ttrue\n',
};

/** A workspace with a repository, and a home, which are deleted in the end. */
export function openPlace(): Place & Disposable {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'weft-judgements-')));
  // Deep enough that `../..` leads nowhere that has another name on another machine.
  const place = {root: join(folder, 'a/b/c/d/work'), home: join(folder, 'home'), above: folder};
  mkdirSync(place.home);
  fillPlace(place);
  return {
    ...place,
    [Symbol.dispose]() {
      rmSync(folder, {recursive: true, force: true});
    },
  };
}

/** Puts the files and the repository into the workspace. */
export function fillPlace({root, home}: Omit<Place, 'above'>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), {recursive: true});
    writeFileSync(join(root, path), text);
  }
  symlinkSync(home, join(root, 'link'));
  const git = (...words: readonly string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...words], {
      cwd: root,
      env: {...process.env, HOME: home},
      stdio: 'ignore',
    });
  git('init', '-q', '-b', 'main');
  git('add', 'a', 'b', 'd', 'src');
  git('commit', '-qm', 'first');
  writeFileSync(join(root, 'src/a.ts'), 'export const a = 3;\n');
}
