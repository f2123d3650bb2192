import {afterEach, describe, expect, test} from 'vitest';
import type {CodeReview} from '../../src/agent/client.ts';
import type {FileDiff} from '../../src/actions/preview.ts';
import {ok} from '../../src/base/outcome.ts';
import {changeComments, type ReviewChange} from '../../src/domain/code-review.ts';
import {
  openReview,
  pressReview,
  readComment,
  reviewLayout,
  type ReviewState,
} from '../../src/tui/scrollback/review-panel.ts';
import {stripStyles} from '../../src/tui/text/cell-width.ts';
import type {KeyPress} from '../../src/tui/terminal/keymap.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {leaveSpeakers, speak} from './accessible/speaker.ts';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);
afterEach(leaveSpeakers);

const file: FileDiff = {
  path: 'src/a.ts',
  before: 'present',
  after: 'present',
  movedFrom: undefined,
  added: 2,
  removed: 1,
  hunks: [
    {
      oldStart: 1,
      newStart: 1,
      lines: [
        {kind: 'context', text: 'one', changed: []},
        {kind: 'removed', text: 'two', changed: []},
        {kind: 'added', text: '2', changed: []},
        {kind: 'added', text: '3', changed: []},
      ],
    },
  ],
  notes: [],
};
const other: FileDiff = {...file, path: 'b.bin', hunks: [], added: 0, removed: 0, notes: ['binary file']};
const review: CodeReview = {
  root: '/work',
  title: 'changes since main',
  files: [file, other],
  more: 0,
  comments: changeComments([], {
    change: 'add',
    by: 'agent',
    comments: [
      {path: 'src/a.ts', lines: {first: 2, last: 3}, text: 'It leaks.', severity: 'error'},
      {path: 'gone.ts', lines: 'file', text: 'Where is it?', severity: 'note'},
    ],
  }),
};

const place = {rows: 24, frame: {theme: themeOf('plain'), width: 76}};
const screen = (state: ReviewState): readonly string[] =>
  reviewLayout(state, place)
    .lines.map(line => stripStyles(line).trimEnd())
    .filter(line => line !== '');

/** Presses keys in order: letters as they are, `<name>` for others. Answers with where that leads, and the changes on the way. */
function press(state: ReviewState, keys: readonly string[]) {
  const changes: ReviewChange[] = [];
  let now: ReviewState | 'closed' | 'sent' = state;
  for (const text of keys) {
    const name = /^<(.+)>$/u.exec(text)?.[1];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the tests are those of keys
    const key = (name === undefined ? {kind: 'text', text} : {kind: 'key', name}) as KeyPress;
    if (typeof now === 'string') break;
    const step = pressReview(now, key, place.rows);
    if (step.change !== 'none') changes.push(step.change);
    now = step.next;
  }
  return {now, changes};
}

const stateAfter = (...keys: readonly string[]): ReviewState => {
  const {now} = press(openReview(review), keys);
  if (typeof now === 'string') throw new Error(`it is ${now}`);
  return now;
};

describe('the review on the screen', () => {
  test('files, lines and comments stand in order; a comment without a line of the change stands at the end', () => {
    expect(screen(openReview(review))).toEqual([
      'Review: changes since main · 2 files · 2 open of 2 comments',
      '▌ Edit src/a.ts  +2 -1',
      '  1   one',
      '  2 - two',
      '  2 + 2',
      '  3 + 3',
      '      c1 error · agent',
      '        It leaks.',
      '  Edit b.bin  +0 -0',
      '  binary file',
      '      c2 note · agent · gone.ts',
      '        Where is it?',
      'q close · c comment · v select lines · s send · n N comments · [ ] files',
    ]);
  });

  test('a line is commented on, and a range, and a file; the word before it says how grave it is', () => {
    const {changes} = press(openReview(review), [
      '<down>',
      'c',
      'Why one?',
      '<enter>',
      'j',
      'j',
      'v',
      'j',
      'j',
      'c',
      'warning: Two?',
      '<delete-left>',
      '!',
      '<enter>',
      ']',
      'c',
      'Not text.',
      '<enter>',
    ]);
    expect(changes).toEqual([
      {
        change: 'add',
        by: 'user',
        comments: [{path: 'src/a.ts', lines: {first: 1, last: 1}, text: 'Why one?', severity: 'note'}],
      },
      {
        change: 'add',
        by: 'user',
        comments: [{path: 'src/a.ts', lines: {first: 2, last: 3}, text: 'Two!', severity: 'warning'}],
      },
      {change: 'add', by: 'user', comments: [{path: 'b.bin', lines: 'file', text: 'Not text.', severity: 'note'}]},
    ]);
  });

  test('a comment is answered, resolved and opened again, and seen so at once', () => {
    const {now, changes} = press(openReview(review), ['n', 'a', 'Not here.', '<enter>', 'r', 'r', 'r']);
    expect(changes).toEqual([
      {change: 'answer', id: 'c1', by: 'user', text: 'Not here.'},
      {change: 'resolve', id: 'c1'},
      {change: 'reopen', id: 'c1'},
      {change: 'resolve', id: 'c1'},
    ]);
    expect(typeof now === 'string' ? [] : screen(now)).toEqual(
      expect.arrayContaining(['▌     c1 error · agent · resolved', '▌       It leaks.', '▌       you: Not here.']),
    );
  });

  test('Esc leaves the field and keeps nothing; an empty comment is none; a removed line is quoted', () => {
    expect(press(openReview(review), ['j', 'c', 'x', '<escape>', 'c', ' ', '<enter>']).changes).toEqual([]);
    expect(press(openReview(review), ['j', 'j', 'c', 'Why not?', '<enter>']).changes).toMatchObject([
      {comments: [{lines: 'file', text: 'The removed line 2 (two): Why not?', severity: 'note'}]},
    ]);
  });

  test('keys that mean nothing here say so; the screen follows what is selected', () => {
    expect(screen(stateAfter('a')).at(-1)).toMatch(/^Select a comment to answer/u);
    const small = reviewLayout(stateAfter('G'), {rows: 5, frame: place.frame}).lines.map(stripStyles);
    expect(small.slice(1, 4).map(line => line.trimEnd())).toEqual([
      '  binary file',
      '▌     c2 note · agent · gone.ts',
      '▌       Where is it?',
    ]);
    expect([press(openReview(review), ['q']).now, press(openReview(review), ['s']).now]).toEqual(['closed', 'sent']);
  });

  test.each([
    ['error: It leaks', {text: 'It leaks', severity: 'error'}],
    ['Note: x', {text: 'x', severity: 'note'}],
    ['todo: x', {text: 'todo: x', severity: 'note'}],
  ])('%j is read', (words, read) => expect(readComment(words)).toEqual(read));
});

test('/review takes the screen; what is written there is kept, and the open comments become the draft', async () => {
  const {screen: shown, engine} = await start();
  engine.answers.review = ok(review);
  await shown.type('/review main\r');
  await shown.until(/Review: changes since main[^]*c1 error/u);
  await shown.type('n');
  await shown.until(/▌ {5}c1 error/u);
  await shown.type('s');
  await shown.until(/› Please address these review comments:\n {3}- src\/a\.ts:2-3 \(error, c1\): It leaks\./u);
  expect(engine.ops).toEqual([]);
});

test('what the agent asks to show is shown once the user has agreed', async () => {
  const {screen: shown, engine} = await start();
  engine.answers.review = ok(review);
  engine.emit({event: 'review-opened', range: 'main'});
  await shown.until(/Review: changes since main/u);
  await shown.type('q');
  await shown.until(/› Ask weft/u);
});

test('without a change there is nothing to look at', async () => {
  const {screen: shown, engine} = await start();
  engine.answers.review = ok({...review, files: [], comments: []});
  await shown.type('/review\r');
  await shown.until(/No changes to review: changes since main/u);
});

test('comments are answered and exported from the command line, too', async () => {
  const {screen: shown, engine} = await start();
  engine.answers.review = ok(review);
  engine.answers['change-review'] = ok(changeComments(review.comments, {change: 'resolve', id: 'c1'}));
  engine.answers['export-text'] = ok({kind: 'written', path: '/work/review.json'});
  await shown.type('/review resolve c1\r');
  await shown.until(/c1 is resolved, with 0 answers/u);
  await shown.type('/review export review.json\r');
  await shown.until(/Exported 2 comments to \/work\/review\.json/u);
});

test('in screen-reader mode the review is lines', async () => {
  const speaker = await speak();
  speaker.engine.answers.review = ok(review);
  await speaker.type('/review main\r');
  await speaker.heard(
    /Review: changes since main\. 2 changed files\.\nFile src\/a\.ts: 2 added, 1 removed\.\nFrom line 1:\nremoved: two\nadded: 2\nadded: 3\nFile b\.bin: 0 added, 0 removed, binary file\.\nComment c1, error, open, on src\/a\.ts:2-3, by the agent: It leaks\.\n/u,
  );
});

test('Tab goes to the next file, and what comes with the letter that begins a comment is not written', () => {
  const [first, second] = [openReview(review), stateAfter('<complete>')];
  expect([first.items[first.at]?.kind, second.items[second.at]?.kind, second.at > first.at]).toEqual([
    'file',
    'file',
    true,
  ]);
  expect(stateAfter('jcG')).toMatchObject({at: 1, typing: {what: 'comment', text: ''}});
});
