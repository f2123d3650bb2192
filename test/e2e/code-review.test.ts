import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScene, toldResults} from '../support/scene.ts';

const on = (path: string) => ({path, line: 1, text: 'Why?', severity: 'warning'});

test('review comments go onto files that git says have changed', async () => {
  await using scene = await openScene([
    [
      call('InsertCodeReviewComments', {comments: [on('a.txt')]}),
      call('InsertCodeReviewComments', {comments: [on('b.txt')]}),
      call('OpenCodeReview', {}),
    ],
    say('Done.'),
  ]);
  const {stdout} = await scene.shell('git init -q . && echo one > a.txt && weft --prompt "Review it."');
  expect(stdout).toBe('Done.\n');
  expect(toldResults(scene.server.requests[1])).toEqual([
    'Inserted c1 (a.txt:1).',
    'Nothing was inserted: b.txt is not among the changed files. Changed: a.txt.',
    'No code review can be opened here. Report your findings in your answer.',
  ]);
});
