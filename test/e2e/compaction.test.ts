// @module-tag long
import {createHash} from 'node:crypto';
import {chmodSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import type {ReceivedRequest} from '../support/model-server.ts';
import {call, fail, hang, say} from '../support/model-script.ts';
import {openScene, pointedAt, type Scene} from '../support/scene.ts';
import {openTerminal, type ShellTerminal} from '../support/shell-terminal.ts';

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};
/** All that the model reads of the conversation. */
const told = (request: ReceivedRequest | undefined): string => textsIn(request?.body.messages).join('\n');
/** Text that makes an answer worth a compaction. */
const long = 'lorem ipsum '.repeat(60);
const put = (scene: Scene, name: string, text: string): void => writeFileSync(join(scene.place.work, name), text);
const enter = async (terminal: ShellTerminal, line: string): Promise<void> => {
  await terminal.type(line);
  await terminal.press('Enter');
};

describe('/compact', () => {
  test.each(['anthropic', 'openai'] as const)(
    'what is promised stands word for word in the next request (%s)',
    async dialect => {
      await using scene = await openScene(
        [
          call('Write', {file_path: 'made.txt', content: 'made\n'}),
          call('TodoWrite', {todos: [{content: 'write the tests', status: 'pending', activeForm: 'writing'}]}),
          call('Bash', {command: 'sleep 300', run_in_background: true}),
          say(`${long} First answer.`),
          say('Second answer.'),
          say('What the model sums up: **made.txt** was written.'),
          say('Third answer.'),
          say('Fourth answer.'),
        ],
        dialect,
      );
      put(scene, 'AGENTS.md', 'Old rule.\n');
      put(scene, 'editor', '#!/bin/sh\necho "and what the user adds" >>"$1"\n');
      chmodSync(join(scene.place.work, 'editor'), 0o755);
      await using terminal = await openTerminal(scene.place, {
        ...pointedAt(scene.server, dialect),
        EDITOR: join(scene.place.work, 'editor'),
      });
      await enter(terminal, 'weft --permission-mode bypassPermissions "Make \\"it\\" → ünï <b>."');
      await terminal.until(/First answer\./u);
      await enter(terminal, 'The second prompt.');
      await terminal.until(/Second answer\./u);
      put(scene, 'AGENTS.md', 'New rule: tabs.\n');
      const before = scene.server.requests.at(-1);
      await enter(terminal, '/compact mind the tests');
      await terminal.onScreen(/Compact the conversation\?[^]*kept +2 user messages[^]*summarized/u);
      const asked = scene.server.requests.at(-1);
      expect(asked?.body.tools).toEqual(before?.body.tools);
      expect(asked?.body.system).toEqual(before?.body.system);
      expect(told(asked)).toContain('mind the tests');
      await terminal.type('e');
      await terminal.onScreen(/and what the user adds/u);
      await terminal.type('y');
      await terminal.until(/Compacted: [\d,]+ → about [\d,]+ tokens\. \/undo takes that back/u);
      await enter(terminal, 'The third prompt.');
      await terminal.until(/Third answer\./u);
      const next = told(scene.server.requests.at(-1));
      const hash = createHash('sha256').update('made\n').digest('hex');
      for (const part of [
        'Make "it" → ünï <b>.',
        'The second prompt.',
        'What the model sums up: **made.txt** was written.\nand what the user adds',
        'New rule: tabs.\n',
        'write the tests',
        'sleep 300',
        `made.txt sha256:${hash}`,
      ]) {
        expect(next).toContain(part);
      }
      expect(next).not.toContain('First answer.');
      await terminal.press('C-d');
      await terminal.until(/sh>$/u);
      const gone = await scene.run(['--continue', '--permission-mode', 'bypassPermissions', '--prompt', 'Resumed.']);
      expect(gone.code).toBe(0);
      const resumed = told(scene.server.requests.at(-1));
      expect(resumed).toContain('What the model sums up');
      expect(resumed).toContain('Third answer.');
      expect(resumed).not.toContain('First answer.');
    },
  );

  test('n leaves everything; without a summary it shortens; /undo takes only that back', async () => {
    await using scene = await openScene([
      say(`${long} First answer.`),
      say('A summary.'),
      say('Second answer.'),
      fail(400),
      say('Third answer.'),
    ]);
    await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
    await enter(terminal, 'weft "First prompt."');
    await terminal.until(/First answer\./u);
    await enter(terminal, '/compact');
    await terminal.onScreen(/Enter compact/u);
    await terminal.press('Escape');
    await terminal.onScreen(/^(?![^]*Enter compact)/u);
    await enter(terminal, 'Second prompt.');
    await terminal.until(/Second answer\./u);
    expect(scene.server.requests.at(-1)?.body.messages).toHaveLength(3);
    await enter(terminal, '/compact');
    await terminal.onScreen(/Shorten the conversation without a summary\?[^]*No summary: /u);
    await terminal.type('y');
    await terminal.until(/Shortened: /u);
    await enter(terminal, '/undo');
    await terminal.onScreen(/Undo the compaction/u);
    await terminal.type('y');
    await terminal.until(/Undid the compaction/u);
    await enter(terminal, 'Third prompt.');
    await terminal.until(/Third answer\./u);
    expect(scene.server.requests.at(-1)?.body.messages).toHaveLength(5);
    expect(told(scene.server.requests.at(-1))).not.toContain('compacted');
  });

  test('a conversation that is too long is shortened although no summary can be had', async () => {
    const more = 'x'.repeat(4000);
    const isFull = {message: 'prompt is too long: 210000 tokens > 200000 maximum'};
    await using scene = await openScene([
      say(`First answer. ${more}`),
      say(`Second answer. ${more}`),
      fail(400, isFull),
      fail(400, isFull),
      say('Third answer.'),
    ]);
    await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
    await enter(terminal, 'weft "First prompt."');
    await terminal.until(/First answer\./u);
    await enter(terminal, 'Second prompt.');
    await terminal.until(/Second answer\./u);
    await enter(terminal, 'Third prompt.');
    await terminal.onScreen(/Too long for[^]*No summary: [^]*too long[^]*Enter compact/u);
    await terminal.type('y');
    await terminal.until(/Third answer\./u);
    const next = told(scene.server.requests.at(-1));
    for (const prompt of ['First prompt.', 'Second prompt.', 'Third prompt.']) expect(next).toContain(prompt);
  });

  test('Esc stops the summary; Esc again leaves everything as it was', {tags: 'smoke'}, async () => {
    await using scene = await openScene([say(`${long} First answer.`), hang(), say('Second answer.')]);
    await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
    await enter(terminal, 'weft "First prompt."');
    await terminal.until(/First answer\./u);
    await enter(terminal, '/compact');
    await terminal.onScreen(/Summary: about \$[^]*Esc stop/u);
    await terminal.press('Escape');
    await terminal.onScreen(/No summary: The summary was stopped\./u);
    await terminal.press('Escape');
    await terminal.onScreen(/Ask weft to do something/u);
    await enter(terminal, 'Second prompt.');
    await terminal.until(/Second answer\./u);
    expect(scene.server.requests.at(-1)?.body.messages).toHaveLength(3);
    expect(told(scene.server.requests.at(-1))).not.toContain('compacted');
  });
});
