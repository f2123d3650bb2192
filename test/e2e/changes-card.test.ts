import {chmodSync, existsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {needs} from '../support/programs.ts';
import {openScene, pointedAt, toldResults} from '../support/scene.ts';
import {openTerminal} from '../support/shell-terminal.ts';

beforeEach(needs('bwrap'));

/** Edits `a.txt`, deletes `b.txt`, makes `c.txt` and makes `d.sh` executable. */
const script = [
  `import {chmodSync, rmSync, writeFileSync} from 'node:fs';`,
  `writeFileSync('a.txt', 'one\\n2\\nthree\\n'); rmSync('b.txt'); writeFileSync('c.txt', 'new\\n'); chmodSync('d.sh', 0o755);`,
  `console.log('formatted');`,
].join('\n');

test(
  'the changes of a command are picked on its card: these are in the workspace, and no others',
  {tags: 'long'},
  async ({skip}) => {
    const fmt = call('Bash', {command: 'node fmt.mjs'});
    await using scene = await openScene([fmt, fmt, say('Done.')]);
    const {stdout} = await scene.run(['sandbox', 'test', '--provider', 'bwrap', '--json']);
    const {works, proven, reason} = JSON.parse(stdout);
    skip(works !== true || proven.overlay !== true, reason);
    const at = (name: string): string => join(scene.place.work, name);
    const files = {'fmt.mjs': script, 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'bye\n', 'd.sh': 'true\n'};
    for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
    chmodSync(at('d.sh'), 0o644);

    await using terminal = await openTerminal(scene.place, {...pointedAt(scene.server), WEFT_SANDBOX: 'auto'});
    await terminal.type('weft Format it.');
    await terminal.press('Enter');
    await terminal.onScreen(
      /\? node fmt\.mjs\n +╰ formatted\n[^]*╭ `node fmt\.mjs` changed 4 files {2}\+2 -2 ─+ held until you decide ╮/u,
    );
    await terminal.onScreen(
      /Edit a\.txt {2}\+1 -1[^]*2 - two[^]*2 \+ 2[^]*Delete b\.txt {2}\+0 -1[^]*1 - bye[^]*Create c\.txt {2}\+1 -0[^]*Set mode of d\.sh[^]*Keep y/u,
    );
    expect([scene.read('a.txt'), existsSync(at('b.txt')), existsSync(at('c.txt'))]).toEqual([
      files['a.txt'],
      true,
      false,
    ]);
    await terminal.type('h');
    await terminal.onScreen(/Keep 4 of 4 files\?/u);
    await terminal.press('Down', 'Space');
    await terminal.onScreen(/Keep 3 of 4 files\? {2}\+2 -1[^]*\[ \] Delete b\.txt/u);
    await terminal.type('y');

    await terminal.onScreen(/╭ `node fmt\.mjs` deleted 1 file {2}\+0 -1/u);
    await terminal.until(
      /✓ node fmt\.mjs[^]*│ Edited a\.txt {2}\+1 -1\n[^]*dropped 1 change: b\.txt \(refused\)\n +╰ changed 3 files \+2 -1/u,
    );
    expect(['a.txt', 'b.txt', 'c.txt'].map(name => scene.read(name))).toEqual(['one\n2\nthree\n', 'bye\n', 'new\n']);
    await terminal.type('n');
    await terminal.onScreen(/What should weft do instead/u);
    await terminal.type('keep b');
    await terminal.press('Enter');
    await terminal.until(/Done\./u);
    expect(scene.read('b.txt')).toBe('bye\n');
    expect([1, 2].map(number => toldResults(scene.server.requests[number])[0])).toEqual([
      expect.stringMatching(/a\.txt \(\+1 -1\)[^]*b\.txt/u),
      expect.stringMatching(/b\.txt[^]*keep b/u),
    ]);
  },
);
