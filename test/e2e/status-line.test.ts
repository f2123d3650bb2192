// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScenePty, type PtyTerminal} from '../support/pty-terminal.ts';
import {putFile} from '../support/put-file.ts';
import {fileComes, openScene, processGone, type Scene} from '../support/scene.ts';

interface Options {
  readonly args: readonly string[];
  readonly timeoutMs: number;
}

/** Opens weft with a status line command, which is a shell script. */
function open(scene: Scene, script: string, {args = [], timeoutMs = 5000}: Partial<Options> = {}): PtyTerminal {
  const command = join(scene.place.home, 'line.sh');
  writeFileSync(command, script);
  putFile(
    join(scene.place.home, 'weft', 'settings.json'),
    JSON.stringify({statusLine: {type: 'command', command: `sh '${command}'`, padding: 1, timeoutMs}}),
  );
  return openScenePty(scene, {environment: {FORCE_COLOR: '3'}, args});
}

const todos = {todos: [{content: 'Mend it', status: 'in_progress', activeForm: 'Mending it'}]};

describe('the setting statusLine', () => {
  test('a command gets the session as JSON, and prints the line', async () => {
    await using scene = await openScene([call('TodoWrite', todos), say('Done.')]);
    using terminal = open(
      scene,
      `cat >input.part; mv input.part input.json; printf '\\033[31mmine\\033[0m\\033[2J \\033]0;title\\007%s\\nsecond' "$(grep -c 'Mend it' input.json)"`,
    );
    await terminal.until(/^ {3}mine 0 {20,}asks first ⇧Tab$/mu);
    terminal.type('go on\r');
    await terminal.until(/Done\.[^]*^ {3}mine 1 {20,}asks first/mu);
    expect(terminal.log()).not.toContain('\u001B]0;title');
    const input: unknown = JSON.parse(scene.read('input.json'));
    expect(input).toMatchObject({
      hook_event_name: 'Status',
      cwd: scene.place.work,
      workspace: {current_dir: scene.place.work},
      permission_mode: 'default',
      cost: {total_lines_added: 0},
      todos: [{content: 'Mend it', status: 'in_progress'}],
    });
  });

  test("a command that fails leaves weft's own line, and is named once", async () => {
    await using scene = await openScene([]);
    using terminal = open(scene, 'exit 3');
    await terminal.until(/Your status line command exited with code 3\. \/statusline runs it again\./u);
    await terminal.until(/^ {2}asks first ⇧Tab.*shortcuts$/mu);
    terminal.type('/statusline\r');
    await terminal.until(/Your status line command exited with code 3\.$/mu);
  });

  test('a command that is slow is killed each time, and named once', async () => {
    await using scene = await openScene([]);
    using terminal = open(scene, `setsid sh -c 'echo $$ >>pids; sleep 1000' & echo $$ >>pids; sleep 1000`, {
      timeoutMs: 200,
    });
    await terminal.until(/took longer than 200 ms\. Give it more\s+with "timeoutMs" in the setting\s+statusLine\./u);
    const pids = scene.read('pids').trim().split('\n').map(Number);
    expect(pids).toHaveLength(6);
    await Promise.all(pids.map(processGone));
    await terminal.until(/^ {2}asks first ⇧Tab.*shortcuts$/mu);
  });

  test('a command that runs is killed when weft exits', async () => {
    await using scene = await openScene([]);
    using terminal = open(scene, 'echo $$ >pid.part; mv pid.part pid; sleep 1000');
    const pid = Number(await fileComes(join(scene.place.work, 'pid')));
    terminal.type('/exit\r');
    await terminal.exited;
    await processGone(pid);
  });

  test('screen-reader mode has the line as a command', async () => {
    await using scene = await openScene([]);
    using terminal = open(scene, `printf '\\033[31mmine\\033[0m\\n'`, {args: ['--accessible']});
    await terminal.until(/\/help lists commands/u);
    terminal.type('/statusline\r');
    await terminal.until(/^mine$/mu);
  });
});
