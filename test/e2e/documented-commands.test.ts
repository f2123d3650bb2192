import {execFileSync, spawn} from 'node:child_process';
import {mkdirSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {beforeEach, describe, expect, test} from 'vitest';
import {documentedLines} from '../support/documented-commands.ts';
import {say} from '../support/model-script.ts';
import {startModelServer} from '../support/model-server.ts';
import {needs} from '../support/programs.ts';
import {finish, TempPlace, weftBin} from '../support/run-weft.ts';
import {pointedAt} from '../support/scene.ts';

/** The commands of `sh` blocks by page. A comment `# exit 3` at the end of a line names the exit code that the command must have. */
const runnable = Map.groupBy(
  documentedLines.filter(({block}) => block === 'sh'),
  ({page}) => page,
);

test.each([...runnable])('the commands of %s run', {tags: 'long'}, async (_page, lines) => {
  using place = new TempPlace();
  await using server = await startModelServer(() => say('Done.'));
  const programs = join(place.home, 'bin');
  mkdirSync(programs);
  symlinkSync(weftBin, join(programs, 'weft'));
  execFileSync('git', ['init', '-q', place.work]);
  const {PATH = '', ...environment} = place.environment(pointedAt(server));
  const wrong: string[] = [];
  for (const {text} of lines) {
    const wanted = Number(/ # exit (\d+)$/u.exec(text)?.[1] ?? 0);
    const child = spawn('sh', ['-c', text], {cwd: place.work, env: {...environment, PATH: `${programs}:${PATH}`}});
    child.stdin.end();
    const {code, stdout, stderr} = await finish(child);
    if (code !== wanted) wrong.push(`${text}: exit code ${code}\n${stdout}${stderr}`);
  }
  expect(wrong).toEqual([]);
});

describe('the manual page', () => {
  beforeEach(needs('man'));

  test('is read without a warning', () => {
    const page = fileURLToPath(new URL('../../man/weft.1', import.meta.url));
    // Warnings are on stderr, and some versions of man end well with them.
    const shown = execFileSync('sh', ['-c', 'man --warnings -l "$1" 2>&1 >/dev/null', 'sh', page], {encoding: 'utf8'});
    expect(shown).toBe('');
  });
});
