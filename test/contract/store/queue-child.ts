import {writeSync} from 'node:fs';
import {beginPlan, endPlan} from '../../../src/domain/plan.ts';
import {makeJobStore} from '../../../src/store/job-store.ts';
import {PlanStore} from '../../../src/store/plan-store.ts';
import {openRunQueue} from '../../../src/store/postgres/run-queue.ts';
import {openDatabase} from './open-database.ts';

/** A worker whose jobs are plans, each claimed, marked and ended; tells the id of a plan as its work begins. */
const [url = '', atOnce = '1'] = process.argv.slice(2);
const plans = new PlanStore(openDatabase(url), Date.now);
const jobs = makeJobStore(openDatabase(url), Date.now);
const queue = await openRunQueue(url, () => {});
await queue.work(Number(atOnce), async id => {
  const claimed = await jobs.claim(id);
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
  await jobs.change(claimed.value, {state: 'completed'});
});
