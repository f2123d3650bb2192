import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {expect, test} from 'vitest';
import {AgentRuns, textPrompt} from '../../../src/jobs/agent-runs.ts';
import {openDatabase} from '../../contract/store/open-database.ts';
import {makeJobStore} from '../../../src/store/job-store.ts';
import {accepted, finished} from '../../tui/support/events.ts';
import {scriptedEngine, type ScriptedEngine, sessionInfo} from '../../tui/support/scripted-engine.ts';

/** Runs of a process that nobody else speaks to. */
function runsOf(note: (line: string) => void): AgentRuns {
  const jobs = makeJobStore(openDatabase(':memory:'), () => 0);
  return new AgentRuns({uuid: () => 'p1', jobs, processes: 'of-one-process', now: () => 0, note});
}

/** Runs one prompt to its end, with a reader that leaves after it. */
async function runOnce(runs: AgentRuns, client: ScriptedEngine): Promise<void> {
  const work = {kind: 'prompt'} as const;
  const {events: stream} = runs.start(client, {...textPrompt, text: 'Go', work, job: 'none'});
  const over = Promise.withResolvers<void>();
  const leave = stream.subscribe(() => (stream.hasEnded ? over.resolve() : undefined));
  client.emit(accepted('Go'));
  client.emit(finished({kind: 'done'}));
  await over.promise;
  leave();
}

const typesIn = (runs: AgentRuns): readonly unknown[] => {
  const events = runs.events(sessionInfo.id);
  return events === 'none' ? [] : events.after(0).map(({data}) => JSON.parse(data).type);
};

test('a session that cannot be closed ends its run with an error, which the operator reads', async () => {
  const notes: string[] = [];
  const runs = runsOf(note => notes.push(note));
  await runOnce(runs, {...scriptedEngine(), close: () => Promise.reject(new Error('broken'))});
  expect([typesIn(runs), notes]).toEqual([['session', 'error', 'done'], [`session ${sessionInfo.id}: broken`]]);
});

test('the events of a prompt outlive it, its engine does not', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const runs = runsOf(() => {});
  const engine = await (async () => {
    const client = scriptedEngine();
    await runOnce(runs, client);
    return new WeakRef(client);
  })();
  await expect
    .poll(() => {
      collect();
      return engine.deref() === undefined;
    })
    .toBe(true);
  expect(typesIn(runs)).toEqual(['session', 'done']);
});
