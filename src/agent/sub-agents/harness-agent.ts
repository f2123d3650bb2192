import {definitions, modelContent, resultOf} from '../../actions/catalogue.ts';
import {actionsOf} from '../../actions/harness-actions.ts';
import type {HarnessApproval, HarnessDecision, HarnessEvent, HarnessRun} from '../../actions/harness-port.ts';
import {ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {blockTexts} from '../../domain/conversation.ts';
import type {Fault} from '../../domain/fault.ts';
import type {HarnessSessionId, HarnessUsage} from '../../domain/harness.ts';
import {goalIn} from '../../domain/history.ts';
import {actionId} from '../../domain/ids.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import {taintIn} from '../../domain/reason.ts';
import {strictest} from '../../domain/executor.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import {hasEnded, type SubAgent} from '../../domain/sub-agent.ts';
import {noUsage, usageSince} from '../../domain/usage.ts';
import {approve, deniedText, judgeAction, type ApprovalContext} from '../approval.ts';
import {type HarnessTool, learnToolOutput} from '../outside-text.ts';
import {PromptHooks} from '../prompt-hooks.ts';
import type {SessionContext} from '../session-context.ts';
import {unstructuredAnswer} from '../structured-output.ts';
import type {AgentRunner, AgentSetup, RunnerDeps} from './agent-runner.ts';
import {modeOf} from './weft-agent.ts';

/**
 * Runs a sub-agent in a harness. The first message starts the program. If the program has ended since, the next message
 * starts it again in the same conversation. Its requests are judged as if the parent agent had made them.
 */
export class HarnessAgent implements AgentRunner {
  readonly #setup: AgentSetup;
  readonly #deps: RunnerDeps;
  readonly #parent: SessionContext;
  #resume: HarnessSessionId | 'new';
  #mode: PermissionMode;
  #run: HarnessRun | undefined;
  #starting: AbortController | undefined;
  /** Whether its model has done something since its last usage report. */
  #uncounted: 'nothing' | 'something' = 'nothing';
  #used = nothingUsed;
  /** Whether it may have changed files since the last message of its parent. */
  #changed: 'nothing' | 'something' = 'nothing';
  /** Its end, while weft checks the conditions of the session. */
  #ending: {readonly event: Finished; readonly checking: AbortController} | undefined;
  /** Its answer before it got the failure of a condition. It gets at most one for each message of its parent. */
  #earlier: string | undefined;
  /** The tools that its model is using. */
  readonly #tools = new Map<string, HarnessTool>();

  constructor(setup: AgentSetup, deps: RunnerDeps) {
    this.#setup = setup;
    this.#deps = deps;
    this.#parent = setup.branch.session();
    this.#resume = setup.resume;
    this.#mode = modeOf(setup.kind, this.#parent.mode);
  }

  async send(text: string): Promise<Outcome<unknown, Fault>> {
    const {agent} = this.#setup;
    const parent = this.#parent;
    this.#keep({
      kind: 'prompt',
      message: {role: 'user', id: parent.ports.ids.message(), blocks: [{kind: 'text', text}]},
    });
    this.#changed = 'nothing';
    this.#earlier = undefined;
    if (this.#run !== undefined) return this.#run.send(text);
    const starting = new AbortController();
    this.#starting = starting;
    this.#used = nothingUsed;
    const started = await parent.ports.harnesses.start(
      {
        harness: agent.harness,
        prompt: text,
        directory: this.#deps.directory,
        model: agent.model,
        access: this.#mode === 'plan' ? 'read-only' : 'with-approvals',
        resume: this.#resume,
        isolation: agent.isolation,
      },
      {
        observe: event => this.#observe(event),
        approve: (approval, signal) => this.#approve(approval, signal),
        ask: (questions, signal) =>
          parent.pending.portsFor(actionId(`${agent.id}:question`), asker(agent)).questions.ask(questions, signal),
      },
      starting.signal,
    );
    if (started.tag === 'failed') return started;
    this.#run = started.value;
    return ok(undefined);
  }

  interrupt(): void {
    if (this.#ending !== undefined) this.#reportEnd(this.#ending.event);
    else if (this.#run === undefined) this.#starting?.abort();
    else void this.#run.interrupt();
  }

  setMode(mode: PermissionMode): void {
    this.#mode = mode;
  }

  async rest(): Promise<void> {
    await this.#run?.dispose();
  }

  async close(): Promise<void> {
    this.#starting?.abort();
    await this.#run?.dispose();
    this.#setup.session.close();
  }

  #observe(event: HarnessEvent): void {
    const {agent} = this.#setup;
    const {onUsage, onEvent} = this.#deps;
    const parent = this.#parent;
    switch (event.event) {
      case 'started':
        this.#resume = event.session;
        this.#keep({kind: 'agent', agent, harnessSession: event.session});
        break;
      case 'usage': {
        const usage = usageSince(event.used.usage, this.#used.usage);
        onUsage({model: event.used.model || agent.harness, usage, costUsd: costSince(event.used, this.#used)});
        this.#used = event.used;
        this.#uncounted = 'nothing';
        break;
      }
      case 'warning':
        parent.publish([{event: 'notice', level: 'warning', text: `${agent.harness}: ${event.text}`}]);
        break;
      case 'finished': {
        // A run that reports no cost still cost money.
        if (this.#uncounted === 'something') onUsage({model: agent.harness, usage: noUsage, costUsd: 'unknown'});
        this.#uncounted = 'nothing';
        const {text} = event.outcome;
        if (text !== '') {
          this.#keep({
            kind: 'answer',
            message: {
              role: 'assistant',
              id: parent.ports.ids.message(),
              model: agent.harness,
              blocks: [{kind: 'text', text}],
              stop: event.outcome.kind === 'succeeded' ? 'end-turn' : 'interrupted',
              usage: noUsage,
            },
          });
        }
        const whole = this.#earlier === undefined ? event : withAnswer(event, this.#earlier);
        if (this.#isToBeChecked(event)) void this.#checkEnd(event);
        else onEvent({by: 'harness', event: whole});
        return;
      }
      case 'closed':
        if (this.#ending !== undefined) this.#reportEnd(this.#ending.event);
        this.#run = undefined;
        break;
      case 'tool-started':
        this.#tools.set(event.id, event);
        this.#uncounted = 'something';
        break;
      case 'tool-finished': {
        const tool = this.#tools.get(event.id);
        this.#tools.delete(event.id);
        if (event.files.length > 0) this.#changed = 'something';
        // Only a fault of weft could make this fail, and it must not end the run.
        if (tool !== undefined) learnToolOutput(tool, event.output, parent).catch(() => {});
        break;
      }
      case 'text':
      case 'thinking':
        this.#uncounted = 'something';
        break;
      case 'working':
        // It goes on, so its answer was not the end.
        this.#earlier = this.#ending?.event.outcome.text ?? this.#earlier;
        this.#ending?.checking.abort();
        this.#ending = undefined;
        break;
      case 'tool-output':
      case 'plan':
        break;
      default:
        unreachable(event);
    }
    onEvent({by: 'harness', event});
  }

  /** True if the conditions of the session are about what it did: it worked alone on the files of its parent, and changed some. */
  #isToBeChecked({outcome}: Finished): boolean {
    const {agent, place, branch} = this.#setup;
    const {ports, conditions, conversation} = this.#parent;
    return (
      outcome.kind === 'succeeded' &&
      this.#earlier === undefined &&
      this.#changed === 'something' &&
      conditions.required.length + goalIn(conversation.journal.records).length > 0 &&
      agent.isolation === 'none' &&
      place === 'foreground' &&
      ports.harnesses.hostOf(agent.harness) === '' &&
      branch.rows().filter(({status}) => !hasEnded(status)).length === 1
    );
  }

  /** Checks the conditions of the session. Gives their failure to the harness, or reports its end. */
  async #checkEnd(event: Finished): Promise<void> {
    const checking = new AbortController();
    const ending = {event, checking};
    this.#ending = ending;
    const context = this.#contextFor(this.#parent);
    const checked = import('../conditions.ts').then(({PromptConditions}) =>
      context === undefined ? '' : new PromptConditions(context).failureForAgent(checking.signal),
    );
    const text = await checked.catch(() => '');
    if (this.#ending !== ending) return;
    this.#earlier = event.outcome.text;
    const sent = text === '' ? 'none' : ((await this.#run?.send(text)) ?? 'none');
    if (this.#ending === ending && (sent === 'none' || sent.tag === 'failed')) this.#reportEnd(event);
  }

  #reportEnd(event: Finished): void {
    this.#ending?.checking.abort();
    this.#ending = undefined;
    this.#deps.onEvent({by: 'harness', event});
  }

  /** Returns the context of weft's own work for it. `undefined` if no prompt of its parent has run. */
  #contextFor(session: SessionContext): ApprovalContext | undefined {
    const {checkpoints} = this.#setup.branch;
    return checkpoints === undefined
      ? undefined
      : {
          session,
          hooks: new PromptHooks(this.#parent.ports.hooks, this.#parent.publish),
          checkpoints,
          structured: unstructuredAnswer,
          cancellation: () => ({reason: 'interrupted', message: ''}),
        };
  }

  /** Decides on a request: rules and mode first, then hooks and the user. If no one can be asked, denies it. */
  async #approve(approval: HarnessApproval, signal: AbortSignal): Promise<HarnessDecision> {
    const {agent, branch} = this.#setup;
    const {directory, place} = this.#deps;
    const parent = this.#parent;
    const {judged, shown, executor, call, place: where} = actionsOf(approval, {harness: agent.harness, directory});
    const session: SessionContext = {
      ...parent,
      directory,
      ports: {...parent.ports, machine: place.machine, judge: place.judge},
      asker: asker(agent),
      mode: this.#mode,
      interaction: parent.mode === 'dontAsk' ? 'unattended' : parent.interaction,
    };
    const context = this.#contextFor(session);
    if (context === undefined)
      return {kind: 'denied', message: 'No prompt is running that this request could belong to.'};
    const found = await strictest(judged, action => judgeAction(action, {session, executor}, signal));
    const {verdict} = found;
    const id = actionId(`${agent.id}:${approval.id}`);
    const toolCall = {kind: 'tool-call', id, ...call} as const;
    const isForbidden = agent.computerUse === 'denied' && definitions[shown.name].offered === 'with-display';
    if (isForbidden || verdict.decision === 'deny') {
      branch.addDenials([{call: toolCall, by: 'rule', of: {kind: 'call', reasons: []}}]);
      const message = 'The agent that started you forbids computer use (computer_use_enabled is false).';
      return {kind: 'denied', message: isForbidden ? message : deniedText(verdict)};
    }
    const request = {
      id,
      toolName: call.name,
      call: toolCall,
      action: shown,
      ...found,
      ask: 'unless-granted',
      place: where,
    } as const;
    const answer = await approve(request, context, signal);
    if (signal.aborted) return {kind: 'cancelled'};
    if (answer.kind === 'refused') {
      if (answer.deniedBy !== 'not-denied')
        branch.addDenials([
          {call: toolCall, by: answer.deniedBy, of: {kind: 'call', reasons: taintIn(verdict.reasons)}},
        ]);
      const words = blockTexts(modelContent(resultOf(shown, answer.settled)));
      return {kind: 'denied', message: words.join('\n')};
    }
    if (answer.action !== shown || answer.input !== 'unchanged') {
      return {kind: 'denied', message: answer.note === '' ? 'The user wants this done differently.' : answer.note};
    }
    if (verdict.risk !== 'read-only') this.#changed = 'something';
    if (verdict.risk !== 'read-only' && agent.isolation === 'none' && where === 'here')
      await context.checkpoints.beforeChange(signal, 'any', agent.call);
    return {kind: 'allowed'};
  }

  /** Journals a record. If that fails, the stored session lacks it, but the work continues. */
  #keep(record: JournalRecord): void {
    try {
      this.#setup.session.append(record);
    } catch {
      return;
    }
  }
}

type Finished = Extract<HarnessEvent, {event: 'finished'}>;

/** Puts its earlier answer before the one about the failure. */
const withAnswer = (event: Finished, earlier: string): Finished => ({
  ...event,
  outcome: {...event.outcome, text: [earlier, event.outcome.text].filter(text => text !== '').join('\n\n')},
});

const nothingUsed: HarnessUsage = {model: '', usage: noUsage, cost: {kind: 'unknown'}};

const asker = ({id, name, kind, harness}: SubAgent) => ({id, name, kind, harness});

function costSince(now: HarnessUsage, before: HarnessUsage): number | 'unknown' {
  if (now.cost.kind === 'unknown') return 'unknown';
  return Math.max(0, now.cost.usd - (before.cost.kind === 'unknown' ? 0 : before.cost.usd));
}
