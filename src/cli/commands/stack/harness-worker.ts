import {judgedAction} from '../../../actions/catalogue.ts';
import {actionsOf} from '../../../actions/harness-actions.ts';
import type {
  HarnessApproval,
  HarnessDecision,
  HarnessesPort,
  HarnessEvent,
  HarnessRun,
} from '../../../actions/harness-port.ts';
import {unreachable} from '../../../base/unreachable.ts';
import {causeText, faultText} from '../../../domain/fault.ts';
import {parseHarnessSessionId, type HarnessOutcome, type HarnessSessionId} from '../../../domain/harness.ts';
import {strictest} from '../../../domain/executor.ts';
import {reasonText} from '../../../domain/reason.ts';
import {redactingHarnesses} from '../../../app/redacting-harnesses.ts';
import {makeRedactor} from '../../../safety/secrets/redactor.ts';
import {isSecretFile} from '../../../safety/secrets/secret-files.ts';
import {
  type StackWorker,
  type TaskHost,
  type TaskRun,
  type TaskWork,
  resumePrompt,
  taskPrompt,
  type TaskEnd,
} from '../../../tasks/stack/direct-stack.ts';
import type {UserMessage} from '../../../tasks/stack/stack-records.ts';
import {watchSecretFiles} from '../../../workspace/files/secret-files.ts';
import {keptSecrets} from '../../../app/api-keys.ts';
import type {RunContext} from '../../../app/run-context.ts';
import {runHarnesses} from '../../../app/run-harnesses.ts';
import {keptTokens} from '../../../app/server-credentials.ts';
import {placeholderKey} from '../../../app/user-data.ts';
import {UsageError} from '../../../app/exit-code.ts';
import {commandJudge} from '../permissions/check-commands.ts';
import {costBound, hookRunner} from './hook-runner.ts';

/** Runs tasks with an agent in another program. weft judges its actions like its own; there is no user to ask. */
export function harnessWorker(context: RunContext, harness: string): StackWorker {
  const plain = runHarnesses(context);
  if (!plain.names().includes(harness))
    throw new UsageError(`Unknown harness ${JSON.stringify(harness)}. Use one of ${plain.names().join(', ')}.`);
  const harnesses = redactingHarnesses(
    plain,
    makeRedactor({
      environment: {
        ...context.settings.env,
        ...keptSecrets(context.places),
        ...keptTokens(context.places),
        ...process.env,
      },
      files: watchSecretFiles({roots: context.roots, isSecretFile}),
      key: placeholderKey(context.places.placeholderKey, 'keep'),
    }),
  );
  const spending = {usd: 0};

  return {
    begin({task}: TaskWork, host: TaskHost, signal: AbortSignal): TaskRun {
      const kept = task.progress['harness_session'];
      const known =
        task.progress['harness'] === harness && typeof kept === 'string' ? parseHarnessSessionId(kept) : undefined;
      const work = new HarnessTask({context, harness, harnesses, spending}, host);
      const finished = async (): Promise<TaskEnd> => {
        const resume = known !== undefined && (await canResume(harnesses, harness, signal)) ? known : 'new';
        return work.run(resume === 'new' ? taskPrompt(task.description) : resumePrompt, resume, signal);
      };
      return {
        steer: message => work.steer(message),
        finished: finished().catch((cause: unknown) => ({kind: 'not-begun', reason: causeText(cause)})),
      };
    },
    runHook: hookRunner(context, (text, signal) =>
      new HarnessTask({context, harness, harnesses, spending}, 'nobody').run(text, 'new', signal),
    ),
  };
}

const canResume = async (harnesses: HarnessesPort, harness: string, signal: AbortSignal): Promise<boolean> =>
  (await harnesses.find(signal)).some(({name, abilities}) => name === harness && abilities.resumes === 'yes');

interface HarnessSetup {
  readonly context: RunContext;
  readonly harness: string;
  readonly harnesses: HarnessesPort;
  /** The cost of all tasks of the run. */
  readonly spending: {usd: number};
}

/** One task in another agent's program, from its start to the end of the program. */
class HarnessTask {
  readonly #setup: HarnessSetup;
  readonly #host: TaskHost | 'nobody';
  readonly #ended = Promise.withResolvers<HarnessOutcome>();
  readonly #waiting: UserMessage[] = [];
  readonly #refused = new Set<string>();
  #run: HarnessRun | undefined;
  #sending: Promise<void> = Promise.resolve();
  /** The number of prompts that were sent, and of those that have ended. */
  #prompts = {given: 1, ended: 0};
  #outcome: HarnessOutcome | undefined;
  #text = '';
  #message = 0;
  #usd = 0;
  #bound: 'kept' | 'reached' = 'kept';

  constructor(setup: HarnessSetup, host: TaskHost | 'nobody') {
    this.#setup = setup;
    this.#host = host;
  }

  async run(prompt: string, resume: HarnessSessionId | 'new', signal: AbortSignal): Promise<TaskEnd> {
    const {context, harness, harnesses} = this.#setup;
    const {options, settings, directory} = context;
    const started = await harnesses.start(
      {
        harness,
        prompt,
        directory,
        model: options.model ?? '',
        access: settings.permissionMode === 'plan' ? 'read-only' : 'with-approvals',
        resume,
        isolation: 'none',
      },
      {
        observe: event => this.#observe(event),
        approve: (approval, withdrawn) => this.#approve(approval, withdrawn),
        ask: async () => ({kind: 'unattended'}),
      },
      signal,
    );
    if (started.tag === 'failed')
      return signal.aborted ? {kind: 'interrupted'} : {kind: 'not-begun', reason: faultText(started.error)};
    this.#run = started.value;
    for (const message of this.#waiting.splice(0)) this.steer(message);
    const outcome = await this.#ended.promise;
    await started.value.dispose();
    this.#setup.spending.usd += this.#usd;
    if (this.#bound === 'reached') return costBound;
    return signal.aborted ? {kind: 'interrupted'} : this.#endOf(outcome);
  }

  /** Sends a message from the user. The message remains unread if the program accepts no more messages. */
  steer(message: UserMessage): void {
    const run = this.#run;
    if (run === undefined) {
      this.#waiting.push(message);
      return;
    }
    const before = this.#sending;
    const send = async (): Promise<void> => {
      await before;
      const sent = await run.send(message.content);
      if (sent.tag === 'failed') return;
      if (sent.value !== 'steered') this.#prompts.given += 1;
      if (this.#host !== 'nobody') this.#host.read(message.id);
    };
    this.#sending = send();
  }

  #observe(event: HarnessEvent): void {
    const host = this.#host;
    switch (event.event) {
      case 'started':
        if (host !== 'nobody') host.progress({harness: this.#setup.harness, harness_session: event.session});
        return;
      case 'text':
        if (event.message !== this.#message) this.#flush();
        this.#message = event.message;
        this.#text += event.delta;
        return;
      case 'tool-started':
        this.#flush();
        if (host !== 'nobody') host.tool(event.title === '' ? event.name : event.title);
        return;
      case 'usage':
        this.#spent(event.used.cost.kind === 'unknown' ? 0 : event.used.cost.usd);
        return;
      case 'finished':
        this.#flush();
        this.#outcome = event.outcome;
        this.#prompts.ended += 1;
        void this.#settle();
        return;
      case 'closed':
        this.#flush();
        this.#ended.resolve(this.#outcome ?? {kind: 'failed', reason: event.reason, text: ''});
        return;
      case 'working':
      case 'thinking':
      case 'tool-output':
      case 'tool-finished':
      case 'plan':
      case 'warning':
        return;
      default:
        unreachable(event);
    }
  }

  /** Ends the task once all prompts have ended. A message from the user may have become one more prompt. */
  async #settle(): Promise<void> {
    await this.#sending;
    if (this.#prompts.ended >= this.#prompts.given && this.#outcome !== undefined) this.#ended.resolve(this.#outcome);
  }

  #flush(): void {
    if (this.#text.trim() !== '' && this.#host !== 'nobody') this.#host.text(this.#text);
    this.#text = '';
  }

  #spent(usd: number): void {
    const {context, spending} = this.#setup;
    this.#usd = usd;
    if (context.options.maxCost === undefined || spending.usd + usd < context.options.maxCost) return;
    this.#bound = 'reached';
    void this.#run?.interrupt();
  }

  async #approve(approval: HarnessApproval, signal: AbortSignal): Promise<HarnessDecision> {
    const {context, harness} = this.#setup;
    const {judged, executor, call} = actionsOf(approval, {harness, directory: context.directory});
    const by = {executor, mode: context.settings.permissionMode};
    const judge = commandJudge(context, 'none');
    try {
      const {verdict} = await strictest(judged, action => judge.assess(judgedAction(action), by, signal));
      if (verdict.decision === 'allow') return {kind: 'allowed'};
      if (verdict.decision === 'ask') this.#refused.add(call.name);
      const why = verdict.reasons.map(reasonText).join('; ');
      const who =
        verdict.decision === 'ask' ? "This needs the user's approval, and there is no user to ask" : 'Not allowed';
      return {kind: 'denied', message: why === '' ? `${who}.` : `${who}: ${why}`};
    } catch (cause) {
      return {kind: 'denied', message: causeText(cause)};
    }
  }

  #endOf(outcome: HarnessOutcome): TaskEnd {
    const said = outcome.text;
    const results = {answer: said, harness: this.#setup.harness, ...(this.#usd === 0 ? {} : {cost_usd: this.#usd})};
    switch (outcome.kind) {
      case 'succeeded':
        if (this.#refused.size === 0) return {kind: 'completed', said, results};
        return {
          kind: 'failed',
          reason: `not run because it needs approval: ${[...this.#refused].join(', ')}`,
          said,
          results,
        };
      case 'failed':
        return {kind: 'failed', reason: outcome.reason, said, results};
      case 'cancelled':
        return {kind: 'interrupted'};
      default:
        return unreachable(outcome);
    }
  }
}
