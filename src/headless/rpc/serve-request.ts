import type {McpServerState} from '../../actions/mcp-port.ts';
import {type RpcEncoder, wireStatus} from '../../protocol/rpc/encode-events.ts';
import {type AgentClient, answerOutcome, type Answer} from '../../agent/client.ts';
import {firstLine} from '../../base/clip.ts';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import type {Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {faultText} from '../../domain/fault.ts';
import {type ContextPart, type ContextPartKind, contextPartNames} from '../../domain/context-usage.ts';
import {messageId} from '../../domain/ids.ts';
import type {CompactionMode} from '../../domain/compaction.ts';
import type {Thinking} from '../../domain/model-stream.ts';
import type {RewindReport} from '../../domain/rewind.ts';
import {permissionModes} from '../../domain/risk.ts';
import {contextTokens} from '../../domain/usage.ts';
import type {ControlRequest, InitializeRequest} from '../../protocol/rpc/control-message.ts';
import {wireUsage} from '../../protocol/rpc/wire-content.ts';
import type {ClientPrompts} from './client-prompts.ts';
import type {SessionState} from './session-state.ts';

/** The answer to a control request. `afterwards` runs once the answer is written. */
type Served =
  | {readonly kind: 'success'; readonly payload: JsonObject; readonly afterwards: () => void}
  | {readonly kind: 'error'; readonly message: string; readonly code: string};

export interface ServingOptions {
  readonly engine: Pick<AgentClient, 'submit' | 'query'>;
  /** Returns a signal that the next interrupt aborts. */
  readonly interrupted: () => AbortSignal;
  readonly state: SessionState;
  readonly prompts: ClientPrompts;
  readonly servers: ClientServers;
  readonly runningTask: RpcEncoder['runningTask'];
  /** Cancels every open question to the client, and aborts the work of its open requests. */
  readonly interrupt: () => void;
  readonly launch: RpcLaunch;
}

/** How weft was started, as far as clients may query it. */
export interface RpcLaunch {
  /** The answer to `initialize`, apart from the fields about the request itself. */
  readonly capabilities: JsonObject;
  /** The request with which weft was started, if there was one. */
  readonly initialize: InitializeRequest | undefined;
  readonly model: string;
  /** The agent as which weft acts. `null` if none was named. */
  readonly agent: string | null;
  readonly thinking: Thinking;
  readonly compaction: CompactionMode;
  /** Whether the client may choose bypassPermissions. */
  readonly bypass: 'launched' | 'not-launched';
  /** Reads the beginning of a file. An error says why there is none. */
  readonly readFile: (path: string, maxBytes: number) => Promise<Outcome<FileStart, string>>;
  readonly checkpoints: 'kept' | 'off';
}

interface FileStart {
  readonly bytes: Buffer;
  /** Whether the file is longer. */
  readonly isCut: boolean;
}

/** Answers one control request. Never throws. Takes a bounded time, except for slow MCP servers. */
export async function serveRequest(request: ControlRequest, options: ServingOptions): Promise<Served> {
  const {engine, prompts, servers, launch} = options;
  switch (request.subtype) {
    case 'initialize':
      return success(initialized(request, launch));
    case 'interrupt': {
      const waiting = prompts.waiting();
      options.interrupt();
      const afterwards = (): void => engine.submit({op: 'interrupt'});
      return request.cancel_queued === true
        ? success({still_queued: [], cancelled: prompts.drop()}, afterwards)
        : success({still_queued: waiting}, afterwards);
    }
    case 'set_permission_mode': {
      const mode = permissionModes.find(name => name === request.mode);
      if (mode === undefined) {
        const message = `Unknown permission mode ${JSON.stringify(request.mode)}. Use one of ${permissionModes.join(', ')}.`;
        return failure(message, 'unsupported_mode');
      }
      if (mode === 'bypassPermissions' && launch.bypass === 'not-launched')
        return failure(bypassRefusal, 'bypass_not_launched');
      return success({mode}, () => engine.submit({op: 'set-mode', mode}));
    }
    case 'set_model': {
      const wanted = request.model ?? 'default';
      const model = wanted === 'default' || wanted === '' ? launch.model : wanted;
      return success({model}, () => engine.submit({op: 'set-model', model}));
    }
    case 'set_max_thinking_tokens': {
      const {max_thinking_tokens: tokens} = request;
      if (tokens !== undefined) engine.submit({op: 'set-thinking', thinking: thinkingOf(tokens, launch.thinking)});
      return success({});
    }
    case 'rename_session': {
      const {session_id: named} = request;
      if (named !== undefined && named !== options.state.session?.id)
        return failure(`Session ${named} is not the open one.`, 'other_session');
      const kept = answerOutcome(
        await engine.query({query: 'rename-session', title: request.title}, options.interrupted()),
      );
      return kept.tag === 'ok' ? success({title: kept.value}) : failure(faultText(kept.error), 'rename_failed');
    }
    case 'generate_session_title':
      // A request to the model would cost as much as another turn.
      return success({title: firstLine(request.description, maxTitle)});
    case 'rewind_files': {
      if (launch.checkpoints === 'off') return failure('File rewinding is not enabled.', 'rewinding_off');
      const wish = {prompt: request.user_message_id, dryRun: request.dry_run === true};
      return success(await rewindFiles(wish, engine, options.interrupted()));
    }
    case 'cancel_async_message':
      return success({cancelled: prompts.dropOne(request.message_uuid)});
    case 'stop_task': {
      const task = options.runningTask(request.task_id);
      if (task === undefined)
        return failure(`No running task has the id ${JSON.stringify(request.task_id)}.`, 'unknown_task');
      if (task.kind === 'command') options.prompts.forgetCommand(task.id);
      engine.submit(task.kind === 'agent' ? {op: 'stop-agent', id: task.id} : {op: 'stop-terminal', id: task.id});
      return success({});
    }
    case 'background_tasks': {
      const {tool_use_id: named} = request;
      const calls = [...options.state.calls.values()].filter(
        ({id, name}) => (named === undefined || named === null || id === named) && movableTools.has(name),
      );
      const backgrounded = calls.length > 0 || named === undefined || named === null;
      for (const {id} of calls) engine.submit({op: 'move-to-background', id});
      return success({backgrounded});
    }
    case 'read_file':
      return readFile(request, options);
    case 'seed_read_state':
      // weft edits files that the model has not read, too.
      return success({});
    case 'apply_flag_settings':
      return applySettings(request.settings, options);
    case 'get_settings': {
      const {model, mode} = options.state.session ?? {model: launch.model, mode: 'default'};
      return success({
        effective: {model, permissions: {defaultMode: mode}},
        sources: [],
        applied: {model, effort: null},
      });
    }
    case 'reload_plugins':
    case 'reload_skills':
      return failure(
        'weft reads plugins, skills and commands when it starts. Resume the session to read them again.',
        'at_start',
      );
    case 'get_context_usage':
      return contextUsage(await engine.query({query: 'context-usage'}, options.interrupted()), options);
    case 'mcp_status': {
      // A client that asks for the status wants to know whether the servers work. A failed one stays failed until it is needed.
      if (servers.servers().some(({status}) => status === 'pending')) servers.start();
      const tools = servers.tools();
      return success({mcpServers: servers.servers().map(server => serverStatus(server, tools))});
    }
    case 'mcp_set_servers': {
      const {added, removed, errors} = await servers.set(request.servers);
      return success({added, removed, errors});
    }
    case 'mcp_reconnect':
      return settled(await servers.reconnect(request.serverName));
    case 'mcp_toggle':
      return settled(await servers.toggle(request.serverName, request.enabled ? 'enabled' : 'disabled'));
    case 'mcp_message':
      servers.deliver(request.server_name, request.message);
      return success({});
    default:
      return unreachable(request);
  }
}

/**
 * Adds to the capabilities which parts of the request were applied. Only the first request of a client sets hooks and servers, so the
 * answer to a later one says that its hooks were not applied.
 */
function initialized(request: InitializeRequest, {capabilities, initialize}: RpcLaunch): JsonObject {
  const isFirst = request === initialize;
  return {
    ...capabilities,
    hook_on_failure_supported: true,
    ...(has(request.hooks) ? {hooks_applied: isFirst} : {}),
    ...(has(request.mcpServers) ? {mcp_servers_applied: isFirst} : {}),
    ...(has(request.plugins) ? {plugins_applied: isFirst} : {}),
    ...(request.settings === undefined || request.settings === null ? {} : {settings_applied: isFirst}),
    ...(request.disallowedTools === undefined || request.disallowedTools === null
      ? {}
      : {disallowed_tools_applied: isFirst}),
    ...(request.managedSettings === undefined || request.managedSettings === null
      ? {}
      : {managed_settings_applied: false}),
  };
}

const has = (value: object | null | undefined): boolean =>
  value !== undefined && value !== null && Object.keys(value).length > 0;

function thinkingOf(tokens: number | null, initial: Thinking): Thinking {
  if (tokens === null) return initial;
  return tokens === 0 ? {kind: 'disabled'} : {kind: 'budget', tokens: Math.floor(tokens)};
}

const bypassRefusal = 'To use bypassPermissions, start weft with --allow-dangerously-skip-permissions or in that mode.';

const success = (payload: JsonObject, afterwards: () => void = () => {}): Served => ({
  kind: 'success',
  payload,
  afterwards,
});
const failure = (message: string, code: string): Served => ({kind: 'error', message, code});
const settled = (outcome: Awaited<ReturnType<ClientServers['reconnect']>>): Served =>
  outcome.tag === 'ok' ? success({}) : failure(outcome.error, 'mcp_failed');

/** The tools with calls that can continue in the background. */
const movableTools: ReadonlySet<string> = new Set(['Bash', 'Agent', 'Task', 'StartAgent']);

/** Clients turn these off that weft never has on: it works at its usual speed. */
const offSettings: ReadonlySet<string> = new Set(['fastMode', 'ultracode']);

const isOff = (name: string, value: Json | undefined): boolean =>
  offSettings.has(name) && (value === null || value === false);

/** The longest title, in UTF-16 units. */
const maxTitle = 60;

const isTextOrNone = (value: Json | undefined): boolean =>
  value === undefined || value === null || typeof value === 'string';

/** Applies the settings that can change in a running session. Applies nothing if one of them can't. */
async function applySettings(settings: JsonObject, options: ServingOptions): Promise<Served> {
  const {model, permissions, effortLevel, agent = options.launch.agent, ...others} = settings;
  const {defaultMode, ...rules} = isJsonObject(permissions) ? permissions : {};
  const unserved = [
    ...Object.keys(others).filter(name => !isOff(name, others[name])),
    ...Object.keys(rules).map(name => `permissions.${name}`),
    ...(isTextOrNone(model) ? [] : ['model']),
    ...(isTextOrNone(effortLevel) ? [] : ['effortLevel']),
  ];
  if (agent !== options.launch.agent) {
    const text = `weft acts as ${options.launch.agent ?? 'no agent'} for the whole session. Start a new session with the option "agent".`;
    return failure(text, 'unsupported_setting');
  }
  if (unserved.length > 0) {
    const only = 'In a running session, weft can change only "model", "effortLevel" and "permissions.defaultMode"';
    return failure(
      `${only}, not ${unserved.join(', ')}. Give those with the option "settings".`,
      'unsupported_setting',
    );
  }
  if (effortLevel !== undefined) {
    const of = typeof model === 'string' ? model : (options.state.session?.model ?? options.launch.model);
    const effort = typeof effortLevel === 'string' ? effortLevel : 'default';
    const query = {query: 'use-effort', model: of, effort, extent: 'session'} as const;
    const used = answerOutcome(await options.engine.query(query, options.interrupted()));
    if (used.tag === 'failed') return failure(faultText(used.error), 'unsupported_setting');
  }
  const mode = typeof defaultMode === 'string' ? defaultMode : undefined;
  const moded = mode === undefined ? success({}) : await serveRequest({subtype: 'set_permission_mode', mode}, options);
  if (moded.kind === 'error' || model === undefined) return moded.kind === 'error' ? moded : {...moded, payload: {}};
  const wanted = typeof model === 'string' ? model : null;
  const modeled = await serveRequest({subtype: 'set_model', model: wanted}, options);
  return modeled.kind === 'error'
    ? modeled
    : success({}, () => {
        moded.afterwards();
        modeled.afterwards();
      });
}

/** Reads a file for the client if the session may read it without a question. */
async function readFile(
  {path, max_bytes: limit, encoding}: Extract<ControlRequest, {subtype: 'read_file'}>,
  {engine, interrupted, launch}: ServingOptions,
): Promise<Served> {
  const allowed = answerOutcome(await engine.query({query: 'readable-path', path}, interrupted()));
  if (allowed.tag === 'failed') return failure(faultText(allowed.error), 'not_permitted');
  const read = await launch.readFile(allowed.value, limit ?? defaultFileBytes);
  if (read.tag === 'failed') return failure(read.error, 'not_read');
  const {bytes, isCut} = read.value;
  const contents = bytes.toString(encoding === 'base64' ? 'base64' : 'utf8');
  const about = {contents, absPath: allowed.value, ...(isCut ? {truncated: true} : {})};
  return encoding === 'base64'
    ? success({...about, encoding})
    : success({...about, lossy: !Buffer.from(contents).equals(bytes)});
}

/** The Agent SDK's limit for a file, in bytes. */
const defaultFileBytes = 1_000_000;

export interface ClientServers {
  /** Waits for starting servers, a few seconds at most. */
  ready(signal: AbortSignal): Promise<void>;
  servers(): readonly McpServerState[];
  tools(): readonly {readonly server: string; readonly name: string; readonly toolName: string}[];
  /** Starts servers that wait for their first call. */
  start(): void;
  /** Replaces the client's own servers. */
  set(servers: JsonObject): Promise<{
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly errors: Readonly<Record<string, string>>;
  }>;
  reconnect(name: string): Promise<Outcome<undefined, string>>;
  toggle(name: string, state: 'enabled' | 'disabled'): Promise<Outcome<undefined, string>>;
  /** Delivers a message from a server that is not an answer. */
  deliver(name: string, message: JsonObject): void;
}

/** Returns a server's state in the Agent SDK's form. */
const serverStatus = (
  {name, status, source, error, title, version}: McpServerState,
  tools: readonly {readonly server: string; readonly name: string}[],
): JsonObject => ({
  name,
  status: wireStatus(status),
  source,
  scope: source,
  ...(error === '' ? {} : {error}),
  ...(status === 'connected'
    ? {
        serverInfo: {name: title, version},
        tools: tools.filter(({server}) => server === name).map(tool => ({name: tool.name})),
      }
    : {}),
});

/** Returns the use of the model's context in the Agent SDK's form. An unknown context window is 0. */
function contextUsage(
  answer: Answer<'context-usage'>,
  {state: {lastUsage}, launch: {compaction}}: Pick<ServingOptions, 'state' | 'launch'>,
): Served {
  if (answer.tag === 'cancelled') return failure('Interrupted.', 'cancelled');
  if (answer.tag === 'failed') return failure(faultText(answer.error), 'failed');
  const {model, window, tokens, parts, deferred} = answer.value;
  const itemsOf = (kind: ContextPartKind): ContextPart['items'] => parts.find(part => part.kind === kind)?.items ?? [];
  const messages = parts.filter(isMessage).reduce((sum, part) => sum + part.tokens, 0);
  return success({
    categories: [
      ...parts
        .filter(part => !isMessage(part))
        .map(({kind, tokens: size}) => category(categoryIds[kind], contextPartNames[kind], size)),
      category('messages', 'Messages', messages),
      ...(deferred.tools === 0
        ? []
        : [
            {
              ...category('mcp_tools_deferred', 'MCP tools (deferred)', deferred.tokens),
              kind: 'deferred',
              isDeferred: true,
            },
          ]),
      {...category('free_space', 'Free space', Math.max(0, window - tokens)), color: 'gray', kind: 'free'},
    ],
    totalTokens: tokens,
    maxTokens: window,
    rawMaxTokens: window,
    percentage: window === 0 ? 0 : Math.round((tokens / window) * 100),
    gridRows: [],
    model,
    memoryFiles: itemsOf('instructions').map(({name, tokens: size}) => ({path: name, type: 'Project', tokens: size})),
    mcpTools: itemsOf('mcp-tools').map(({name, tokens: size}) => ({
      name,
      serverName: name.split('__')[1] ?? name,
      tokens: size,
      isLoaded: true,
    })),
    systemTools: itemsOf('tools').map(({name, tokens: size}) => ({name, tokens: size})),
    agents: [],
    isAutoCompactEnabled: compaction !== 'off',
    apiUsage: contextTokens(lastUsage) === 0 ? null : {...wireUsage(lastUsage)},
  });
}

const isMessage = (part: ContextPart): boolean => categoryIds[part.kind] === 'messages';

const category = (id: string, name: string, tokens: number): JsonObject => ({
  id,
  name,
  tokens,
  color: 'blue',
  kind: 'used',
});

/** The Agent SDK's categories of the parts. */
const categoryIds: Readonly<Record<ContextPartKind, string>> = {
  'system-prompt': 'system_prompt',
  instructions: 'memory_files',
  tools: 'system_tools',
  skills: 'skills',
  'mcp-tools': 'mcp_tools',
  summary: 'messages',
  pinned: 'messages',
  prompts: 'messages',
  attachments: 'messages',
  answers: 'messages',
  thinking: 'messages',
  'tool-calls': 'messages',
  results: 'messages',
};

/**
 * Rewinds the files to before a prompt, or reports what that would do. The conversation stays. Resolves to the result of the Agent SDK's
 * `rewindFiles`.
 */
async function rewindFiles(
  {prompt, dryRun}: {readonly prompt: string; readonly dryRun: boolean},
  client: Pick<AgentClient, 'query'>,
  signal: AbortSignal,
): Promise<JsonObject> {
  const to = messageId(prompt);
  const listed = await client.query({query: 'rewind-points'}, signal);
  if (listed.tag !== 'ok') return notRewound(listed);
  const at = listed.value.findIndex(point => point.to === to);
  if (at < 0) return {canRewind: false, error: 'No file checkpoint found for this message.'};
  const hasChanged = listed.value.slice(at).some(({files}) => files === 'changed');
  if (!hasChanged) return {canRewind: true, filesChanged: [], insertions: 0, deletions: 0};
  const target = {kind: 'prompt', to, what: 'files'} as const;
  const answer = await client.query({query: dryRun ? 'preview-rewind' : 'rewind', target}, signal);
  return answer.tag === 'ok' ? rewoundFiles(answer.value) : notRewound(answer);
}

function notRewound(answer: Exclude<Answer, {readonly tag: 'ok'}>): JsonObject {
  switch (answer.tag) {
    case 'failed':
      return {canRewind: false, error: faultText(answer.error)};
    case 'cancelled':
      return {canRewind: false, error: 'Interrupted.'};
    default:
      return unreachable(answer);
  }
}

const rewoundFiles = ({files}: RewindReport): JsonObject => ({
  canRewind: true,
  filesChanged: files.files.map(({path}) => path),
  ...(files.conflicts.length === 0
    ? {}
    : {error: `not changed: ${files.conflicts.map(({path, reason}) => `${path} (${reason})`).join('; ')}`}),
});
