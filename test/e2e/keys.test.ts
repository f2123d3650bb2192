// @module-tag long
import {execFileSync} from 'node:child_process';
import {mkdirSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScenePty} from '../support/pty-terminal.ts';
import {putFile} from '../support/put-file.ts';
import {openScene, type Scene} from '../support/scene.ts';

function bind(scene: Scene, file: string | Readonly<Record<string, Readonly<Record<string, string | null>>>>): void {
  const bindings =
    typeof file === 'string'
      ? file
      : JSON.stringify({
          bindings: Object.entries(file).map(([context, keys]) => ({context, bindings: keys})),
        });
  putFile(join(scene.place.home, 'weft', 'keybindings.json'), bindings);
}

test('keybindings.json changes keys and hints, and a card is answered as ever', async () => {
  await using scene = await openScene([call('Bash', {command: 'touch made'}), say('Done.')]);
  bind(scene, {
    prompt: {enter: 'newline', 'ctrl+x ctrl+s': 'enter', 'ctrl+k': null},
    card: {y: 'escape', esc: null},
  });
  using terminal = openScenePty(scene);
  await terminal.until(/keybindings\.json: "y" in card: [^]*weft keys check names\s+1 more/u);
  terminal.type('one\rtwo\u0018');
  await terminal.until(/› one\n +two\n[^]*Ctrl\+X … · Esc cancel/u);
  terminal.type('\u0013');
  await terminal.until(/╭ Run this command\?/u);
  terminal.type('y');
  await terminal.until(/Done\./u);
  terminal.type('/exit\u0018\u0013');
  expect(await terminal.exited).toBe(0);
});

test('keybindings.json changes the keys of screen-reader mode', async () => {
  await using scene = await openScene([]);
  bind(scene, {
    prompt: {'ctrl+d': null, 'ctrl+x ctrl+s': 'end-of-input', 'ctrl+t': 'delete-to-start'},
    card: {y: 'up'},
  });
  using terminal = openScenePty(scene, {args: ['--accessible']});
  await terminal.until(/keybindings\.json: "y" in card: /u);
  terminal.type('half a thought\u0014/usage\r');
  await terminal.until(/^No tokens used/mu);
  terminal.type('\u0004\u0018\u0013');
  expect(await terminal.exited).toBe(0);
});

test('weft keys lists, checks and explains', async () => {
  await using scene = await openScene([]);
  const keys = async (...args: readonly string[]) => {
    const {code, stdout} = await scene.run(['keys', ...args]);
    return `${code} ${stdout}`;
  };
  expect(await keys('check')).toMatch(/^0 There is no .*keybindings\.json\. The default keys count\.\n$/u);
  expect(await keys()).toMatch(/^0 Prompts\n {2}enter +Enter +send;[^]*\n {2}expand +Ctrl\+O +unfold/u);
  bind(scene, {global: {'ctrl+o': 'redraw', 'ctrl+k ctrl+s': 'expand', f5: 'redraw'}});
  expect(await keys()).toMatch(/\n {2}expand +Ctrl\+K Ctrl\+S \* +unfold[^]*\n {2}redraw +Ctrl\+O, Ctrl\+L \* /u);
  expect(await keys('check')).toBe(
    `1 problem: "f5" in global: weft can't read function keys.\nnote: delete-to-end has no key now.\n`,
  );
  expect(await keys('explain', 'ctrl+k')).toMatch(/^0 prompt {2}Ctrl\+K {2}begins Ctrl\+K Ctrl\+S \(expand\)\n/u);
  expect(await keys('explain', 'ctrl+i')).toMatch(/note: Most terminals send Ctrl\+I as Tab\./u);
  expect(await keys('schema')).toMatch(/"const": "open-editor"/u);
  bind(scene, '{');
  expect(await keys('check')).toMatch(/^1 problem: .*keybindings\.json is ignored: it is not JSON: /u);
});

test('a pipe or a device in place of a file of keys or colors is refused', async () => {
  await using scene = await openScene([]);
  const home = join(scene.place.home, 'weft');
  mkdirSync(join(home, 'themes'), {recursive: true});
  execFileSync('mkfifo', [join(home, 'keybindings.json'), join(home, 'themes', 'pipe.json')]);
  symlinkSync('/dev/zero', join(home, 'themes', 'zero.json'));
  const {code, stdout} = await scene.run(['keys', 'check']);
  expect(`${code} ${stdout}`).toMatch(
    /^1 problem: Can't read .*keybindings\.json: it is not a file\. The default keys count\.\n$/u,
  );
  using terminal = openScenePty(scene, {environment: {COLORTERM: 'truecolor'}});
  await terminal.until(/asks first/u);
  terminal.type('/theme\r');
  await terminal.until(/pipe\W+Can't read the theme file[^]*zero\W+Can't read the theme file/u);
});
