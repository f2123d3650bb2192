import {definitions, modelContent, resultOf} from '../../actions/catalogue.ts';
import type {NamedCall} from '../../actions/edit-calls.ts';
import {actionsOf} from '../../actions/harness-actions.ts';
import type {HarnessApproval, HarnessDecision, HarnessEvent, HarnessRun} from '../../actions/harness-port.ts';
import type {CallAnswer} from '../../actions/hooks-port.ts';
import {sameJson} from '../../base/json.ts';
import {ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {blockTexts, type ToolCallBlock} from '../../domain/conversation.ts';
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
import {approve, deniedText, judgeAction, type ApprovalContext, withHookVerdict} from '../approval.ts';
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
  readonly #tools = new Map<string, RunningTool>();
  #hooks: PromptHooks;
  /** The hooks that run after its calls. */
  readonly #hooking = new Set<Promise<void>>();
  /** Texts of hooks that came after its answer. */
  readonly #late: string[] = [];
  /** The number of texts of hooks that it reads as its next prompts. */
  #queued = 0;
  readonly #closing = new AbortController();
  /** Why a hook has stopped it. Empty if none has. */
  #stopReason = '';

  constructor(setup: AgentSetup, deps: RunnerDeps) {
    this.#setup = setup;
    this.#deps = deps;
    this.#parent = setup.branch.session();
    this.#resume = setup.resume;
    this.#mode = modeOf(setup.kind, this.#parent.mode);
    this.#hooks = this.#newHooks();
  }

  async send(text: string): Promise<Outcome<unknown, Fault>> {
    const {agent} = this.#setup;
    const parent = this.#parent;
    this.#keep({
      kind: 'prompt',
      message: {role: 'user', id: parent.ports.ids.message(), blocks: [{kind: 'text', text}]},
    });
    this.#changed = 'nothing';
    this.#queued = 0;
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
    this.#closing.abort();
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
        if (event.outcome.kind === 'succeeded' && this.#queued > 0) {
          this.#queued -= 1;
          this.#earlier = withAnswer(event, this.#earlier ?? '').outcome.text;
          return;
        }
        const isOpen = event.outcome.kind === 'succeeded' && this.#hooking.size > 0;
        if (isOpen || this.#isToBeChecked(event)) void this.#checkEnd(event);
        else this.#reportEnd(this.#earlier === undefined ? event : withAnswer(event, this.#earlier));
        return;
      }
      case 'closed':
        if (this.#ending !== undefined) this.#reportEnd(this.#ending.event);
        this.#run = undefined;
        break;
      case 'tool-started': {
        const calls = this.#callsOf(event.id, {...event, toolName: event.name, reason: ''});
        this.#tools.set(event.id, {tool: event, calls, state: 'not-asked', startedAt: parent.ports.clock.now()});
        this.#uncounted = 'something';
        break;
      }
      case 'tool-finished': {
        const tool = this.#tools.get(event.id);
        this.#tools.delete(event.id);
        if (event.files.length > 0) this.#changed = 'something';
        // Only a fault of weft could make this fail, and it must not end the run.
        if (tool !== undefined) learnToolOutput(tool.tool, event.output, parent).catch(() => {});
        if (tool !== undefined) {
          const hooking = this.#guardEnd(tool, event).finally(() => this.#hooking.delete(hooking));
          this.#hooking.add(hooking);
        }
        break;
      }
      case 'tool-output': {
        const tool = this.#tools.get(event.id);
        if (tool !== undefined) void this.#guardUnasked(tool);
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
        this.#hooks = this.#newHooks();
        this.#stopReason = '';
        break;
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

  /** Waits for its hooks and checks the conditions of the session. Gives what they say to the harness, or reports its end. */
  async #checkEnd(event: Finished): Promise<void> {
    const checking = new AbortController();
    const ending = {event, checking};
    this.#ending = ending;
    const context = this.#contextFor(this.#parent);
    await Promise.all(this.#hooking);
    const failure = this.#isToBeChecked(event)
      ? await import('../conditions.ts')
          .then(({PromptConditions}) =>
            context === undefined ? '' : new PromptConditions(context).failureForAgent(checking.signal),
          )
          .catch(() => '')
      : '';
    if (this.#ending !== ending) return;
    const text = [...this.#late.splice(0), failure].filter(each => each !== '').join('\n\n');
    this.#earlier = event.outcome.text;
    const sent = text === '' || this.#stopReason !== '' ? 'none' : ((await this.#run?.send(text)) ?? 'none');
    if (this.#ending === ending && (sent === 'none' || sent.tag === 'failed')) this.#reportEnd(event);
  }

  #reportEnd(event: Finished): void {
    this.#ending?.checking.abort();
    this.#ending = undefined;
    const reason = this.#stopReason;
    this.#deps.onEvent({by: 'harness', event: reason === '' ? event : stoppedByHook(event, reason)});
  }

  /** Returns the context of weft's own work for it. `undefined` if no prompt of its parent has run. */
  #contextFor(session: SessionContext): ApprovalContext | undefined {
    const {checkpoints} = this.#setup.branch;
    return checkpoints === undefined
      ? undefined
      : {
          session,
          hooks: this.#hooks,
          checkpoints,
          structured: unstructuredAnswer,
          cancellation: () => ({reason: 'interrupted', message: ''}),
        };
  }

  async #approve(approval: HarnessApproval, signal: AbortSignal): Promise<HarnessDecision> {
    const tool = this.#tools.get(approval.id);
    if (tool !== undefined) tool.state = 'asked';
    const decision = await this.#decide(approval, signal);
    if (tool !== undefined && decision.kind !== 'allowed') tool.state = 'refused';
    return decision;
  }

  /** Decides on a request: hooks, rules and mode first, then the user. If no one can be asked, denies it. */
  async #decide(approval: HarnessApproval, signal: AbortSignal): Promise<HarnessDecision> {
    const {agent, branch} = this.#setup;
    const {directory, place} = this.#deps;
    const parent = this.#parent;
    const requested = actionsOf(approval, {harness: agent.harness, directory});
    const {judged, shown, executor, call, place: where} = requested;
    const calls = requested.guarded.map(guarded => this.#toolCall(approval.id, guarded));
    const tool = this.#tools.get(approval.id);
    if (tool !== undefined) tool.calls = calls;
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
    const toolCall = this.#toolCall(approval.id, call);
    const {id} = toolCall;
    const hook = await this.#beforeCalls(calls, signal);
    if (hook.kind === 'deny') {
      branch.addDenials([{call: toolCall, by: 'hook', of: {kind: 'call', reasons: []}}]);
      this.#heedStop();
      if (this.#stopReason !== '') return {kind: 'cancelled'};
      return {kind: 'denied', message: `PreToolUse:${call.name} hook error: ${hook.reason}`};
    }
    const judgement = await strictest(judged, action => judgeAction(action, {session, executor}, signal));
    const found = withHookVerdict(judgement, hook);
    const {verdict} = found;
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
      ask: hook.kind === 'ask' ? 'always' : 'unless-granted',
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

  #newHooks(): PromptHooks {
    return new PromptHooks(this.#parent.ports.hooks, this.#parent.publish);
  }

  #callsOf(id: string, request: Omit<HarnessApproval, 'id'>): readonly ToolCallBlock[] {
    const place = {harness: this.#setup.agent.harness, directory: this.#deps.directory};
    return actionsOf(request, place).guarded.map(call => this.#toolCall(id, call));
  }

  #toolCall(id: string, call: NamedCall): ToolCallBlock {
    return {kind: 'tool-call', id: actionId(`${this.#setup.agent.id}:${id}`), ...call};
  }

  /** Asks the hooks that run before a call. A harness takes no other input, so an input that a hook changes is refused. */
  async #beforeCalls(calls: readonly ToolCallBlock[], signal: AbortSignal): Promise<CallAnswer['verdict']> {
    const verdicts: CallAnswer['verdict'][] = [];
    for (const call of calls) {
      const {verdict, input, context} = await this.#hooks.beforeCall(call, signal);
      if (verdict.kind === 'deny') return verdict;
      if (input !== 'unchanged' && !sameJson(input, call.input))
        return {kind: 'deny', reason: `Make this call with the input ${JSON.stringify(input)}.`};
      this.#tell(context);
      verdicts.push(verdict);
    }
    return (
      verdicts.find(({kind}) => kind === 'ask') ??
      verdicts.find(({kind}) => kind === 'none') ??
      verdicts[0] ?? {kind: 'none'}
    );
  }

  /** Asks the hooks about a tool that the harness runs without asking. Stops the harness unless they let it run. */
  async #guardUnasked(tool: RunningTool): Promise<void> {
    if (tool.state !== 'not-asked') return;
    tool.state = 'asked';
    const verdict = await this.#beforeCalls(tool.calls, this.#closing.signal);
    if (verdict.kind !== 'deny' && verdict.kind !== 'ask') return;
    const {harness} = this.#setup.agent;
    this.#stop(
      `A PreToolUse hook ${verdict.kind === 'deny' ? 'refuses' : 'asks about'} ${tool.tool.name}, which ${harness} ran without asking: ${verdict.reason}`,
    );
  }

  async #guardEnd(tool: RunningTool, {end, output}: Extract<HarnessEvent, {event: 'tool-finished'}>): Promise<void> {
    await this.#guardUnasked(tool);
    if (end === 'cancelled' || tool.state === 'refused') return;
    const durationMs = this.#parent.ports.clock.now() - tool.startedAt;
    for (const call of tool.calls) {
      const outcome = end === 'succeeded' ? 'success' : 'error';
      const content = {kind: 'tool-result', id: call.id, content: [{kind: 'text', text: output}], outcome} as const;
      const {context, modelText} = await this.#hooks.afterCall(
        {call, result: 'elsewhere', content, durationMs},
        this.#closing.signal,
      );
      this.#tell(context);
      if (modelText.kind === 'replaced')
        this.#tell(`Read this instead of the result of ${call.name}: ${modelText.text}`);
    }
    this.#heedStop();
  }

  /** Stops the harness if a hook has ended the prompt. */
  #heedStop(): void {
    if (this.#hooks.stopped !== undefined) this.#stop(`A hook stopped it: ${this.#hooks.stopped.reason}`);
  }

  /** Gives the text of a hook to the harness's model. */
  #tell(text: string): void {
    if (text === '') return;
    if (this.#ending !== undefined) this.#late.push(text);
    else
      void this.#run?.send(text).then(sent => (this.#queued += sent.tag === 'ok' && sent.value === 'queued' ? 1 : 0));
  }

  #stop(reason: string): void {
    this.#stopReason ||= reason;
    void this.#run?.interrupt();
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

/** A tool that the harness's model is using. */
interface RunningTool {
  readonly tool: HarnessTool;
  /** The calls as hooks see them. */
  calls: readonly ToolCallBlock[];
  /** `asked`: the hooks that run before a call know it. */
  state: 'not-asked' | 'asked' | 'refused';
  readonly startedAt: number;
}

type Finished = Extract<HarnessEvent, {event: 'finished'}>;

const stoppedByHook = (event: Finished, reason: string): Finished => ({
  ...event,
  outcome: {kind: 'failed', reason, text: event.outcome.text},
});

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
