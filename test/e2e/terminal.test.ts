// @module-tag long
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, fail, hang, say, type Answer} from '../support/model-script.ts';
import {parentOf} from '../support/processes.ts';
import {TempPlace} from '../support/run-weft.ts';
import {fileComes, openScene, pointedAt, processGone, toldPrompt, toldResults, type Scene} from '../support/scene.ts';
import {openTerminal, type ShellTerminal} from '../support/shell-terminal.ts';

const open = (scene: Scene): Promise<ShellTerminal> => openTerminal(scene.place, pointedAt(scene.server));

/** Enters a line at whatever reads the terminal. */
async function enter(terminal: ShellTerminal, line: string): Promise<void> {
  await terminal.type(line);
  await terminal.press('Enter');
}

/** Runs weft between two looks at the terminal's settings, and says its exit code. */
const between = (command: string): string => `stty -a >before; ${command}; echo "left with $?"; stty -a >after`;

const ready = /claude-[\w-]+/u;
const sleeping: Answer = call('Bash', {command: 'echo $$ >pid.part; mv pid.part pid; exec sleep 1000'});
const free = '--permission-mode bypassPermissions';

const openEdit = async (): Promise<Scene> => {
  const scene = await openScene([
    call('Edit', {file_path: 'sum.js', old_string: 'a - b', new_string: 'a + b'}),
    say('I see.'),
  ]);
  writeFileSync(join(scene.place.work, 'sum.js'), 'export const sum = (a, b) => a - b;\n');
  return scene;
};

describe('in a terminal', () => {
  test('a prompt is typed, the answer is read, /exit leaves the terminal as it was', async () => {
    await using scene = await openScene([say('# Heading\n\nThe **answer** is `42`.')]);
    await using terminal = await open(scene);
    const modes = await terminal.modes();
    await enter(terminal, between('weft'));
    await terminal.until(ready);
    await enter(terminal, 'What is it?');
    await terminal.until(/The answer is 42\./u);
    expect(toldPrompt(scene.server.requests[0])).toBe('What is it?');
    await enter(terminal, '/exit');
    await terminal.until(/left with 0\n/u);
    expect(await terminal.text()).toMatch(/What is it\?[^]*Heading[^]*The answer is 42\.[^]*left with 0/u);
    expect(scene.read('after')).toBe(scene.read('before'));
    expect(await terminal.modes()).toBe(modes);
  });

  test('keys typed before it is there are not lost, and a prompt on the command line is sent', async () => {
    await using scene = await openScene([say('First.'), say('Second.')]);
    await using terminal = await open(scene);
    await enter(terminal, 'weft begin');
    await terminal.type('typed ahead');
    await terminal.until(/First\.[^]*› typed ahead/u);
    await terminal.press('Enter');
    await terminal.until(/Second\./u);
    expect(scene.server.requests.map(toldPrompt)).toEqual(['begin', 'typed ahead']);
  });

  test('lines typed before it is there are prompts of their own', async () => {
    await using scene = await openScene([say('First.'), say('Second.')]);
    await using terminal = await open(scene);
    await terminal.type('weft\rone\rtwo\rthree');
    await terminal.until(/First\.[^]*Second\.[^]*› three/u);
    expect(scene.server.requests.map(toldPrompt)).toEqual(['one', 'two']);
  });

  test('an approval: the difference is shown, y changes the file', {tags: 'smoke'}, async () => {
    await using scene = await openEdit();
    await using terminal = await open(scene);
    await enter(terminal, 'weft Repair it.');
    await terminal.until(/╭ Make this edit to sum\.js\?[^]*a - b[^]*a \+ b[^]*Yes y/u);
    expect(scene.read('sum.js')).toContain('a - b');
    await terminal.type('y');
    await terminal.until(/I see\./u);
    expect(scene.read('sum.js')).toBe('export const sum = (a, b) => a + b;\n');
  });

  test('an approval: Enter does not accept it, n refuses', async () => {
    await using scene = await openEdit();
    await using terminal = await open(scene);
    await enter(terminal, 'weft Repair it.');
    await terminal.until(/╭ Make this edit to sum\.js\?/u);
    await terminal.press('Enter');
    await terminal.press('Enter');
    // Keys that arrive in one piece with those before them answer nothing: it is pressed until it counts.
    await terminal.pressUntil('n', /Enter send/u);
    await terminal.press('C-u', 'Enter');
    await terminal.until(/I see\./u);
    expect(scene.read('sum.js')).toContain('a - b');
    expect(toldResults(scene.server.requests[1])).toEqual([expect.stringContaining('The user said no to this.')]);
  });

  test('an approval refused with a reason: the model reads it', async () => {
    await using scene = await openScene([call('Bash', {command: 'touch made'}), say('As you wish.')]);
    await using terminal = await open(scene);
    await enter(terminal, 'weft Make it.');
    await terminal.until(/╭ Run this command\?[^]*touch made/u);
    await terminal.type('n');
    await terminal.until(/What should weft do instead/u);
    await enter(terminal, 'not today');
    await terminal.until(/As you wish\./u);
    expect(toldResults(scene.server.requests[1])).toEqual([expect.stringContaining('said no to this: not today')]);
    expect(() => scene.read('made')).toThrow('ENOENT');
  });

  test('a question: the choice goes back to the model', {tags: 'smoke'}, async () => {
    const options = [
      {label: 'Red', description: ''},
      {label: 'Blue', description: ''},
    ];
    await using scene = await openScene([
      call('AskUserQuestion', {
        questions: [{question: 'Which colour?', header: 'Colour', multiSelect: false, options}],
      }),
      say('Chosen.'),
    ]);
    await using terminal = await open(scene);
    await enter(terminal, 'weft Paint it.');
    await terminal.until(/Which colour\?[^]*Red[^]*Blue/u);
    await terminal.press('Down', 'Down', 'Enter');
    await terminal.until(/Chosen\./u);
    expect(toldResults(scene.server.requests[1])).toEqual([expect.stringMatching(/Blue/u)]);
  });

  test('Esc ends what runs, and the session goes on', {tags: 'smoke'}, async () => {
    await using scene = await openScene([sleeping, say('Here again.')]);
    await using terminal = await open(scene);
    await enter(terminal, `weft ${free} Sleep.`);
    const pid = Number(await fileComes(join(scene.place.work, 'pid')));
    await terminal.press('Escape');
    await processGone(pid);
    await terminal.until(/Interrupted/u);
    await enter(terminal, 'Still there?');
    await terminal.until(/Here again\./u);
    expect(JSON.stringify(scene.server.requests[1]?.body.messages)).toContain('The user interrupted this.');
  });

  test.each([
    ['while the model is silent', hang(), /Working/u],
    ['while it waits to try again', fail(529, {headers: {'retry-after': '50'}}), /overloaded/u],
  ] as const)('Esc %s', async (_title, answer, seen) => {
    await using scene = await openScene([answer, say('Here again.')]);
    await using terminal = await open(scene);
    await enter(terminal, 'weft Begin.');
    await scene.server.received(1);
    await terminal.onScreen(seen);
    await terminal.press('Escape');
    await terminal.until(/Interrupted/u);
    await enter(terminal, 'Still there?');
    await terminal.until(/Here again\./u);
  });

  test('Ctrl-C twice leaves; what ran is gone, the terminal is as it was, the session is kept', async () => {
    await using scene = await openScene([sleeping, say('Resumed.')]);
    await using terminal = await open(scene);
    const modes = await terminal.modes();
    await enter(terminal, between(`weft ${free} Sleep.`));
    const pid = Number(await fileComes(join(scene.place.work, 'pid')));
    await terminal.press('C-c', 'C-c');
    await terminal.until(/left with 0\n/u);
    await processGone(pid);
    expect(scene.read('after')).toBe(scene.read('before'));
    expect(await terminal.modes()).toBe(modes);
    expect((await scene.run(['--continue', '--prompt', 'Go on.'])).stdout).toBe('Resumed.\n');
  });

  test('SIGTERM gives the terminal back as well', async () => {
    await using scene = await openScene([sleeping]);
    await using terminal = await open(scene);
    const modes = await terminal.modes();
    await enter(terminal, between(`weft ${free} Sleep.`));
    const pid = Number(await fileComes(join(scene.place.work, 'pid')));
    process.kill(parentOf(pid), 'SIGTERM');
    await terminal.until(/left with 143\n/u);
    await processGone(pid);
    expect(scene.read('after')).toBe(scene.read('before'));
    expect(await terminal.modes()).toBe(modes);
  });

  test.each(['SIGTERM', 'SIGHUP'] as const)('%s while a block has the terminal gives it back as well', async signal => {
    await using scene = await openScene([
      call('Bash', {command: 'echo $$ >pid.part; mv pid.part pid; exec cat', run_in_background: true}),
      say('It waits.'),
    ]);
    await using terminal = await open(scene);
    const modes = await terminal.modes();
    await enter(terminal, between(`weft ${free} Start it.`));
    const pid = Number(await fileComes(join(scene.place.work, 'pid')));
    await terminal.until(/It waits\./u);
    await terminal.press('C-t');
    await terminal.onScreen(/Ctrl\+\] back to weft/u);
    await terminal.type('typed');
    await terminal.onScreen(/typed/u);
    process.kill(parentOf(pid), signal);
    await terminal.until(/It waits\.[^]*left with 143\n/u);
    await processGone(pid);
    expect(scene.read('after')).toBe(scene.read('before'));
    expect(await terminal.modes()).toBe(modes);
    expect(await terminal.text()).not.toContain('typed');
  });

  test('--continue shows what was said, and goes on', async () => {
    await using scene = await openScene([say('Said before.'), say('Said now.')]);
    await scene.run(['--prompt', 'Earlier']);
    await using terminal = await open(scene);
    await enter(terminal, 'weft --continue');
    await terminal.until(/Earlier[^]*Said before\./u);
    await enter(terminal, 'Now');
    await terminal.until(/Said now\./u);
    expect(scene.server.requests[1]?.body.messages).toHaveLength(3);
  });

  test.each([
    ['/resume', 'weft', '/resume'],
    ['--resume', 'weft --resume', ''],
  ])('%s shows the earlier sessions and goes on with one', async (_title, command, line) => {
    await using scene = await openScene([say('Said before.'), say('Said now.')]);
    await scene.run(['--prompt', 'Earlier question']);
    await using terminal = await open(scene);
    await enter(terminal, command);
    await terminal.until(ready);
    if (line !== '') await enter(terminal, line);
    await terminal.onScreen(/Resume a session[^]*Earlier question/u);
    await terminal.press('Enter');
    // The list shows what was said, too.
    await terminal.onScreen(/Said before\.[^]*Ask weft to do something/u);
    await enter(terminal, 'Now');
    await terminal.until(/Said now\./u);
    expect(scene.server.requests[1]?.body.messages).toHaveLength(3);
  });

  test('with stdin or stdout elsewhere it answers without the UI', async () => {
    await using scene = await openScene([say('To a file.'), say('To a pipe.')]);
    await using terminal = await open(scene);
    await enter(terminal, between('weft first >answer; echo second | weft >>answer'));
    await terminal.until(/left with 0\n/u);
    expect(scene.read('answer')).toBe('To a file.\nTo a pipe.\n');
    expect(scene.server.requests.map(toldPrompt)).toEqual(['first', 'second\n']);
  });

  test('a failure of the model is told, and the next prompt works', async () => {
    await using scene = await openScene([fail(401), say('Better.')]);
    await using terminal = await open(scene);
    await enter(terminal, 'weft Try.');
    await terminal.until(/rejected the API key/u);
    await enter(terminal, 'Again.');
    await terminal.until(/Better\./u);
  });

  test('without a model: the ways to one, and /demo plays', async () => {
    using place = new TempPlace();
    await using terminal = await openTerminal(place, {TMPDIR: place.home});
    await enter(terminal, between('weft'));
    await terminal.until(/No model yet[^]*Watch the demo/u);
    await enter(terminal, '/demo');
    // One yes for the session covers both runs of the tests.
    await terminal.onScreen(asksToTest);
    await terminal.type('s');
    await terminal.onScreen(asksToEdit);
    await terminal.type('y');
    await terminal.until(/All tests pass now\./u);
    await enter(terminal, '/exit');
    // Back where the ways to a model are offered.
    await terminal.until(/No model yet(?![^]*All tests pass)/u);
    await enter(terminal, '/exit');
    await terminal.until(/left with 0\n/u);
    expect(readFileSync(join(place.work, 'after'), 'utf8')).toBe(readFileSync(join(place.work, 'before'), 'utf8'));
    expect(readdirSync(place.home).filter(name => name.startsWith('weft-demo'))).toEqual([]);
  });
});

const asksToTest = /╭ Run this command\?[^]*node --test[^]* for this session +s/u;
const asksToEdit = /╭ Make this edit to src\/discount\.js\?[^]*Yes y/u;
