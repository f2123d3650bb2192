import type {AgentEvent, PromptEnd} from '../actions/agent-event.ts';
import type {PlansPort} from '../actions/plans-port.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {todoId, type ActionId, type TodoId} from '../domain/ids.ts';
import {
  approvePlan,
  askAboutSteps,
  beginPlan,
  endPlan,
  markPlan,
  openSteps,
  type Plan,
  type PlanConflict,
  type PlanDraft,
  type PlanStep,
  planSteps,
  rejectPlan,
  stepGoals,
} from '../domain/plan.ts';
import type {Todo, TodoList} from '../domain/todo.ts';
import type {PermissionMode} from '../domain/risk.ts';
import type {Asker} from '../domain/sub-agent.ts';
import type {OpenConversation} from './conversation.ts';
import type {AgentPorts} from './ports.ts';
import type {AdmittedTodos} from './todo-store.ts';

interface PlanSession {
  readonly ports: Pick<AgentPorts, 'plans' | 'ids' | 'clock' | 'judge'>;
  readonly conversation: Pick<OpenConversation, 'journal' | 'todos'>;
  readonly directory: string;
  readonly asker: Asker;
  readonly agents: {setMode(mode: PermissionMode): void};
  readonly publish: (events: readonly AgentEvent[]) => void;
  mode: PermissionMode;
}

/** The plans of a session: proposed ones that wait for the user, and the one being carried out. */
export class SessionPlans {
  readonly #session: () => PlanSession;
  #proposed: {readonly by: ActionId; readonly plan: Plan} | 'none' = 'none';
  #current: Plan | 'none' = 'none';
  /** A plan that another process, or a command, has begun for this session. Its steps are set when the next prompt begins. */
  #starting: Plan | 'none' = 'none';
  #kept: Plan | 'none' = 'none';
  /** The todo of each step of the current plan. */
  #todos: ReadonlyMap<PlanStep['id'], TodoId> = new Map();
  #asked: 'not-yet' | 'asked' = 'not-yet';
  /** Whether the conditions of the current plan's steps held when weft last checked them. */
  conditions: 'met' | 'unmet' = 'met';
  /** Tests the conditions of each step. Returns a text for each one: empty if its conditions hold. The running prompt sets it. */
  testSteps: (steps: readonly (readonly string[])[], signal: AbortSignal) => Promise<readonly string[]> =
    async () => [];

  constructor(session: () => PlanSession) {
    this.#session = session;
  }

  /** The plan with which the prompt ends, because no one is there to approve it. */
  get savedPlan(): Plan | 'none' {
    return this.#kept;
  }

  portFor(action: ActionId): PlansPort {
    return {
      propose: draft => this.#propose(action, draft),
      leavePlanMode: (draft, approval) => this.#leave(action, {draft, approval}),
    };
  }

  /** Records that the user refused the plan of an action. */
  async recordRefusal(action: ActionId, reason: string): Promise<void> {
    if (this.#proposed === 'none' || this.#proposed.by !== action) return;
    await this.#change(this.#proposed.plan, plan => rejectPlan(plan, reason));
    this.#proposed = 'none';
  }

  /** Makes the next prompt carry out this plan, which is already executing. */
  start(plan: Plan): void {
    this.#starting = plan;
  }

  get openSteps(): readonly PlanStep[] {
    return this.#current === 'none' ? [] : openSteps(this.#current);
  }

  /** The conditions that the steps of the current plan carry. */
  get goals(): readonly string[] {
    return this.#current === 'none' ? [] : stepGoals(this.#current.steps);
  }

  /** Returns the question about open steps, once per execution. Otherwise empty. */
  takeQuestion(): string {
    const open = this.openSteps;
    if (open.length === 0 || this.#asked === 'asked') return '';
    this.#asked = 'asked';
    return askAboutSteps(open);
  }

  async beginPrompt(): Promise<void> {
    this.#kept = 'none';
    const plan = this.#starting;
    this.#starting = 'none';
    if (plan === 'none') return;
    this.#current = plan;
    this.#session().publish([{event: 'plan-changed', plan}]);
    await this.#setTodos(plan);
  }

  /** Tests the conditions of steps that a new list completes. Keeps those in progress whose conditions fail. */
  async admit(todos: TodoList, signal: AbortSignal): Promise<AdmittedTodos> {
    const done = new Map(todos.flatMap(todo => (todo.status === 'completed' ? [[todo.id, todo] as const] : [])));
    const marked = this.openSteps.flatMap(step => {
      const todo = done.get(this.#todos.get(step.id) ?? todoId(''));
      const goals = stepGoals([step]);
      return todo === undefined || goals.length === 0 ? [] : [{todo, goals}];
    });
    if (marked.length === 0) return {todos, unmet: []};
    const texts = await this.testSteps(
      marked.map(({goals}) => goals),
      signal,
    );
    const unmet = marked.flatMap(({todo}, at) => {
      const text = texts[at] ?? '';
      return text === ''
        ? []
        : [{id: todo.id, text: `The step ${JSON.stringify(todo.title)} stays in progress. ${text}`}];
    });
    const open = new Set(unmet.map(({id}) => id));
    const kept = todos.map((todo): Todo => (open.has(todo.id) ? {...todo, status: 'in_progress'} : todo));
    return {
      // A list begins with what is completed.
      todos: [...kept.filter(isDone), ...kept.filter(todo => !isDone(todo))],
      unmet: unmet.map(({text}) => text),
    };
  }

  async markSteps(todos: TodoList): Promise<void> {
    if (this.#current === 'none') return;
    const now = new Map(todos.map(todo => [todo.id, todo]));
    const open = new Set(this.openSteps);
    const marks = this.#current.steps.flatMap((step): TodoList => {
      const id = this.#todos.get(step.id);
      const todo = id === undefined ? undefined : now.get(id);
      if (todo !== undefined) return [{...todo, id: todoId(step.id)}];
      // An open todo leaves the list only if the agent drops it.
      return open.has(step) ? [{id: todoId(step.id), title: '', description: '', status: 'cancelled'}] : [];
    });
    const changed = await this.#change(this.#current, plan => markPlan(plan, marks));
    if (changed !== 'conflict') this.#current = changed;
  }

  async endPrompt({kind}: PromptEnd): Promise<void> {
    if (this.#current === 'none') return;
    const finished = this.conditions === 'met' ? 'finished' : 'unmet';
    await this.#change(this.#current, plan => endPlan(plan, kind === 'interrupted' ? 'stopped' : finished));
    this.conditions = 'met';
    this.#current = 'none';
  }

  async #propose(by: ActionId, draft: PlanDraft): ReturnType<PlansPort['propose']> {
    const {mode, asker, ports, conversation, directory, publish} = this.#session();
    const content = {goal: draft.goal, steps: planSteps(draft.steps), notes: draft.notes};
    const goals = stepGoals(content.steps);
    const unusable = goals.length === 0 ? '' : await (await import('./unusable-goals.ts')).unusableGoal(goals, {ports});
    if (unusable !== '') return failed(`Change the condition of a step. ${unusable}`);
    if (this.#proposed !== 'none' && this.#proposed.by === by) {
      const changed = await this.#change(this.#proposed.plan, plan => ok({...plan, ...content}));
      if (changed !== 'conflict') this.#proposed = {by, plan: changed};
      return ok(undefined);
    }
    if (mode !== 'plan' || asker !== 'main') return failed('weft is not in plan mode. Continue with the work');
    const plan: Plan = {
      ...content,
      id: ports.ids.plan(),
      state: 'pending',
      session: conversation.journal.id,
      directory,
      createdAt: ports.clock.now(),
      reason: '',
    };
    await ports.plans.add(plan);
    this.#proposed = {by, plan};
    publish([{event: 'plan-changed', plan}]);
    return ok(undefined);
  }

  async #leave(
    by: ActionId,
    {draft, approval}: {readonly draft: PlanDraft; readonly approval: 'answered' | 'not-asked'},
  ): ReturnType<PlansPort['leavePlanMode']> {
    if (this.#proposed === 'none' || this.#proposed.by !== by) return failed('this plan no longer exists');
    const {plan} = this.#proposed;
    this.#proposed = 'none';
    if (approval === 'not-asked') {
      this.#kept = plan;
      return ok({plan, decision: 'kept'});
    }
    const begun = await this.#change(plan, pending => {
      const approved = approvePlan(pending, planSteps(draft.steps));
      return approved.tag === 'ok' ? beginPlan(approved.value) : approved;
    });
    if (begun === 'conflict') return failed(`plan ${plan.id} was already approved or rejected elsewhere`);
    this.#current = begun;
    const session = this.#session();
    // The user may have chosen another mode with the answer.
    if (session.mode === 'plan') {
      session.mode = 'default';
      session.agents.setMode('default');
      session.publish([{event: 'mode-changed', mode: 'default'}]);
    }
    await this.#setTodos(begun);
    return ok({plan: begun, decision: 'approved'});
  }

  async #setTodos({steps}: Plan): Promise<void> {
    this.#asked = 'not-yet';
    const {todos} = await this.#session().conversation.todos.replace(
      steps.map(({id, description, status}) => ({
        id: todoId(id),
        title: titleOf(description),
        description: '',
        // Some steps of a plan that is resumed after an interruption are done.
        status: status === 'failed' ? 'pending' : status,
      })),
    );
    // An id that an earlier list used can't be used again.
    const left = [...todos];
    this.#todos = new Map(
      steps.flatMap(({id, description}) => {
        const at = left.findIndex(({title}) => title === titleOf(description));
        return left.splice(at, at < 0 ? 0 : 1).map(todo => [id, todo.id] as const);
      }),
    );
  }

  /** Stores and publishes the change. Returns `conflict` if someone else has changed the plan so that this change is impossible. */
  async #change({id}: Plan, work: (plan: Plan) => Outcome<Plan, PlanConflict>): Promise<Plan | 'conflict'> {
    const {ports, publish} = this.#session();
    const changed = await ports.plans.change(id, work);
    if (changed.tag === 'failed') return 'conflict';
    publish([{event: 'plan-changed', plan: changed.value}]);
    return changed.value;
  }
}

const isDone = ({status}: Todo): boolean => status === 'completed';

/** Returns what the todo list shows of a step. */
const titleOf = (description: string): string => (description.split('\n')[0] ?? '').toWellFormed();
