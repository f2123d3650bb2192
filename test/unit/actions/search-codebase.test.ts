import {describe, expect, test} from 'vitest';
import type {CodebaseReport} from '../../../src/actions/ports.ts';
import type {Json} from '../../../src/base/json.ts';
import {failed, ok} from '../../../src/base/outcome.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {
  aborted,
  callBlock,
  callsTools,
  engineBench,
  promptOp,
  says,
  settled,
  toolNames,
} from '../../support/memory-ports.ts';

const calls = (input: Json) => [callsTools(callBlock('SearchCodebase', input)), says('end')];

const report: CodebaseReport = {
  places: [
    {
      path: 'src/client.js',
      from: 3,
      to: 5,
      within: 'sendWithRetries',
      lines: [
        {line: 3, text: 'export async function sendWithRetries(request) {'},
        {line: 5, text: 'const answer = await send(request);'},
      ],
    },
    {path: 'README.md', from: 9, to: 9, within: '', lines: [{line: 9, text: 'Requests are retried.'}]},
  ],
  terms: ['request', 'retr'],
  files: 7,
  searched: 'whole',
};

describe('SearchCodebase', () => {
  test('gives places with their most telling lines, and the words that were looked for', async () => {
    const asked: unknown[] = [];
    const bench = engineBench(
      calls({query: 'retried requests', codebase_path: 'src', path_filters: ['api'], limit: 2}),
      {
        async codebase(request) {
          asked.push(request);
          return ok(report);
        },
      },
    );
    await bench.prompt('go');
    expect([asked, await settled(bench)]).toEqual([
      [{query: 'retried requests', path: 'src', filters: ['api'], limit: 2}],
      {
        state: 'success',
        text: [
          'src/client.js:3-5 in sendWithRetries',
          '  3: export async function sendWithRetries(request) {',
          '  5: const answer = await send(request);',
          'README.md:9',
          '  9: Requests are retried.',
          '[best 2 of 7 files with request, retr]',
        ].join('\n'),
      },
    ]);
  });

  test('searches the whole workspace for ten places where the model says no more', async () => {
    const asked: unknown[] = [];
    const bench = engineBench(calls({query: 'x'}), {
      async codebase(request) {
        asked.push(request);
        return ok({places: [], terms: ['x'], files: 0, searched: 'cut'});
      },
    });
    await bench.prompt('go');
    expect([asked, await settled(bench)]).toEqual([
      [{query: 'x', path: '.', filters: [], limit: 10}],
      {
        state: 'success',
        text: 'Nothing found for x. Try other words.\n[The search ran out of time; give a narrower path.]',
      },
    ]);
  });

  test('tells why it could not search', async () => {
    const bench = engineBench(calls({query: '?'}), {
      codebase: async () => failed(rejected('The query has no words to search for.')),
    });
    await bench.prompt('go');
    expect(await settled(bench)).toEqual({state: 'error', text: 'The query has no words to search for.'});
  });

  test('ends as cancelled when it is interrupted', async () => {
    const asked = Promise.withResolvers<undefined>();
    const bench = engineBench(calls({query: 'x'}), {
      async codebase(_, signal) {
        asked.resolve(undefined);
        await aborted(signal);
        return failed(rejected('The search was stopped.'));
      },
    });
    bench.engine.submit(promptOp('go'));
    await asked.promise;
    bench.engine.submit({op: 'interrupt'});
    expect(await settled(bench)).toEqual({state: 'cancelled', text: 'The user interrupted this.'});
  });

  test('is in a request once the model has looked for it', async () => {
    const find = callsTools(callBlock('ToolSearch', {query: 'find code by meaning'}));
    const bench = engineBench([find, says('end')]);
    await bench.prompt('go');
    const offered = bench.model.requests.map(request =>
      toolNames(request).filter(name => name === 'SearchCodebase' || name === 'ToolSearch'),
    );
    expect(offered).toEqual([['ToolSearch'], ['ToolSearch', 'SearchCodebase']]);
  });
});
