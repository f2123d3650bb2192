import {expect, test} from 'vitest';
import {effectsOf, readingOf} from '../../../../src/safety/commands/effects.ts';

const roles = (command: string): readonly string[] =>
  effectsOf(command.split(' ')).map(({role, word}) => `${role} ${word}`);

test.each([
  ['sed -n s/a/b/ a', ['text ', 'sed s/a/b/', 'path a']],
  ['sed a -e s/a/b/', ['sed s/a/b/', 'path a']],
  ['sed -ie p a', ['edit e', 'sed p', 'path a']],
  ['awk -vx=1 -f lib.awk a', ['text x=1', 'code lib.awk', 'path a']],
  ['gawk --sou=x a', ['script x', 'path a']],
  ['/usr/bin/python3.12 -m pytest -x', ['module pytest', 'text ']],
  ['unknown-program a', []],
])('%s', (command, expected) => {
  expect(roles(command)).toEqual(expected);
});

const changes = (command: string): unknown => readingOf(command.split(' ')).changes;

const inFolder = {into: 'a folder', folders: 'left-out'};

test.each([
  ['cp a b', [{does: 'copies', word: 'a', target: 'b', ...inFolder}]],
  ['cp -rT a b', [{does: 'copies', word: 'a', target: 'b', into: 'never', folders: 'laid-over'}]],
  ['mv --target=d a -- -b', ['a', '-b'].map(word => ({does: 'moves', word, target: 'd', ...inFolder}))],
  ['mv -n a b', []],
  ['cp --update=none a b', []],
  ['ln -s a b', ['a', 'b'].map(word => ({does: 'creates', word}))],
  ['ln -sfn a b', [{does: 'links', word: 'a', target: 'b', into: 'a real folder', folders: 'left-out'}]],
  ['ln -sf a', undefined],
  ['tee a', [{does: 'writes', word: 'a'}]],
  ['tee -a a', [{does: 'creates', word: 'a'}]],
  ['dd if=a of=b', [{does: 'writes', word: 'b'}]],
  ['curl -so out --output-dir d https://example.com/x', [{does: 'writes', word: 'd/out'}]],
  ['curl -sO https://example.com/d/x?y', [{does: 'writes', word: 'x'}]],
  ['curl -o /dev/null https://example.com', undefined],
  ['rm -Rf a', [{does: 'removes', word: 'a', extent: 'trees'}]],
  ['shred -un 1 a', [{does: 'removes', word: 'a', extent: 'folders'}]],
  ['sed -i.bak p a', [{does: 'edits', word: 'a'}]],
  ['git mv a b', ['a', 'b'].map(word => ({does: 'renames', word}))],
  ['git mv -f a b', undefined],
  ['uniq a b', undefined],
])('%s', (command, expected) => {
  expect(changes(command)).toEqual(expected);
});
