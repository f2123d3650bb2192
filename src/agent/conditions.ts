import {accessOf, modelContent, resultOf, runAction, userCommandAction} from '../actions/catalogue.ts';
import type {PromptEnd} from '../actions/agent-event.ts';
import type {ShellReport} from '../actions/ports.ts';
import {reportText} from '../actions/request-command-output.ts';
import {clip, clipStart, firstLine, pluralize} from '../base/clip.ts';
import {objectOf, textOf} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {visibleLine, visibleOutput} from '../base/visible.ts';
import {blockTexts, toolCalls} from '../domain/conversation.ts';
import {weftItself} from '../domain/executor.ts';
import {faultText, rejected, type Fault, needsUser} from '../domain/fault.ts';
import {type Condition, conditionText, Failures, jsonFailure, readCondition} from '../domain/goal.ts';
import {goalIn} from '../domain/history.ts';
import {type ActionId, actionId} from '../domain/ids.ts';
import {checkKey, commandIn, doubtOfCounts, isProven} from '../domain/receipt.ts';
import {reasonsText} from '../domain/reason.ts';
import {reminderBlock} from '../domain/reminder.ts';
import {type ApprovalContext, approve, type Approved, inWorkspace, judgeAction} from './approval.ts';
import {beginChange, checkStatuses, noteChecks} from './checks.ts';
import {learnResult} from './outside-text.ts';
import {actionPorts, commandNamed, journal, type SessionContext, warn} from './session-context.ts';
import {unstructuredAnswer} from './structured-output.ts';
import {checkpointFor} from './tool-call.ts';
import {hiddenCondition} from './unusable-goals.ts';

/** The time limit of a condition's command in milliseconds: the longest one that a command of the model may have. */
const timeoutMs = 600_000;

/** Milliseconds after which a person reads that weft still checks. */
const slowMs = 3000;

/** The maximum number of UTF-16 units of a failure that the model reads, and that weft compares. */
const maxFailure = 8000;

/** A condition of this prompt. A `check` is required by a flag or a setting, which the user or a trusted project wrote: it runs unasked. */
interface Wanted {
  readonly what: 'goal' | 'check';
  readonly condition: Condition;
  /** `receipt`: the condition also holds by a fresh receipt of the agent's own run. */
  readonly reuse: 'receipt' | 'nothing';
}

type Finding =
  | {readonly kind: 'holds'}
  /** `line`: the failure in a few words. `output`: the failure for the model. */
  | {readonly kind: 'fails'; readonly line: string; readonly output: string}
  /** weft could not check it, and trying again would not help. */
  | {readonly kind: 'not-checked'; readonly fault: Fault};

type Failing = Wanted & Extract<Finding, {kind: 'fails'}>;

/** The result of a check at the end of the model's work. `go-on`: the text for the model. */
type Verdict =
  | {readonly kind: 'hold'}
  | {readonly kind: 'go-on'; readonly text: string}
  | {readonly kind: 'end'; readonly end: PromptEnd};

/** The conditions of one prompt: the user's goal and the required checks. weft checks them when the model would end its work. */
export class PromptConditions {
  /** The end of the prompt that a step's condition brought. */
  end: PromptEnd | undefined;
  readonly #context: ApprovalContext;
  readonly #failures = new Failures();
  readonly #tried: string[] = [];
  #attempts = 0;
  /** How many calls the prompt had made when everything held. */
  #heldAt: number | 'unmet' = 'unmet';
  /** How many actions that may change files had begun after the last check. */
  #begun = -1;
  #seenMessages: number;
  /** The checks that the latest look at the files proved. `unknown` after a run, which may change files. */
  #proven: ReadonlySet<string> | 'unknown' = 'unknown';

  constructor(context: ApprovalContext) {
    this.#context = context;
    this.#seenMessages = context.session.conversation.messages.length;
  }

  /** Asks for what the goal's command needs. Returns the end of the prompt if weft may not run it, or the note for the model: empty if it knows. */
  async prepare(signal: AbortSignal): Promise<PromptEnd | {readonly kind: 'note'; readonly text: string}> {
    const wanted = await this.#wanted(true, this.#context.session.plans.goals);
    this.#context.session.plans.conditions = 'unmet';
    for (const {what, condition, reuse} of wanted) {
      const command = commandOf(condition);
      if (what === 'check' || command === undefined) continue;
      const source = reuse === 'receipt' ? 'named' : 'written';
      const hidden = await hiddenCondition(condition, this.#context.session, source);
      if (hidden !== '') return {kind: 'failed', fault: needsUser(hidden, dropFix.goal)};
      const allowed = await this.#allow(command, what, signal);
      if (signal.aborted) return {kind: 'interrupted'};
      if (!('terms' in allowed)) return {kind: 'not-sent', why: 'not-permitted', fault: allowed};
    }
    const list = wanted.map(({condition}) => `- ${conditionText(condition)}`).join('\n');
    const text = `Your work ends only when this holds, which weft itself checks when you stop:\n${list}\nDo not weaken a check to pass it.`;
    const isKnown = this.#context.session.conversation.messages.some(({blocks}) =>
      blockTexts(blocks).includes(reminderBlock(text).text),
    );
    return {kind: 'note', text: isKnown ? '' : text};
  }

  /** Checks all conditions. `limit`: the limit that the prompt has reached. `calls`: how many calls of tools it has made. */
  async check(
    {limit, calls}: {readonly limit: PromptEnd | undefined; readonly calls: number},
    signal: AbortSignal,
  ): Promise<Verdict> {
    const {session} = this.#context;
    // Plan mode changes nothing, so there is nothing to check yet.
    if (session.mode === 'plan') return this.#inPlanMode();
    if (this.#heldAt === calls) return {kind: 'hold'};
    this.#heldAt = 'unmet';
    session.plans.conditions = 'unmet';
    const isWork = calls > 0 || session.interaction === 'unattended';
    const since = this.#since();
    const failing = await this.#failing(await this.#wanted(isWork, session.plans.goals), signal);
    if ('kind' in failing) return ended(failing);
    const end = this.#count(failing, {since, limit});
    if (end !== undefined) return ended(end);
    if (failing.length > 0) return {kind: 'go-on', text: failing.map(failureText).join('\n\n')};
    this.#heldAt = calls;
    return {kind: 'hold'};
  }

  /** Checks the conditions of each step that the model marks as completed. Returns a text for the model: empty if they hold. */
  async checkSteps(steps: readonly (readonly string[])[], signal: AbortSignal): Promise<readonly string[]> {
    if (this.#context.session.mode === 'plan') return [];
    const since = this.#since();
    const found: (readonly Failing[])[] = [];
    for (const goals of steps) {
      const failing = await this.#failing(this.#wantedSteps(goals), signal);
      if ('kind' in failing) {
        this.end = failing;
        return steps.map(() => 'weft could not check its condition.');
      }
      found.push(failing);
    }
    const failing = found.flat();
    if (failing.length > 0) this.end = this.#count(failing, {since, limit: undefined});
    return found.map(each => each.map(failureText).join('\n\n'));
  }

  /** Checks the goal and the required checks. Returns the failure for a sub-agent: empty if they hold or can't be checked. */
  async failureForAgent(signal: AbortSignal): Promise<string> {
    const failing = await this.#failing(await this.#wanted(true, []), signal);
    if ('kind' in failing || failing.length === 0) return '';
    return `${failing.map(failureText).join('\n\n')}\nIf the rest is not part of your task, say so and stop.`;
  }

  #since(): 'nothing' | 'work' {
    this.#proven = 'unknown';
    return this.#context.session.owner().checks.begun === this.#begun ? 'nothing' : 'work';
  }

  /** Returns the conditions that fail, or the end of the prompt if they can't be checked. */
  async #failing(wanted: readonly Wanted[], signal: AbortSignal): Promise<readonly Failing[] | PromptEnd> {
    const failing: Failing[] = [];
    for (const each of wanted) {
      const finding = await this.#test(each, signal);
      if (signal.aborted) return {kind: 'interrupted'};
      if (finding.kind === 'not-checked') return {kind: 'failed', fault: finding.fault};
      if (finding.kind === 'fails') failing.push({...each, ...finding});
    }
    return failing;
  }

  /** Counts an attempt. Returns the end of the prompt if it has reached its limit, or if the failure stays the same. */
  #count(
    failing: readonly Failing[],
    {since, limit}: {readonly since: 'nothing' | 'work'; readonly limit: PromptEnd | undefined},
  ): PromptEnd | undefined {
    const {session} = this.#context;
    this.#attempts += 1;
    this.#begun = session.owner().checks.begun;
    if (failing.length === 0) return undefined;
    this.#tried.push(this.#work());
    const progress = this.#failures.add(failing.map(({output, line}) => `${line}\n${output}`).join('\n'), since);
    const line = failing.map(each => `${visibleLine(shortText(each.condition))}: ${each.line}`).join(' · ');
    if (limit !== undefined) {
      warn(session, `Not met at the limit (attempt ${this.#attempts}): ${line}`);
      return limit;
    }
    const {maxTurns, maxCostUsd} = session.limits;
    const isBounded = maxTurns !== 'unlimited' || maxCostUsd !== 'unlimited';
    if (progress === 'stuck' && (!isBounded || failing.some(({what}) => what === 'goal')))
      return {kind: 'failed', fault: this.#unmet(line, failing)};
    warn(session, `Not met (attempt ${this.#attempts}): ${line}`);
    return undefined;
  }

  /** Ends the goal if it held at the last check. Called when the prompt is done, because the model may go on after a check. */
  settle(): void {
    const {session} = this.#context;
    if (this.#heldAt === 'unmet') return;
    session.plans.conditions = 'met';
    const text = goalIn(session.conversation.journal.records);
    if (text === '') return;
    const goal = readCondition(text);
    journal(session, {kind: 'goal', text, state: 'met'});
    const tries = this.#attempts === 1 ? '' : ` after ${pluralize(this.#attempts, 'attempt')}`;
    const met = goal.tag === 'failed' ? text : conditionText(this.#wantedGoal(goal.value).condition);
    session.publish([{event: 'notice', level: 'info', text: `Goal met${tries}: ${visibleLine(met)}`}]);
  }

  /** A check that the caller requires of this prompt was not checked. */
  #inPlanMode(): Verdict {
    const required = this.#context.session.conditions.required.find(({when}) => when === 'always');
    if (required === undefined) return {kind: 'hold'};
    const message = `${visibleLine(required.text)} was not checked: plan mode runs no checks.`;
    const fix = 'Require it when the plan is carried out, or choose another permission mode.';
    return ended({kind: 'failed', fault: needsUser(message, fix)});
  }

  /** `isWork`: the prompt is more than a question and its answer. */
  async #wanted(isWork: boolean, steps: readonly string[]): Promise<readonly Wanted[]> {
    const {conversation, conditions} = this.#context.session;
    const required = conditions.required.filter(({when}) => when === 'always' || isWork);
    const commands = new Set(await Promise.all(required.map(({text}) => this.#requiredCommand(text))));
    const goal = goalIn(conversation.journal.records);
    const read = readCondition(goal);
    return [
      ...[...commands].map(
        command => ({what: 'check', condition: {kind: 'command', command}, reuse: 'receipt'}) as const,
      ),
      ...this.#wantedSteps(steps),
      ...(read.tag === 'failed' ? [] : [this.#wantedGoal(read.value)]),
    ];
  }

  #wantedSteps(goals: readonly string[]): readonly Wanted[] {
    return [...new Set(goals)].flatMap(written => {
      const read = readCondition(written);
      return read.tag === 'ok' ? [this.#wantedGoal(read.value)] : [];
    });
  }

  /** Returns what the person wrote if weft knows it as a command, even if a check has that name. */
  async #requiredCommand(text: string): Promise<string> {
    const {conditions, ports, directory} = this.#context.session;
    const named = commandNamed(text, conditions.checks);
    return named === undefined || (await ports.judge.checksIn(text, directory)).length > 0 ? text : named;
  }

  /** A check's name stands for its command. */
  #wantedGoal(condition: Condition): Wanted {
    const command = condition.kind === 'check' ? this.#commandOfCheck(condition.name) : undefined;
    return command === undefined
      ? {what: 'goal', condition, reuse: 'nothing'}
      : {what: 'goal', condition: {kind: 'command', command}, reuse: 'receipt'};
  }

  /** Returns the command of a check that the settings or a receipt name. */
  #commandOfCheck(name: string): string | undefined {
    const {conversation, conditions, directory} = this.#context.session;
    const set = conditions.checks.find(check => check.name === name);
    if (set !== undefined) return commandIn(set);
    const ran = conversation.journal.records.findLast(
      record => record.kind === 'receipt' && record.receipt.name === name,
    );
    if (ran?.kind !== 'receipt') return undefined;
    return ran.receipt.directory === directory ? ran.receipt.command : commandIn(ran.receipt);
  }

  /** True if all checks in the command have passed, and no file that they depend on has changed since. */
  async #isProven(command: string, signal: AbortSignal): Promise<boolean> {
    const {session} = this.#context;
    const found = await session.ports.judge.checksIn(command, session.directory);
    if (found.length === 0) return false;
    const proven = this.#proven === 'unknown' ? await provenChecks(session, signal) : this.#proven;
    this.#proven = proven;
    return found.every(check => check.zero === 'passed' && proven.has(checkKey(check)));
  }

  async #test({what, condition, reuse}: Wanted, signal: AbortSignal): Promise<Finding> {
    const {session} = this.#context;
    const command = commandOf(condition);
    // A plan may have been approved since the prompt began.
    const hidden = what === 'goal' && reuse === 'nothing' ? await hiddenCondition(condition, session) : '';
    if (hidden !== '') return {kind: 'not-checked', fault: needsUser(hidden, dropFix.goal)};
    if (command !== undefined && reuse === 'receipt' && (await this.#isProven(command, signal))) return {kind: 'holds'};
    const ran = command === undefined ? undefined : await this.#run(command, what, signal);
    if (ran !== undefined && !('end' in ran)) return {kind: 'not-checked', fault: ran};
    const textAt = (path: string): Promise<string | undefined> =>
      session.ports.workspaceState.text(session.ports.machine.files.resolve(path).path, signal);
    switch (condition.kind) {
      case 'command':
        return ran === undefined || ran.end === '' ? {kind: 'holds'} : fails(lineOf(ran), `${ran.end}\n${ran.output}`);
      case 'check':
        return {
          kind: 'not-checked',
          fault: needsUser(`weft knows no check named ${condition.name}.`, namesFix),
        };
      case 'file': {
        const text = await textAt(condition.path);
        if (text === undefined) return fails('there is no such file', '');
        return text.includes(condition.text) ? {kind: 'holds'} : fails('the file does not contain it', '');
      }
      case 'json': {
        const {from} = condition;
        const text = from.kind === 'file' ? await textAt(from.path) : ran?.whole;
        const failure = text === undefined ? 'there is no such file' : jsonFailure(text, condition);
        return failure === '' ? {kind: 'holds'} : fails(firstLine(failure, 200), failure);
      }
      default:
        return unreachable(condition);
    }
  }

  /** Decides whether weft may run a command, and asks the user at most once for each set of reasons. */
  async #allow(command: string, what: Wanted['what'], signal: AbortSignal): Promise<Allowed | Fault> {
    const {session} = this.#context;
    const {grants} = session.conversation;
    const id = actionId(`condition-${session.ports.ids.message()}`);
    const action = userCommandAction(command, timeoutMs);
    const judged = await judgeAction(action, {session, executor: weftItself(session.directory)}, signal);
    const {verdict, terms} = judged;
    const reasons = reasonsText(verdict.reasons).replace(/\.$/u, '');
    if (verdict.decision === 'deny') return needsUser(`weft may not run ${command}: ${reasons}.`, dropFix[what]);
    if (verdict.decision === 'allow') return {command, verdict, terms, approval: 'not-asked'};
    if (what === 'check' || grants.has(grantKey(command, verdict)))
      return {command, verdict, terms: inWorkspace(terms), approval: what === 'check' ? 'not-asked' : 'answered'};
    const call = {kind: 'tool-call', id, name: 'Bash', input: {command}} as const;
    const request = {...judged, id, toolName: 'Bash', call, action, ask: 'unless-granted', place: 'here'} as const;
    const answer = await approve(request, this.#context, signal);
    if (answer.kind === 'refused') {
      const [rule = `Bash(${command})`] = verdict.detail.rules;
      const [why, fix] =
        answer.deniedBy === 'nobody'
          ? [`it needs your approval (${reasons})`, `Allow it, for example with --allowed-tools "${rule}".`]
          : ['it was refused', dropFix[what]];
      return needsUser(`weft did not run the goal's command ${command}: ${why}.`, fix);
    }
    const access = accessOf(answer.action);
    const chosen = access.kind === 'command' ? access.command : command;
    grants.add(grantKey(chosen, answer.verdict));
    // The user has edited the command on the card. The goal always names the command that weft runs.
    if (chosen !== command) journal(session, {kind: 'goal', text: `command: ${chosen}`, state: 'set'});
    return {...answer, command: chosen};
  }

  /** Runs a condition's command in the folder of the session. Its own changes are dropped if it runs in its own view. */
  async #run(command: string, what: Wanted['what'], signal: AbortSignal): Promise<Ran | Fault> {
    const {session} = this.#context;
    const allowed = await this.#allow(command, what, signal);
    if (!('terms' in allowed)) return allowed;
    const {terms, verdict, approval} = allowed;
    this.#proven = 'unknown';
    const action = userCommandAction(allowed.command, timeoutMs);
    const id = actionId(`condition-${session.ports.ids.message()}`);
    await checkpointFor({id, action, verdict, terms}, this.#context, signal);
    const from = session.ports.machine.shell.directory;
    const checking = `Checking ${visibleLine(allowed.command)} …`;
    const slow = setTimeout(() => session.publish([{event: 'notice', level: 'info', text: checking}]), slowMs);
    const endChange = beginChange(session, verdict.risk);
    const settled = await runAction(action, {
      ports: actionPorts(session, id, unstructuredAnswer),
      signal,
      approval,
      shown: {kind: 'command', command: allowed.command, directory: session.directory},
      detail: verdict.detail,
      terms,
      observe: () => {},
      background: new AbortController().signal,
      terminal: 'none',
    }).finally(() => clearTimeout(slow));
    const result = resultOf(action, settled);
    const {confinement} = terms;
    await noteChecks(
      {call: id, result, directory: session.directory, confinement, isMixed: endChange()},
      session,
      signal,
    );
    const doubt = doubtAboutRun(id, session);
    await learnResult(result, modelContent(result), session);
    this.#context.checkpoints.afterCall(id);
    if (settled.state === 'error') return settled.fault;
    if (settled.state === 'cancelled' || settled.output.kind !== 'completed') return rejected('The check was stopped.');
    const {report} = settled.output;
    const {file, text} = report.output;
    return {
      end: endOf(report.end) || doubt,
      output:
        reportText(report) + (from === session.directory ? '' : `\n[your next command starts in ${session.directory}]`),
      whole: (file === undefined ? undefined : await session.ports.workspaceState.text(file, signal)) ?? text,
    };
  }

  /** Returns the calls that the model has made since the last check, in a few words. */
  #work(): string {
    const {messages} = this.#context.session.conversation;
    // A compaction makes the conversation shorter.
    const since = messages.slice(Math.min(this.#seenMessages, messages.length));
    this.#seenMessages = messages.length;
    const calls = since.flatMap(message => (message.role === 'assistant' ? toolCalls(message) : []));
    const shown = calls.map(({name, input}) => {
      const {file_path: path, command} = objectOf(input);
      return firstLine(`${name} ${textOf(path) || textOf(command)}`.trim(), 60);
    });
    return shown.length === 0 ? 'no calls' : shown.slice(-maxShownCalls).join(', ');
  }

  #unmet(line: string, failing: readonly Wanted[]): Fault {
    const tried = this.#tried.map((work, at) => `${at + 1}. ${work}`).slice(-maxShownTries);
    const count = this.#attempts;
    const fix = failing.some(({what}) => what === 'goal') ? dropFix.goal : dropFix.check;
    const message = `Not met after ${count} attempts, and the failure stays the same: ${line}. Tried: ${tried.join('; ')}.`;
    return needsUser(visibleLine(message), fix);
  }
}

/** Says how the output of weft's own run of a check contradicts its exit code of 0: `ran no test`. Empty if it doesn't. */
const doubtAboutRun = (id: ActionId, session: SessionContext): string =>
  session
    .owner()
    .conversation.journal.records.flatMap(record =>
      record.kind === 'receipt' && record.receipt.call === id ? doubtOfCounts(record.receipt) : [],
    )
    .find(doubt => doubt !== '') ?? '';

/** Looks at the files. Returns the keys of the checks that have passed, with files that have not changed since. */
async function provenChecks(session: SessionContext, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const statuses = await checkStatuses(session, signal);
  return new Set(statuses.filter(isProven).map(({receipt}) => checkKey(receipt)));
}

/** A command that weft may run, and the terms for it. */
interface Allowed extends Pick<Approved, 'verdict' | 'terms' | 'approval'> {
  readonly command: string;
}

/** The end of a command. `end` is empty if it exited with 0 and its own output does not contradict that. `output`: what the model reads. `whole`: all that it printed. */
interface Ran {
  readonly end: string;
  readonly output: string;
  readonly whole: string;
}

const maxShownCalls = 4;
const maxShownTries = 5;

const dropFix = {
  goal: 'Say how to go on, or drop the goal with /goal off.',
  check: 'Mend the check, or run without requiring it.',
} as const;

const namesFix = 'Name it in the setting checks, or set its command as the goal.';

/** The user's permission for a command and the reasons that the card named. Other reasons need another answer. */
const grantKey = (command: string, {reasons}: Pick<Allowed['verdict'], 'reasons'>): string =>
  `goal ${command} ${reasonsText(reasons)}`;

const commandOf = (condition: Condition): string | undefined => {
  if (condition.kind === 'command') return condition.command;
  return condition.kind === 'json' && condition.from.kind === 'command' ? condition.from.command : undefined;
};

/** Returns the command alone if the condition is one. */
const shortText = (condition: Condition): string =>
  condition.kind === 'command' ? `\`${condition.command}\`` : conditionText(condition);

const ended = (end: PromptEnd): Verdict => ({kind: 'end', end});

const fails = (line: string, output: string): Finding => ({kind: 'fails', line, output});

function endOf(end: ShellReport['end']): string {
  switch (end.kind) {
    case 'exited':
      return end.code === 0 ? '' : `exit code ${end.code}`;
    case 'signalled':
      return `ended by ${end.signal}`;
    case 'timed-out':
      return `not done after ${Math.round(end.afterMs / 1000)} s`;
    case 'aborted':
    case 'moved':
      return 'stopped';
    case 'not-started':
      return faultText(end.fault);
    default:
      return unreachable(end);
  }
}

/** Returns the end of a failed command and the line of its output that says most: the last one that names a failure, or the last one. */
function lineOf({end, whole}: Ran): string {
  const lines = whole
    .split('\n')
    .flatMap(line => (line.trim() === '' ? [] : [visibleLine(visibleOutput(line)).trim()]));
  const telling =
    lines.findLast(line => /\b(?:fail(?:ed|ures?|ing)?|errors?|panicked|not ok)\b|[✗✘×]/iu.test(line)) ?? lines.at(-1);
  return telling === undefined ? end : `${end}, ${clip(telling, maxLine)}`;
}

const maxLine = 120;

/** Returns what the model reads about a condition that failed. */
const failureText = ({what, condition, output}: Failing): string =>
  `weft checked ${what === 'goal' ? 'the goal' : 'a required check'}, and it does not hold: ${conditionText(condition)}.\n` +
  `${clipStart(output, maxFailure)}\nGo on until it holds. Say so if it cannot.`;

/** Sets the session's goal, drops it with `off`, or shows it if the text is empty. Returns what the user reads. */
export async function changeGoal(written: string, session: SessionContext): Promise<Outcome<string, Fault>> {
  const text = session.ports.secrets.redact(written);
  const before = goalIn(session.conversation.journal.records);
  if (text === '') return ok(before === '' ? goalHint : `${goalText(before)} /goal off drops it.`);
  if (text === 'off') {
    if (before !== '') journal(session, {kind: 'goal', text: before, state: 'dropped'});
    return ok(before === '' ? goalHint : `Goal dropped: ${visibleLine(before)}`);
  }
  const read = readCondition(text);
  if (read.tag === 'failed') return failed(rejected(read.error));
  const hidden = await hiddenCondition(read.value, session);
  if (hidden !== '') return failed(rejected(hidden));
  journal(session, {kind: 'goal', text, state: 'set'});
  return ok(`${goalText(text)} A prompt now goes on until it holds.`);
}

const goalHint = 'There is no goal. Set one such as /goal npm test.';

/** Says exactly what weft will check. */
function goalText(text: string): string {
  const read = readCondition(text);
  return `Goal: ${visibleLine(read.tag === 'ok' ? conditionText(read.value) : text)}.`;
}
