// @module-tag long
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene, pointedAt, toldResults} from '../support/scene.ts';
import {openTerminal} from '../support/shell-terminal.ts';
import {seedText} from '../support/seeds.ts';

/** What the model reads after these calls, which run one after the other. */
async function told(...calls: readonly ReturnType<typeof call>[]): Promise<readonly string[]> {
  await using scene = await openScene([...calls, say('Done.')]);
  const {code, stderr} = await scene.run(['--prompt', 'x', '--permission-mode', 'bypassPermissions']);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return scene.server.requests.slice(1).flatMap(request => toldResults(request).map(result => JSON.stringify(result)));
}

test('actions of the seed are accepted in its form', {tags: 'smoke'}, async () => {
  const seed = seedText('typed-tool-protocol');
  for (const field of ['addresses', 'subject', 'environment_id', 'lifecycle_subscription', 'citations'])
    expect(seed).toContain(field);
  const results = await told(
    call('Write', {file_path: 'a.txt', content: 'x', citations: [{type: 'web_page', url: 'https://a.example'}, 'b']}),
    call('FileGlob', {patterns: ['*.txt'], path: '.', citations: [{path: 'README.md', start_line: 1, end_line: 2}]}),
    call('CreateDocuments', {documents: [{title: 'Plan', content: 'one\ntwo\nthree\nfour'}]}),
    call('ReadDocuments', {
      documents: [
        {
          document_id: 'd1',
          line_ranges: [
            {start: 2, end: 3},
            {start: 9, end: 9},
          ],
        },
      ],
    }),
    call('SendMessageToAgent', {addresses: ['x', 'y'], subject: 'News', message: 'Hello'}),
    call('StartAgent', {
      name: 'far',
      prompt: 'Do it',
      version: 'v2',
      execution_mode: {
        Remote: {
          environment_id: 'nowhere',
          skill_references: [{name: 'pdf'}],
          model_id: 'm',
          computer_use_enabled: false,
          worker_host: 'h',
          harness_type: 'oz',
          title: 'Far away',
        },
      },
      lifecycle_subscription: ['blocked', 'idle'],
    }),
    call('BashInput', {block_id: 'b9', input_base64: Buffer.from('hé\u0003').toString('base64'), mode: 'raw'}),
  );
  expect(results).toEqual([
    expect.not.stringContaining('invalid'),
    expect.stringContaining('a.txt'),
    expect.stringContaining('d1'),
    expect.stringContaining(String.raw`[Lines 2-3 of 4]\ntwo\nthree\n[No lines 9-9: there are 4 lines]`),
    expect.stringMatching(/"x\\*".*"y\\*"/su),
    expect.stringContaining('nowhere'),
    expect.stringContaining('b9'),
  ]);
});

test('citations of commands and edits are on the card and in the record', async () => {
  const file = {type: 'file', path: 'README.md', start_line: 1, end_line: 2};
  await using scene = await openScene([
    call('RequestCommandOutput', {command: 'touch made.txt', citations: [file]}),
    call('Write', {file_path: 'a.txt', content: 'a', citations: [{type: 'web_page', url: 'https://a.example'}]}),
    say('Done.'),
  ]);
  await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
  await terminal.type('weft Go.');
  await terminal.press('Enter');
  for (const source of ['README.md:1-2', 'https://a.example']) {
    await terminal.onScreen(new RegExp(`The model names as sources: ${source}`, 'u'));
    await terminal.type('y');
  }
  await terminal.until(/Done\./u);
  const [{id}] = JSON.parse((await scene.run(['sessions', 'list', '--json'])).stdout);
  const {stdout} = await scene.run(['sessions', 'export', id]);
  for (const source of ['README.md', 'https://a.example']) expect(stdout).toContain(source);
});
