// @module-tag long
import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {processEnds, processStarts} from '../support/processes.ts';
import {openScene, pointedAt, toldPrompt} from '../support/scene.ts';
import {openTerminal, type ShellTerminal} from '../support/shell-terminal.ts';

/** Files that extend weft, as a person at a terminal meets them. */

function write(path: string, ...lines: readonly string[]): void {
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, lines.join('\n'));
}

const enter = async (terminal: ShellTerminal, line: string): Promise<void> => {
  await terminal.type(line);
  await terminal.press('Enter');
};

test('Tab completes commands and skills of files; a skill that was read is kept through a compaction', async () => {
  await using scene = await openScene([
    call('Skill', {name: 'pdf'}),
    say(`${'lorem ipsum '.repeat(60)} First answer.`),
    say('Second answer.'),
    say('A summary.'),
    say('Third answer.'),
  ]);
  const own = join(scene.place.home, '.claude');
  write(join(own, 'skills/pdf/SKILL.md'), '---', 'name: pdf', 'description: Reads PDF files', '---', 'Read with care.');
  write(join(own, 'commands/git/review.md'), '---', 'argument-hint: "[what]"', '---', 'Review $1.');
  await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
  await enter(terminal, 'weft "Go."');
  await terminal.until(/First answer\./u);
  await terminal.type('/git');
  await terminal.onScreen(/❯ \/git:review \[what\]/u);
  await terminal.press('Tab');
  await terminal.onScreen(/› \/git:review/u);
  await enter(terminal, 'everything');
  await terminal.until(/Second answer\./u);
  expect(toldPrompt(scene.server.requests.at(-1))).toContain('Review everything.');
  await terminal.type('/pd');
  await terminal.onScreen(/❯ \/pdf +Reads PDF files/u);
  await terminal.press('C-u');
  await enter(terminal, '/compact');
  await terminal.onScreen(/Compact the conversation\?[^]*A summary\./u);
  await terminal.type('y');
  await terminal.until(/Compacted: /u);
  await enter(terminal, 'Go on.');
  await terminal.until(/Third answer\./u);
  const next = JSON.stringify(scene.server.requests.at(-1)?.body.messages);
  expect(next).not.toContain('First answer.');
  expect(next).toContain('Read with care.');
});

test('Esc while a hook looks at the prompt ends the hook; nothing is sent, and the prompt is the draft again', async () => {
  await using scene = await openScene([say('Sent.')]);
  const command = 'test -e slept && exit 0; touch slept; sleep 3011';
  write(
    join(scene.place.home, 'weft', 'settings.json'),
    JSON.stringify({hooks: {UserPromptSubmit: [{hooks: [{type: 'command', command}]}]}}),
  );
  await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
  await enter(terminal, 'weft');
  await terminal.until(/claude-[\w-]+/u);
  await enter(terminal, 'Look at this.');
  await processStarts('sleep 3011');
  await terminal.press('Escape');
  await processEnds('sleep 3011');
  await terminal.until(/Interrupted[^]*› Look at this\./u);
  expect(scene.server.requests).toEqual([]);
  await terminal.press('Enter');
  await terminal.until(/Sent\./u);
  // The model reads it once.
  expect(JSON.stringify(scene.server.requests[0]?.body.messages).split('Look at this.')).toHaveLength(2);
});
