import {expect, test} from 'vitest';
import {failed, ok} from '../../../src/base/outcome.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {aborted, type Bench, callBlock, callsTools, engineBench, promptOp, says} from '../../support/memory-ports.ts';

const script = [callsTools(callBlock('UploadArtifact', {file_path: 'report.pdf'})), says('end')];
const artifact = {name: 'report.pdf', sha256: 'ab', bytes: 3, path: '/data/ab/report.pdf', url: ''};

async function settled(bench: Bench) {
  const {result, toolResult} = await bench.next('action-settled');
  return {
    state: result.tag === 'action' ? result.result.settled.state : result.tag,
    text: toolResult.content.map(block => (block.kind === 'text' ? block.text : '')).join(),
  };
}

test('the file is kept with the session that is open', async () => {
  const asked: unknown[] = [];
  const bench = engineBench(script, {
    artifacts: {
      async keep(request) {
        asked.push(request);
        return ok(artifact);
      },
    },
  });
  await bench.prompt('go');
  expect([asked, await settled(bench)]).toEqual([
    [{session: bench.session.id, path: 'report.pdf'}],
    {state: 'success', text: 'Kept report.pdf (3 bytes, sha256 ab) at /data/ab/report.pdf'},
  ]);
});

test('where a server runs the session, the model hears from where it is had', async () => {
  const url = 'http://127.0.0.1:4096/agent/sessions/s/artifacts/ab';
  const bench = engineBench(script, {artifacts: {keep: async () => ok({...artifact, url})}});
  await bench.prompt('go');
  expect((await settled(bench)).text).toBe(
    `Kept report.pdf (3 bytes, sha256 ab) at /data/ab/report.pdf; with the server's token it can be downloaded from ${url}`,
  );
});

test('why it is not kept is an error', async () => {
  const bench = engineBench(script, {artifacts: {keep: async () => failed(rejected('It holds secrets.'))}});
  await bench.prompt('go');
  expect(await settled(bench)).toEqual({state: 'error', text: 'It holds secrets.'});
});

test('interrupted, it is cancelled', async () => {
  const begun = Promise.withResolvers<undefined>();
  const bench = engineBench(script, {
    artifacts: {
      async keep(_, signal) {
        begun.resolve(undefined);
        await aborted(signal);
        return ok(artifact);
      },
    },
  });
  bench.engine.submit(promptOp('go'));
  await begun.promise;
  bench.engine.submit({op: 'interrupt'});
  expect(await settled(bench)).toEqual({state: 'cancelled', text: 'The user interrupted this.'});
});
