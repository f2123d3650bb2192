// @module-tag long
import {afterAll, beforeEach, beforeAll, expect, test} from 'vitest';
import {WeftServer, type Answered} from '../support/weft-server.ts';

/** One server for all tests of this file; each begins with the layers that the ones before it left behind the pointer. */
let server: WeftServer;
beforeAll(async () => {
  server = await WeftServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

const get = (path: string): Promise<Answered> => server.ask('GET', path);
const post = (path: string, body?: unknown): Promise<Answered> => server.ask('POST', path, {body});
const put = (path: string, body: unknown): Promise<Answered> => server.ask('PUT', path, {body});
const remove = (path: string): Promise<Answered> => server.ask('DELETE', path);

const describe = (text: string) => ({description: {overall_description: text}});
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/u);
const error = {error: expect.any(String)};

const newTask = async (text = 'a task'): Promise<string> => (await post('/api/tasks/create', describe(text))).body.id;
const newLayer = async (body: object = {}): Promise<number> =>
  (await post('/api/layers/create', body)).body.layer_index;

/** Each test has layers of its own at the end of the stack: `base` is the index of the first. */
let base = 0;
beforeEach(async () => {
  base = (await get('/api/task-stack')).body.length;
});

test('messages: create, get, list, unread, read status, check', async () => {
  const made = await post('/api/messages/create', {content: 'hello', extra: 1});
  const message = {
    id: expect.stringMatching(/^msg_\d+_[0-9a-f]{6}$/u),
    content: 'hello',
    timestamp: time,
    user_id: 'user',
    sender_type: 'user',
    director_read_status: 'UNREAD',
    user_read_status: 'UNREAD',
    task_id: null,
  };
  expect([made.status, made.body]).toEqual([201, message]);
  const path = `/api/messages/${made.body.id}`;
  expect((await get(path)).body).toEqual(made.body);
  expect((await get('/api/messages/list')).body).toContainEqual(made.body);
  const director = await post('/api/messages/create', {
    content: 'x',
    sender_type: 'DIRECTOR',
    task_id: await newTask(),
  });
  expect(director.body.sender_type).toBe('director');
  const unread = async (query: string): Promise<string[]> =>
    (await get(`/api/messages/unread${query}`)).body.map(({id}: {id: string}) => id);
  expect(await unread('?sender_type=DIRECTOR')).toEqual([director.body.id]);
  const read = await put(`${path}/read-status`, {director_read_status: 'READ'});
  expect([read.status, read.body]).toEqual([200, {...made.body, director_read_status: 'READ'}]);
  expect(await unread('')).toEqual([director.body.id]);
  expect(await unread('?check_user_read=true')).toEqual([made.body.id, director.body.id]);
  expect(await unread('?check_director_read=true&check_user_read=true')).toEqual([made.body.id, director.body.id]);
  expect(await unread('?check_director_read=false')).toEqual([]);
  expect(await unread('?check_user_read=false')).toEqual([]);
  const check = await get(`/api/messages/${director.body.id}/check`);
  expect([check.status, check.body]).toEqual([
    200,
    {message: director.body, is_new_task: true, data_structure: director.body},
  ]);
  expect((await get(`${path}/check`)).body.is_new_task).toBe(false);
  const misfits = [{}, {content: 5}, {content: 'x', sender_type: 'nobody'}, {content: 'x', task_id: 'task_9_none'}];
  for (const body of misfits) expect((await post('/api/messages/create', body)).status).toBe(400);
  for (const query of ['?sender_type=x', '?check_user_read=maybe'])
    expect((await get(`/api/messages/unread${query}`)).status).toBe(400);
  expect((await put(`${path}/read-status`, {user_read_status: 'SEEN'})).status).toBe(400);
  for (const unknown of ['/api/messages/msg_0_x', '/api/messages/msg_0_x/check', '/api/messages/create/check'])
    expect((await get(unknown)).body).toEqual(error);
  expect((await put('/api/messages/msg_0_x/read-status', {})).status).toBe(404);
});

test('tasks: create, get, list, change, status, messages, delete', {tags: 'smoke'}, async () => {
  const made = await post('/api/tasks/create', {description: {overall_description: 'a', more: 1}});
  expect([made.status, made.body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^task_\d+_[0-9a-f]{6}$/u),
      description: {overall_description: 'a', input: {}, requirements: [], additional_notes: ''},
      status: 'PENDING',
      progress: {},
      results: null,
      created_at: time,
      updated_at: time,
    },
  ]);
  const path = `/api/tasks/${made.body.id}`;
  expect((await get(path)).body).toEqual(made.body);
  expect((await get('/api/tasks/list')).body).toContainEqual(made.body);
  expect((await put(path, {})).body).toEqual(made.body);
  const full = {overall_description: 'b', input: {a: [1]}, requirements: ['r', 2], additional_notes: 'n'};
  const changed = await put(path, {description: full, status: 'IN_PROGRESS', progress: {a: 1}, results: {b: 2}});
  expect([changed.status, changed.body]).toEqual([
    200,
    {...made.body, description: full, status: 'IN_PROGRESS', progress: {a: 1}, results: {b: 2}, updated_at: time},
  ]);
  expect((await put(path, {progress: {c: 3}})).body).toMatchObject({progress: {c: 3}, results: {b: 2}});
  expect((await put(`${path}/status`, {status: 'PENDING'})).body.status).toBe('PENDING');
  expect((await put(`${path}/status`, {status: 'COMPLETED'})).body.status).toBe('COMPLETED');
  for (const body of [{status: 'COMPLETED'}, {status: 'PENDING'}, {description: full}])
    expect([body, (await put(path, body)).status]).toEqual([body, 400]);
  expect((await put(path, {results: {done: true}})).body.results).toEqual({done: true});
  const pushed = await post(`${path}/messages`, {content: 'news', sender_type: 'subagent', task_id: 'task_0_other'});
  expect([pushed.status, pushed.body]).toMatchObject([201, {task_id: made.body.id, sender_type: 'subagent'}]);
  const deleted = await remove(path);
  expect([deleted.status, deleted.body]).toEqual([200, {message: 'Task deleted successfully'}]);
  expect((await get(`/api/messages/${pushed.body.id}`)).body.task_id).toBe(made.body.id);
  const missing = [
    get(path),
    put(path, {}),
    put(`${path}/status`, {status: 'FAILED'}),
    remove(path),
    post(`${path}/messages`, {content: 'x'}),
    get('/api/tasks/unread'),
  ];
  for (const {status, body} of await Promise.all(missing)) expect([status, body]).toEqual([404, error]);
  for (const body of [{}, {description: {}}, {description: {overall_description: 'x', input: []}}])
    expect((await post('/api/tasks/create', body)).status).toBe(400);
  const misfits = [{status: 'DONE'}, {progress: []}, {description: {}}, {results: 'x'}];
  for (const body of misfits) expect((await put(`/api/tasks/${await newTask()}`, body)).status).toBe(400);
});

test('tasks and messages are listed in pages', async () => {
  for (const [kind, body] of [
    ['tasks', {description: {overall_description: 'page'}}],
    ['messages', {content: 'page', sender_type: 'user'}],
  ] as const) {
    for (const _ of [1, 2, 3]) expect((await post(`/api/${kind}/create`, body)).status).toBe(201);
    const list = `/api/${kind}/list`;
    const all = (await get(list)).body.map((each: {readonly id: string}) => each.id);
    const pages: string[] = [];
    for (let query = '?limit=2'; query !== '';) {
      const page = (await get(`${list}${query}`)).body.map((each: {readonly id: string}) => each.id);
      expect(page.length).toBeLessThanOrEqual(2);
      pages.push(...page);
      query = page.length < 2 ? '' : `?limit=2&after=${page.at(-1)}`;
    }
    expect(pages).toEqual(all);
    expect((await get(`${list}?after=${all.at(-2)}`)).body).toHaveLength(1);
    expect((await get(`${list}?after=gone_1`)).status).toBe(404);
    for (const limit of ['0', '-1', 'x', '1.5']) expect((await get(`${list}?limit=${limit}`)).status).toBe(400);
  }
});

test('layers: create, get, hooks, add, remove, replace', async () => {
  const hook = {type: 'command', command: 'true'};
  const made = await post('/api/layers/create', {pre_hook: hook});
  const layer = {layer_index: base, tasks: [], pre_hook: hook, post_hook: null, created_at: time};
  expect([made.status, made.body]).toEqual([201, layer]);
  expect(await newLayer({layer_index: base})).toBe(base);
  const path = `/api/layers/${base + 1}`;
  expect((await get(path)).body).toEqual({...made.body, layer_index: base + 1});
  expect((await get('/api/layers/list')).body).toEqual((await get('/api/task-stack')).body);
  expect((await put(`${path}/hooks`, {})).body).toEqual({...made.body, layer_index: base + 1});
  expect((await put(`${path}/hooks`, {pre_hook: null, post_hook: hook})).body).toMatchObject({
    pre_hook: null,
    post_hook: hook,
  });
  const [one, two, three] = [await newTask(), await newTask(), await newTask()];
  expect((await post(`${path}/tasks`, {task_id: one})).body.tasks).toEqual([{task_id: one, created_at: time}]);
  const both = await post(`${path}/tasks`, {task_id: two, insert_index: 0});
  expect(both.body.tasks.map((entry: {task_id: string}) => entry.task_id)).toEqual([two, one]);
  const replaced = await post(`${path}/tasks/replace`, {old_task_id: one, new_task_id: three});
  expect([replaced.status, replaced.body.tasks.map((entry: {task_id: string}) => entry.task_id)]).toEqual([
    200,
    [two, three],
  ]);
  expect((await get(`/api/tasks/${one}`)).body.status).toBe('CANCELLED');
  const out = await remove(`${path}/tasks/${two}`);
  expect([out.status, out.body]).toEqual([200, {message: 'Task removed from layer successfully'}]);
  const codes = [
    [404, post(`${path}/tasks`, {task_id: three})],
    [404, post(`${path}/tasks`, {task_id: 'task_0_none'})],
    [404, post('/api/layers/999/tasks', {task_id: two})],
    [400, post(`${path}/tasks`, {task_id: one})],
    [400, post(`${path}/tasks`, {task_id: two, insert_index: 9})],
    [400, post(`${path}/tasks`, {task_id: two, insert_index: -1})],
    [400, post(`${path}/tasks`, {})],
    [404, remove(`${path}/tasks/${two}`)],
    [404, remove('/api/layers/999/tasks/x')],
    [404, post(`${path}/tasks/replace`, {old_task_id: three, new_task_id: three})],
    [404, post(`${path}/tasks/replace`, {old_task_id: two, new_task_id: two})],
    [400, post(`${path}/tasks/replace`, {old_task_id: three})],
    [400, post(`${path}/tasks/replace`, {old_task_id: three, new_task_id: one})],
    [404, put('/api/layers/999/hooks', {})],
    [400, put(`${path}/hooks`, {pre_hook: 'x'})],
    [404, get('/api/layers/999')],
    [404, get('/api/layers/x')],
    [400, post('/api/layers/create', {layer_index: 999})],
    [400, post('/api/layers/create', {pre_hook: []})],
  ] as const;
  for (const [index, [code, answered]] of codes.entries())
    expect([index, (await answered).status]).toEqual([index, code]);
});

test('the pointer goes through hooks and tasks, and what was executed stays as it is', async () => {
  const hook = {type: 'x'};
  const [one, two, late] = [await newTask(), await newTask(), await newTask()];
  const inserted = await post('/api/task-stack/insert-layer', {
    insert_layer_index: base,
    task_ids: [one, two],
    pre_hook: hook,
    post_hook: hook,
  });
  expect([inserted.status, inserted.body.tasks]).toMatchObject([201, [{task_id: one}, {task_id: two}]]);
  await newLayer();
  const set = await put('/api/execution-pointer/set', {layer_index: base, task_index: 7, is_executing_pre_hook: true});
  const pointer = {
    current_layer_index: base,
    current_task_index: 0,
    is_executing_pre_hook: true,
    is_executing_post_hook: false,
  };
  expect([set.status, set.body]).toEqual([200, pointer]);
  expect((await get('/api/execution-pointer/get')).body).toEqual(pointer);
  const next = await get('/api/task-stack/next');
  expect(next.body).toEqual({
    layer_index: base,
    task_index: 0,
    task_id: one,
    task: expect.objectContaining({id: one}),
    layer: inserted.body,
    is_pre_hook: true,
    is_post_hook: false,
  });
  const layer = `/api/layers/${base}`;
  expect((await put(`${layer}/hooks`, {pre_hook: null})).status).toBe(400);
  expect((await put(`${layer}/hooks`, {pre_hook: {type: 'y'}})).status).toBe(200);
  expect((await post('/api/execution-pointer/advance')).body).toEqual({...pointer, is_executing_pre_hook: false});
  await put(`/api/tasks/${one}/status`, {status: 'IN_PROGRESS'});
  expect((await put(`/api/tasks/${one}`, describe('no'))).status).toBe(400);
  expect((await remove(`/api/tasks/${one}`)).status).toBe(404);
  expect((await remove(`${layer}/tasks/${one}`)).status).toBe(404);
  expect((await post(`${layer}/tasks`, {task_id: late, insert_index: 0})).status).toBe(400);
  expect((await post(`${layer}/tasks/replace`, {old_task_id: one, new_task_id: late})).status).toBe(404);
  await put(`/api/tasks/${one}`, {status: 'COMPLETED', results: {ok: true}});
  expect((await get('/api/task-stack/next')).body).toMatchObject({task_index: 1, task_id: two});
  expect((await post('/api/execution-pointer/advance')).body.current_task_index).toBe(1);
  expect((await put(`/api/tasks/${one}`, {progress: {}})).status).toBe(400);
  const post1 = await post('/api/execution-pointer/advance');
  expect(post1.body).toEqual({
    ...pointer,
    current_task_index: 1,
    is_executing_pre_hook: false,
    is_executing_post_hook: true,
  });
  expect((await get('/api/task-stack/next')).body).toMatchObject({
    task_id: two,
    is_post_hook: true,
    is_pre_hook: false,
  });
  expect((await put(`${layer}/hooks`, {})).status).toBe(404);
  expect((await post(`${layer}/tasks`, {task_id: late})).status).toBe(404);
  const atEnd = await post('/api/execution-pointer/advance');
  expect([atEnd.status, atEnd.body]).toEqual([400, error]);
  expect((await post('/api/layers/create', {layer_index: base})).status).toBe(400);
  expect((await post('/api/task-stack/insert-layer', {insert_layer_index: base})).status).toBe(400);
  const misfits = [
    {layer_index: base},
    {layer_index: base, task_index: 9},
    {layer_index: 999, task_index: 0},
    {layer_index: base, task_index: 0, is_executing_pre_hook: true, is_executing_post_hook: true},
    {layer_index: base + 1, task_index: 0, is_executing_post_hook: true},
    {task_index: 0},
  ];
  for (const body of misfits) expect((await put('/api/execution-pointer/set', body)).status).toBe(400);
  const inserts = [
    {},
    {insert_layer_index: 999},
    {insert_layer_index: base + 1, task_ids: ['task_0_none']},
    {insert_layer_index: base + 1, task_ids: [late, late]},
    {insert_layer_index: base + 1, task_ids: [two]},
    {insert_layer_index: base + 1, task_ids: 'x'},
  ];
  for (const body of inserts) expect((await post('/api/task-stack/insert-layer', body)).status).toBe(400);
});

const modify = (operations: unknown, more: object = {}) => post('/api/task-stack/modify', {operations, ...more});

test('a batch is done as a whole, with names for the tasks that it makes', async () => {
  const old = await newTask();
  const done = await modify([
    {
      type: 'create_tasks',
      params: {tasks: [{...describe('one'), ref: 'one'}, describe('two'), {...describe('three'), ref: 'x'}]},
    },
    {type: 'create_layers', params: {layers: [{}, {layer_index: base, pre_hook: {type: 'x'}}]}},
    {
      type: 'add_tasks_to_layers',
      params: {
        additions: [
          {layer_index: base, task_id: 'ref:one'},
          {layer_index: base, task_id: old},
        ],
      },
    },
    {type: 'remove_tasks_from_layers', params: {removals: [{layer_index: base, task_id: old}]}},
    {
      type: 'replace_tasks_in_layers',
      params: {replacements: [{layer_index: base, old_task_id: 'ref:one', new_task_id: 'ref:x'}]},
    },
    {type: 'update_layer_hooks', params: {updates: [{layer_index: base, post_hook: {type: 'y'}}]}},
  ]);
  const ids = done.body.created_task_ids;
  const types = [
    'create_tasks',
    'create_layers',
    'add_tasks_to_layers',
    'remove_tasks_from_layers',
    'replace_tasks_in_layers',
    'update_layer_hooks',
  ];
  const data = [{created_task_ids: ids}, {created_layer_indices: [base + 1, base]}, {}, {}, {}, {}];
  expect([done.status, done.body]).toEqual([
    200,
    {
      success: true,
      results: types.map((type, operation_index) => ({
        operation_index,
        type,
        success: true,
        data: data[operation_index],
      })),
      errors: [],
      created_task_ids: [expect.any(String), expect.any(String), expect.any(String)],
      created_layer_indices: [base + 1, base],
    },
  ]);
  const layer = await get(`/api/layers/${base}`);
  expect(layer.body).toMatchObject({tasks: [{task_id: ids[2]}], pre_hook: {type: 'x'}, post_hook: {type: 'y'}});
});

test('of a batch that fails nothing remains, unless it is not atomic', async () => {
  const failing = [
    {type: 'create_tasks', params: {tasks: [describe('one')]}},
    {type: 'create_layers', params: {layers: [{}]}},
    {type: 'add_tasks_to_layers', params: {additions: [{layer_index: base, task_id: 'ref:none'}]}},
    {type: 'create_layers', params: {layers: [{}]}},
  ];
  const [tasks, layers] = [await get('/api/tasks/list'), await get('/api/task-stack')];
  const failed = await modify(failing);
  const {params} = failing[2] ?? {};
  expect([failed.status, failed.body]).toEqual([
    200,
    {
      success: false,
      results: [
        {operation_index: 0, type: 'create_tasks', success: true, data: expect.any(Object), rolled_back: true},
        {operation_index: 1, type: 'create_layers', success: true, data: expect.any(Object), rolled_back: true},
        {operation_index: 2, type: 'add_tasks_to_layers', success: false, error: 'Task not found'},
      ],
      errors: [{operation_index: 2, type: 'add_tasks_to_layers', error: 'Task not found', params}],
      created_task_ids: [],
      created_layer_indices: [],
    },
  ]);
  expect([(await get('/api/tasks/list')).body, (await get('/api/task-stack')).body]).toEqual([tasks.body, layers.body]);
  const partial = await modify(failing, {atomic: false});
  expect([partial.status, partial.body]).toMatchObject([
    200,
    {
      success: false,
      results: [{success: true}, {success: true}, {success: false}, {success: true}],
      errors: [{operation_index: 2}],
      created_task_ids: [expect.any(String)],
      created_layer_indices: [base, base + 1],
    },
  ]);
  const misfits = [
    [],
    'x',
    [{type: 'unknown', params: {}}],
    [{type: 'create_tasks', params: {}}],
    [{type: 'create_tasks'}],
    [...failing.slice(0, 1), {type: 'create_layers', params: {layers: 'x'}}],
    [
      {
        type: 'create_tasks',
        params: {
          tasks: [
            {...describe('a'), ref: 'r'},
            {...describe('b'), ref: 'r'},
          ],
        },
      },
    ],
  ];
  for (const operations of misfits) expect([operations, (await modify(operations)).status]).toEqual([operations, 400]);
});

test('what was answered survives kill -9', async () => {
  await using first = await WeftServer.start();
  const answered = await Promise.all(
    Array.from({length: 20}, (_, index) => first.ask('POST', '/api/tasks/create', {body: describe(`task ${index}`)})),
  );
  await first.end('SIGKILL');
  await using second = await WeftServer.start({place: first.place});
  const kept = await second.ask('GET', '/api/tasks/list');
  expect(kept.body.toSorted(byId)).toEqual(answered.map(({body}) => body).toSorted(byId));
  const empty = await second.ask('GET', '/api/execution-pointer/get');
  const none = await second.ask('GET', '/api/task-stack/next');
  expect([empty.body, none.body]).toEqual([{message: 'No execution pointer set'}, {message: 'No tasks in stack'}]);
});

const byId = (one: {id: string}, other: {id: string}): number => (one.id < other.id ? -1 : 1);
