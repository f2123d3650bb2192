import {isJsonObject, type Json, parseJson} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';
import {parseSessionId, planId, type PlanId} from '../domain/ids.ts';
import {endPlan, type Plan, type PlanConflict, planStates, planStepStatuses} from '../domain/plan.ts';
import type {Row} from './database.ts';
import {OwnedRows, type OwnedRowsOptions, textOf} from './owned-rows.ts';

/**
 * The user's plans. A plan whose execution was cut off (`kill -9`, a crash) reads as stopped. All methods throw a `StoreError` when the
 * database fails; nothing was changed then.
 */
export interface PlanStore {
  add(plan: Plan): void;
  find(id: PlanId): Plan | 'unknown';
  /** Newest first. */
  list(): readonly Plan[];
  /** Changes a plan as `work` says, in one transaction; what executes belongs to this process from then on. */
  change(id: PlanId, work: (plan: Plan) => Outcome<Plan, PlanConflict>): Outcome<Plan, PlanConflict | 'unknown'>;
  close(): void;
}

/** Opens the plans; missing folders, file and tables are made. */
export function openPlanStore(options: OwnedRowsOptions): Outcome<PlanStore, Fault> {
  const opened = OwnedRows.open(options);
  return opened.tag === 'failed' ? opened : ok(new SqlitePlans(opened.value));
}

class SqlitePlans implements PlanStore {
  readonly #rows: OwnedRows;

  constructor(rows: OwnedRows) {
    this.#rows = rows;
  }

  add(plan: Plan): void {
    const {pid, started, at} = this.#rows.own();
    this.#rows.guard(() =>
      this.#rows.db.run(
        'INSERT INTO plans (id, body, created_at, pid, started, at) VALUES (?, ?, ?, ?, ?, ?)',
        plan.id,
        JSON.stringify(plan),
        Math.trunc(plan.createdAt),
        pid,
        started,
        at,
      ),
    );
  }

  find(id: PlanId): Plan | 'unknown' {
    return this.#rows.guard(() => this.#read(this.#rows.db.first('SELECT * FROM plans WHERE id = ?', id)));
  }

  list(): readonly Plan[] {
    return this.#rows.guard(() =>
      this.#rows.db
        .all('SELECT * FROM plans ORDER BY created_at DESC, rowid DESC')
        .map(row => this.#read(row))
        .filter(plan => plan !== 'unknown'),
    );
  }

  change(id: PlanId, work: (plan: Plan) => Outcome<Plan, PlanConflict>): Outcome<Plan, PlanConflict | 'unknown'> {
    return this.#rows.transaction(`plan ${id}`, () => {
      const plan = this.#read(this.#rows.db.first('SELECT * FROM plans WHERE id = ?', id));
      if (plan === 'unknown') return failed('unknown');
      const changed = work(plan);
      if (changed.tag === 'failed') return changed;
      const {pid, started, at} = this.#rows.own();
      this.#rows.db.run(
        'UPDATE plans SET body = ?, pid = ?, started = ?, at = ? WHERE id = ?',
        JSON.stringify(changed.value),
        pid,
        started,
        at,
        id,
      );
      return changed;
    });
  }

  close(): void {
    this.#rows.db.close();
  }

  #read(row: Row | undefined): Plan | 'unknown' {
    const plan = row === undefined ? undefined : planIn(String(row['body']));
    if (row === undefined || plan === undefined) return 'unknown';
    if (plan.state !== 'executing' || !this.#rows.isCutOff(row)) return plan;
    const stopped = endPlan(plan, 'stopped');
    return stopped.tag === 'ok' ? stopped.value : plan;
  }
}

/** `undefined` for a row that is damaged. */
function planIn(body: string): Plan | undefined {
  const parsed = parseJson(body);
  if (parsed.tag === 'failed' || !isJsonObject(parsed.value)) return undefined;
  const {id, goal, steps, notes, state, session, directory, createdAt, reason} = parsed.value;
  const owner = typeof session === 'string' ? parseSessionId(session) : undefined;
  const known = planStates.find(each => each === state);
  if (owner === undefined || known === undefined || !Array.isArray(steps)) return undefined;
  return {
    id: planId(textOf(id)),
    goal: textOf(goal),
    steps: steps.flatMap(stepIn),
    notes: textOf(notes),
    state: known,
    session: owner,
    directory: textOf(directory),
    createdAt: Number(createdAt),
    reason: textOf(reason),
  };
}

function stepIn(step: Json): Plan['steps'] {
  if (!isJsonObject(step)) return [];
  const status = planStepStatuses.find(each => each === step['status']) ?? 'pending';
  return [{id: textOf(step['id']), description: textOf(step['description']), status}];
}
