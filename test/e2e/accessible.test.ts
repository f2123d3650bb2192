// @module-tag long
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {call, hang, say, type Answer} from '../support/model-script.ts';
import {openPtyOf, type PtyTerminal} from '../support/pty-terminal.ts';
import {weftBin} from '../support/run-weft.ts';
import {fileComes, openScene, pointedAt, toldPrompt, toldResults, type Scene} from '../support/scene.ts';
import {needs} from '../support/programs.ts';
import {openTmux} from '../support/tmux-terminal.ts';

/** A shell that runs weft between two looks at the terminal's settings, and waits for the second to be as the first. */
const script = (args: string): string => `stty -g >before
sh -c 'echo $$ >pid.part; mv pid.part pid; exec node "$@"' weft '${weftBin}' ${args}
echo "left with $?"
tries=0
until [ "$(stty -g)" = "$(cat before)" ] || [ "$tries" -gt 1000 ]; do sleep 0.02; tries=$((tries + 1)); done
stty -g >after
echo "all is over"`;

const open = (scene: Scene, args: string, more: Readonly<Record<string, string>> = {}): PtyTerminal =>
  openPtyOf('/bin/sh', ['-c', script(args)], {
    cols: 80,
    rows: 60,
    cwd: scene.place.work,
    env: scene.place.environment({TERM: 'xterm-256color', ...pointedAt(scene.server), ...more}),
    answers: 'all',
  });

/** Enters a line once what it is about has been said. */
async function enter(terminal: PtyTerminal, seen: RegExp, line: string): Promise<void> {
  await terminal.until(seen);
  terminal.type(`${line}\r`);
}

const questions = [
  {
    question: 'Which colour?',
    header: 'Colour',
    multiSelect: false,
    options: [
      {label: 'Red', description: 'as a rose'},
      {label: 'Blue', description: ''},
    ],
  },
];

const todos = (first: string, second: string): object => ({
  todos: [
    {content: 'Find it', status: first, activeForm: 'Finding it'},
    {content: 'Mend it', status: second, activeForm: 'Mending it'},
  ],
});

const wholeSession: readonly Answer[] = [
  [say('# Plan\n\nFirst the **file** `sum.js`.\n\n'), call('TodoWrite', todos('in_progress', 'pending'))],
  call('Edit', {file_path: 'sum.js', old_string: 'a - b', new_string: 'a + b'}),
  call('Bash', {command: 'rm -rf build'}),
  call('AskUserQuestion', {questions}),
  call('TodoWrite', todos('completed', 'in_progress')),
  say('That is all.'),
  call('Bash', {command: 'echo begun; exec sleep 1000'}),
];

/* oxlint-disable no-control-regex -- what a terminal is sent */
/** What is more than letters, new rows, a letter struck out and a bell. */
const drawing = /[\u0000-\u0006\t\u000B-\u000C\u000E-\u001F\u007F-\u009F]|\r(?!\n)|\u0008(?! \u0008|(?<= \u0008))/u;
/* oxlint-enable no-control-regex */

describe('weft --accessible', () => {
  test('a whole session only ever adds lines, and the terminal is as it was', async () => {
    await using scene = await openScene(wholeSession);
    mkdirSync(join(scene.place.work, 'build'));
    for (const name of ['a', 'b', 'c']) writeFileSync(join(scene.place.work, 'build', name), '');
    writeFileSync(join(scene.place.work, 'sum.js'), 'export const sum = (a, b) => a - b;\n');
    using terminal = open(scene, '--accessible');
    await enter(terminal, /Type a prompt and press Enter\.[^]*\n> $/mu, 'Repair it, pleasx\u007Fe.');
    await enter(terminal, /Approval needed: Make this edit to sum\.js\? \+1 -1\.[^]*answer> $/mu, '');
    await enter(terminal, /Not answered yet\.[^]*answer> $/mu, '1');
    // What destroys has a word, and no number.
    await enter(terminal, /Approval needed: Delete files\?[^]*type the word build and press Enter/mu, '1');
    await enter(terminal, /Nothing was allowed: type the word/mu, 'n');
    await enter(terminal, /What should weft do instead\?/mu, 'it is mine');
    await enter(terminal, /Question: Which colour\?\n1\. Red: as a rose\n2\. Blue\n/mu, '2');
    await enter(terminal, /That is all\.\nDone\.(?: .*)?\n> $/mu, 'Sleep.');
    await enter(terminal, /Approval needed: Run this command\?\necho begun[^]*answer> $/mu, '1');
    await enter(terminal, /Running echo begun/mu, 'stop');
    await enter(
      terminal,
      /Stopping\.\nStopped: echo begun[^]*Interrupted\. Tell weft what to do instead\..*\n> $/mu,
      '/help',
    );
    await enter(terminal, /To exit, type \/exit, or press Ctrl\+D on an empty line/mu, '/clear');
    await enter(terminal, /New session\.\n> $/mu, '/resume');
    await enter(terminal, /Resume a session:\n1\. Repair it, please\./mu, '1');
    await enter(terminal, /Session resumed\.[^]*You: Sleep\.\nStopped: echo begun[^]*> $/mu, '/exit');
    await terminal.until(/left with 0\nall is over/mu);
    expect(terminal.log().match(drawing)).toBeNull();
    expect(scene.read('after')).toBe(scene.read('before'));
    expect(scene.read('sum.js')).toContain('a + b');
    expect(scene.read('build/a')).toBe('');
    expect(toldPrompt(scene.server.requests[0])).toBe('Repair it, please.');
    expect(toldResults(scene.server.requests[3])).toEqual([expect.stringContaining('said no to this: it is mine')]);
    expect(toldResults(scene.server.requests[4])).toEqual([expect.stringContaining('Blue')]);
    const all = (await terminal.everything()).join('\n');
    expect(all).toMatch(
      /\nHeading: Plan\n\nFirst the file sum\.js\.\nTodos 0 of 2\. Find it: in progress\. Mend it: to do\.\n/u,
    );
    expect(all).toMatch(/\nLine 1 removed: .*a - b;\nLine 1 added: .*a \+ b;\n/u);
    expect(all).toMatch(/\nDone: Edited sum\.js \+1 -1\.\n/u);
    expect(all).toMatch(/Deletes 3 files: build\/a, build\/b, build\/c\.\n/u);
    expect(all).toMatch(/\nTodos 1 of 2\. Find it: done\. Mend it: in progress\.\n/u);
  });

  test.each([
    ['Ctrl+D', '\u0004', 0],
    ['Ctrl+C twice', '\u0003\u0003', 0],
    ['/exit', '/exit\r', 0],
  ])('%s leaves', async (_title, keys, code) => {
    await using scene = await openScene([hang()]);
    using terminal = open(scene, '--accessible');
    await terminal.until(/Type a prompt/u);
    terminal.type(keys);
    await terminal.until(new RegExp(`left with ${code}\nall is over`, 'u'));
    expect(scene.read('after')).toBe(scene.read('before'));
    expect(terminal.log().match(drawing)).toBeNull();
  });

  test.each([
    ['ACCESSIBLE=1', {ACCESSIBLE: '1', TERM: 'dumb'}, ''],
    ['the setting', {TERM: 'dumb'}, `--settings '{"accessible": true}'`],
    ['the flag', {TERM: 'dumb'}, '--accessible'],
  ])('%s asks for it, also where TERM is dumb', async (_title, environment, args) => {
    await using scene = await openScene([say('An answer.')]);
    using terminal = open(scene, `${args} 'What is it?'`, environment);
    await terminal.until(/You: What is it\?\n\nAn answer\.\nDone\.(?: .*)?\n> $/mu);
    terminal.type('\u0004');
    await terminal.until(/left with 0/u);
    expect(terminal.log().match(drawing)).toBeNull();
  });

  test('without it, where TERM is dumb, a line names it and the exit code is 2', async () => {
    await using scene = await openScene([]);
    using terminal = open(scene, '', {TERM: 'dumb'});
    await terminal.until(/TERM is dumb[^]*weft\s+--accessible[^]*left with 2/u);
  });

  test('where stdin is no terminal it is a mistake as without it', async () => {
    await using scene = await openScene([]);
    const {code, stderr} = await scene.run(['--accessible']);
    expect({code, lines: stderr.trim().split('\n').length}).toEqual({code: 2, lines: 1});
  });

  test('the bell sounds for what the setting names', {tags: 'smoke'}, async () => {
    await using scene = await openScene([call('Bash', {command: 'touch made'}), say('Made.')]);
    using terminal = open(scene, `--accessible --settings '{"bellOn": ["approval"]}' 'Make it.'`);
    await enter(terminal, /Approval needed[^]*answer> $/mu, '1');
    await terminal.until(/Done\.(?: .*)?\n> $/mu);
    expect(terminal.log().split('\u0007')).toHaveLength(2);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGKILL', 137],
  ] as const)('the terminal is as it was after %s', async (signal, code) => {
    await using scene = await openScene([hang()]);
    using terminal = open(scene, '--accessible');
    await terminal.until(/Type a prompt/u);
    process.kill(Number(await fileComes(join(scene.place.work, 'pid'))), signal);
    await terminal.until(new RegExp(`left with ${code}[^]*all is over`, 'u'));
    expect(scene.read('after')).toBe(scene.read('before'));
  });
});

describe('weft --accessible inside tmux', () => {
  beforeEach(needs('tmux'));

  test('a prompt over two lines is sent, and the answer read', async () => {
    await using scene = await openScene([say('The answer is 42.')]);
    await using terminal = await openTmux(scene.place, pointedAt(scene.server));
    await terminal.type('weft --accessible');
    await terminal.press('Enter');
    await terminal.until(/Type a prompt/u);
    await terminal.type('What is\\');
    await terminal.press('Enter');
    await terminal.type('the answer?');
    await terminal.press('Enter');
    await terminal.until(/The answer is 42\./u);
    expect(toldPrompt(scene.server.requests[0])).toBe('What is\nthe answer?');
    await terminal.type('/exit');
    await terminal.press('Enter');
    await terminal.until(/sh>$/u);
  });
});
