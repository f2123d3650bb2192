import {
  type StopInput,
  type EndedCall,
  type HookNotification,
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
  type BegunCompaction,
  type StopAnswer,
  type CallAnswer,
} from '../../actions/hooks-port.ts';
import type {RuleReach} from '../../domain/access.ts';
import {accessOf, hookToolNames} from '../../actions/catalogue.ts';
import {decodePastAction} from '../../actions/decode-action.ts';
import {editCalls} from '../../actions/edit-calls.ts';
import {clip, firstLine} from '../../base/clip.ts';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {byKind, unreachable} from '../../base/unreachable.ts';
import {changeEntry} from '../../domain/change-set.ts';
import {blockTexts, type ToolCallBlock} from '../../domain/conversation.ts';
import {causeText} from '../../domain/fault.ts';
import type {HookRunEvent, HookRunId, HookRunReport} from '../../domain/hook.ts';
import {commandFailure, commandResult} from '../../protocol/rpc/command-result.ts';
import {makeFailedRun, parseHookAnswer, type HookAnswer, noObjection, emptyOutput} from './hook-answer.ts';
import {matchesName} from './matcher.ts';
import type {TranscriptWriter} from './transcript.ts';

/** The events that a hook can block. A hook that fails blocks them too. */
const guardingEvents: ReadonlySet<string> = new Set(['PreToolUse', 'PermissionRequest', 'UserPromptSubmit', 'Stop']);
/** The events for which a hook may print plain text, which becomes context for the model. */
const textEvents: ReadonlySet<string> = new Set(['UserPromptSubmit', 'SessionStart']);

export interface HookDeps {
  readonly hooks: readonly Hook[];
  readonly promptSource: 'user' | 'sdk';
  /** Replaces secrets with placeholders. */
  readonly redact: (text: string) => string;
  readonly reach: (condition: string, call: ToolCallBlock, signal: AbortSignal) => Promise<RuleReach>;
  /** Writes the conversation to the file that hooks can read. */
  readonly transcript: TranscriptWriter;
}

/**
 * Runs the hooks of a session, from all sources. Matching hooks of one event run in parallel, and equal hooks run
 * once. Their answers are joined: deny wins over ask, and ask over allow. A hook fails if it does not start, crashes,
 * times out or gives an unreadable answer. A failed hook blocks what it guards, unless its settings say otherwise.
 */
export function makeHooks(deps: HookDeps): HooksPort {
  return new Hooks(deps);
}

class Hooks implements HooksPort {
  readonly #deps: HookDeps;
  #engine: HookEngine | undefined;
  readonly #runs = new Map<Hook, {runs: number; last: string}>();
  readonly #reported = new Set<string>();
  #calls = 0;

  constructor(deps: HookDeps) {
    this.#deps = deps;
  }

  async preToolUse(call: EndedCall['call'], signal: AbortSignal): Promise<HookReply<CallAnswer>> {
    const joined = await this.#callForTool('PreToolUse', call, {}, signal);
    const changing = joined.answers.findLast(({updatedInput}) => updatedInput !== undefined);
    const verdict = callVerdict(joined.answers);
    // The other hook allowed the input that the model wrote, not this changed input.
    const isJudgedAnew = verdict.kind === 'allow' && changing !== undefined && changing.permission !== 'allow';
    return toReply(joined, {
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
    const joined = await this.#callForTool('PermissionRequest', call, more, signal);
    return toReply(joined, {verdict: permissionVerdict(joined.answers)});
  }

  async postToolUse(ended: EndedCall, signal: AbortSignal): Promise<HookReply<ResultAnswer>> {
    const more = {duration_ms: ended.durationMs, tool_response: toolResponseOf(ended)};
    const joined = await this.#callForTool('PostToolUse', ended.call, more, signal);
    return toReply(joined, {context: reasonsAndContext(joined), modelText: replacedOutputOf(joined.answers)});
  }

  async postToolUseFailure(ended: EndedCall, signal: AbortSignal): Promise<HookReply<ContextAnswer>> {
    const {call, durationMs, content} = ended;
    const error = (ended.result === 'elsewhere' ? undefined : commandFailure(ended.result)) ?? resultText(ended);
    const more = {duration_ms: durationMs, error, is_interrupt: content.outcome === 'cancelled'};
    const joined = await this.#callForTool('PostToolUseFailure', call, more, signal);
    return toReply(joined, {context: reasonsAndContext(joined)});
  }

  async userPromptSubmit({id, text}: Parameters<HooksPort['userPromptSubmit']>[0], signal: AbortSignal) {
    const input = {prompt_id: id, prompt: text, source: this.#deps.promptSource};
    const joined = await this.#callAll(on('UserPromptSubmit', '', input), signal);
    return toReply(joined, {verdict: blockVerdict(joined.answers), context: joined.context});
  }

  async stop({answer, round}: StopInput, signal: AbortSignal): Promise<HookReply<StopAnswer>> {
    const input = {stop_hook_active: round === 'again', last_assistant_message: answer};
    const joined = await this.#callAll(on('Stop', '', input), signal);
    const verdict = blockVerdict(joined.answers);
    // Only a model that continues can read the context.
    const goesOn = verdict.kind === 'none' && joined.context !== '';
    return toReply(joined, {verdict: goesOn ? {kind: 'block', reason: joined.context} : verdict});
  }

  async sessionStart(source: Parameters<HooksPort['sessionStart']>[0], signal: AbortSignal) {
    const joined = await this.#callAll(on('SessionStart', source, {source, model: this.#session().model}), signal);
    return toReply(joined, {context: joined.context});
  }

  async preCompact({trigger, instructions}: BegunCompaction, signal: AbortSignal): Promise<HookReply<StopAnswer>> {
    const input = {trigger, custom_instructions: instructions === '' ? null : instructions};
    const joined = await this.#callAll(on('PreCompact', trigger, input), signal);
    return toReply(joined, {verdict: blockVerdict(joined.answers)});
  }

  async subagentStart({agentId, agentType}: Subagent, signal: AbortSignal): Promise<HookReply<ContextAnswer>> {
    const input = {agent_id: agentId, agent_type: agentType};
    const joined = await this.#callAll(on('SubagentStart', agentType, input), signal);
    return toReply(joined, {context: joined.context});
  }

  async subagentStop(ending: StopInput & Subagent, signal: AbortSignal): Promise<HookReply<StopAnswer>> {
    const {answer, round, agentId, agentType} = ending;
    const input = {
      stop_hook_active: round === 'again',
      agent_transcript_path: '',
      last_assistant_message: answer,
      agent_id: agentId,
      agent_type: agentType,
    };
    const joined = await this.#callAll(on('SubagentStop', agentType, input), signal);
    return toReply(joined, {verdict: blockVerdict(joined.answers)});
  }

  async notify(happening: HookNotification, signal: AbortSignal): Promise<HookReply<undefined>> {
    return toReply(await this.#callAll(notificationCall(happening), signal), undefined);
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

  /** Calls the hooks about a tool. Hooks for Edit and Write get each file of a patch as a call of its own. */
  async #callForTool(event: string, call: ToolCallBlock, more: JsonObject, signal: AbortSignal): Promise<Joined> {
    let joined = await this.#callAll(makeToolHookCall(event, call, more), signal);
    for (const part of otherForms(call)) {
      const {answers, ...next} = await this.#callAll(makeToolHookCall(event, part, more), signal, call.name);
      joined = {
        answers: [...joined.answers, ...answers.map(aboutPart)],
        context: [joined.context, next.context].filter(text => text !== '').join('\n'),
        failures: [...joined.failures, ...next.failures],
        flow: joined.flow.kind === 'stop' ? joined.flow : next.flow,
        messages: [...joined.messages, ...next.messages],
      };
    }
    return joined;
  }

  /** Calls the hooks of an event, except those that match the tool `except`. */
  async #callAll(call: HookCall, signal: AbortSignal, except = ''): Promise<Joined> {
    const matching = this.#deps.hooks.filter(
      hook =>
        hook.event === call.event &&
        (call.subject === '' || matchesTool(hook, call.subject)) &&
        (except === '' || !matchesTool(hook, except)),
    );
    const once = [...new Map(matching.map(hook => [hook.key, hook])).values()];
    const meant = await Promise.all(
      once.map(async hook => ({hook, reach: await this.#reachOf(hook, call.call, signal)})),
    );
    const wanted = meant.filter(({reach}) => reach !== 'none');
    const changes = wanted.flatMap(({hook}) => (hook.changes === 'nothing' ? [] : [hook.changes]));
    if (changes.length > 0) await this.#engine?.beforeChange(changes, signal);
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

  /** If the condition can't be compared with the call, it may match: the hook may guard exactly this call. */
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

  /** Runs the hook within its timeout. Never rejects. */
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
      return makeFailedRun('crashed', why);
    }
  }

  #report(
    hook: Hook,
    {id, ended, reach}: {readonly id: HookRunId; readonly ended: HookRun | 'aborted'; readonly reach: RuleReach},
  ): Called {
    const called = ended === 'aborted' ? ({kind: 'stopped'} as const) : this.#judge(hook, ended, reach);
    const {exitCode, stdout, stderr} = ended === 'aborted' ? emptyOutput : ended;
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
        const read = parseHookAnswer(outcome.value, {event: hook.event, redact});
        if (read.tag === 'ok') {
          const isIgnored = reach === 'part' && read.value.permission === 'allow';
          return {kind: 'answered', answer: isIgnored ? {...read.value, permission: 'none'} : read.value};
        }
        return this.#reportFailure(hook, 'unreadable', `its answer is not valid: ${read.error}`);
      }
      case 'text': {
        const text = clip(redact(outcome.text.trim()), maxShown);
        if (text === '') return {kind: 'answered', answer: noObjection};
        if (textEvents.has(hook.event)) return {kind: 'answered', answer: {...noObjection, context: text}};
        // Text is not an answer, for example a formatter's output. Events that hooks can't block need none.
        if (!guardingEvents.has(hook.event)) return {kind: 'answered', answer: noObjection};
        return this.#reportFailure(hook, 'unreadable', `it printed text that is not JSON: ${clip(text, 200)}`);
      }
      case 'blocked': {
        const reason = clip(redact(outcome.reason), maxShown);
        // Models know this form from other agents.
        const named = hook.event === 'PreToolUse' ? `[${hook.text}]: ${reason || 'No stderr output'}` : reason.trim();
        return {
          kind: 'answered',
          answer: {...noObjection, permission: 'deny', reason: named === '' ? `${hook.text} blocked it` : named},
        };
      }
      case 'failed':
        return this.#reportFailure(hook, outcome.how, redact(outcome.why));
      default:
        return unreachable(outcome);
    }
  }

  #reportFailure(hook: Hook, how: HookFailureKind, why: string): Called {
    const guards = guardingEvents.has(hook.event);
    const follow =
      how === 'gone' && hook.event === 'PreToolUse'
        ? 'block'
        : guards && hook.onFailure === 'block'
          ? 'block'
          : 'go-on';
    const message = `the ${hook.event} hook ${firstLine(hook.text, maxName)} (${hook.source}) ${failureTexts[how]}: ${why}. ${adviceOf(hook, how)}`;
    // A hook that can't block may fail at every call, so report each kind of failure once.
    // At the end of a session, the program that would answer has often left.
    const isNews = follow === 'block' || (how !== 'gone' && !this.#reported.has(`${hook.key} ${how}`));
    this.#reported.add(`${hook.key} ${how}`);
    const fault = {kind: 'rejected', message} as const;
    return {kind: 'failed', failure: {fault, onFailure: follow, notice: isNews ? 'show' : 'shown-before'}, how};
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

/** The longest hook command in a message, in UTF-16 units. */
const maxName = 120;

/** The longest hook output that is shown or passed on, in UTF-16 units. */
const maxShown = 30_000;

interface HookCall {
  readonly event: string;
  /** The text that matchers are compared with: a tool's name, or the event's cause. Empty if all hooks of the event run. */
  readonly subject: string;
  /** The tool call that the event is about, or `undefined` if there is none. */
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

const toReply = <Answer>({failures, flow, messages}: Joined, answer: Answer): HookReply<Answer> => ({
  answer,
  failures,
  flow,
  messages,
});

const failureTexts = {
  'not-started': 'did not start',
  crashed: 'failed',
  'timed-out': 'took too long',
  unreadable: 'gave an unreadable answer',
  gone: 'is no longer connected',
} as const;

function adviceOf({event, onFailure}: Hook, how: keyof typeof failureTexts): string {
  const what = {
    'not-started': 'Check that the program exists',
    crashed: 'Exit code 0 means no objection and 2 blocks: check what it printed',
    'timed-out': 'Make it faster, or raise its "timeout"',
    unreadable: 'It must print nothing, or one JSON object',
    gone: 'Start the program that answers it',
  }[how];
  const isGuard = guardingEvents.has(event) && onFailure === 'block';
  return isGuard ? `${what}; set "onFailure": "continue" if a failure should not block.` : `${what}.`;
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
      `${onFailure === 'block' ? 'blocks' : 'ignored'}: ${fault.kind === 'rejected' ? fault.message : ''}`,
    answered({answer: {permission, reason, flow}}) {
      if (flow.kind === 'stop') return `stops the prompt: ${flow.reason}`;
      return permission === 'none' ? '' : reason === '' ? permission : `${permission}: ${reason}`;
    },
  });

const on = (event: string, subject: string, input: JsonObject): HookCall => ({event, subject, call: undefined, input});

const makeToolHookCall = (event: string, call: ToolCallBlock, more: JsonObject): HookCall => ({
  event,
  subject: call.name,
  call,
  input: {tool_name: call.name, tool_input: call.input, tool_use_id: call.id, ...more},
});

const matchesTool = ({matcher}: Hook, subject: string): boolean =>
  hookToolNames(subject).some(name => matchesName(matcher, name));

/** Returns an edit as calls of other tools than the one that was called. Empty for anything else. */
function otherForms(call: ToolCallBlock): readonly ToolCallBlock[] {
  const action = decodePastAction(call.name, call.input);
  const access = action.tag === 'ok' ? accessOf(action.value) : undefined;
  if (access?.kind !== 'edit') return [];
  return access.edits
    .flatMap(editCalls)
    .filter(({name}) => name !== call.name)
    .map(part => ({...call, ...part}));
}

/** A hook that sees a part of a call can't allow or change the whole: one that wants another input refuses the call. */
function aboutPart(answer: HookAnswer): HookAnswer {
  const {updatedInput, permission} = answer;
  if (updatedInput === undefined) return permission === 'allow' ? {...answer, permission: 'none'} : answer;
  const reason = `Write this file as ${JSON.stringify(updatedInput)}.`;
  return {...answer, updatedInput: undefined, permission: 'deny', reason};
}

function notificationCall(happening: HookNotification): HookCall {
  const {event} = happening;
  switch (event) {
    case 'SessionEnd':
      return on(event, happening.reason, {reason: happening.reason});
    case 'Notification':
      return on(event, happening.type, {message: happening.message, notification_type: happening.type});
    case 'PermissionDenied':
      return makeToolHookCall(event, happening.call, {reason: happening.reason});
    case 'PostCompact':
      return on(event, happening.trigger, {trigger: happening.trigger, compact_summary: happening.summary});
    default:
      return unreachable(happening);
  }
}

/** Returns the result in the form that Claude Code's hooks read: a command's output, or the path of the changed file. */
function toolResponseOf(ended: EndedCall): Json {
  const {result, call} = ended;
  const text = resultText(ended);
  const input = isJsonObject(call.input) ? call.input : {};
  const {command: line, file_path: filePath} = input;
  if (result === 'elsewhere' && typeof line === 'string')
    return {stdout: text, stderr: '', interrupted: false, isImage: false};
  const command = result === 'elsewhere' ? undefined : commandResult(result);
  if (command !== undefined) return {...command};
  return typeof filePath === 'string' ? {filePath, success: true, content: text} : text;
}

const resultText = ({content}: EndedCall): string => blockTexts(content.content).join('\n');

/** Turns a rule such as `Bash(touch:*)` into a permission update of the Agent SDK. */
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

/** Returns the replacement for a tool's result. If several hooks set one, the last one counts. */
function replacedOutputOf(answers: readonly HookAnswer[]): ResultAnswer['modelText'] {
  const output = answers.findLast(({updatedOutput}) => updatedOutput !== undefined)?.updatedOutput;
  return output === undefined ? {kind: 'unchanged'} : {kind: 'replaced', text: outputText(output)};
}

/** Returns the text of a string, of text blocks or of a command's output, and JSON for anything else. */
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
