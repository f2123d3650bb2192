import {writeSync} from 'node:fs';
import {beginPlan, endPlan, resumePlan} from '../../../src/domain/plan.ts';
import {openPlanStore} from '../../../src/store/plan-store.ts';
import {openRunQueue} from '../../../src/store/postgres/run-queue.ts';
import {placeOf} from './place-of.ts';

/** A worker whose runs are plans, each claimed, marked and ended; tells the id of a plan as its work begins. */
const [url = '', atOnce = '1'] = process.argv.slice(2);
const opened = openPlanStore({database: placeOf(url), now: () => Date.now(), process});
if (opened.tag === 'failed') throw new Error(opened.error.message);
const plans = opened.value;
const queue = await openRunQueue(url, () => {});
await queue.work(Number(atOnce), async run => {
  if (run.kind !== 'execution') return;
  const begun = plans.change(run.plan, plan => (plan.state === 'stopped' ? resumePlan(plan) : beginPlan(plan)));
  if (begun.tag === 'failed') {
    if (begun.error !== 'unknown' && begun.error.state === 'executing') throw new Error('another process has it');
    return;
  }
  writeSync(1, `${run.plan}\n`);
  await new Promise(resolve => setImmediate(resolve));
  const done = begun.value.steps.map(step => ({...step, status: 'completed' as const}));
  plans.change(run.plan, plan => endPlan({...plan, steps: done}, 'finished'));
});
