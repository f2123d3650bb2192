import {expect, test} from 'vitest';
import {ok} from '../../../../src/base/outcome.ts';
import type {Begin} from '../../../../src/workspace/sandbox/launch.ts';
import {
  openPipes,
  openPty,
  type SourceRequest,
  redirectErrors,
} from '../../../../src/workspace/terminals/block-source.ts';

/** What starts that shell command, outside of any sandbox. */
function requestOf(command: string, program = '/bin/sh'): SourceRequest {
  const start = {program, args: ['-c', command], environment: {PATH: process.env['PATH'] ?? ''}};
  const begin: Begin = async spawn => {
    const attempt = await spawn(start);
    return attempt.tag === 'ok' ? ok(attempt.value.started) : attempt;
  };
  return {begin, directory: '/', size: {columns: 80, rows: 24}};
}

test('without a terminal a command is written to and read through pipes, both streams in order', async () => {
  const command = redirectErrors('echo out; echo err >&2; read x; echo "got $x"; exit 4');
  const opened = await openPipes(requestOf(command));
  if (opened.tag === 'failed') throw new Error(opened.error);
  const source = opened.value;
  let text = '';
  source.onData(bytes => (text += Buffer.from(bytes).toString()));
  expect([source.terminal, source.write('Ada\n')]).toEqual(['pipes', 'written']);
  expect(await source.ended).toEqual({kind: 'exited', code: 4});
  expect(text).toBe('out\nerr\ngot Ada\n');
  source.close();
  expect(source.write('more')).toBe('closed');
});

test('what cannot start says why', async () => {
  expect(await openPipes(requestOf('true', '/nowhere/sh'))).toMatchObject({tag: 'failed'});
});

/** The system gives its name to the next terminal that anybody opens, and what runs there is nothing of weft's. */
test.runIf(process.platform === 'linux')(
  'a closed terminal has no name from the moment on in which it is closed',
  async () => {
    const opened = await openPty(requestOf('echo up; exec sleep 60'));
    if (opened.tag === 'failed') throw new Error(opened.error);
    const source = opened.value;
    // Until the shell runs it is the library's own code that finds the terminal gone.
    await new Promise<void>(resolve => source.onData(() => resolve()));
    expect(source.output).toMatch(/^\/dev\/pts\/\d+$/u);
    source.close();
    expect(source.output).toBe('');
    expect(await source.ended).toEqual({kind: 'signalled', signal: 'SIGHUP'});
  },
);
