// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, fail, say, think, type Answer} from '../support/model-script.ts';
import {openScenePty, openPtyOf} from '../support/pty-terminal.ts';
import {weftBin} from '../support/run-weft.ts';
import {openScene, pointedAt, type Scene} from '../support/scene.ts';

/** Everything that styles: colours, but bold, dim and reverse as well. Going back to plain letters, as on leaving, does not. */
// oxlint-disable-next-line no-control-regex -- sequences of the terminal
const styles = /\u001B\[(?!0?m)[\d;:]*m/gu;

const plainly = {NO_COLOR: '1', COLORTERM: 'truecolor'};

const answers: readonly Answer[] = [
  [
    think('What is there?'),
    say(
      '# Title\n\n**Bold**, *soft*, `code` and [a link](https://example.com).\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n',
    ),
    say('```ts\nconst a: number = 1; // one\n```\n\n- [x] over\n'),
    call('TodoWrite', {todos: [{content: 'Mend it', status: 'in_progress', activeForm: 'Mending it'}]}),
  ],
  call('Bash', {command: `printf '\\033[31mred\\033[0m\\n'; touch made`}),
  call('Edit', {file_path: 'sum.js', old_string: 'a - b', new_string: 'a + b'}),
  fail(400, {message: 'not like this'}),
  say('Never.'),
];

/** What a command says at least. */
const lines: readonly (readonly [line: string, said: RegExp, closes?: string])[] = [
  ['/theme dark', /Colors are off \(NO_COLOR, --no-color, or a terminal without colors\)/u],
  ['/cost', /\$0\.000\d in this session/u],
  ['/doctor', /store/u],
  ['/permissions', /╭ Permission rules /u, '\u001B'],
  ['/config', /╭ Settings /u, '\u001B'],
  ['/todo', /Mend it \(in progress\)/u],
  ['/help', /\/help keys/u],
];

const prepared = async (): Promise<Scene> => {
  const scene = await openScene(answers);
  writeFileSync(join(scene.place.work, 'sum.js'), 'export const sum = (a, b) => a - b;\n');
  return scene;
};

describe('NO_COLOR', () => {
  test.each([
    ['NO_COLOR', plainly, []],
    ['--no-color', {COLORTERM: 'truecolor'}, ['--no-color']],
  ] as const)('the terminal UI, by %s: cards, panels, markdown, errors', async (_title, environment, args) => {
    await using scene = await prepared();
    using terminal = openScenePty(scene, {environment, size: [80, 40], args});
    await terminal.until(/Ask weft to do something/u);
    terminal.type('Mend it.\r');
    await terminal.until(/╭ Run this command\?[^]*1 Yes/u);
    terminal.type('y');
    await terminal.until(/╭ Make this edit to sum\.js\?[^]*Yes y/u);
    terminal.type('y');
    await terminal.until(/not like this/u);
    for (const [line, said, closes] of lines) {
      terminal.type(`${line}\r`);
      await terminal.until(said);
      if (closes === undefined) continue;
      terminal.type(closes);
      await terminal.until(/Ask weft to do something/u);
    }
    terminal.type('/transcript\r');
    await terminal.until(/ · q close · /u);
    terminal.type('q');
    await terminal.until(/Ask weft to do something/u);
    terminal.type('@su');
    await terminal.until(/@su[^]*sum\.js/u);
    terminal.type('\u0003\u0003\u0003');
    expect(await terminal.exited).toBe(0);
    expect(terminal.log().match(styles)).toBeNull();
  });

  test.each([
    [['--help']],
    [['config', '--help']],
    [['doctor']],
    [['demo']],
    [['tasks', 'watch', '--help']],
    [['nonsense', '--unknown']],
    [['sessions', 'list']],
    [['permissions', 'list']],
    [['config', 'list']],
    [['--prompt', 'Say it.', '--verbose']],
    [['--prompt', 'Say it.', '--output-format', 'json']],
  ])('weft %j, on a terminal', async args => {
    await using scene = await openScene([say('**It** is `said`.'), say('Again.')]);
    using terminal = openPtyOf(process.execPath, [weftBin, ...args], {
      cols: 80,
      rows: 40,
      cwd: scene.place.work,
      env: scene.place.environment({TERM: 'dumb', ...pointedAt(scene.server), ...plainly}),
      answers: 'all',
    });
    await terminal.exited;
    expect(terminal.log()).not.toBe('');
    expect(terminal.log()).not.toContain('\u001B');
  });
});
