import {Option, type Command} from 'commander';
import {exiting, exitCode, type ExitCode, UsageError} from '../../app/exit-code.ts';
import {commandFlags, type MainOptions} from '../../app/main-options.ts';
import {jsonFlag, type JsonOption} from '../flags.ts';
import {existsSync} from 'node:fs';
import type {PromptSummary} from '../../actions/agent-event.ts';
import type {AgentClient} from '../../agent/client.ts';
import {firstLine} from '../../base/clip.ts';
import {failed, type Outcome} from '../../base/outcome.ts';
import {visibleExactLine, visibleText} from '../../base/visible.ts';
import {planId} from '../../domain/ids.ts';
import {
  approveAndBegin,
  planConflict,
  planReminder,
  draftOf,
  type Plan,
  planPrompt,
  planText,
  unfinishedText,
} from '../../domain/plan.ts';
import {askOnce} from '../../headless/ask-once.ts';
import {endOf, oneLine, summaryNotes} from '../../headless/prompt-summary.ts';
import type {DryOptions} from './plan/dry-run.ts';
import type {PlanStore} from '../../store/plan-store.ts';
import {requireModel, connectModel} from '../../app/choose-model.ts';
import {composeSession, defaultDriver, applyNamedAgent} from '../../app/compose-session.ts';
import {messageUuid} from '../../app/clock-and-ids.ts';
import {contextFor} from '../../app/run-context.ts';
import {withUserStores} from '../../app/user-jobs.ts';
import {hasEntries} from '../../app/prove-sandbox.ts';
import {userPlaces} from '../../app/user-data.ts';
import {dryRunsFolder} from '../../config/places.ts';
import {note, print, printJson} from '../../app/output.ts';
import {printFailureResult, runMain} from '../run-main.ts';
import {untilStopped} from '../signals.ts';
import {printDocument, printRows} from '../rows.ts';
import {joinPipedText} from '../../domain/slash-command.ts';
import {readStdin} from '../stdin.ts';
import {normalizeOptions} from '../sdk-options.ts';

interface PlanOptions {
  readonly outputFormat: 'text' | 'json';
}

const dryRuns = () => import('./plan/dry-run.ts');

/** Calls `work` with the plans, after those of killed dry runs are what they were before. */
async function withPlans<T>(work: (plans: PlanStore) => T | Promise<T>): Promise<T> {
  if (hasEntries(dryRunsFolder(userPlaces().checkpoints))) await (await dryRuns()).settleDryRuns();
  return withUserStores(({plans}) => work(plans));
}

/** `weft plan`, and `weft plan run|apply|list|show`. */
export function add(plan: Command, program: Command): void {
  plan
    .argument('[prompt...]', 'Task to plan')
    .addOption(new Option('--output-format <format>', 'Format of the plan').choices(['text', 'json']).default('text'))
    .action(
      exiting((words: readonly string[], options: PlanOptions) =>
        makePlan(words, {...program.opts<MainOptions>(), ...options}),
      ),
    );
  for (const option of program.options) if (commandFlags.plan.has(option.long)) plan.addOption(option);
  const run = plan
    .command('run')
    .description('Approve a plan and run it, once')
    .argument('<id>', 'ID of the plan')
    .option('--dry', 'Hold back all changes of files, show them, and apply exactly these after one yes')
    .addOption(new Option('--json', 'With --dry: print {id, tree, changes, checks} and apply nothing'))
    .action(
      exiting((id: string, options: Partial<MainOptions> & DryOptions) =>
        runPlan(id, {...program.opts<MainOptions>(), ...options}),
      ),
    );
  for (const option of program.options) if (commandFlags['plan run'].has(option.long)) run.addOption(option);
  plan
    .command('apply')
    .description('Apply the changes of a dry run: all of them, or none if a file has changed since')
    .argument('<id>', 'ID of the plan')
    .option(...jsonFlag)
    .action(exiting(async (id: string, options: JsonOption) => (await dryRuns()).applyDryRun(id, options)));
  plan
    .command('list')
    .description('List the plans, newest first')
    .option(...jsonFlag)
    .action(exiting(listPlans));
  plan
    .command('show')
    .description('Show a plan and its progress')
    .argument('<id>', 'ID of the plan')
    .option(...jsonFlag)
    .action(exiting(showPlan));
}

/** `weft plan`: lets the agent make a plan and prints it. `weft plan run` approves and runs it later. */
async function makePlan(words: readonly string[], given: MainOptions & PlanOptions): Promise<ExitCode> {
  const {outputFormat, ...rest} = given;
  const options = normalizeOptions({...rest, permissionMode: 'plan'});
  const text = words.join(' ');
  const prompt = joinPipedText(text, await readStdin(text === '' ? 'end' : 'first-silence'));
  if (prompt.trim() === '') throw new UsageError('No prompt. Give one: weft plan "…"');
  const context = await applyNamedAgent(contextFor(options));
  const chosen = await connectModel(context);
  requireModel(chosen);
  for (const notice of await context.notices()) note(notice);
  const engine = await composeSession(chosen, context, defaultDriver);
  const planned = await untilStopped(engine, () => planWith(engine, prompt));
  if (planned.tag === 'failed') return planned.error;
  const {plan, summary} = planned.value;
  for (const line of summaryNotes(summary)) note(line);
  if (plan === 'none') {
    const {exitCode: code} = endOf(summary);
    if (code !== exitCode.done) return code;
    note(
      `the model made no plan${summary.answer === '' ? '' : `. It said: ${firstLine(oneLine(summary.answer), 300)}`}`,
    );
    return exitCode.failed;
  }
  const {id, goal, steps, notes} = plan;
  if (outputFormat === 'json') printJson(`${JSON.stringify({id, goal, steps, notes})}\n`);
  else print(`${visibleText(planText(draftOf(plan)))}\n`);
  note(`run it: weft plan run ${id}`);
  return exitCode.done;
}

interface Planned {
  readonly plan: Plan | 'none';
  readonly summary: PromptSummary;
}

async function planWith(engine: AgentClient, prompt: string): Promise<Planned> {
  const first = await planOnce(engine, prompt);
  return first.plan !== 'none' || first.summary.end.kind !== 'done' ? first : planOnce(engine, planReminder);
}

async function planOnce(engine: AgentClient, text: string): Promise<Planned> {
  let plan: Plan | 'none' = 'none';
  const unsubscribe = engine.subscribe(events => {
    for (const event of events) if (event.event === 'plan-changed') ({plan} = event);
  });
  const summary = await askOnce(engine, text, {note, uuid: messageUuid});
  unsubscribe();
  return {plan, summary};
}

/** `weft plan run`: approves the plan and runs it. A plan runs only once. With `--dry` it may run again until it is applied. */
async function runPlan(id: string, given: MainOptions & DryOptions): Promise<ExitCode> {
  if (given.dry === undefined) return carryOut(id, given);
  const {carryOutInside, runDry} = await dryRuns();
  const shadow = (await import('../../app/shadow-run.ts')).takeShadowPlace();
  if (shadow !== undefined) return carryOutInside(shadow, place => carryOut(id, {...given, ...place}));
  return withPlan(id, given, ({plan}) => runDry(plan, given));
}

const carryOut = (id: string, given: MainOptions): Promise<ExitCode> =>
  withPlan(id, given, ({plan, plans}) =>
    runMain(
      [],
      {...given, cwd: given.cwd ?? plan.directory, prompt: planPrompt(plan)},
      {begin: () => begin(plans, plan), unfinished: () => unfinished(plans.find(plan.id))},
    ),
  );

/** Calls `work` with a plan that can run and whose folder is there. Otherwise says why not. */
const withPlan = (
  id: string,
  given: MainOptions,
  work: (found: {readonly plan: Plan; readonly plans: PlanStore}) => Promise<ExitCode>,
): Promise<ExitCode> =>
  withPlans(plans => {
    const plan = plans.find(planId(id));
    const refusal = plan === 'unknown' ? unknownText(id) : refusalOf(plan);
    if (plan === 'unknown' || refusal !== '') return refuse(given, refusal);
    if (given.cwd === undefined && !existsSync(plan.directory))
      return refuse(
        given,
        `the plan's folder is gone: ${visibleExactLine(plan.directory)}. Choose another one: weft --cwd DIR plan run ${id}`,
      );
    return work({plan, plans});
  });

async function refuse(given: MainOptions, message: string): Promise<ExitCode> {
  await printFailureResult(given, {message, code: exitCode.failed});
  note(message);
  return exitCode.failed;
}

/** Describes the open steps of a plan that failed; empty otherwise. An answer alone does not complete a plan. */
function unfinished(plan: Plan | 'unknown'): string {
  return plan === 'unknown' || plan.state !== 'failed' ? '' : unfinishedText(plan);
}

/** Approves the plan if it is still pending, and claims it. If two processes run it at once, one is refused. */
function begin(plans: PlanStore, {id}: Plan): Outcome<Plan, string> {
  const begun = plans.change(id, approveAndBegin);
  if (begun.tag === 'ok') return begun;
  return failed(begun.error === 'unknown' ? unknownText(id) : usedText(id, begun.error.state));
}

const unknownText = (id: string): string => `unknown plan ${visibleExactLine(id)}. List them: weft plan list`;

const refusalOf = ({id, state}: Plan): string =>
  state === 'pending' || state === 'approved' ? '' : usedText(id, state);

const usedText = (id: string, state: Plan['state']): string => `plan ${id} ${planConflict(state)}`;

/** `weft plan list`. */
const listPlans = async ({json}: JsonOption): Promise<ExitCode> =>
  printRows({
    rows: await withPlans(plans => plans.list()),
    json,
    toJson: planRow,
    line: ({id, state, goal}) => `${id}  ${state.padEnd(9)}  ${visibleExactLine(firstLine(goal, 80))}`,
    none: 'no plans. Make one: weft plan "…"',
  });

/** `weft plan show`. */
async function showPlan(id: string, {json}: JsonOption): Promise<ExitCode> {
  const plan = await withPlans(plans => plans.find(planId(id)));
  if (plan !== 'unknown' && json !== undefined) return printDocument(planRow(plan));
  if (plan === 'unknown') note(unknownText(id));
  else print(visibleText(shownPlan(plan)));
  return plan === 'unknown' ? exitCode.failed : exitCode.done;
}

const planRow = ({id, goal, steps, notes, state, session, directory, createdAt, reason}: Plan) => ({
  id,
  goal,
  steps,
  notes,
  state,
  session,
  directory,
  createdAt: new Date(createdAt).toISOString(),
  ...(reason === '' ? {} : {reason}),
});

const marks: Readonly<Record<Plan['steps'][number]['status'], string>> = {
  pending: '○',
  in_progress: '●',
  completed: '✓',
  failed: '✗',
  cancelled: '–',
};

const shownPlan = ({id, goal, steps, notes, state, directory, reason}: Plan): string =>
  [
    goal,
    '',
    ...steps.map(step => `${marks[step.status]} ${step.id}. ${step.description}`),
    ...(notes === '' ? [] : ['', notes]),
    '',
    `${id} · ${state}${reason === '' ? '' : `: ${reason}`} · ${directory}`,
    '',
  ].join('\n');
