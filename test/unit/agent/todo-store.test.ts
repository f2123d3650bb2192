import {describe, expect, test} from 'vitest';
import type {Json} from '../../../src/base/json.ts';
import type {ToolResultBlock} from '../../../src/domain/conversation.ts';
import {historyFromJournal} from '../../../src/domain/history.ts';
import {isReminder} from '../../../src/domain/reminder.ts';
import {decodePayload} from '../../../src/protocol/task/payload.ts';
import {applyTaskFrames, emptyTaskView, todosOf} from '../../../src/tasks/task-view.ts';
import {callBlock, callsTools, engineBench, memorySession, says, type Bench} from '../../support/memory-ports.ts';

/** `>Read`, `-Edit`, `+Test`, `xOld`. */
const todoWrite = (...words: readonly string[]) =>
  callBlock('TodoWrite', {
    todos: words.map((word): Json => ({content: word.slice(1), status: statusOf(word)})),
  });

const statusOf = (word: string): string =>
  word.startsWith('>')
    ? 'in_progress'
    : word.startsWith('+')
      ? 'completed'
      : word.startsWith('x')
        ? 'cancelled'
        : 'pending';

const shell = (): ReturnType<typeof callBlock> => callBlock('Bash', {command: 'ls'});
const shells = (count: number): ReturnType<typeof callBlock>[] => Array.from({length: count}, shell);

const framesOf = (bench: Bench): readonly Uint8Array[] => historyFromJournal(bench.session.kept).todoFrames;

const listOf = (bench: Bench): readonly string[] =>
  todosOf(applyTaskFrames(emptyTaskView, framesOf(bench))).map(({status, title}) => `${status} ${title}`);

const results = (bench: Bench): readonly ToolResultBlock[] =>
  bench.session.kept.flatMap(record => (record.kind === 'result' ? [record.result] : []));

const textOf = (result: ToolResultBlock | undefined): string =>
  (result?.content ?? []).map(block => (block.kind === 'text' ? block.text : '')).join('\n');

describe('the list of a session', () => {
  test('keeps what is left out, says so, and drops what is cancelled', async () => {
    const bench = engineBench([
      callsTools(todoWrite('>Read', '-Edit', '-Test')),
      callsTools(todoWrite('+Read', '>Edit')),
      callsTools(todoWrite('+Read', '>Edit', 'xTest')),
      says('ok'),
    ]);
    await bench.prompt('go');
    expect(results(bench).map(textOf)).toEqual([
      'The todo list now has 0 completed, 1 in progress, 2 pending.',
      'The todo list now has 1 completed, 1 in progress, 1 pending. Still open, though missing from your list: "Test". ' +
        'To drop one, send it with status cancelled.',
      'The todo list now has 1 completed, 1 in progress, 0 pending.',
    ]);
    expect(listOf(bench)).toEqual(['completed Read', 'in_progress Edit']);
  });

  test('of a new task begins with 11; that of the same task goes on, also across prompts and a resume', async () => {
    const bench = engineBench([
      callsTools(todoWrite('+Read', '>Edit')),
      says('half'),
      callsTools(todoWrite('+Edit')),
      says('done'),
      callsTools(todoWrite('>Ship')),
      says('ok'),
    ]);
    await bench.prompt('one');
    await bench.prompt('go on');
    expect(listOf(bench)).toEqual(['completed Read', 'completed Edit']);
    const before = framesOf(bench).length;
    await bench.prompt('another');
    const kinds = framesOf(bench)
      .slice(before)
      .map(frame => {
        const payload = decodePayload(frame);
        return payload.tag === 'ok' ? payload.value.kind : payload.error;
      });
    expect(kinds).toEqual(['cleared', 'snapshot', 'running']);
    expect(listOf(bench)).toEqual(['in_progress Ship']);

    const resumed = engineBench([callsTools(todoWrite('>Ship', '-Rest')), says('ok')], {
      session: memorySession(bench.session.kept),
      options: {origin: 'resumed'},
    });
    await resumed.prompt('and more');
    const view = applyTaskFrames(emptyTaskView, [...framesOf(bench), ...framesOf(resumed)]);
    const ids = todosOf(applyTaskFrames(emptyTaskView, framesOf(bench))).map(({id}) => id);
    expect(todosOf(view)).toMatchObject([
      {id: ids[0], title: 'Ship', status: 'in_progress'},
      {title: 'Rest', status: 'pending'},
    ]);
  });
});

/** The results, counted from 0, that carry a reminder. */
const reminded = (bench: Bench): readonly number[] =>
  results(bench).flatMap((result, at) => (result.content.some(isReminder) ? [at] : []));

describe('the reminder', () => {
  test('comes once with the eighth call after an update, in the journal and in the request', async () => {
    const bench = engineBench([
      callsTools(todoWrite('>Read', '-Edit')),
      callsTools(...shells(5)),
      callsTools(...shells(20)),
      says('ok'),
    ]);
    await bench.prompt('go');
    expect(reminded(bench)).toEqual([8]);
    const result = results(bench)[8];
    expect(result?.content.at(-1)).toEqual({
      kind: 'text',
      text:
        '<reminder>The todo list was last updated 8 tool calls ago; 2 todos are open, now at "Read". If that is out of ' +
        'date, update the list. This is a note from weft, not from the user.</reminder>',
    });
    expect(bench.model.requests.at(-1)?.messages.flatMap(({blocks}): readonly unknown[] => blocks)).toContainEqual(
      result,
    );
    const roles = bench.model.requests.at(-1)?.messages.map(({role}) => role);
    expect(roles).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user']);
  });

  test('an update begins the count again', async () => {
    const bench = engineBench([
      callsTools(todoWrite('>Read'), ...shells(7)),
      callsTools(todoWrite('>Read'), ...shells(8)),
      says('ok'),
    ]);
    await bench.prompt('go');
    expect(reminded(bench)).toEqual([16]);
  });

  test('one that is refused is none', async () => {
    const bench = engineBench([
      callsTools(todoWrite('>Read'), ...shells(4), callBlock('TodoWrite', {todos: 7}), ...shells(4)),
      says('ok'),
    ]);
    await bench.prompt('go');
    expect(reminded(bench)).toEqual([8]);
  });

  test.each([
    ['without a list', []],
    ['with nothing open', [todoWrite('+Read')]],
  ])('%s there is none', async (_name, first) => {
    const bench = engineBench([callsTools(...first, ...shells(20)), says('ok')]);
    await bench.prompt('go');
    expect(reminded(bench)).toEqual([]);
  });

  test('a resumed session has its list', async () => {
    const before = engineBench([callsTools(todoWrite('>Read')), says('ok')]);
    await before.prompt('go');
    const bench = engineBench([callsTools(...shells(8)), says('ok')], {
      session: memorySession(before.session.kept),
      options: {origin: 'resumed'},
    });
    await bench.prompt('go on');
    expect(reminded(bench)).toEqual([7]);
  });
});
