// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {say} from '../support/model-script.ts';
import {openScenePty} from '../support/pty-terminal.ts';
import {putFile} from '../support/put-file.ts';
import {openScene, pointedAt, toldPrompt} from '../support/scene.ts';
import {needs} from '../support/programs.ts';
import {openTerminal, type ShellTerminal} from '../support/shell-terminal.ts';
import {openTmux} from '../support/tmux-terminal.ts';

async function enter(terminal: ShellTerminal, line: string): Promise<void> {
  await terminal.type(line);
  await terminal.press('Enter');
}

const ready = /claude-[\w-]+/u;

describe('a mention without a terminal', () => {
  test(
    'carries the content of the file as Read tells it; what Read would ask about stays behind',
    {tags: 'smoke'},
    async () => {
      await using scene = await openScene([say('Seen.')]);
      writeFileSync(join(scene.place.work, 'a.ts'), 'const one = 1;\nconst two = 2;\n');
      writeFileSync(join(scene.place.work, '.env'), 'PASSWORD=hunter2-hunter2\n');
      const run = await scene.run(['--prompt', 'explain @a.ts:2 and @.env and @/etc/passwd and @nobody']);
      expect(run.stdout).toBe('Seen.\n');
      expect(run.stderr).toMatch(/\/etc\/passwd not attached: /u);
      const sent = JSON.stringify(scene.server.requests[0]?.body);
      expect(sent).toContain(String.raw`<attached name=\"a.ts:2\">\n2\tconst two = 2;\n</attached>`);
      expect(sent).not.toContain('hunter2');
      expect(sent).not.toContain('root:');
    },
  );
});

describe('the composer in a terminal', () => {
  test('@ finds a file, ! runs a command that the agent then sees, # remembers', async () => {
    await using scene = await openScene([say('First answer.'), say('Second answer.')]);
    putFile(join(scene.place.work, 'src/summary.ts'), 'export const sum = 42;\n');
    await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
    await enter(terminal, 'weft');
    await terminal.until(ready);
    await terminal.type('explain @summ');
    await terminal.until(/❯ src\/summary\.ts · Tab\n/u);
    await terminal.press('Tab');
    await terminal.until(/explain @src\/summary\.ts/u);
    await terminal.press('Enter');
    await terminal.until(/First answer\./u);
    await terminal.type('!echo out-$((40 + 2)); exit 3');
    await terminal.until(/Enter: run in your shell · the agent sees the output/u);
    await terminal.press('Enter');
    await terminal.until(/exit 3[^]*out-42/u);
    await terminal.type('# always use pnpm');
    await terminal.until(/Enter: add a note to AGENTS\.md/u);
    await terminal.press('Enter');
    await terminal.onScreen(/Add a note to AGENTS\.md\?/u);
    await terminal.type('y');
    await terminal.until(/Added to AGENTS\.md: always use pnpm/u);
    expect(scene.read('AGENTS.md')).toBe('## Notes\n\n- always use pnpm\n');
    await enter(terminal, 'and now?');
    await terminal.until(/Second answer\./u);
    const [first, second] = scene.server.requests.map(({body}) => JSON.stringify(body));
    expect(first).toContain('export const sum = 42;');
    expect(second).toContain('out-42');
    expect(second).toContain('The user added this note to AGENTS.md: always use pnpm');
    await enter(terminal, '/exit');
  });
});

test('the editor gets every key, at each visit', async () => {
  await using scene = await openScene([]);
  const editor = join(scene.place.home, 'editor');
  const go = join(scene.place.home, 'go');
  // The line waits for the editor, so that weft would have it if weft still read keys.
  const ask = `printf "your line: "; while [ ! -e ${go} ]; do sleep 0.05; done; rm ${go}; read -r line; echo "$line" >"$1"`;
  writeFileSync(editor, `#!/bin/sh\n${ask}\n`, {mode: 0o755});
  using terminal = openScenePty(scene, {environment: {EDITOR: editor}});
  await terminal.until(/Ask weft to do something/u);
  for (const visit of ['first', 'second', 'third']) {
    terminal.type('\u0007');
    await terminal.until(/your line: \n/u);
    terminal.type(`${visit}\r`);
    await terminal.until(new RegExp(`your line: ${visit}\n`, 'u'));
    writeFileSync(go, '');
    await terminal.until(new RegExp(`› ${visit}\n`, 'u'));
  }
});

describe('keys in tmux', () => {
  beforeEach(needs('tmux'));

  test('letters and an Enter in one delivery are sent; Shift+Enter begins a line, and is offered once it has', async () => {
    await using scene = await openScene([say('First answer.'), say('Second answer.')]);
    await using terminal = await openTmux(scene.place, pointedAt(scene.server));
    await enter(terminal, 'weft');
    await terminal.until(ready);
    await terminal.press('?');
    await terminal.until(/Ctrl\+J +new line/u);
    await terminal.press('BSpace');
    await terminal.press('hello', 'Enter');
    await terminal.until(/First answer\./u);
    await terminal.press('one', 'S-Enter', 'two', 'C-j', 'three');
    await terminal.until(/› one *\n {3}two *\n {3}three *\n/u);
    await terminal.press('Enter');
    await terminal.until(/Second answer\.[^]*Ask weft to do something/u);
    await terminal.press('?');
    await terminal.until(/Shift\+Enter +new line/u);
    await terminal.press('BSpace');
    expect(scene.server.requests.map(toldPrompt)).toEqual(['hello', 'one\ntwo\nthree']);
    await enter(terminal, '/exit');
  });
});

describe('keys that a terminal tells apart', () => {
  test.each([
    ['by the kitty protocol', 'all', 'Shift+Enter'],
    ['only as xterm does, if at all', 'none', 'Ctrl+J'],
  ] as const)('%s: the hint names a key that begins a line; leaving undoes it', async (_title, answers, key) => {
    await using scene = await openScene([]);
    using terminal = openScenePty(scene, {answers});
    await terminal.until(/Ask weft to do something/u);
    terminal.type('?');
    await terminal.until(new RegExp(`${key.replace('+', '\\+')} +new line`, 'u'));
    terminal.type('\u007F/exit\r');
    await terminal.exited;
    // oxlint-disable-next-line no-control-regex -- sequences of the terminal
    const switched = terminal.log().match(/\u001B\[>(?:4;1|4)m|\u001B\[[<>]1?u/gu);
    expect(switched).toEqual(
      answers === 'all' ? ['\u001B[>4;1m', '\u001B[>1u', '\u001B[<u', '\u001B[>4m'] : ['\u001B[>4;1m', '\u001B[>4m'],
    );
  });
});
