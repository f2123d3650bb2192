import {writeSync} from 'node:fs';
import {createInterface} from 'node:readline/promises';
import {parseSessionId, planId, scheduleId} from '../../../src/domain/ids.ts';
import {makeJobStore} from '../../../src/store/job-store.ts';
import {openDatabase} from './open-database.ts';

/**
 * Another weft that works on jobs:
 * - `steps`: takes a job from its beginning to its end, tells a line after each write and waits for one before the next
 * - `hold`: begins the job of a schedule and one of a plan, tells a line and waits
 * - `work`: does what waits or was cut off, for ever, and tells the id of each job as its work begins
 */
const [name = '', task = '', id = ''] = process.argv.slice(2);
const jobs = makeJobStore(openDatabase(name), Date.now);
const tell = (line: string): void => void writeSync(1, `${line}\n`);

const fixed = {prompt: '', directory: '/w', sandbox: 'of-settings', model: '', baseUrl: '', skills: ''} as const;

if (task === 'steps') {
  const go = createInterface({input: process.stdin})[Symbol.asyncIterator]();
  const claim = {id, attempt: 1};
  const session = parseSessionId('00000000-0000-4000-8000-000000000001') ?? 'not-open';
  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      'added',
      () => jobs.add({id, spec: {kind: 'execution', plan: planId(id), ...fixed}, session: 'not-open'}, 'queued'),
    ],
    ['claimed', () => jobs.claim(id)],
    ['open', () => jobs.change(claim, {session})],
    ['event', () => jobs.append(claim, {id: 1, data: '"e"'})],
    ['asked', () => jobs.ask(claim, {id: 'q', title: 'May I?'})],
    ['ended', () => jobs.change(claim, {state: 'completed'})],
  ];
  for (const [line, step] of steps) {
    await step();
    tell(line);
    await go.next();
  }
} else if (task === 'hold') {
  await jobs.add({id: 's', spec: {kind: 'scheduled', schedule: scheduleId('s')}, session: 'not-open'}, 'running');
  await jobs.add({id: 'p', spec: {kind: 'execution', plan: planId('p'), ...fixed}, session: 'not-open'}, 'running');
  tell('begun');
  process.stdin.resume();
} else {
  for (;;) {
    const all = await jobs.list({kind: 'execution'});
    for (const job of all.filter(({state}) => state === 'queued' || state === 'stopped')) {
      const claimed = await jobs.claim(job.id);
      if (claimed.tag === 'failed') continue;
      tell(job.id);
      await new Promise(resolve => setImmediate(resolve));
      await jobs.append(claimed.value, {id: 1, data: '"e"'});
      await jobs.change(claimed.value, {state: 'completed'});
      break;
    }
  }
}
