import {expect, test} from 'vitest';
import {
  directStack,
  type DirectorOptions,
  type StackRunEvent,
  type TaskEnd,
  type TaskHost,
} from '../../../../src/tasks/stack/direct-stack.ts';
import {TaskStack} from '../../../../src/tasks/stack/task-stack.ts';

const all: DirectorOptions = {afterFailure: 'stop', positions: 'all'};
const completed: TaskEnd = {kind: 'completed', said: 'Done.', results: {answer: 'Done.'}};

/** A stack in memory, and a director whose worker does what `work` says, once for each time that a task is begun. */
function director(work: (host: TaskHost, signal: AbortSignal, given: readonly string[]) => Promise<TaskEnd>) {
  const stack = new TaskStack({now: () => 0, digits: () => 'aaaaaa'});
  const events: StackRunEvent[] = [];
  const hooks: string[] = [];
  const stopping = new AbortController();
  let look: (() => void) | undefined;
  return {
    stack,
    events,
    hooks,
    stopping,
    /** The director looks at what others have changed. */
    look: () => look?.(),
    layer(descriptions: readonly string[], postHook = '') {
      const task_ids = descriptions.map(
        overall_description =>
          stack.createTask({description: {overall_description, input: {}, requirements: [], additional_notes: ''}}).id,
      );
      const post_hook = postHook === '' ? null : {type: 'command', command: postHook};
      stack.insertLayer({insert_layer_index: stack.layers().length, task_ids, post_hook});
      return task_ids;
    },
    run: (options = all) =>
      directStack(
        {
          perform: change => change(stack),
          read: question => question(stack),
          worker: {
            begin(_, host, signal) {
              const given: string[] = [];
              return {
                steer(message) {
                  given.push(message.content);
                  host.read(message.id);
                },
                finished: Promise.resolve().then(() => work(host, signal, given)),
              };
            },
            async runHook(hook) {
              hooks.push(hook.kind === 'command' ? hook.command : hook.prompt);
              return {kind: 'done'};
            },
          },
          watch(listener) {
            look = listener;
            return () => {};
          },
          newSession: () => 'session-1',
          observe: event => events.push(event),
        },
        options,
        stopping.signal,
      ),
  };
}

test('a task that the user cancels while it runs is stopped, stays cancelled, and the next one begins', async () => {
  let begun = 0;
  const run = director(async (_, signal) => {
    begun += 1;
    if (begun > 1) return completed;
    run.stack.changeTask(first, {status: 'CANCELLED'});
    run.look();
    return signal.aborted ? {kind: 'interrupted'} : completed;
  });
  const [first = expect.fail(), second = expect.fail()] = run.layer(['one', 'two']);
  expect(await run.run()).toEqual({kind: 'done'});
  expect(run.stack.tasks().map(({status, results}) => [status, results])).toEqual([
    ['CANCELLED', null],
    ['COMPLETED', {answer: 'Done.'}],
  ]);
  expect(run.events).toEqual([
    {type: 'run_started'},
    {type: 'task_started', task_id: first, session_id: 'session-1', description: 'one', resumed: false},
    {type: 'task_finished', task_id: first, status: 'CANCELLED', reason: ''},
    {type: 'task_started', task_id: second, session_id: 'session-1', description: 'two', resumed: false},
    {type: 'task_finished', task_id: second, status: 'COMPLETED', reason: ''},
  ]);
});

test('a task that was stopped stays under way, keeps its session and what it noted, and is taken up again', async () => {
  const run = director(async (host, signal) => {
    host.text('I have begun.');
    host.progress({harness: 'own'});
    run.stopping.abort();
    return signal.aborted ? {kind: 'interrupted'} : completed;
  });
  run.layer(['one']);
  expect(await run.run()).toEqual({kind: 'stopped'});
  expect(run.stack.tasks()).toMatchObject([
    {status: 'IN_PROGRESS', progress: {session_id: 'session-1', text: 'I have begun.', harness: 'own'}, results: null},
  ]);
  expect(run.stack.next()).toMatchObject({task: {status: 'IN_PROGRESS'}});
});

test('what was said to a task before and while it runs reaches it once and is read; messages to others are left', async () => {
  const heard: string[] = [];
  const run = director(async (_host, _signal, given) => {
    run.stack.createMessage({content: 'while', sender_type: 'user', task_id: first});
    run.look();
    run.look();
    heard.push(...given);
    return completed;
  });
  const [first = expect.fail()] = run.layer(['one']);
  run.stack.createMessage({content: 'before', sender_type: 'user', task_id: first});
  run.stack.createMessage({content: 'to nobody', sender_type: 'user', task_id: null});
  run.stack.createMessage({content: 'from another', sender_type: 'subagent', task_id: first});
  await run.run();
  expect(heard).toEqual(['before', 'while']);
  expect(run.stack.messages().map(({content, director_read_status: read}) => [content, read])).toEqual([
    ['before', 'READ'],
    ['to nobody', 'UNREAD'],
    ['from another', 'UNREAD'],
    ['while', 'READ'],
    ['Done.', 'UNREAD'],
  ]);
});

test('the last hook runs once; what is added later is gone on with', async () => {
  const run = director(async () => completed);
  run.layer(['one'], 'first hook');
  expect([await run.run(), await run.run()]).toEqual([{kind: 'done'}, {kind: 'done'}]);
  expect([run.hooks, run.stack.next()]).toEqual([['first hook'], 'none']);
  run.layer(['two'], 'second hook');
  await run.run({afterFailure: 'stop', positions: 'one'});
  expect(run.hooks).toEqual(['first hook']);
  await run.run();
  expect(run.hooks).toEqual(['first hook', 'second hook']);
  expect(run.stack.tasks().map(({status}) => status)).toEqual(['COMPLETED', 'COMPLETED']);
  // Going back with the pointer opens the hook again.
  run.stack.setPointer({layer_index: 1, task_index: 0, is_executing_pre_hook: false, is_executing_post_hook: true});
  await run.run();
  expect(run.hooks).toEqual(['first hook', 'second hook', 'second hook']);
});

test.each([
  [{kind: 'out-of-bounds', reason: 'it cost too much'}],
  [{kind: 'not-begun', reason: 'there is no program'}],
] as const)('%o ends the run and leaves the task under way', async end => {
  const run = director(async () => end);
  run.layer(['one', 'two']);
  expect(await run.run({afterFailure: 'go-on', positions: 'all'})).toEqual(end);
  expect(run.stack.tasks().map(({status}) => status)).toEqual(['IN_PROGRESS', 'PENDING']);
});
