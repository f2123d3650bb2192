// @module-tag long
import {expect, test} from 'vitest';
import {jsonIn, seedText} from '../support/seeds.ts';
import {WeftServer} from '../support/weft-server.ts';

interface SeedRoute {
  readonly status: number;
  readonly refusals: readonly number[];
  readonly bodies: readonly unknown[];
  readonly answers: readonly unknown[];
}

const examples = (text: string): readonly unknown[] =>
  [...text.matchAll(/^```json\n(.*?)^```/gmsu)].flatMap(([, code = '']) => jsonIn(code));

/** The routes of `task-stack-api.md` with their examples and the status of success. */
const routes = new Map(
  seedText('task-stack-api')
    .split(/^(?=\*\*(?:GET|POST|PUT|DELETE)\*\*)/mu)
    .slice(1)
    .map((section): [string, SeedRoute] => {
      const [, method = '', path = ''] = /^\*\*(\w+)\*\* `(.*?)`/u.exec(section) ?? [];
      const [before = '', rest = ''] = section.split('**响应：**');
      const [after = ''] = rest.split('## ');
      const status = Number(/^- `(2\d\d)`/mu.exec(after)?.[1]);
      const refusals = [...after.matchAll(/^- `(4\d\d)`/gmu)].map(([, code]) => Number(code));
      return [`${method} ${path}`, {status, refusals, bodies: examples(before), answers: examples(after)}];
    }),
);

/** The example with the ids of this run. */
const withIds = (example: unknown, ids: Readonly<Record<string, string>>): unknown =>
  JSON.parse(JSON.stringify(example), (_key, value) => (typeof value === 'string' ? (ids[value] ?? value) : value));

/** What an answer has to be for an example: ids and times of its own, more fields where the example says `...`. */
function matcherOf(example: unknown): unknown {
  if (typeof example === 'string') {
    if (/^\d{4}-\d\d-\d\dT/u.test(example)) return expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/u);
    if (/^(?:task|msg)_\d+_\w+$/u.test(example))
      return expect.stringMatching(new RegExp(`^${example.split('_')[0]}_`, 'u'));
    return example;
  }
  if (Array.isArray(example))
    return example.length === 0 ? expect.any(Array) : expect.arrayContaining(example.map(matcherOf));
  if (typeof example !== 'object' || example === null) return example;
  if ('...' in example) return expect.anything();
  return expect.objectContaining(
    Object.fromEntries(
      Object.entries(example).map(([key, value]) => [key, key === 'error' ? expect.any(String) : matcherOf(value)]),
    ),
  );
}

test('every route of the task stack answers as its example', {tags: 'smoke'}, async () => {
  await using server = await WeftServer.start({args: ['--seed-clients']});
  const asked = new Set<string>();
  let ids: Record<string, string> = {};
  const run = async (
    name: string,
    {
      query = '',
      body = 0,
      change = (given: object) => given,
      answer = 0,
    }: {
      readonly query?: string;
      readonly body?: number;
      readonly change?: (given: object) => object;
      readonly answer?: number;
    } = {},
    // oxlint-disable-next-line typescript/no-explicit-any -- answers of all shapes
  ): Promise<any> => {
    asked.add(name);
    const route = routes.get(name);
    const [method = '', path = ''] = name.split(' ');
    const real = path
      .replace('<msg_id>', ids['msg_1_abc123'] ?? '')
      .replace('<task_id>', ids['task_1_abc123'] ?? '')
      .replace('<layer_index>', '0');
    const example = route?.bodies[body];
    const sent = example === undefined ? undefined : change(Object(withIds(example, ids)));
    const got = await server.ask(method, real + query, sent === undefined ? {} : {body: sent});
    expect([name, got.status]).toEqual([name, route?.status]);
    expect({[name]: got.body}).toEqual({[name]: matcherOf(withIds(route?.answers[answer], ids))});
    return got.body;
  };
  const newTask = async (): Promise<string> => (await run('POST /api/tasks/create')).id;
  const name = async (...names: readonly string[]): Promise<void> => {
    for (const each of names) ids = {...ids, [each]: await newTask()};
  };

  await run('GET /health');
  await run('GET /api/task-stack/next', {answer: 1});
  await run('GET /api/execution-pointer/get', {answer: 1});

  await name('task_1', 'task_1_abc123');
  await run('POST /api/messages/create');
  const {task_1: _named, ...unnamed} = ids;
  ids = {
    ...unnamed,
    msg_1_abc123: (await server.ask('POST', '/api/messages/create', {body: {content: '消息内容'}})).body.id,
  };
  await run('GET /api/messages/<msg_id>');
  await run('GET /api/messages/<msg_id>/check');
  await run('GET /api/messages/list');
  await run('GET /api/messages/unread', {query: '?sender_type=user&check_director_read=true'});
  await run('GET /api/messages/unread', {query: '?check_user_read=true'});
  await run('PUT /api/messages/<msg_id>/read-status');

  await run('GET /api/tasks/<task_id>');
  await run('GET /api/tasks/list');
  const description = {overall_description: '任务描述'};
  await run('PUT /api/tasks/<task_id>', {change: given => ({...given, description})});
  await run('PUT /api/tasks/<task_id>/status');
  const {msg_1_abc123: _message, ...tasks} = ids;
  ids = tasks;
  await run('POST /api/tasks/<task_id>/messages');
  await run('DELETE /api/tasks/<task_id>');

  await run('POST /api/layers/create');
  await run('GET /api/layers/list');
  await run('GET /api/layers/<layer_index>');
  await run('PUT /api/layers/<layer_index>/hooks');
  await name('task_1_abc123', 'task_2_def456');
  await run('POST /api/layers/<layer_index>/tasks');
  await run('POST /api/layers/<layer_index>/tasks/replace');
  ids = {...ids, task_1_abc123: ids['task_2_def456'] ?? ''};
  await run('DELETE /api/layers/<layer_index>/tasks/<task_id>');

  const modify = 'POST /api/task-stack/modify';
  const operations = Object(routes.get(modify)?.bodies[0]).operations;
  expect(operations.map(({type}: {type: string}) => type)).toEqual([
    'create_tasks',
    'create_layers',
    'add_tasks_to_layers',
    'remove_tasks_from_layers',
    'replace_tasks_in_layers',
    'update_layer_hooks',
  ]);
  const [tasksOf, layersOf, adds] = operations;
  const [task] = tasksOf.params.tasks;
  const [layer] = layersOf.params.layers;
  ids = {};
  await run(modify, {
    change: () => ({
      operations: [
        {...tasksOf, params: {tasks: [task, task]}},
        {...layersOf, params: {layers: [layer, {...layer, layer_index: 1}]}},
      ],
    }),
  });
  await run(modify, {answer: 1, change: () => ({atomic: false, operations: [tasksOf, adds]})});
  await name('task_1_abc123', 'task_2_def456');
  const added = async (): Promise<void> => {
    expect((await server.ask('POST', modify.slice(5), {body: withIds({operations: [adds]}, ids)})).body.success).toBe(
      true,
    );
  };
  for (const operation of operations.slice(2)) {
    if (operation.type === 'replace_tasks_in_layers') await added();
    const got = await server.ask('POST', modify.slice(5), {body: withIds({operations: [operation]}, ids)});
    expect([operation.type, got.status, got.body]).toMatchObject([operation.type, 200, {success: true}]);
  }

  await name('task_1_abc123', 'task_2_def456');
  await added();
  expect((await server.ask('POST', '/api/layers/0/tasks', {body: {task_id: ids['task_2_def456']}})).status).toBe(200);
  await run('PUT /api/execution-pointer/set');
  await run('GET /api/execution-pointer/get');
  await run('GET /api/task-stack/next');
  await run('POST /api/execution-pointer/advance');
  await run('GET /api/task-stack');
  await name('task_1_abc123', 'task_2_def456');
  await run('POST /api/task-stack/insert-layer');
  const empty = await server.ask('POST', '/api/task-stack/insert-layer', {
    body: routes.get('POST /api/task-stack/insert-layer')?.bodies[1],
  });
  expect([empty.status, empty.body]).toMatchObject([201, {layer_index: 3, tasks: []}]);

  expect([...routes.keys()].filter(route => !asked.has(route))).toEqual([]);
});

/** The body without the fields that the seed leaves out. */
const whole = (example: unknown): object =>
  Object.fromEntries(Object.entries(Object(example)).filter(([, value]) => JSON.stringify(value) !== '{"...":true}'));

test('every route refuses with the codes of the seed, and an error in words', async () => {
  await using server = await WeftServer.start();
  const refused = async (name: string, status: number, body: unknown, query = ''): Promise<void> => {
    const [method = '', path = ''] = name.split(' ');
    const unknown = path.replace('<msg_id>', 'msg_9_x').replace('<task_id>', 'task_9_x').replace('<layer_index>', '9');
    const got = await server.ask(method, unknown + query, body === undefined ? {} : {body});
    expect([name, got.status, got.body]).toEqual([name, status, {error: expect.any(String)}]);
  };
  let count = 0;
  for (const [name, {refusals, bodies}] of routes) {
    for (const status of refusals) {
      count += 1;
      if (status === 404) await refused(name, 404, bodies[0] === undefined ? undefined : whole(bodies[0]));
      else if (bodies[0] === undefined) await refused(name, 400, undefined, '?sender_type=nobody');
      else await refused(name, 400, []);
    }
  }
  expect(count).toBe(28);
});
