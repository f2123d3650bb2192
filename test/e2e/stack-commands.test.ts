import {expect, test} from 'vitest';
import {runWeft, TempPlace} from '../support/run-weft.ts';

test('weft stack: tasks are created, placed, done, and pointed at', {tags: 'long'}, async () => {
  using place = new TempPlace();
  const stack = async (...args: readonly string[]) => {
    const {code, stdout, stderr} = await runWeft(['stack', ...args], {place});
    return {code, stdout, stderr};
  };
  expect(await stack('list')).toMatchObject({code: 0, stdout: '', stderr: expect.stringContaining('no tasks')});
  const one = (await stack('create', 'Write', 'tests', '--new-layer')).stdout.trim();
  expect(one).toMatch(/^task_1_[0-9a-f]{6}$/u);
  const two = JSON.parse((await stack('create', 'Read them', '--layer', '0', '--json')).stdout);
  expect(two).toMatchObject({status: 'PENDING', description: {overall_description: 'Read them'}});
  expect((await stack('next')).stdout).toBe(`layer 0: ${one}  pending  Write tests\n`);
  expect((await stack('advance')).stdout).toBe('layer 0, task 0\n');
  expect(await stack('status', one, 'completed')).toEqual({code: 0, stdout: '', stderr: ''});
  expect((await stack('message', 'Go on', '--task', two.id)).stdout).toMatch(/^msg_1_[0-9a-f]{6}\n$/u);
  expect((await stack('messages')).stdout).toBe(`user on ${two.id}: Go on\n`);
  expect((await stack('list')).stdout).toBe(
    `Layer 0\n  → ${one}  completed  Write tests\n    ${two.id}  pending  Read them\n`,
  );
  // Nothing of a command that is refused remains.
  expect(await stack('create', 'Nowhere', '--layer', '7')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'weft: Layer not found.\n',
  });
  expect(JSON.parse((await stack('list', '--json')).stdout).tasks).toHaveLength(2);
  expect((await stack('status', one, 'done')).code).toBe(2);
});
