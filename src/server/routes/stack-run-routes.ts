import * as z from 'zod/mini';
import {taskStatuses} from '../../tasks/stack/stack-records.ts';
import {schemaNotes} from '../../tasks/stack/stack-records.ts';
import {json, refuse, route, type Route} from '../route.ts';
import type {StackRuns} from '../../jobs/stack-runs.ts';

const runRequest = z.object({
  keep_going: z.prefault(z.boolean(), false),
  once: z.prefault(z.boolean(), false),
  harness: z.prefault(z.string().check(z.minLength(1)), 'weft'),
});

const runState = z.object({state: z.enum(['running', 'stopped'])});

const stackRunEvent = z.object({
  type: z.enum([
    'run_started',
    'task_started',
    'text',
    'tool_use',
    'message_sent',
    'message_read',
    'task_finished',
    'hook_started',
    'hook_finished',
    'run_finished',
  ]),
  task_id: z.optional(z.string()),
  session_id: z.optional(z.string()),
  description: z.optional(z.string()),
  resumed: z.optional(z.boolean()),
  content: z.optional(z.string()),
  title: z.optional(z.string()),
  message_id: z.optional(z.string()),
  status: z.optional(z.enum(taskStatuses)),
  layer_index: z.optional(z.int()),
  hook: z.optional(z.enum(['pre_hook', 'post_hook'])),
  state: z.optional(z.enum(['done', 'passed-over', 'failed', 'refused', 'interrupted'])),
  outcome: z.optional(
    z.enum(['done', 'task-failed', 'hook-failed', 'hook-refused', 'out-of-bounds', 'not-begun', 'stopped']),
  ),
  reason: z.optional(z.string()),
});
schemaNotes.add(stackRunEvent, {id: 'StackRunEvent'});

/** The routes that run the task stack, like `weft stack run`. */
export const stackRunRoutes = (runs: StackRuns): readonly Route[] => [
  route('post', '/api/task-stack/run', {
    tag: 'stack',
    id: 'runTaskStack',
    summary: 'Run the tasks in order, starting at the pointer',
    body: runRequest,
    bodyIs: 'optional',
    answer: [202, 'The stack is running', runState],
    errors: {409: "The stack is already running, or it can't run"},
    async handle({body: {keep_going, once, harness}}) {
      const started = await runs.start(harness, {
        afterFailure: keep_going ? 'go-on' : 'stop',
        positions: once ? 'one' : 'all',
      });
      return started.tag === 'ok' ? json(202, {state: 'running'}) : refuse(409, started.error);
    },
  }),
  route('get', '/api/task-stack/run', {
    tag: 'stack',
    id: 'followTaskStack',
    summary: 'Follow the runs of the task stack, after Last-Event-ID if given',
    answer: [200, 'The events of the runs, including those of the current run', stackRunEvent],
    answerIs: 'events',
    handle: async ({lastEventId}) => ({
      kind: 'events',
      stream: runs.stream,
      after: lastEventId === 0 ? await runs.begin() : lastEventId,
    }),
  }),
  route('post', '/api/task-stack/run/stop', {
    tag: 'stack',
    id: 'stopTaskStack',
    summary: 'Stop the run; its task stays IN_PROGRESS',
    answer: [200, 'Nothing is running', runState],
    async handle() {
      await runs.stop();
      return json(200, {state: 'stopped'});
    },
  }),
];
