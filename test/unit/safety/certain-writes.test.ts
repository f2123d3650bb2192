import {execFileSync} from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, relative} from 'node:path';
import {describe, expect, test} from 'vitest';
import {needs} from '../../support/programs.ts';
import {entryKind} from '../../../src/workspace/impact/file-effect.ts';
import {makeJudge} from '../../../src/safety/judge.ts';
import {diskOptions} from './support/judging.ts';

/** A folder with files, folders, and links. */
function prepared() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'weft-writes-')));
  for (const folder of ['d', 'sub/deep', 'empty']) mkdirSync(join(root, folder), {recursive: true});
  for (const file of ['a', 'b', 'd/c', 'sub/e', 'twin']) writeFileSync(join(root, file), `${file}\n`);
  linkSync(join(root, 'twin'), join(root, 'other-twin'));
  symlinkSync('d', join(root, 'link'));
  symlinkSync('a', join(root, 'file-link'));
  return {root, [Symbol.dispose]: () => rmSync(root, {recursive: true, force: true})};
}

async function writes(root: string, command: string): Promise<readonly string[] | 'any'> {
  const found = await makeJudge(diskOptions(root, '/home/me')).writes(command, root, {kindOf: entryKind, sed: 'GNU'});
  return found === 'any' ? found : found.map(path => relative(root, path)).toSorted();
}

/** The content of each file, by path. */
const everything = (root: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(root, {recursive: true, withFileTypes: true})
      .map(entry => [relative(root, join(entry.parentPath, entry.name)), entry.isFile()] as const)
      .filter(([path]) => !path.startsWith('link/'))
      .map(([path, isFile]) => [path, isFile ? readFileSync(join(root, path), 'utf8') : 'no file']),
  );

const certain: readonly (readonly [command: string, ...paths: readonly string[]])[] = [
  ["sed -i 's/a/b/' a", 'a'],
  ["sed -i -E 's/(a)/b/' a sub/e", 'a', 'sub/e'],
  ["cat a && sed -i '1d' b | head", 'b'],
  ['cd sub && touch new ../b', 'b', 'sub/new'],
  ['rm -f a missing', 'a', 'missing'],
  ['echo text > new', 'new'],
  ['echo text >> a 2>/dev/null', 'a'],
  ['cat <<EOF > d/new\ntext\nEOF', 'd/new'],
  ['mv a b', 'a', 'b'],
  ['mv a d', 'a', 'd/a'],
  ['mv -f a b d', 'a', 'b', 'd/a', 'd/b'],
  ['cp -p a new', 'new'],
  ['cp a b d/', 'd/a', 'd/b'],
  ['mkdir -p x/y && touch x/y/z && cp a x', 'x', 'x/y', 'x/y/z'],
  ['mkdir -p d d/new', 'd/new'],
  ['chmod 600 a', 'a'],
  ['chmod u+x,g-w a', 'a'],
  ['echo x | tee -a a b', 'a', 'b'],
  ['rm -- \'a\' "b"', 'a', 'b'],
  ['touch link/new', 'link/new'],
  ['LC_ALL=C touch new', 'new'],
  ['ls -la'],
];

describe('the paths that a command may change', () => {
  test.for(certain)('%s', async ([command, ...paths], context) => {
    using place = prepared();
    const before = everything(place.root);
    expect(await writes(place.root, command)).toEqual(paths.toSorted());
    if (/\bsed\b/u.test(command)) needs('sed')(context);
    execFileSync('bash', ['-c', command], {cwd: place.root, stdio: 'ignore'});
    const after = everything(place.root);
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      path => before.get(path) !== after.get(path),
    );
    const real = paths.map(path => path.replace(/^link\b/u, 'd'));
    expect(
      changed.filter(
        path => !real.some(each => path === each || each.startsWith(`${path}/`) || path.startsWith(`${each}/`)),
      ),
    ).toEqual([]);
  });

  test.each([
    'npm test',
    'sh script',
    './sed -i s/a/b/ a',
    "sed -i.bak 's/a/b/' a",
    "sed -i 's/a/b/w out' a",
    "sed -i '1e touch x' a",
    "sed -i -e 's/a/b/' a",
    "sed -f script -i 's/a/b/' a",
    'rm *',
    'rm -r d',
    'rm -rf a',
    'rm $FILE',
    'rm "$(cat list)"',
    'for f in a b; do rm $f; done',
    'touch d/c & npm test',
    'touch a &',
    'mv d e',
    'mv link e',
    'mv a link',
    'cp -r d e',
    'cp -t d a',
    'ln -s a c',
    'touch twin',
    'echo x > file-link',
    'echo x > link',
    'chmod 700 d',
    'chmod -R 700 a',
    'PATH=./bin touch a',
    'LD_PRELOAD=./x.so touch a',
    'BASH_ENV=x sed -i p a',
    'sudo touch a',
    'xargs rm < a',
    'find . -delete',
    'git checkout a',
    'git add a',
    'echo x > $HOME_DIR/x',
    'alias touch=npm; touch a',
    'touch() { npm test; }; touch a',
    'touch "a',
    'tee >(npm test)',
    'eval "touch a"',
  ])('%s: anything', async command => {
    using place = prepared();
    expect(await writes(place.root, command)).toBe('any');
  });
});
