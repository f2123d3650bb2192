// @module-tag long
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene, toldResults} from '../support/scene.ts';

test('documents go with their session, and their edits are found as in files', async () => {
  const twice = {document_id: 'd1', search: '', replace: 'the lid is shut'};
  await using scene = await openScene([
    call('CreateDocuments', {documents: [{title: 'Plan', content: 'Look whether\nthe lid is "open"\nand say so.\n'}]}),
    say('Kept.'),
    [
      call('EditDocuments', {diffs: [{...twice, search: 'the lid is “open”'}]}),
      call('EditDocuments', {diffs: [{...twice, search: 'the cup'}]}),
      call('ReadDocuments', {document_ids: ['Plan']}),
    ],
    say('Read.'),
  ]);
  const first = await scene.run(['--prompt', 'Plan.']);
  const second = await scene.run(['--continue', '--prompt', 'Go on with @doc:plan']);
  expect([first.stdout, second.stdout]).toEqual(['Kept.\n', 'Read.\n']);
  expect(JSON.stringify(scene.server.requests[2]?.body.messages)).toContain(String.raw`Look whether\nthe lid is`);
  expect(toldResults(scene.server.requests[3])).toEqual([
    'Edited d1 "Plan" (version 2).',
    expect.stringMatching(/^Nothing was changed\. Edit 1 of 1 \(document d1\) failed: the old text is not in /u),
    'd1 "Plan" (version 2)\nLook whether\nthe lid is shut\nand say so.\n',
  ]);
  const shown = await scene.run(['sessions', 'show', await newestId(scene)]);
  expect(shown.stdout).toContain('(document d1: Plan)');
});

async function newestId(scene: Awaited<ReturnType<typeof openScene>>): Promise<string> {
  const {stdout} = await scene.run(['sessions', 'list']);
  return stdout.split(' ', 1)[0] ?? '';
}
