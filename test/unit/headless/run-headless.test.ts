import {noopMcp} from '../../../src/actions/mcp-port.ts';
import {noExtras} from '../../../src/protocol/rpc/encode-events.ts';
import {describe, expect, test} from 'vitest';
import {endOf} from '../../../src/headless/prompt-summary.ts';
import {
  makeRenderer,
  runHeadless,
  type HeadlessOptions,
  type HeadlessOutput,
} from '../../../src/headless/run-headless.ts';
import {
  asks,
  aborted,
  callBlock,
  callsTools,
  engineBench,
  finishedReport,
  says,
  type Bench,
} from '../../support/memory-ports.ts';

interface Run {
  readonly exitCode: Awaited<ReturnType<typeof runHeadless>>;
  readonly stdout: string;
  readonly notes: readonly string[];
}

/** The text of the answer alone. */
const textOutput: HeadlessOutput = {
  format: 'text',
  partials: 'without',
  hooks: 'without',
  agentTexts: 'without',
  seedMessages: 'without',
};

/** Runs a prompt on the engine of a bench and keeps what it wrote. */
async function run(
  bench: Bench,
  {output = textOutput, ...given}: Partial<HeadlessOptions> & {readonly output?: HeadlessOutput} = {},
): Promise<Run> {
  const written: string[] = [];
  const notes: string[] = [];
  let count = 0;
  const uuid = (): string => `uuid-${(count += 1)}`;
  const exitCode = await runHeadless({
    engine: bench.engine,
    prompt: 'go',
    images: [],
    renderer: await makeRenderer(output, {
      uuid,
      version: '1.2.3',
      now: () => 0,
      extensions: noExtras.extensions,
      mcp: noopMcp,
      endOf,
    }),
    stdout: {
      write(text, done) {
        written.push(text);
        done();
      },
    },
    note: line => notes.push(line),
    clock: {date: () => 0, now: () => 0, after: () => () => {}},
    uuid,
    endOf,
    ...given,
  });
  return {exitCode, stdout: written.join(''), notes};
}

const bash = (id: string) => callBlock('Bash', {command: 'make'}, id);

describe('text', () => {
  test.each([
    ['Hello.', 'Hello.\n'],
    ['Hello.\n', 'Hello.\n'],
    ['One\n\nTwo\n\n\n', 'One\n\nTwo\n'],
  ])('%j is written with exactly one end of line', async (answer, stdout) => {
    expect(await run(engineBench([says(answer)]))).toEqual({exitCode: 0, stdout, notes: []});
  });

  test('only the last answer is written, not what was said between the calls', async () => {
    const bench = engineBench([callsTools({kind: 'text', text: 'Looking.'}, bash('a')), says('Done.')]);
    expect(await run(bench)).toEqual({exitCode: 0, stdout: 'Done.\n', notes: []});
  });

  test('an empty answer writes nothing and is noted', async () => {
    expect(await run(engineBench([says(''), says('')]))).toEqual({
      exitCode: 1,
      stdout: '',
      notes: [
        'The answer was empty. Asked the model again.',
        'the model ended without an answer. Try again, or use another model.',
      ],
    });
  });

  test('a failure is one line, and no half answer', async () => {
    const bench = engineBench([
      {
        events: [
          {
            event: 'failed',
            fault: {
              kind: 'provider',
              message: 'The model refused:\n  no key.',
              fix: 'Set one.',
              status: 401,
              refusal: {kind: 'other'},
            },
          },
        ],
      },
    ]);
    expect(await run(bench)).toEqual({exitCode: 1, stdout: '', notes: ['The model refused: no key. Set one.']});
  });

  test('what needed approval is named, and the exit code says so', async () => {
    const bench = engineBench([callsTools(bash('a'), bash('b')), says('I could not run it.')], {
      assess: () => asks,
      options: {interaction: 'unattended'},
    });
    expect(await run(bench)).toEqual({
      exitCode: 3,
      stdout: 'I could not run it.\n',
      notes: ['not run because it needs approval: Bash. Allow it with --allowed-tools or --permission-mode.'],
    });
  });

  test('an engine that asks all the same is answered, so that nothing waits for ever', async () => {
    const question = callBlock(
      'AskUserQuestion',
      {questions: [{question: 'Which?', header: 'Which', options: [{label: 'A'}, {label: 'B'}]}]},
      'q',
    );
    const bench = engineBench([callsTools(bash('a')), callsTools(question), says('Neither.')], {
      assess: action => (action.name === 'request-command-output' ? asks : {...asks, decision: 'allow'}),
    });
    expect(await run(bench)).toMatchObject({exitCode: 0, stdout: 'Neither.\n'});
    expect(bench.events.filter(({event}) => event === 'approval-settled')).toEqual([
      {event: 'approval-settled', id: 'a', decision: 'refused'},
    ]);
  });

  test('a limit of turns', async () => {
    const bench = engineBench([callsTools(bash('a'))], {options: {limits: {maxTurns: 1, maxCostUsd: 'unlimited'}}});
    expect(await run(bench)).toEqual({
      exitCode: 4,
      stdout: '',
      notes: ['stopped at the limit of 1 turn. Raise --max-turns to continue.'],
    });
  });

  test('an interrupt', async () => {
    const bench = engineBench([callsTools(bash('a'))], {
      shell: async (_request, _observe, signal) => {
        bench.engine.submit({op: 'interrupt'});
        await aborted(signal);
        return {...finishedReport('half'), end: {kind: 'aborted'}};
      },
    });
    expect(await run(bench)).toEqual({exitCode: 130, stdout: '', notes: []});
  });
});

describe('json', () => {
  test('is the result alone', async () => {
    const bench = engineBench([callsTools(bash('a')), says('Done.')]);
    const {exitCode, stdout, notes} = await run(bench, {
      output: {...textOutput, format: 'json', partials: 'with'},
    });
    expect({exitCode, notes}).toEqual({exitCode: 0, notes: []});
    expect(stdout.split('\n')).toHaveLength(2);
    expect(JSON.parse(stdout)).toEqual({
      type: 'result',
      provider: 'script',
      subtype: 'success',
      is_error: false,
      outcome: 'success',
      result: 'Done.',
      duration_ms: 0,
      duration_api_ms: 0,
      num_turns: 2,
      stop_reason: 'end_turn',
      session_id: '00000000-0000-4000-8000-000000000001',
      total_cost_usd: 0.02,
      usage: {
        input_tokens: 20,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 10,
        server_tool_use: {web_search_requests: 0, web_fetch_requests: 0},
        service_tier: 'standard',
        cache_creation: {ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0},
        output_tokens_details: {thinking_tokens: 0},
        inference_geo: '',
        iterations: [],
        speed: 'standard',
        fallback_credit: null,
      },
      modelUsage: {
        scripted: {
          inputTokens: 20,
          outputTokens: 10,
          cacheReadInputTokens: 0,
          cacheCreationInputTokens: 0,
          webSearchRequests: 0,
          costUSD: 0.02,
          contextWindow: 1000,
          maxOutputTokens: 0,
        },
      },
      permission_denials: [],
      checks: [],
      uuid: expect.stringMatching(/^uuid-/u),
      terminal_reason: 'completed',
      exit_code: 0,
    });
  });

  test('tells a failure on stdout and on stderr', async () => {
    const {exitCode, stdout, notes} = await run(engineBench([]), {
      output: {...textOutput, format: 'json'},
    });
    expect({exitCode, notes}).toEqual({exitCode: 1, notes: ['The script has ended.']});
    expect(JSON.parse(stdout)).toMatchObject({subtype: 'success', is_error: true, result: 'The script has ended.'});
  });

  test('lists what was denied', async () => {
    const bench = engineBench([callsTools(bash('a')), says('No.')], {
      assess: () => asks,
      options: {interaction: 'unattended'},
    });
    const {exitCode, stdout} = await run(bench, {
      output: {...textOutput, format: 'json'},
    });
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      exit_code: 3,
      result: 'No.',
      errors: [expect.stringContaining('not run because it needs approval: Bash')],
      permission_denials: [{tool_name: 'Bash', tool_use_id: 'a', tool_input: {command: 'make'}}],
    });
  });
});

const types = (stdout: string): readonly string[] =>
  stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const {type, subtype, event} = JSON.parse(line);
      return [type, subtype ?? event?.type].filter(word => word !== undefined).join('/');
    });

describe('stream-json', () => {
  test('is every message on a line of its own', async () => {
    const bench = engineBench([callsTools(bash('a')), says('Done.')]);
    const {stdout} = await run(bench, {
      output: {...textOutput, format: 'stream-json'},
    });
    expect(types(stdout)).toEqual(['system/init', 'assistant', 'user', 'assistant', 'result/success']);
  });

  test('carries the raw stream when asked to', async () => {
    const {stdout} = await run(engineBench([says('Hi.')]), {
      output: {...textOutput, format: 'stream-json', partials: 'with'},
    });
    expect(types(stdout)).toEqual([
      'system/init',
      'stream_event/message_start',
      'stream_event/content_block_start',
      'stream_event/content_block_delta',
      'assistant',
      'stream_event/content_block_stop',
      'stream_event/message_delta',
      'stream_event/message_stop',
      'result/success',
    ]);
  });

  test('what is known is written before the model has finished', async () => {
    const gate = Promise.withResolvers<void>();
    const written: string[] = [];
    const bench = engineBench([{blocks: [{kind: 'text', text: 'Late.'}], before: gate.promise}]);
    const running = run(bench, {
      output: {...textOutput, format: 'stream-json'},
      stdout: {
        write(text, done) {
          written.push(text);
          done();
        },
      },
    });
    await bench.next('message-started');
    expect(types(written.join(''))).toEqual(['system/init']);
    gate.resolve();
    await running;
    expect(types(written.join(''))).toEqual(['system/init', 'assistant', 'result/success']);
  });
});

const sinkThatFails = (code: string): HeadlessOptions['stdout'] => ({
  write: (_text, done) => done(Object.assign(new Error(`write ${code}`), {code})),
});

describe('a stdout that takes nothing', () => {
  test('closed: the prompt is interrupted and settles, and that is no failure', async () => {
    const bench = engineBench([callsTools(bash('a')), says('Never.')], {
      shell: async (_request, _observe, signal) => {
        await aborted(signal);
        return {...finishedReport(''), end: {kind: 'aborted'}};
      },
    });
    const end = await run(bench, {
      output: {...textOutput, format: 'stream-json'},
      stdout: sinkThatFails('EPIPE'),
    });
    expect(end).toEqual({exitCode: 'stdout-closed', stdout: '', notes: []});
    expect(bench.events.at(-1)).toMatchObject({event: 'prompt-finished', summary: {end: {kind: 'interrupted'}}});
  });

  test('full: a failure that is told', async () => {
    expect(await run(engineBench([says('Hello.')]), {stdout: sinkThatFails('ENOSPC')})).toEqual({
      exitCode: 1,
      stdout: '',
      notes: ["can't write the answer to stdout: write ENOSPC"],
    });
  });
});
