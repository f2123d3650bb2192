import {
  unchangedResult,
  type Ending,
  type EndedCall,
  type Happening,
  type Hook,
  type HookEngine,
  type HookFailure,
  type HookFailureKind,
  type HookReply,
  type HookRow,
  type HookRun,
  type HookSession,
  type HooksPort,
  type PermissionAnswer,
  type ContextAnswer,
  type Subagent,
  type ResultAnswer,
  type StopAnswer,
  type CallAnswer,
} from '../../actions/hooks-port.ts';
import type {RuleReach} from '../../domain/access.ts';
import {matchedNames} from '../../actions/catalogue.ts';
import {clip, firstLine} from '../../base/clip.ts';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {byKind, unreachable} from '../../base/unreachable.ts';
import {changeEntry} from '../../domain/change-set.ts';
import {blockTexts, type ToolCallBlock} from '../../domain/conversation.ts';
import {causeText} from '../../domain/fault.ts';
import type {HookRunEvent, HookRunId, HookRunReport} from '../../domain/hook.ts';
import {commandFailure, commandResult} from '../../protocol/rpc/command-result.ts';
import {failedRun, hookAnswer, type HookAnswer, noObjection, nothingPrinted} from './hook-answer.ts';
import {matcherFits} from './matcher.ts';
import type {TranscriptWriter} from './transcript.ts';

/** The events that hooks guard: what they break at does not happen. */
const guardingEvents: ReadonlySet<string> = new Set(['PreToolUse', 'PermissionRequest', 'UserPromptSubmit', 'Stop']);
/** The events whose hooks may print text: it is context for the model. */
const textEvents: ReadonlySet<string> = new Set(['UserPromptSubmit', 'SessionStart']);

export interface HookDeps {
  readonly hooks: readonly Hook[];
  /** Where prompts come from. */
  readonly promptSource: 'user' | 'sdk';
  /** Puts placeholders in the place of secrets. */
  readonly redact: (text: string) => string;
  readonly reach: (condition: string, call: ToolCallBlock, signal: AbortSignal) => Promise<RuleReach>;
  /** Writes the file that hooks read the conversation in. */
  readonly transcript: TranscriptWriter;
}

/**
 * The hooks of a session, wherever they come from: those of one event that fit run side by side, equal ones once, and their answers
 * are joined: deny before ask before allow. One that does not start, breaks, takes too long or answers what cannot be read blocks
 * what it guards, unless it says otherwise.
 */
export function makeHooks(deps: HookDeps): HooksPort {
  return new Hooks(deps);
}

class Hooks implements HooksPort {
  readonly #deps: HookDeps;
  #engine: HookEngine | undefined;
  readonly #runs = new Map<Hook, {runs: number; last: string}>();
  readonly #told = new Set<string>();
  #calls = 0;

  constructor(deps: HookDeps) {
    this.#deps = deps;
  }

  async preToolUse(call: EndedCall['call'], signal: AbortSignal): Promise<HookReply<CallAnswer>> {
    const joined = await this.#callAll(onTool('PreToolUse', call, {}), signal);
    const changing = joined.answers.findLast(({updatedInput}) => updatedInput !== undefined);
    const verdict = callVerdict(joined.answers);
    // Another hook's yes is about the input that the model wrote.
    const isJudgedAnew = verdict.kind === 'allow' && changing !== undefined && changing.permission !== 'allow';
    return replyWith(joined, {
      verdict: isJudgedAnew ? {kind: 'none'} : verdict,
      input: changing?.updatedInput ?? 'unchanged',
      context: joined.context,
    });
  }

  async permissionRequest(
    {call, rules, changes}: Parameters<HooksPort['permissionRequest']>[0],
    signal: AbortSignal,
  ): Promise<HookReply<PermissionAnswer>> {
    const suggestions = rules.slice(0, 1).map(suggestionOf);
    const more = {
      ...(suggestions.length === 0 ? {} : {permission_suggestions: suggestions}),
      ...(changes.length === 0 ? {} : {changes: changes.map(changeEntry)}),
    };
    const joined = await this.#callAll(onTool('PermissionRequest', call, more), signal);
    return replyWith(joined, {verdict: permissionVerdict(joined.answers)});
  }

  async postToolUse(ended: EndedCall, signal: AbortSignal): Promise<HookReply<ResultAnswer>> {
    const failure = commandFailure(ended.result);
    if (failure !== undefined) {
      // To weft a command that fails has been carried out; to hooks, as people write them, its use has failed.
      const {answer, ...reply} = await this.#failed(ended, failure, signal);
      return {...reply, answer: {...unchangedResult, ...answer}};
    }
    const more = {duration_ms: ended.durationMs, tool_response: responseOf(ended)};
    const joined = await this.#callAll(onTool('PostToolUse', ended.call, more), signal);
    return replyWith(joined, {context: reasonsAndContext(joined), modelText: replacement(joined.answers)});
  }

  async postToolUseFailure(ended: EndedCall, signal: AbortSignal): Promise<HookReply<ContextAnswer>> {
    return this.#failed(ended, resultText(ended), signal);
  }

  async #failed(ended: EndedCall, error: string, signal: AbortSignal): Promise<HookReply<ContextAnswer>> {
    const {call, durationMs, content} = ended;
    const more = {duration_ms: durationMs, error, is_interrupt: content.outcome === 'cancelled'};
    const joined = await this.#callAll(onTool('PostToolUseFailure', call, more), signal);
    return replyWith(joined, {context: reasonsAndContext(joined)});
  }

  async userPromptSubmit({id, text}: Parameters<HooksPort['userPromptSubmit']>[0], signal: AbortSignal) {
    const input = {prompt_id: id, prompt: text, source: this.#deps.promptSource};
    const joined = await this.#callAll(on('UserPromptSubmit', '', input), signal);
    return replyWith(joined, {verdict: blockVerdict(joined.answers), context: joined.context});
  }

  async stop({answer, round}: Ending, signal: AbortSignal): Promise<HookReply<StopAnswer>> {
    const input = {stop_hook_active: round === 'again', last_assistant_message: answer};
    const joined = await this.#callAll(on('Stop', '', input), signal);
    const verdict = blockVerdict(joined.answers);
    // Context for the model is nothing without a model that goes on.
    const goesOn = verdict.kind === 'none' && joined.context !== '';
    return replyWith(joined, {verdict: goesOn ? {kind: 'block', reason: joined.context} : verdict});
  }

  async sessionStart(source: Parameters<HooksPort['sessionStart']>[0], signal: AbortSignal) {
    const joined = await this.#callAll(on('SessionStart', source, {source, model: this.#session().model}), signal);
    return replyWith(joined, {context: joined.context});
  }

  async preCompact(instructions: string, signal: AbortSignal): Promise<HookReply<StopAnswer>> {
    const input = {trigger: 'manual', custom_instructions: instructions === '' ? null : instructions};
    const joined = await this.#callAll(on('PreCompact', 'manual', input), signal);
    return replyWith(joined, {verdict: blockVerdict(joined.answers)});
  }

  async subagentStart({agentId, agentType}: Subagent, signal: AbortSignal): Promise<HookReply<ContextAnswer>> {
    const input = {agent_id: agentId, agent_type: agentType};
    const joined = await this.#callAll(on('SubagentStart', agentType, input), signal);
    return replyWith(joined, {context: joined.context});
  }

  async subagentStop(ending: Ending & Subagent, signal: AbortSignal): Promise<HookReply<StopAnswer>> {
    const {answer, round, agentId, agentType} = ending;
    const input = {
      stop_hook_active: round === 'again',
      agent_transcript_path: '',
      last_assistant_message: answer,
      agent_id: agentId,
      agent_type: agentType,
    };
    const joined = await this.#callAll(on('SubagentStop', agentType, input), signal);
    return replyWith(joined, {verdict: blockVerdict(joined.answers)});
  }

  async happened(happening: Happening, signal: AbortSignal): Promise<HookReply<undefined>> {
    return replyWith(await this.#callAll(happeningCall(happening), signal), undefined);
  }

  attach(engine: HookEngine): void {
    this.#engine = engine;
  }

  list(): readonly HookRow[] {
    return this.#deps.hooks.map(hook => {
      const {event, matcher, text, source} = hook;
      return {event, matcher, text, source, standing: 'in-use', ...(this.#runs.get(hook) ?? {runs: 0, last: ''})};
    });
  }

  async #callAll(call: HookCall, signal: AbortSignal): Promise<Joined> {
    const matching = this.#deps.hooks.filter(
      ({event, matcher}) =>
        event === call.event &&
        (call.subject === '' || matchedNames(call.subject).some(name => matcherFits(matcher, name))),
    );
    const once = [...new Map(matching.map(hook => [hook.key, hook])).values()];
    const meant = await Promise.all(
      once.map(async hook => ({hook, reach: await this.#reachOf(hook, call.call, signal)})),
    );
    const wanted = meant.filter(({reach}) => reach !== 'none');
    const transcript =
      wanted.length === 0 ? '' : await this.#deps.transcript(this.#session(), this.#engine?.messages() ?? []);
    const called = await Promise.all(wanted.map(async one => this.#callOne({...one, transcript}, call, signal)));
    const answers = called.flatMap(one => (one.kind === 'answered' ? [one.answer] : []));
    const stop = answers.find(({flow}) => flow.kind === 'stop');
    return {
      answers,
      context: answers
        .map(({context}) => context)
        .filter(text => text !== '')
        .join('\n'),
      failures: called.flatMap(one => (one.kind === 'failed' ? [one.failure] : [])),
      flow: stop === undefined ? {kind: 'go-on'} : stop.flow,
      messages: answers.flatMap(({message}) => (message === '' ? [] : [message])),
    };
  }

  /** A condition that cannot be compared with the call may speak of it: the hook may guard what it was meant for. */
  async #reachOf({condition}: Hook, call: HookCall['call'], signal: AbortSignal): Promise<RuleReach> {
    if (condition === '') return 'whole';
    return call === undefined ? 'none' : this.#deps.reach(condition, call, signal).catch(() => 'part' as const);
  }

  async #callOne(
    {hook, reach, transcript}: {readonly hook: Hook; readonly reach: RuleReach; readonly transcript: string},
    {event, subject, input}: HookCall,
    signal: AbortSignal,
  ): Promise<Called> {
    const id: HookRunId = {
      id: `hook-${(this.#calls += 1)}`,
      name: subject === '' ? event : `${event}:${subject}`,
      event,
    };
    const {sessionId, directory, mode, promptId} = this.#session();
    const payload: JsonObject = {
      session_id: sessionId,
      transcript_path: transcript,
      cwd: directory,
      ...(promptId === '' ? {} : {prompt_id: promptId}),
      permission_mode: mode,
      hook_event_name: event,
      ...input,
    };
    this.#publish({event: 'hook-started', hook: id});
    const running = this.#run(hook, payload, hook.wait === 'async' ? new AbortController().signal : signal);
    const reported = running.then(ended => this.#report(hook, {id, ended, reach}));
    return hook.wait === 'async' ? {kind: 'stopped'} : reported;
  }

  /** Runs it within its time. Never rejects. */
  async #run(hook: Hook, payload: JsonObject, signal: AbortSignal): Promise<HookRun | 'aborted'> {
    const late = AbortSignal.timeout(hook.timeoutMs);
    try {
      const run = await hook.run(payload, AbortSignal.any([signal, late]));
      if (signal.aborted) return 'aborted';
      if (!late.aborted || run.outcome.kind !== 'failed') return run;
      const why = `it did not answer within ${hook.timeoutMs / 1000} s`;
      return {...run, outcome: {kind: 'failed', how: 'timed-out', why}};
    } catch (cause) {
      const why = `${causeText(cause)} (a bug in weft)`;
      return failedRun('crashed', why);
    }
  }

  #report(
    hook: Hook,
    {id, ended, reach}: {readonly id: HookRunId; readonly ended: HookRun | 'aborted'; readonly reach: RuleReach},
  ): Called {
    const called = ended === 'aborted' ? ({kind: 'stopped'} as const) : this.#judge(hook, ended, reach);
    const {exitCode, stdout, stderr} = ended === 'aborted' ? nothingPrinted : ended;
    const report: HookRunReport = {
      outcome: runOutcome(called, ended),
      exitCode,
      stdout: this.#shown(stdout),
      stderr: this.#shown(stderr),
      verdict: verdictText(called),
    };
    this.#runs.set(hook, {runs: (this.#runs.get(hook)?.runs ?? 0) + 1, last: report.verdict || 'no objection'});
    this.#publish({event: 'hook-ended', hook: id, run: report});
    return called;
  }

  #judge(hook: Hook, {outcome}: HookRun, reach: RuleReach): Called {
    const {redact} = this.#deps;
    switch (outcome.kind) {
      case 'json': {
        const read = hookAnswer(outcome.value, {event: hook.event, redact});
        if (read.tag === 'ok') {
          const isIgnored = reach === 'part' && read.value.permission === 'allow';
          return {kind: 'answered', answer: isIgnored ? {...read.value, permission: 'none'} : read.value};
        }
        return this.#broken(hook, 'unreadable', `it answered what cannot be understood: ${read.error}`);
      }
      case 'text': {
        const text = clip(redact(outcome.text.trim()), maxShown);
        if (text === '') return {kind: 'answered', answer: noObjection};
        if (textEvents.has(hook.event)) return {kind: 'answered', answer: {...noObjection, context: text}};
        // What a formatter prints is no answer, and where nothing is guarded none is needed.
        if (!guardingEvents.has(hook.event)) return {kind: 'answered', answer: noObjection};
        return this.#broken(hook, 'unreadable', `it printed what is no JSON: ${clip(text, 200)}`);
      }
      case 'blocked': {
        const reason = clip(redact(outcome.reason), maxShown);
        // In this form the model knows it from other agents.
        const named = hook.event === 'PreToolUse' ? `[${hook.text}]: ${reason || 'No stderr output'}` : reason.trim();
        return {
          kind: 'answered',
          answer: {...noObjection, permission: 'deny', reason: named === '' ? `${hook.text} blocked it` : named},
        };
      }
      case 'failed':
        return this.#broken(hook, outcome.how, redact(outcome.why));
      default:
        return unreachable(outcome);
    }
  }

  #broken(hook: Hook, how: HookFailureKind, why: string): Called {
    const guards = guardingEvents.has(hook.event);
    const follow =
      how === 'gone' && hook.event === 'PreToolUse'
        ? 'block'
        : guards && hook.onFailure === 'block'
          ? 'block'
          : 'go-on';
    const message = `the ${hook.event} hook ${firstLine(hook.text, maxName)} (${hook.source}) ${failureWords[how]}: ${why}. ${adviceOf(hook, how)}`;
    // One that guards nothing may break at every call: the user hears of it once.
    const isNews = follow === 'block' || !this.#told.has(`${hook.key} ${how}`);
    this.#told.add(`${hook.key} ${how}`);
    const fault = {kind: 'rejected', message} as const;
    return {kind: 'failed', failure: {fault, onFailure: follow, notice: isNews ? 'tell' : 'told'}, how};
  }

  #shown(text: string): string {
    return clip(this.#deps.redact(text), maxShown);
  }

  #session(): HookSession {
    return this.#engine?.session() ?? {sessionId: '', directory: '', mode: 'default', model: '', promptId: ''};
  }

  #publish(event: HookRunEvent): void {
    this.#engine?.publish(event);
  }
}

/** UTF-16 units of a hook's command in a message. */
const maxName = 120;

/** UTF-16 units of what a hook printed that are shown or handed on. */
const maxShown = 30_000;

interface HookCall {
  readonly event: string;
  /** What matchers look at: the tool, or the cause; empty where all hooks of the event are called. */
  readonly subject: string;
  /** The call of a tool that it is about; `undefined` if it is about none. */
  readonly call: ToolCallBlock | undefined;
  readonly input: JsonObject;
}

type Called =
  | {readonly kind: 'answered'; readonly answer: HookAnswer}
  | {
      readonly kind: 'failed';
      readonly failure: HookFailure;
      readonly how: HookFailureKind;
    }
  | {readonly kind: 'stopped'};

interface Joined {
  readonly answers: readonly HookAnswer[];
  readonly context: string;
  readonly failures: readonly HookFailure[];
  readonly flow: HookAnswer['flow'];
  readonly messages: readonly string[];
}

const replyWith = <Answer>({failures, flow, messages}: Joined, answer: Answer): HookReply<Answer> => ({
  answer,
  failures,
  flow,
  messages,
});

const failureWords = {
  'not-started': 'did not start',
  crashed: 'broke off',
  'timed-out': 'took too long',
  unreadable: 'gave no answer that can be read',
  gone: 'cannot be asked',
} as const;

function adviceOf({event, onFailure}: Hook, how: keyof typeof failureWords): string {
  const what = {
    'not-started': 'Check that the program is there',
    crashed: 'A hook has no objection with exit code 0 and blocks with exit code 2: see what it printed',
    'timed-out': 'Make it faster, or raise its "timeout"',
    unreadable: 'It must print nothing, or one JSON object',
    gone: 'Start the program that answers it',
  }[how];
  const isGuard = guardingEvents.has(event) && onFailure === 'block';
  return isGuard ? `${what}; with "onFailure": "allow" it would not block.` : `${what}.`;
}

function runOutcome(called: Called, ended: HookRun | 'aborted'): HookRunReport['outcome'] {
  if (called.kind === 'stopped' || ended === 'aborted') return 'cancelled';
  if (called.kind === 'failed') return called.how === 'timed-out' ? 'cancelled' : 'error';
  return ended.outcome.kind === 'blocked' ? 'error' : 'success';
}

const verdictText = (called: Called): string =>
  byKind<Called, string>(called, {
    stopped: () => 'interrupted',
    failed: ({failure: {onFailure, fault}}) =>
      `${onFailure === 'block' ? 'blocks' : 'does not count'}: ${fault.kind === 'rejected' ? fault.message : ''}`,
    answered({answer: {permission, reason, flow}}) {
      if (flow.kind === 'stop') return `stops the prompt: ${flow.reason}`;
      return permission === 'none' ? '' : reason === '' ? permission : `${permission}: ${reason}`;
    },
  });

const on = (event: string, subject: string, input: JsonObject): HookCall => ({event, subject, call: undefined, input});

const onTool = (event: string, call: ToolCallBlock, more: JsonObject): HookCall => ({
  event,
  subject: call.name,
  call,
  input: {tool_name: call.name, tool_input: call.input, tool_use_id: call.id, ...more},
});

function happeningCall(happening: Happening): HookCall {
  const {event} = happening;
  switch (event) {
    case 'SessionEnd':
      return on(event, happening.reason, {reason: happening.reason});
    case 'Notification':
      return on(event, happening.type, {message: happening.message, notification_type: happening.type});
    case 'PermissionDenied':
      return onTool(event, happening.call, {reason: happening.reason});
    case 'PostCompact':
      return on(event, 'manual', {trigger: 'manual', compact_summary: happening.summary});
    default:
      return unreachable(happening);
  }
}

/** The result in the form in which hooks of Claude Code look for it: what a command printed, or the file that was worked on. */
function responseOf(ended: EndedCall): Json {
  const command = commandResult(ended.result);
  if (command !== undefined) return {...command};
  const {input} = ended.call;
  const filePath = isJsonObject(input) ? input['file_path'] : undefined;
  const text = resultText(ended);
  return typeof filePath === 'string' ? {filePath, success: true, content: text} : text;
}

const resultText = ({content}: EndedCall): string => blockTexts(content.content).join('\n');

/** `Bash(touch:*)` as a permission update of the Agent SDK. */
function suggestionOf(rule: string): JsonObject {
  const [, toolName = rule, ruleContent] = /^([^()\s]+)(?:\(([\s\S]*)\))?$/u.exec(rule) ?? [];
  const parts = ruleContent === undefined ? {toolName} : {toolName, ruleContent};
  return {type: 'addRules', rules: [parts], behavior: 'allow', destination: 'localSettings'};
}

function callVerdict(answers: readonly HookAnswer[]): CallAnswer['verdict'] {
  for (const kind of ['deny', 'ask'] as const) {
    const found = answers.find(answer => answer.permission === kind);
    if (found !== undefined) return {kind, reason: found.reason};
  }
  return {kind: answers.some(({permission}) => permission === 'allow') ? 'allow' : 'none'};
}

function permissionVerdict(answers: readonly HookAnswer[]): PermissionAnswer['verdict'] {
  const no = answers.find(({permission}) => permission === 'deny');
  if (no !== undefined) return {kind: 'deny', reason: no.reason, next: no.next};
  if (answers.some(({permission}) => permission === 'ask')) return {kind: 'none'};
  const yes = answers.filter(({permission}) => permission === 'allow');
  if (yes.length === 0) return {kind: 'none'};
  const input = yes.findLast(({updatedInput}) => updatedInput !== undefined)?.updatedInput ?? 'unchanged';
  return {kind: 'allow', input, rules: yes.flatMap(({rules}) => rules)};
}

function blockVerdict(answers: readonly HookAnswer[]): StopAnswer['verdict'] {
  const blocking = answers.find(({permission}) => permission === 'deny');
  return blocking === undefined ? {kind: 'none'} : {kind: 'block', reason: blocking.reason};
}

const reasonsAndContext = ({answers, context}: Joined): string =>
  [...answers.flatMap(({permission, reason}) => (permission === 'deny' ? [reason] : [])), context]
    .filter(text => text !== '')
    .join('\n');

/** If several hooks set a value, the last one counts. */
function replacement(answers: readonly HookAnswer[]): ResultAnswer['modelText'] {
  const output = answers.findLast(({updatedOutput}) => updatedOutput !== undefined)?.updatedOutput;
  return output === undefined ? {kind: 'unchanged'} : {kind: 'replaced', text: outputText(output)};
}

/** Texts and lists of text blocks as they read, what a command printed, anything else as JSON. */
function outputText(output: Json): string {
  if (typeof output === 'string') return output;
  if (isJsonObject(output)) {
    const {stdout, stderr, content, text} = output;
    if (typeof stdout === 'string') return [stdout, stderr].filter(printed => typeof printed === 'string').join('');
    if (typeof text === 'string') return text;
    if (content !== undefined) return outputText(content);
  }
  return Array.isArray(output) ? output.map(outputText).join('\n') : JSON.stringify(output);
}
