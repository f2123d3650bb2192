import {definitions, modelContent, resultOf} from '../../actions/catalogue.ts';
import {actionsOf} from '../../actions/harness-actions.ts';
import type {HarnessApproval, HarnessDecision, HarnessEvent, HarnessRun} from '../../actions/harness-port.ts';
import {ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {blockTexts} from '../../domain/conversation.ts';
import type {Fault} from '../../domain/fault.ts';
import type {HarnessSessionId, HarnessUsage} from '../../domain/harness.ts';
import {actionId} from '../../domain/ids.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import {taintIn} from '../../domain/reason.ts';
import {strictest} from '../../domain/executor.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import type {SubAgent} from '../../domain/sub-agent.ts';
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
    if (this.#run === undefined) this.#starting?.abort();
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
        break;
      }
      case 'closed':
        this.#run = undefined;
        break;
      case 'tool-started':
        this.#tools.set(event.id, event);
        this.#uncounted = 'something';
        break;
      case 'tool-finished': {
        const tool = this.#tools.get(event.id);
        this.#tools.delete(event.id);
        // Only a fault of weft could make this fail, and it must not end the run.
        if (tool !== undefined) learnToolOutput(tool, event.output, parent).catch(() => {});
        break;
      }
      case 'text':
      case 'thinking':
        this.#uncounted = 'something';
        break;
      case 'working':
      case 'tool-output':
      case 'plan':
        break;
      default:
        unreachable(event);
    }
    onEvent({by: 'harness', event});
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
    const before = branch.checkpoints;
    if (before === undefined)
      return {kind: 'denied', message: 'No prompt is running that this request could belong to.'};
    const context: ApprovalContext = {
      session,
      hooks: new PromptHooks(parent.ports.hooks, parent.publish),
      checkpoints: before,
      structured: unstructuredAnswer,
      cancellation: () => ({reason: 'interrupted', message: ''}),
    };
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
    if (verdict.risk !== 'read-only' && agent.isolation === 'none' && where === 'here')
      await before.beforeChange(signal, 'any', agent.call);
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

const nothingUsed: HarnessUsage = {model: '', usage: noUsage, cost: {kind: 'unknown'}};

const asker = ({id, name, kind, harness}: SubAgent) => ({id, name, kind, harness});

function costSince(now: HarnessUsage, before: HarnessUsage): number | 'unknown' {
  if (now.cost.kind === 'unknown') return 'unknown';
  return Math.max(0, now.cost.usd - (before.cost.kind === 'unknown' ? 0 : before.cost.usd));
}
