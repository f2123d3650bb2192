// @module-tag long
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {call, say, type Answer} from '../support/model-script.ts';
import {putFile} from '../support/put-file.ts';
import {openScene, pointedAt, toldResults, type Scene} from '../support/scene.ts';
import {openTerminal, type ShellTerminal} from '../support/shell-terminal.ts';

const open = (scene: Scene): Promise<ShellTerminal> => openTerminal(scene.place, pointedAt(scene.server));

async function enter(terminal: ShellTerminal, line: string): Promise<void> {
  await terminal.type(line);
  await terminal.press('Enter');
}

const makes = (name: string): Answer => call('Write', {file_path: name, content: 'made\n'});
const ready = /claude-[\w-]+/u;

describe('approvals in a terminal', () => {
  test('typing goes on while many approvals come: none is answered, the draft is as typed, Enter sends it', async () => {
    const many = Array.from({length: 12}, (_, at) => call('Read', {file_path: `/etc/none-${at}`}));
    await using scene = await openScene([many, say('Refused, I see.')]);
    await using terminal = await open(scene);
    await enter(terminal, 'weft');
    await terminal.until(ready);
    await enter(terminal, 'Write.');
    // Keys that come in one piece with an Enter would belong to the same draft.
    await terminal.until(/Working|Approval needed/u);
    const text = 'yes kay now say a word very well';
    for (const character of text) {
      await terminal.type(character);
      await pause(40);
    }
    await terminal.onScreen(/Approval needed[^]*Tab: answer\n─+\n › yes kay now say a word very well\n/u);
    expect(scene.server.requests).toHaveLength(1);
    await terminal.press('Escape');
    await terminal.until(/Interrupted/u);
    await terminal.press('Enter');
    await terminal.until(/Refused, I see\./u);
  });

  test('Tab goes to it at once; what was pressed before is a prompt', async () => {
    await using scene = await openScene([makes('a'), say('Done.'), say('Heard.')]);
    await using terminal = await open(scene);
    await enter(terminal, 'weft Make it.');
    await terminal.onScreen(/Approval needed: Create a /u);
    await terminal.type('y');
    await terminal.onScreen(/Tab: answer\n─+\n › y\n/u);
    await terminal.press('BSpace');
    await terminal.onScreen(/Tab: answer\n─+\n › Enter: send now/u);
    await terminal.press('Tab');
    await terminal.onScreen(/╭ Create a\?/u);
    await terminal.type('y');
    await terminal.until(/Done\./u);
    expect(scene.read('a')).toBe('made\n');
  });

  test('a command is edited, asked about as it is now, and runs; the model is told', async () => {
    await using scene = await openScene([call('Bash', {command: 'touch wrong; sleep 0'}), say('I see.')]);
    await using terminal = await open(scene);
    await enter(terminal, 'weft Make it.');
    await terminal.onScreen(/╭ Run this command\?[^]*Ctrl\+E edit/u);
    await terminal.press('C-e');
    await terminal.onScreen(/Enter review again/u);
    await terminal.press('C-u');
    await terminal.type('touch right');
    await terminal.onScreen(/› touch right +│\n/u);
    await terminal.press('Enter');
    await terminal.onScreen(/as you changed it\? [^]*touch right +│\n[^]*1 Yes/u);
    await terminal.type('y');
    await terminal.until(/I see\./u);
    expect([existsSync(join(scene.place.work, 'wrong')), existsSync(join(scene.place.work, 'right'))]).toEqual([
      false,
      true,
    ]);
    expect(toldResults(scene.server.requests[1])[0]).toContain(
      'The user changed the command; what ran is: touch right',
    );
  });

  test('what destroys needs its word', async () => {
    await using scene = await openScene([call('Bash', {command: 'rm -rf build'}), say('Gone.')]);
    putFile(join(scene.place.work, 'build', 'a'), 'x');
    await using terminal = await open(scene);
    await enter(terminal, 'weft Clean it.');
    await terminal.onScreen(/╭ Delete files\?[^]*rm -rf build[^]*type "\w+" to allow/u);
    const word = /type "(?<word>\w+)" to allow/u.exec(await terminal.text())?.groups?.['word'] ?? '';
    await terminal.press('Enter');
    await terminal.type(word.slice(0, 1));
    await terminal.onScreen(/to allow \[ \w/u);
    await enter(terminal, 'wrong');
    await terminal.onScreen(/Wrong word/u);
    expect(existsSync(join(scene.place.work, 'build'))).toBe(true);
    await enter(terminal, word);
    await terminal.until(/Gone\./u);
    expect(existsSync(join(scene.place.work, 'build'))).toBe(false);
  });

  test('bypassed permissions cannot be missed, and Shift+Tab leads out of them', async () => {
    await using scene = await openScene([]);
    await using terminal = await open(scene);
    await enter(terminal, 'weft --permission-mode bypassPermissions');
    await terminal.onScreen(/! permissions bypassed !/u);
    await terminal.press('BTab');
    await terminal.onScreen(/asks first/u);
    await terminal.press('BTab');
    await terminal.onScreen(/accepts edits/u);
    await enter(terminal, '/mode bypassPermissions');
    await terminal.until(/Can't switch to bypassPermissions in a session/u);
    await terminal.onScreen(/accepts edits ⇧Tab/u);
  });
});
