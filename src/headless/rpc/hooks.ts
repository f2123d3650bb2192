import * as z from 'zod/mini';
import type {
  CallAnswer,
  ContextAnswer,
  EndedCall,
  HookFailure,
  HookReply,
  HooksPort,
  PromptAnswer,
  ResultAnswer,
  StopAnswer,
} from '../../actions/hooks-port.ts';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {blockTexts} from '../../domain/conversation.ts';
import {commandResult} from '../../protocol/rpc/command-result.ts';
import type {HookMatcher, InitializeRequest} from '../../protocol/rpc/control-message.ts';
import type {RpcMessage} from '../../protocol/rpc/rpc-message.ts';
import type {ControlChannel} from './control-channel.ts';
import type {SessionState} from './session-state.ts';

/** Hears that a hook is called, and what it answered. */
interface HookWatcher {
  started(hook: WatchedHook): void;
  ended(hook: WatchedHook & {readonly outcome: 'success' | 'error' | 'cancelled'; readonly output: string}): void;
  /** A hook's own message for the person at the other end. */
  tell(message: string): void;
}

interface WatchedHook {
  readonly id: string;
  /** `PreToolUse:Bash`, `Stop`. */
  readonly name: string;
  readonly event: string;
}

/** The events whose hooks are called. */
const calledEvents = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit', 'Stop'] as const;
type CalledEvent = (typeof calledEvents)[number];

const defaultTimeoutSeconds = 60;
/** What a timer can hold, in seconds. */
const mostTimeoutSeconds = 2_000_000;

/** The client's hooks, called over the control channel: those of one event side by side, their answers joined. */
export function makeHookCallbacks(options: {
  readonly hooks: NonNullable<InitializeRequest['hooks']>;
  readonly channel: ControlChannel;
  readonly state: SessionState;
  readonly watcher: HookWatcher;
}): HooksPort {
  const {hooks, channel, state, watcher} = options;
  let calls = 0;

  const callOne = async (
    {id, event, subject, matcher}: Call & {readonly id: string; readonly matcher: HookMatcher},
    signal: AbortSignal,
  ): Promise<Called> => {
    const {input, toolUseId} = subject;
    const hook = {
      id: `hook-${(calls += 1)}`,
      name: subject.tool === '' ? event : `${event}:${subject.tool}`,
      event,
    };
    watcher.started(hook);
    const seconds = Math.min(mostTimeoutSeconds, Math.max(0.001, matcher.timeout ?? defaultTimeoutSeconds));
    const late = AbortSignal.timeout(seconds * 1000);
    const request = {
      subtype: 'hook_callback',
      callback_id: id,
      input: {...baseInput(state), hook_event_name: event, ...input},
      ...(toolUseId === '' ? {} : {tool_use_id: toolUseId}),
    } as const;
    const answer = await channel.request(request, AbortSignal.any([signal, late]));
    if (answer.tag === 'ok') {
      watcher.ended({...hook, outcome: 'success', output: JSON.stringify(answer.value)});
      const read = hookAnswer(answer.value);
      if (read.tag === 'ok') return {kind: 'answered', answer: read.value};
      return broken(`the ${hook.name} hook answered what cannot be understood: ${read.error}`, matcher);
    }
    const {kind, message} = answer.error;
    const why = kind === 'aborted' && !signal.aborted ? `it did not answer within ${seconds} s` : message;
    watcher.ended({...hook, outcome: kind === 'aborted' ? 'cancelled' : 'error', output: why});
    if (signal.aborted) return {kind: 'stopped'};
    // A hook that cannot answer any more may have wanted to refuse: the call is not allowed.
    const guarded = kind === 'gone' && event === 'PreToolUse';
    return broken(`the ${hook.name} hook: ${why}`, guarded ? {...matcher, onFailure: 'block'} : matcher);
  };

  const callAll = async (call: Call, signal: AbortSignal): Promise<Joined> => {
    const matching = (hooks[call.event] ?? []).filter(({matcher}) => matches(matcher, call.subject.tool));
    const called = await Promise.all(
      matching.flatMap(matcher => matcher.hookCallbackIds.map(id => callOne({...call, id, matcher}, signal))),
    );
    const answers = called.flatMap(one => (one.kind === 'answered' ? [one.answer] : []));
    for (const {message} of answers) if (message !== '') watcher.tell(message);
    const stop = answers.find(({flow}) => flow.kind === 'stop');
    return {
      answers,
      context: answers
        .map(({context}) => context)
        .filter(text => text !== '')
        .join('\n'),
      failures: called.flatMap(one => (one.kind === 'failed' ? [one.failure] : [])),
      flow: stop === undefined ? {kind: 'go-on'} : stop.flow,
    };
  };

  return {
    async preToolUse(call, signal): Promise<HookReply<CallAnswer>> {
      const input = {tool_name: call.name, tool_input: call.input, tool_use_id: call.id};
      const subject = {tool: call.name, toolUseId: call.id, input};
      const {answers, context, failures, flow} = await callAll({event: 'PreToolUse', subject}, signal);
      const changed = answers.findLast(({updatedInput}) => updatedInput !== undefined)?.updatedInput;
      return {answer: {verdict: callVerdict(answers), input: changed ?? 'unchanged', context}, failures, flow};
    },
    async postToolUse(ended, signal): Promise<HookReply<ResultAnswer>> {
      const response = commandResult(ended.result) ?? resultText(ended);
      const input = {...endedInput(ended), tool_response: typeof response === 'string' ? response : {...response}};
      const {answers, context, failures, flow} = await callAll(
        {event: 'PostToolUse', subject: subjectOf(ended, input)},
        signal,
      );
      return {
        answer: {
          context: [...blockReasons(answers), context].filter(text => text !== '').join('\n'),
          modelText: replacement(answers),
        },
        failures,
        flow,
      };
    },
    async postToolUseFailure(ended, signal): Promise<HookReply<ContextAnswer>> {
      const input = {
        ...endedInput(ended),
        error: resultText(ended),
        is_interrupt: ended.content.outcome === 'cancelled',
      };
      const subject = subjectOf(ended, input);
      const {context, failures, flow} = await callAll({event: 'PostToolUseFailure', subject}, signal);
      return {answer: {context}, failures, flow};
    },
    async userPromptSubmit(prompt, signal): Promise<HookReply<PromptAnswer>> {
      const subject = {tool: '', toolUseId: '', input: {prompt_id: prompt.id, prompt: prompt.text, source: 'sdk'}};
      const {answers, context, failures, flow} = await callAll({event: 'UserPromptSubmit', subject}, signal);
      return {answer: {verdict: blockVerdict(answers), context}, failures, flow};
    },
    async stop(ending, signal): Promise<HookReply<StopAnswer>> {
      const input = {stop_hook_active: ending.round === 'again', last_assistant_message: ending.answer};
      const {answers, failures, flow} = await callAll(
        {event: 'Stop', subject: {tool: '', toolUseId: '', input}},
        signal,
      );
      return {answer: {verdict: blockVerdict(answers)}, failures, flow};
    },
  };
}

interface Call {
  readonly event: CalledEvent;
  readonly subject: Subject;
}

/** `tool` and `toolUseId` are empty where the event does not concern a tool call. */
interface Subject {
  readonly tool: string;
  readonly toolUseId: string;
  readonly input: JsonObject;
}

type Called =
  | {readonly kind: 'answered'; readonly answer: HookAnswer}
  | {readonly kind: 'failed'; readonly failure: HookFailure}
  | {readonly kind: 'stopped'};

interface Joined {
  readonly answers: readonly HookAnswer[];
  readonly context: string;
  readonly failures: readonly HookFailure[];
  readonly flow: HookAnswer['flow'];
}

const broken = (message: string, {onFailure}: HookMatcher): Called => ({
  kind: 'failed',
  failure: {fault: {kind: 'rejected', message}, onFailure: onFailure === 'block' ? 'block' : 'go-on'},
});

const baseInput = ({session, prompt}: SessionState): JsonObject => ({
  session_id: session?.id ?? '',
  // weft keeps its sessions in a database: there is no such file.
  transcript_path: '',
  cwd: session?.directory ?? '',
  permission_mode: session?.mode ?? 'default',
  ...(prompt === undefined ? {} : {prompt_id: prompt}),
});

const endedInput = ({call, durationMs}: EndedCall): JsonObject => ({
  tool_name: call.name,
  tool_input: call.input,
  tool_use_id: call.id,
  duration_ms: durationMs,
});

const subjectOf = ({call}: EndedCall, input: JsonObject): Subject => ({tool: call.name, toolUseId: call.id, input});

const resultText = ({content}: EndedCall): string => blockTexts(content.content).join('\n');

/** Names with `|` between them are taken as they are; anything else is a regular expression. One that is none matches nothing. */
function matches(matcher: string | null | undefined, tool: string): boolean {
  if (matcher === undefined || matcher === null || matcher === '' || matcher === '*' || tool === '') return true;
  if (/^[\w|]+$/u.test(matcher)) return matcher.split('|').includes(tool);
  try {
    return new RegExp(matcher, 'u').test(tool);
  } catch {
    return false;
  }
}

function callVerdict(answers: readonly HookAnswer[]): CallAnswer['verdict'] {
  for (const kind of ['deny', 'ask'] as const) {
    const found = answers.find(answer => answer.permission === kind);
    if (found !== undefined) return {kind, reason: found.reason};
  }
  return {kind: answers.some(({permission}) => permission === 'allow') ? 'allow' : 'none'};
}

function blockVerdict(answers: readonly HookAnswer[]): StopAnswer['verdict'] {
  const blocking = answers.find(({permission}) => permission === 'deny');
  return blocking === undefined ? {kind: 'none'} : {kind: 'block', reason: blocking.reason};
}

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

const blockReasons = (answers: readonly HookAnswer[]): readonly string[] =>
  answers.flatMap(({permission, reason}) => (permission === 'deny' ? [reason] : []));

/** Hooks that were registered and are never called: one sentence, or none. */
export function hookNotes(hooks: NonNullable<InitializeRequest['hooks']>): readonly string[] {
  const uncalled = Object.keys(hooks).filter(
    event => !calledEvents.some(called => called === event) && (hooks[event] ?? []).length > 0,
  );
  return uncalled.length === 0 ? [] : [`hooks for ${uncalled.join(', ')} are not called in this version`];
}

/** The answer of one hook, in one form for all events. Texts may be empty. */
interface HookAnswer {
  /** For events that can only be let through or not, `deny` stands for the block. */
  readonly permission: 'none' | 'allow' | 'deny' | 'ask';
  readonly reason: string;
  readonly updatedInput: JsonObject | undefined;
  /** Context that is added for the model. */
  readonly context: string;
  /** The text that the model reads in the place of a tool's result. */
  readonly updatedOutput: Json | undefined;
  /** A message for the user. */
  readonly message: string;
  readonly flow: {readonly kind: 'go-on'} | {readonly kind: 'stop'; readonly reason: string};
}

const text = z.optional(z.nullable(z.string()));

const hookOutput = z.looseObject({
  async: z.optional(z.boolean()),
  continue: z.optional(z.boolean()),
  stopReason: text,
  decision: z.optional(z.nullable(z.enum(['approve', 'block']))),
  reason: text,
  systemMessage: text,
  hookSpecificOutput: z.optional(
    z.nullable(
      z.looseObject({
        permissionDecision: z.optional(z.nullable(z.enum(['allow', 'deny', 'ask', 'defer']))),
        permissionDecisionReason: text,
        updatedInput: z.optional(z.nullable(z.custom<JsonObject>(isJsonObject))),
        additionalContext: text,
        updatedToolOutput: z.optional(z.custom<Json>(() => true)),
        updatedMCPToolOutput: z.optional(z.custom<Json>(() => true)),
      }),
    ),
  ),
});

/** Reads a hook's answer; the error says what of it does not fit. One that goes on by itself says nothing now. */
export function hookAnswer(payload: JsonObject): Outcome<HookAnswer, string> {
  const read = z.safeParse(hookOutput, payload);
  if (!read.success) {
    const [issue] = read.error.issues;
    return failed(issue === undefined ? 'it does not fit' : `"${issue.path.join('.')}" does not fit`);
  }
  const {data} = read;
  if (data.async === true) return ok(silent);
  const specific = data.hookSpecificOutput ?? {};
  const {permissionDecision, permissionDecisionReason, updatedInput, additionalContext} = specific;
  return ok({
    permission: permissionOf(permissionDecision ?? undefined, data.decision ?? undefined),
    reason: permissionDecisionReason ?? data.reason ?? data.stopReason ?? '',
    updatedInput: updatedInput ?? undefined,
    updatedOutput: specific.updatedToolOutput ?? specific.updatedMCPToolOutput ?? undefined,
    context: additionalContext ?? '',
    message: data.systemMessage ?? '',
    flow: data.continue === false ? {kind: 'stop', reason: data.stopReason ?? data.reason ?? ''} : {kind: 'go-on'},
  });
}

const silent: HookAnswer = {
  permission: 'none',
  reason: '',
  updatedInput: undefined,
  updatedOutput: undefined,
  context: '',
  message: '',
  flow: {kind: 'go-on'},
};

/** `decision` is the older field with the same meaning. */
function permissionOf(
  newer: 'allow' | 'deny' | 'ask' | 'defer' | undefined,
  older: 'approve' | 'block' | undefined,
): HookAnswer['permission'] {
  if (newer !== undefined) return newer === 'defer' ? 'none' : newer;
  if (older === undefined) return 'none';
  return older === 'approve' ? 'allow' : 'deny';
}

/** Reports hooks to the client: their messages for the user always, their calls only if the client asked for hook events. */
export function makeHookWatcher(options: {
  readonly events: 'with' | 'without';
  readonly state: SessionState;
  readonly uuid: () => string;
  readonly send: (message: RpcMessage) => void;
}): HookWatcher {
  const {events, state, uuid, send} = options;
  const address = () => ({
    session_id: state.session?.id ?? '',
    uuid: uuid(),
    provider: state.session?.provider ?? '',
  });
  return {
    started({id, name, event}) {
      if (events === 'without') return;
      const hook = {hook_id: id, hook_name: name, hook_event: event};
      send({type: 'system', subtype: 'hook_started', ...hook, ...address()});
    },
    ended({id, name, event, outcome, output}) {
      if (events === 'without') return;
      const hook = {hook_id: id, hook_name: name, hook_event: event, output, stdout: '', stderr: '', outcome};
      send({type: 'system', subtype: 'hook_response', ...hook, ...address()});
    },
    tell(content) {
      send({type: 'system', subtype: 'informational', content, level: 'info', ...address()});
    },
  };
}
