// @module-tag long
import {join} from 'node:path';
import {beforeEach, describe, expect, test} from 'vitest';
import {call, hang, say, until} from '../support/model-script.ts';
import {needs} from '../support/programs.ts';
import {finish, weftBin} from '../support/run-weft.ts';
import {fileComes, openScene, processGone, toldPrompt, toldResults, type Scene} from '../support/scene.ts';
import {jsonLines, kindsOf, resultOf} from './support/messages.ts';

/** Leaves a child in the background and one in a session of its own, says who they are, and waits for ever. */
const lingering =
  'sleep 1000 & setsid sleep 1000 & echo "$! $(jobs -p | tr "\\n" " ") $$" >pids.part; mv pids.part pids; wait';

const pidsOf = async (scene: Scene): Promise<readonly number[]> => {
  const text = await fileComes(join(scene.place.work, 'pids'));
  return text.split(/\s+/u).map(Number);
};

describe('a signal while a command runs: its processes are gone, the session is kept', () => {
  beforeEach(needs('setsid'));

  const cases = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const;
  test.each(cases)('%s: exit code %i', async (signal, code) => {
    await using scene = await openScene([call('Bash', {command: lingering}), say('Resumed.')]);
    const child = scene.start(['--prompt', 'x', '--permission-mode', 'bypassPermissions']);
    const finished = finish(child);
    const pids = await pidsOf(scene);
    child.kill(signal);
    expect(await finished).toEqual({code, signal: null, stdout: '', stderr: ''});
    for (const pid of pids) await processGone(pid);

    expect((await scene.run(['--continue', '--prompt', 'Go on.'])).stdout).toBe('Resumed.\n');
    expect(scene.server.requests[1]?.body.messages).toHaveLength(4);
  });

  // Long enough for weft and the command to have started on a busy machine.
  test('the time limit ends them as well', async () => {
    await using scene = await openScene([call('Bash', {command: lingering})]);
    const finished = scene.run(['--prompt', 'x', '--permission-mode', 'bypassPermissions', '--timeout', '8']);
    const pids = await pidsOf(scene);
    expect((await finished).code).toBe(124);
    for (const pid of pids) await processGone(pid);
  });

  test("a command's own time limit: the model is told, the run goes on", async () => {
    await using scene = await openScene([call('Bash', {command: lingering, timeout: 2500}), say('Too slow.')]);
    const {code, stdout} = await scene.run(['--prompt', 'x', '--permission-mode', 'bypassPermissions']);
    expect([code, stdout]).toEqual([0, 'Too slow.\n']);
    expect(toldResults(scene.server.requests[1])).toEqual([expect.stringMatching(/^\[timed out and was ended after/u)]);
    for (const pid of await pidsOf(scene)) await processGone(pid);
  });
});

describe('a signal while the model answers', () => {
  test('SIGINT: the request is dropped, the result says so', {tags: 'smoke'}, async () => {
    await using scene = await openScene([[say('Half of'), until(new Promise(() => {}))]]);
    const child = scene.start(['--prompt', 'x', '--output-format', 'stream-json', '--include-partial-messages']);
    const finished = finish(child);
    const spoken = new Promise<void>(resolve => {
      child.stdout.on('data', (chunk: Buffer) => void (chunk.includes('text_delta') && resolve()));
    });
    await spoken;
    child.kill('SIGINT');
    const {code, stdout} = await finished;
    expect(code).toBe(130);
    expect(resultOf(stdout)).toMatchObject({subtype: 'error_during_execution', terminal_reason: 'aborted_streaming'});
    await scene.server.disconnected();
  });

  test('SIGTERM while nothing has come', {tags: 'smoke'}, async () => {
    await using scene = await openScene([hang()]);
    const child = scene.start(['--prompt', 'x']);
    const finished = finish(child);
    await scene.server.received(1);
    child.kill('SIGTERM');
    expect(await finished).toEqual({code: 143, signal: null, stdout: '', stderr: ''});
  });
});

describe('a signal that was ignored when weft started stays ignored', () => {
  const prompt = JSON.stringify({type: 'user', message: {role: 'user', content: 'x'}});
  test.each([
    ['HUP', 'weft --prompt x', 'Done.\n'],
    ['INT', 'weft --prompt x', 'Done.\n'],
    ['HUP', `weft --input-format stream-json --output-format stream-json <<<'${prompt}'`, /"result":"Done\."/u],
  ])('SIG%s: %s', async (signal, command, answer) => {
    const gate = Promise.withResolvers<void>();
    await using scene = await openScene([[until(gate.promise), say('Done.')]]);
    const launched = command.replace('weft', `echo $BASHPID >pid; exec '${weftBin}'`);
    const finished = scene.shell(`trap '' ${signal}; ( ${launched} )`);
    await scene.server.received(1);
    process.kill(Number(await fileComes(join(scene.place.work, 'pid'))), `SIG${signal}`);
    gate.resolve();
    const {code, stdout} = await finished;
    expect([code, stdout]).toEqual([0, expect.stringMatching(answer)]);
  });
});

describe('stdout that is closed is no failure', () => {
  test('| head -1 of a run that would go on: it ends, and is kept', async () => {
    const dots = call('Bash', {command: 'for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.1; done'});
    await using scene = await openScene(request =>
      toldPrompt(request) === 'Go on.' ? say('Resumed.') : [say('I look.'), dots],
    );
    const {stdout, stderr} = await scene.shell(
      `weft --prompt x --output-format stream-json --permission-mode bypassPermissions | head -1; echo "\${PIPESTATUS[*]}"`,
    );
    const [first = '', ...rest] = stdout.split('\n');
    expect([kindsOf(first), rest, stderr]).toEqual([['system/init'], ['0 0', ''], '']);
    expect((await scene.run(['--continue', '--prompt', 'Go on.'])).stdout).toBe('Resumed.\n');
  });

  test('a long answer that nobody reads to its end', async () => {
    await using scene = await openScene([say('word '.repeat(200_000))]);
    const {stdout, stderr} = await scene.shell(`weft --prompt x | head -c 4; echo " \${PIPESTATUS[*]}"`);
    expect([stdout, stderr]).toEqual(['word 0 0\n', '']);
  });

  test('stdout closed from the start', async () => {
    await using scene = await openScene([say('Unheard.')]);
    const {code, stderr} = await scene.shell('weft --prompt x | true; exit "${PIPESTATUS[0]}"');
    expect([code, stderr]).toEqual([0, '']);
  });
});

test('lines are whole when a reader is slow', async () => {
  await using scene = await openScene([say('word '.repeat(50_000))]);
  const {stdout} = await scene.shell(
    'weft --prompt x --output-format stream-json --include-partial-messages | (sleep 0.3; cat)',
  );
  expect(jsonLines(stdout).at(-1)?.['type']).toBe('result');
});
