// @module-tag long
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {needs} from '../support/programs.ts';
import {openScene, pointedAt, type Scene, toldResults} from '../support/scene.ts';
import {openTerminal, type ShellTerminal} from '../support/shell-terminal.ts';
import {auto, filesOf, makeRepository, skipWithoutOverlay} from './support/overlay.ts';

beforeEach(needs('bwrap', 'unshare', 'git'));

const script = `echo new >a.ts
echo made >b.ts
rm -f gone.ts
mkdir -p dist
echo out >dist/out
echo '{}' >.mcp.json
`;
const files = {'a.ts': 'old\n', 'gone.ts': 'gone\n', 'build.sh': script, '.gitignore': 'dist\n'};

/** weft in a terminal, which has just run the command and shows its card. */
async function ask(scene: Scene, card: RegExp): Promise<ShellTerminal> {
  const terminal = await openTerminal(scene.place, {...pointedAt(scene.server), ...auto.environment});
  await terminal.type('weft Build it.');
  await terminal.press('Enter');
  await terminal.onScreen(card);
  return terminal;
}

const sees = (scene: Scene): readonly string[] => {
  const {'a.ts': a = 'gone', 'b.ts': b = 'none', 'gone.ts': gone = 'gone'} = filesOf(scene.place.work);
  return [a, b, gone].map(text => text.replace(/^\d+ /u, '').trim());
};

const card =
  /changed 3 files[^]*held until you decide[^]*Edit a\.ts[^]*(?:Create|Write|Edit|Add) b\.ts[^]*Delete gone\.ts/u;

describe('one card for what a command has changed', () => {
  test.for([
    {answer: 'keep', keys: ['y'], after: ['new', 'made', 'gone']},
    {answer: 'drop', keys: ['n', 'Enter'], after: ['old', 'none', 'gone']},
    {answer: 'pick the first', keys: ['h', 'Down', 'Space', 'Down', 'Space', 'y'], after: ['new', 'none', 'gone']},
  ])('$answer', async ({answer, keys, after}, {skip}) => {
    await using scene = await openScene([call('Bash', {command: 'sh build.sh'}), say('All done.')]);
    await skipWithoutOverlay(scene, skip);
    makeRepository(scene.place.work, files);
    await using terminal = await ask(scene, card);
    // Until there is an answer the workspace is as it was, but for ignored output.
    expect(sees(scene)).toEqual(['old', 'none', 'gone']);
    expect(existsSync(join(scene.place.work, 'gone.ts'))).toBe(true);
    for (const key of keys) {
      if (key === 'y' && keys.length > 1) await terminal.onScreen(/Keep 1 of 3 files/u);
      await terminal.press(key);
    }
    await terminal.until(/All done\./u);
    expect(sees(scene)).toEqual(after);
    expect(existsSync(join(scene.place.work, 'gone.ts'))).toBe(answer !== 'keep');
    expect([scene.read('dist/out'), existsSync(join(scene.place.work, '.mcp.json'))]).toEqual(['out\n', false]);
    const [told = ''] = toldResults(scene.server.requests[1]);
    expect(told).toContain('.mcp.json');
    if (answer !== 'keep') expect(told).toContain('b.ts');
  });

  test('kept changes are one entry for /undo, which brings back what was deleted', async ({skip}) => {
    await using scene = await openScene([call('Bash', {command: 'sh build.sh'}), say('All done.')]);
    await skipWithoutOverlay(scene, skip);
    makeRepository(scene.place.work, files);
    const before = filesOf(scene.place.work);
    await using terminal = await ask(scene, card);
    await terminal.press('y');
    await terminal.until(/All done\./u);
    await terminal.type('/undo');
    await terminal.press('Enter');
    await terminal.onScreen(/restores 3 files[^]*Enter undo/u);
    await terminal.press('Enter');
    await terminal.until(/Undid/u);
    expect(filesOf(scene.place.work)).toEqual({...before, dist: '755 folder', 'dist/out': '644 out\n'});
  });
});
