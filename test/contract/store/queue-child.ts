import {writeSync} from 'node:fs';
import {beginPlan, endPlan} from '../../../src/domain/plan.ts';
import {openJobStore} from '../../../src/store/job-store.ts';
import {openPlanStore} from '../../../src/store/plan-store.ts';
import {openRunQueue} from '../../../src/store/postgres/run-queue.ts';
import {placeOf} from './place-of.ts';

/** A worker whose jobs are plans, each claimed, marked and ended; tells the id of a plan as its work begins. */
const [url = '', atOnce = '1'] = process.argv.slice(2);
const opened = openPlanStore({database: placeOf(url), now: () => Date.now(), process});
if (opened.tag === 'failed') throw new Error(opened.error.message);
const plans = opened.value;
const jobs = openJobStore({database: placeOf(url), now: () => Date.now(), process});
if (jobs.tag === 'failed') throw new Error(jobs.error.message);
const queue = await openRunQueue(url, () => {});
await queue.work(Number(atOnce), async id => {
  const claimed = await jobs.value.claim(id);
  if (claimed.tag === 'failed') {
    if (claimed.error === 'running') throw new Error('another process has it');
    return;
  }
  const {spec} = claimed.value;
  if (spec.kind !== 'execution') return;
  const begun = plans.change(
    spec.plan,
    plan => (plan.state === 'executing' ? {tag: 'ok', value: plan} : beginPlan(plan)),
    'claimed',
  );
  if (begun.tag === 'failed') return;
  writeSync(1, `${spec.plan}\n`);
  await new Promise(resolve => setImmediate(resolve));
  const done = begun.value.steps.map(step => ({...step, status: 'completed' as const}));
  plans.change(spec.plan, plan => endPlan({...plan, steps: done}, 'finished'));
  await jobs.value.change(claimed.value, {state: 'completed'});
});
