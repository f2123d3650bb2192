import * as z from 'zod/mini';
import {failed, type Outcome} from '../base/outcome.ts';
import {planId, type PlanId} from '../domain/ids.ts';
import {type NewJob, planKey} from '../domain/job.ts';
import {endPlan, type Plan, type PlanConflict, planStates, planStepStatuses} from '../domain/plan.ts';
import type {Database, Row} from './database.ts';
import {changeJob, insertJob, isOwnJob, parseColumn, settleDeadJobs, activeJob} from './job-store.ts';
import {sessionIdSchema} from './record-body.ts';

/** `claimed`: the job exists already. `of-plan`: a job that starts and ends with the plan's own state. */
type PlanJob = NewJob | 'claimed' | 'of-plan';

/**
 * The user's plans. A job executes a plan; the plan reads as stopped if that process died (`kill -9`, a crash). Every method throws a
 * `StoreError` if the database fails, and then nothing was changed.
 */
export class PlanStore {
  readonly #db: Database;
  readonly #now: () => number;

  constructor(db: Database, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  add(plan: Plan): void {
    const sql = "INSERT INTO documents (kind, id, body, created_at, next_at) VALUES ('plan', ?, ?, ?, 0)";
    this.#db.run(sql, plan.id, JSON.stringify(plan), Math.trunc(plan.createdAt));
  }

  find(id: PlanId): Plan | 'unknown' {
    const row = this.#db.first("SELECT body FROM documents WHERE kind = 'plan' AND id = ?", id);
    return (row === undefined ? undefined : this.#read(row)[0]) ?? 'unknown';
  }

  /** Lists the plans, newest first. */
  list(): readonly Plan[] {
    return this.#db
      .all("SELECT body FROM documents WHERE kind = 'plan' ORDER BY created_at DESC, rowid DESC")
      .flatMap(row => this.#read(row));
  }

  /** Changes a plan with `work`, in one transaction. If that starts the plan's execution, `job` runs it. */
  change(
    id: PlanId,
    work: (plan: Plan) => Outcome<Plan, PlanConflict>,
    job: PlanJob = 'of-plan',
  ): Outcome<Plan, PlanConflict | 'unknown'> {
    return this.#db.transaction('jobs', () => {
      settleDeadJobs(this.#db);
      const plan = this.find(id);
      if (plan === 'unknown') return failed('unknown');
      const changed = work(plan);
      if (changed.tag === 'failed') return changed;
      const isPossible =
        plan.state === 'executing' ? this.#canContinue(changed.value) : this.#claimJob(changed.value, job);
      if (!isPossible) return failed({state: plan.state});
      this.#db.run("UPDATE documents SET body = ? WHERE kind = 'plan' AND id = ?", JSON.stringify(changed.value), id);
      return changed;
    });
  }

  /** Makes a plan as it was before it ran, so that it can run again. A plan that runs stays. */
  reset(id: PlanId, state: 'pending' | 'approved'): void {
    this.#db.transaction('jobs', () => {
      settleDeadJobs(this.#db);
      const plan = this.find(id);
      if (plan === 'unknown' || plan.state === 'executing') return;
      const fresh = {...plan, state, steps: plan.steps.map(step => ({...step, status: 'pending'}))};
      this.#db.run('DELETE FROM jobs WHERE id = ?', planKey(id));
      this.#db.run("UPDATE documents SET body = ? WHERE kind = 'plan' AND id = ?", JSON.stringify(fresh), id);
    });
  }

  close(): void {
    this.#db.close();
  }

  /** Lets only one of several callers start a plan. */
  #claimJob({id, state, directory}: Plan, job: PlanJob): boolean {
    if (state !== 'executing' || job === 'claimed') return true;
    const spec = {
      kind: 'execution',
      plan: id,
      prompt: '',
      directory,
      sandbox: 'of-settings',
      model: '',
      baseUrl: '',
      skills: '',
    } as const;
    const own = job === 'of-plan' ? ({id: planKey(id), spec, session: 'not-open'} as const) : job;
    return insertJob(this.#db, own, {state: 'running', now: this.#now()}) === 'added';
  }

  /** A process that counted as dead may not write anymore. */
  #canContinue({id, state}: Plan): boolean {
    const job = activeJob(this.#db, planKey(id));
    if (job === 'none' || !isOwnJob(this.#db, job)) return false;
    if (job.id === planKey(id) && (state === 'completed' || state === 'failed' || state === 'stopped'))
      changeJob(this.#db, job, {change: {state}, now: this.#now()});
    return true;
  }

  /** Returns nothing for a damaged row. */
  #read(row: Row): readonly Plan[] {
    const [plan] = parseColumn(planSchema, row['body']);
    if (plan?.state !== 'executing') return plan === undefined ? [] : [plan];
    const job = activeJob(this.#db, planKey(plan.id));
    if (job !== 'none' && job.state === 'running') return [plan];
    const stopped = endPlan(plan, 'stopped');
    return stopped.tag === 'ok' ? [stopped.value] : [];
  }
}

const text = z.prefault(z.string(), '');

const stepStatus = z.pipe(
  z.unknown(),
  z.transform(given => planStepStatuses.find(each => each === given) ?? 'pending'),
);

const planSchema = z.object({
  id: z.pipe(z.string(), z.transform(planId)),
  goal: text,
  steps: z.array(z.object({id: text, description: text, status: stepStatus})),
  notes: text,
  state: z.enum(planStates),
  session: sessionIdSchema,
  directory: text,
  createdAt: z.number(),
  reason: text,
});
