// @module-tag long
import {execFile, spawn} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, expect, onTestFinished, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, hang, say} from '../support/model-script.ts';
import {needs} from '../support/programs.ts';
import {openTerminal} from '../support/shell-terminal.ts';
import {runWeft} from '../support/run-weft.ts';
import {openScene, pointedAt, toldResults} from '../support/scene.ts';
import {ask, readAll, toolResults} from './support/agent-sdk.ts';
import {startDisplay} from './support/display.ts';

beforeEach(needs('Xvfb', 'xdotool', 'import', 'xterm'));

/** A display of its own, 1600 by 900, on which nothing shows but what the test starts. */
async function openDisplay() {
  const display = await startDisplay();
  return {
    display,
    /** What xdotool prints; empty where it fails. */
    xdotool: (...args: readonly string[]) =>
      new Promise<string>(resolve => {
        const env = {...process.env, DISPLAY: display};
        execFile('xdotool', [...args], {env}, (error, stdout) => resolve(error === null ? stdout : ''));
      }),
    /** A terminal in the upper left corner whose first typed line goes to a file. */
    openWindow(file: string) {
      const env = {...process.env, DISPLAY: display, LINE_FILE: file};
      const shell = 'head -n 1 >"$LINE_FILE.new" && mv "$LINE_FILE.new" "$LINE_FILE"; sleep 600';
      const window = spawn('xterm', ['-geometry', '80x24+0+0', '-e', 'sh', '-c', shell], {env, stdio: 'ignore'});
      onTestFinished(() => void window.kill());
    },
  };
}

test('in bypass mode, too, the agent asks once; then it sees the screen, clicks and types', async () => {
  const desk = await openDisplay();
  const task = {task_summary: 'Type a line into the terminal', minutes: 2};
  await using scene = await openScene([
    call('ToolSearch', {query: 'select:RequestComputerUse,UseComputer'}),
    call('UseComputer', {actions: []}),
    call('RequestComputerUse', task),
    call('UseComputer', {
      actions: [
        {action: 'click', x: 100, y: 100},
        {action: 'type', text: 'hello "41"'},
        {action: 'keys', keys: 'enter'},
      ],
    }),
    say('Typed.'),
  ]);
  const file = join(scene.place.work, 'line.txt');
  desk.openWindow(file);
  await lookUntil(
    async () => (await desk.xdotool('search', '--onlyvisible', '--class', 'xterm')) !== '',
    () => 'no window',
  );
  const asked: unknown[] = [];
  const env = scene.place.environment({...pointedAt(scene.server), TMPDIR: scene.place.home, DISPLAY: desk.display});
  const read = await readAll(
    ask(scene, 'go', {
      env,
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      async canUseTool(name, input) {
        asked.push([name, input]);
        return {behavior: 'allow', updatedInput: input};
      },
    }),
  );
  await lookUntil(
    async () => existsSync(file),
    () => 'nothing was typed',
  );
  expect([asked, readFileSync(file, 'utf8')]).toEqual([[['RequestComputerUse', task]], 'hello "41"\n']);
  const [, refused, granted, used = ''] = toolResults(read);
  expect([refused, granted]).toEqual([
    'The user has not allowed computer use now. Ask with RequestComputerUse.',
    expect.stringContaining('The user allows it for 2 minutes.'),
  ]);
  const [text, image] = JSON.parse(used);
  expect(text.text).toMatch(/^Screenshot, 1280×720: .* Copy: (?<path>.*\.png)$/u);
  const path = text.text.split('Copy: ')[1];
  expect(readFileSync(path).toString('base64')).toBe(image.source.data);
  // The model finds the tools, and the list of a session stays as it was sent.
  const tools = scene.server.requests.map(({body}) => JSON.stringify(body['tools']).includes('"name":"UseComputer"'));
  expect(tools).toEqual([false, false, false, false, false]);
});

test('in a pipe nobody can say yes; without a display the model hears nothing of it; doctor says what there is', async () => {
  const desk = await openDisplay();
  await using scene = await openScene([call('RequestComputerUse', {task_summary: 'x'}), say('No.')]);
  const environment = {DISPLAY: desk.display};
  await scene.run(['--prompt', 'go', '--permission-mode', 'bypassPermissions'], {environment});
  expect(toldResults(scene.server.requests[1])).toEqual([
    expect.stringMatching(/^Not permitted: this needs the user's approval, and there is no one to ask/u),
  ]);
  const doctor = async (more: Readonly<Record<string, string>>) => {
    const {stdout} = await runWeft(['doctor'], {place: scene.place, environment: more});
    return /^. computer {2}(.*)$/mu.exec(stdout)?.[1];
  };
  expect([await doctor(environment), await doctor({}), await doctor({DISPLAY: ':65000'})]).toEqual([
    'X11 with import, xdotool; the agent asks before it uses the screen',
    'no display here, so computer use is off',
    expect.stringMatching(/^The screen cannot be used: xdotool failed: .*display/u),
  ]);
});

test('the card says for what and how long; Esc takes the yes back', async () => {
  const desk = await openDisplay();
  await using scene = await openScene([
    call('RequestComputerUse', {task_summary: 'Fill in the form', minutes: 5}),
    hang(),
    call('UseComputer', {actions: []}),
    say('I may not.'),
  ]);
  await using terminal = await openTerminal(scene.place, {...pointedAt(scene.server), DISPLAY: desk.display});
  await terminal.type('weft Go.');
  await terminal.press('Enter');
  await terminal.onScreen(/uses your mouse and keyboard/u);
  await terminal.type('y');
  await terminal.until(/allowed until \d\d:\d\d; Esc or \/computer off ends it/u);
  await terminal.press('Escape');
  await terminal.until(/Computer use has ended/u);
  await terminal.type('Again.');
  await terminal.press('Enter');
  await terminal.until(/I may not\./u);
  expect(toldResults(scene.server.requests[3])).toEqual([
    'The user has not allowed computer use now. Ask with RequestComputerUse.',
  ]);
});
