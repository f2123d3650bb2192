import {expect, test} from 'vitest';
import {
  changeComments,
  githubReview,
  type NewComment,
  type ReviewChange,
  type ReviewComment,
  reviewMarkdown,
  reviewPrompt,
} from '../../../src/domain/code-review.ts';

const leak: NewComment = {path: 'src/a.ts', lines: {first: 3, last: 5}, text: 'It leaks.\nAlways.', severity: 'error'};
const name: NewComment = {path: 'src/a.ts', lines: {first: 9, last: 9}, text: 'Name it.', severity: 'note'};
const whole: NewComment = {path: 'b.md', lines: 'file', text: 'Who reads this?', severity: 'warning'};

const after = (...changes: readonly ReviewChange[]): readonly ReviewComment[] =>
  changes.reduce<readonly ReviewComment[]>(changeComments, []);

const all = after(
  {change: 'add', by: 'agent', comments: [leak, name]},
  {change: 'add', by: 'user', comments: [whole]},
  {change: 'answer', id: 'c1', by: 'user', text: 'Where?'},
  {change: 'resolve', id: 'c2'},
);

test('comments get ids in order; answers and states are those of one comment', () => {
  expect(all).toEqual([
    {...leak, id: 'c1', by: 'agent', state: 'open', answers: [{by: 'user', text: 'Where?'}]},
    {...name, id: 'c2', by: 'agent', state: 'resolved', answers: []},
    {...whole, id: 'c3', by: 'user', state: 'open', answers: []},
  ]);
  expect(changeComments(all, {change: 'reopen', id: 'c2'})[1]?.state).toBe('open');
  expect(changeComments(all, {change: 'resolve', id: 'c9'})).toEqual(all);
});

test('open comments are a prompt, one line each; without any there is none', () => {
  expect(reviewPrompt(all)).toBe(
    [
      'Please address these review comments:',
      '- src/a.ts:3-5 (error, c1): It leaks. Always. — Me: Where?',
      '- b.md (warning, c3): Who reads this?',
    ].join('\n'),
  );
  expect(reviewPrompt([])).toBe('');
});

test('Markdown lists them file by file and ticks off what is resolved', () => {
  expect(reviewMarkdown('working tree', all)).toBe(
    [
      '# Review: working tree',
      '',
      '## src/a.ts',
      '',
      '- [ ] **error** lines 3–5: It leaks.\n  Always.',
      '  - user: Where?',
      '- [x] **note** line 9: Name it.',
      '',
      '## b.md',
      '',
      '- [ ] **warning** Who reads this?',
      '',
    ].join('\n'),
  );
});

test('GitHub gets lines of the new text; what is said of a file as a whole is the body', () => {
  expect(githubReview(changeComments(all, {change: 'reopen', id: 'c2'}))).toEqual({
    event: 'COMMENT',
    body: '**b.md** (warning): Who reads this?',
    comments: [
      {
        path: 'src/a.ts',
        start_line: 3,
        start_side: 'RIGHT',
        line: 5,
        side: 'RIGHT',
        body: '**error**: It leaks.\nAlways.',
      },
      {path: 'src/a.ts', line: 9, side: 'RIGHT', body: '**note**: Name it.'},
    ],
  });
});
