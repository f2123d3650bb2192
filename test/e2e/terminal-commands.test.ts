// @module-tag long
import {readdirSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {call, say, think} from '../support/model-script.ts';
import {openScene, pointedAt} from '../support/scene.ts';
import {openTerminal} from '../support/shell-terminal.ts';

describe('commands of the terminal UI', () => {
  test('the transcript, copying, exporting and going on, on a screen that shrinks', async () => {
    await using scene = await openScene([
      [think('I think of the deep sea.'), say('I count.'), call('Bash', {command: 'seq 1 200'})],
      say('Counted.\n\n```sh\nseq 1 200\n```\n\nThe end.'),
    ]);
    await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
    const enter = async (line: string): Promise<void> => {
      await terminal.type(line);
      await terminal.press('Enter');
    };
    await enter('weft --permission-mode bypassPermissions "Count for me."');
    await terminal.onScreen(/The end\.[^]*Ask weft to do something/u);
    expect(await terminal.text()).not.toContain('deep sea.\n150');
    await enter('/transcript');
    await terminal.onScreen(/The end\.\nend · q close/u);
    await terminal.resize(40, 14);
    await terminal.onScreen(/The end\.\nend · q close/u);
    await enter('/177');
    await terminal.onScreen(/^ +│ 177\n +│ 178\n/u);
    await terminal.type('g');
    await terminal.onScreen(/▌ Count for me\. *\n\n {2}I think of the deep sea\./u);
    await terminal.type('q');
    await terminal.onScreen(/The end\.\n[^]*Ask weft to do something/u);
    expect(await terminal.modes()).toContain('alternate 0');
    expect(await terminal.text()).not.toMatch(/^ +│ 177$/mu);
    await enter('/copy code');
    await terminal.onScreen(/Copied 9 characters/u);
    await enter('/export all.md');
    await terminal.onScreen(/Exported to/u);
    expect(scene.read('all.md')).toContain('## User\n\nCount for me.');
    await enter('/export all.md');
    await terminal.onScreen(/Overwrite this file\?/u);
    await terminal.type('n');
    await terminal.onScreen(/Nothing exported/u);
    await enter('/exit');
    await terminal.until(/sh>$/u);
    expect(readdirSync(scene.place.work)).toEqual(['all.md']);
    await terminal.resize(100, 30);
    await enter('weft --resume');
    await terminal.onScreen(/❯ 1 {2}Count for me\. {2}just now [^]*› Count for me\.[^]*Counted\./u);
    await terminal.type('nowhere');
    await terminal.onScreen(/No match/u);
    await terminal.press('C-u');
    await terminal.press('Enter');
    await terminal.onScreen(/The end\.\n[^]*Ask weft to do something/u);
  });
});
