// @module-tag long
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openScenePty, type PtyTerminal} from '../support/pty-terminal.ts';
import {putFile} from '../support/put-file.ts';
import {openScene, type Scene} from '../support/scene.ts';

function open(scene: Scene, theme: string): PtyTerminal {
  const home = join(scene.place.home, 'weft');
  putFile(join(home, 'themes', 'mine.json'), theme);
  putFile(join(home, 'settings.json'), '{"theme": "mine"}');
  return openScenePty(scene, {environment: {COLORTERM: 'truecolor'}});
}

test('the setting theme names a file in themes/', async () => {
  await using scene = await openScene([]);
  using terminal = open(scene, '{"extends": "dark", "colors": {"accent": "#0a0b0c"}}');
  await terminal.until(/asks first/u);
  expect(terminal.log()).toContain('\u001B[38;2;10;11;12m');
  terminal.type('/theme\r');
  await terminal.until(/mine\W+low contrast: accent 1\.2:1/u);
  terminal.type('\u001B');
  await terminal.until(/› Ask weft/u);
  terminal.type('/theme mine\r');
  await terminal.until(/Theme: mine \(saved\), low contrast: accent 1\.2:1/u);
});

test("a theme with a mistake is told in one sentence, and weft's own colors count", async () => {
  await using scene = await openScene([]);
  using terminal = open(scene, '{"colors": {"acent": "red"}}');
  await terminal.until(
    /themes\/mine\.json has a color for "acent", which is none of weft's names\. The\s+nearest is accent\./u,
  );
});
