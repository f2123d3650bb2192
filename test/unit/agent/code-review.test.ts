import {describe, expect, test} from 'vitest';
import type {FileDiff} from '../../../src/actions/preview.ts';
import type {ReviewDiff} from '../../../src/actions/review-port.ts';
import {decodeAction} from '../../../src/actions/decode-action.ts';
import type {Json} from '../../../src/base/json.ts';
import {commentsOf} from '../../../src/agent/review-store.ts';
import {messageId} from '../../../src/domain/ids.ts';
import type {JournalRecord} from '../../../src/domain/journal.ts';
import {failed, ok} from '../../../src/base/outcome.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {
  aborted,
  type Bench,
  callBlock,
  callsTools,
  engineBench,
  promptOp,
  says,
  valueOf,
} from '../../support/memory-ports.ts';

const file = (path: string): FileDiff => ({
  path,
  before: 'present',
  after: 'present',
  movedFrom: undefined,
  added: 1,
  removed: 0,
  hunks: [{oldStart: 1, newStart: 1, lines: [{kind: 'added', text: 'x', changed: []}]}],
  notes: [],
});
const diff: ReviewDiff = {root: '/', title: 'working tree', files: [file('work/a.ts'), file('b.ts')], more: 0};
const reviewSource = {read: async () => ok(diff)};

const insert = (...comments: readonly Json[]) =>
  callsTools(callBlock('InsertCodeReviewComments', {base_branch: 'main', comments}));
const leak = {path: 'a.ts', line: 3, end_line: 5, text: 'It leaks.', severity: 'error'};

async function settled(bench: Bench) {
  const {result, toolResult} = await bench.next('action-settled');
  return {
    state: result.tag === 'action' ? result.result.settled.state : result.tag,
    text: toolResult.content.map(block => (block.kind === 'text' ? block.text : '')).join(),
  };
}

describe('InsertCodeReviewComments', () => {
  test('puts comments on changed files into the review; a path counts from the workspace, from the top, or whole', async () => {
    const asked: unknown[] = [];
    const bench = engineBench(
      [
        insert(leak, {path: '/b.ts', text: 'Who reads this?'}, {path: './work/a.ts', line: 9, text: 'Name it.'}),
        says('end'),
      ],
      {
        reviewSource: {
          async read(request) {
            asked.push(request);
            return ok(diff);
          },
        },
      },
    );
    await bench.prompt('go');
    expect(asked).toEqual([{repository: '', range: 'main'}]);
    expect(await settled(bench)).toEqual({
      state: 'success',
      text: 'Inserted c1 (work/a.ts:3-5), c2 (b.ts), c3 (work/a.ts:9).',
    });
    const review = valueOf(await bench.query({query: 'review', range: ''}));
    expect([review.title, review.comments.map(({id, by, severity, state}) => [id, by, severity, state])]).toEqual([
      'working tree',
      [
        ['c1', 'agent', 'error', 'open'],
        ['c2', 'agent', 'note', 'open'],
        ['c3', 'agent', 'note', 'open'],
      ],
    ]);
  });

  test('inserts none where one is on a file that has not changed, and says what has', async () => {
    const bench = engineBench([insert(leak, {...leak, path: 'gone.ts'}), says('end')], {reviewSource});
    await bench.prompt('go');
    expect(await settled(bench)).toEqual({
      state: 'error',
      text: 'Nothing was inserted: gone.ts is not among the changed files. Changed: work/a.ts, b.ts.',
    });
    expect(valueOf(await bench.query({query: 'review', range: ''})).comments).toEqual([]);
  });

  test('says why there is nothing to review', async () => {
    const bench = engineBench([insert(leak), says('end')], {
      reviewSource: {read: async () => failed(rejected('This folder is in no git repository.'))},
    });
    await bench.prompt('go');
    expect(await settled(bench)).toEqual({state: 'error', text: 'This folder is in no git repository.'});
  });

  test('interrupted, it inserts nothing', async () => {
    const asked = Promise.withResolvers<undefined>();
    const bench = engineBench([insert(leak)], {
      reviewSource: {
        async read(_, signal) {
          asked.resolve(undefined);
          await aborted(signal);
          return ok(diff);
        },
      },
    });
    bench.engine.submit(promptOp('go'));
    await asked.promise;
    bench.engine.submit({op: 'interrupt'});
    expect(await settled(bench)).toEqual({state: 'cancelled', text: 'The user interrupted this.'});
    expect(bench.session.kept.filter(({kind}) => kind === 'review')).toEqual([]);
  });

  test('a range that ends before it begins does not fit', () => {
    expect(decodeAction('InsertCodeReviewComments', {comments: [{...leak, end_line: 2}]})).toMatchObject({
      tag: 'failed',
      error: {
        message: 'The input of InsertCodeReviewComments is invalid: comments.0.end_line: it must not be before line.',
      },
    });
  });
});

describe('OpenCodeReview', () => {
  const open = [callsTools(callBlock('OpenCodeReview', {base_branch: 'main'})), says('end')];

  test.each([
    ['Open it', 1, 'The user is looking at the review and will say what to do. End your turn.'],
    ['Not now', 0, 'The user does not want to look now. /review opens it later.'],
  ])('asks before it takes the screen: %s', async (choice, opened, text) => {
    const bench = engineBench(open);
    bench.engine.submit(promptOp('go'));
    const {id, questions} = await bench.next('question-asked');
    expect(questions[0]?.question).toBe('Open the code review of the changes since main? It takes the whole screen.');
    bench.engine.submit({
      op: 'answer-question',
      id,
      answer: {kind: 'answered', answers: [{selected: [choice], other: ''}]},
    });
    expect(await settled(bench)).toEqual({state: 'success', text});
    expect(bench.events.filter(event => event.event === 'review-opened')).toHaveLength(opened);
  });

  test('is cancelled where the user dismisses it, and where nobody is there', async () => {
    const bench = engineBench(open);
    bench.engine.submit(promptOp('go'));
    const {id} = await bench.next('question-asked');
    bench.engine.submit({op: 'answer-question', id, answer: {kind: 'dismissed'}});
    const alone = engineBench(open, {options: {interaction: 'unattended'}});
    await alone.prompt('go');
    expect([await settled(bench), await settled(alone)]).toEqual([
      {state: 'cancelled', text: 'The user said no to this.'},
      {state: 'cancelled', text: 'No user is here to look. Report your findings in your answer.'},
    ]);
  });
});

test('the user comments, answers and resolves, whoever a change says it is by; what is not there is refused', async () => {
  const bench = engineBench([], {reviewSource});
  const change = async (wanted: Parameters<typeof bench.query<'change-review'>>[0]['change']) =>
    bench.query({query: 'change-review', change: wanted});
  const comment = {path: 'b.ts', lines: 'file', text: 'Why?', severity: 'note'} as const;
  await change({change: 'add', by: 'agent', comments: [comment]});
  await change({change: 'answer', id: 'c1', by: 'agent', text: 'So.'});
  expect(valueOf(await change({change: 'resolve', id: 'c1'}))).toEqual([
    {...comment, id: 'c1', by: 'user', state: 'resolved', answers: [{by: 'user', text: 'So.'}]},
  ]);
  expect(await change({change: 'reopen', id: 'c2'})).toEqual({
    tag: 'failed',
    error: rejected('No comment has the id c2.'),
  });
});

const add = (text: string): JournalRecord => ({
  kind: 'review',
  change: {change: 'add', by: 'agent', comments: [{path: 'b.ts', lines: 'file', text, severity: 'note'}]},
});

test('a rewind takes comments back', () => {
  const records: readonly JournalRecord[] = [
    add('It leaks.'),
    {kind: 'prompt', message: {role: 'user', id: messageId('p1'), blocks: [{kind: 'text', text: 'go'}]}},
    add('Name it.'),
    {kind: 'rewind', to: messageId('p1'), what: 'both', files: 'untouched'},
  ];
  expect(commentsOf(records).map(({text}) => text)).toEqual(['It leaks.']);
});
