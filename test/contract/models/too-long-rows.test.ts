import {expect, test} from 'vitest';
import type {CompactionMode} from '../../../src/domain/compaction.ts';
import {engineBench} from '../../support/memory-ports.ts';
import {call, say} from '../../support/model-script.ts';
import {startModelServer, type ModelServer} from '../../support/model-server.ts';
import {matrix, portOf, refusalOf} from './play-row.ts';
import type {Row} from './refusal-row.ts';
import {NoWaiting} from './run-provider.ts';

const rows = matrix
  .filter(({end}) => 'tooLong' in end)
  .map(row => [`${row.provider}, ${row.wire}: ${row.what}`, row] as const);

/** An engine that reads long files, and the lines that its user sees about repairs. */
function open(row: Row, server: ModelServer, compaction: CompactionMode) {
  const bench = engineBench([], {
    port: portOf(row, server, new NoWaiting()),
    options: {compaction},
    read: async ({path}) => ({
      tag: 'ok',
      value: {kind: 'text', path, lines: ['word '.repeat(1200)], firstLine: 1, totalLines: 1, notes: []},
    }),
  });
  const repairs = () => bench.events.filter(({event}) => event === 'repaired').length;
  return {bench, repairs};
}

const long = 'word '.repeat(12_000);

test.each(rows)('a shorter conversation is answered: %s', async (_name, row) => {
  await using server = await startModelServer((_, number) =>
    number === 2 ? refusalOf(row) : say(`Answer ${number}.`),
  );
  const {bench, repairs} = open(row, server, 'auto');
  await bench.prompt(long);
  const {end, answer} = await bench.prompt('second');
  const {length} = server.requests;
  // The third request may be that for a summary.
  expect([end.kind, answer, repairs(), length === 3 || length === 4]).toEqual(['done', `Answer ${length}.`, 1, true]);
  const size = (at: number): number => JSON.stringify(server.requests.at(at)?.body).length;
  expect(size(-1)).toBeLessThan(size(1) * 0.9);
});

test.each(rows)('without asking the model, in the middle of the work: %s', async (_name, row) => {
  await using server = await startModelServer((_, number) => {
    if (number <= 3) return call('Read', {file_path: `f${number}.txt`});
    return number === 4 ? refusalOf(row) : say('Done.');
  });
  const {bench, repairs} = open(row, server, 'trim');
  expect(await bench.prompt('go')).toMatchObject({end: {kind: 'done'}, answer: 'Done.'});
  const [refused, repeated] = server.requests.slice(3).map(({body}) => JSON.stringify(body).length);
  expect([server.requests.length, repairs(), (repeated ?? 0) < (refused ?? 0)]).toEqual([5, 1, true]);
});

test.each(rows)('refused for ever, the prompt ends: %s', async (_name, row) => {
  await using server = await startModelServer((_, number) => (number === 1 ? say('One.') : refusalOf(row)));
  const {bench} = open(row, server, 'auto');
  await bench.prompt(long);
  expect((await bench.prompt('second')).end).toMatchObject({kind: 'failed', fault: {refusal: {kind: 'too-long'}}});
  expect(server.requests.length).toBeLessThanOrEqual(5);
});
