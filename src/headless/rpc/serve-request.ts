import type {Op} from '../../agent/engine.ts';
import type {JsonObject} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {Thinking} from '../../domain/model-stream.ts';
import {permissionModes} from '../../domain/risk.ts';
import type {ControlRequest, InitializeRequest} from '../../protocol/rpc/control-request.ts';
import type {ClientPrompts} from './client-prompts.ts';
import {serverStatus, type ClientServers} from './client-servers.ts';
import {contextUsage} from './context-usage.ts';
import type {FileRewinder} from './rewind-files.ts';
import type {SessionState} from './session-state.ts';

/** The answer to a control request; `afterwards` happens once it is written. */
export type Served =
  | {readonly kind: 'success'; readonly payload: JsonObject; readonly afterwards: () => void}
  | {readonly kind: 'error'; readonly message: string; readonly code: string};

export interface ServingOptions {
  readonly submit: (op: Op) => void;
  readonly state: SessionState;
  readonly prompts: ClientPrompts;
  readonly rewinder: FileRewinder;
  readonly servers: ClientServers;
  /** Takes back every question that the client has open. */
  readonly dropAsks: () => void;
  readonly launch: RpcLaunch;
}

/** How weft was started, as far as a client may ask for it. */
export interface RpcLaunch {
  /** What `initialize` is answered with, beside what it says of the request itself. */
  readonly capabilities: JsonObject;
  /** The request with which weft was started, if there was one. */
  readonly initialize: InitializeRequest | undefined;
  readonly model: string;
  readonly thinking: Thinking;
  /** Whether the client may choose that nothing is asked. */
  readonly bypass: 'launched' | 'not-launched';
  /** Whether files can be taken back. */
  readonly checkpoints: 'kept' | 'off';
}

/** Answers one control request. Never throws; bounded, but for servers that take their time. */
export async function serveRequest(request: ControlRequest, options: ServingOptions): Promise<Served> {
  const {submit, state, prompts, servers, launch} = options;
  switch (request.subtype) {
    case 'initialize':
      return success(initialized(request, launch));
    case 'interrupt': {
      const waiting = prompts.waiting();
      options.dropAsks();
      const afterwards = (): void => {
        options.rewinder.interrupted();
        submit({op: 'interrupt'});
      };
      return request.cancel_queued === true
        ? success({still_queued: [], cancelled: prompts.drop()}, afterwards)
        : success({still_queued: waiting}, afterwards);
    }
    case 'set_permission_mode': {
      const mode = permissionModes.find(name => name === request.mode);
      if (mode === undefined) {
        const message = `weft has no permission mode ${JSON.stringify(request.mode)}. It has: ${permissionModes.join(', ')}.`;
        return error(message, 'unsupported_mode');
      }
      if (mode === 'bypassPermissions' && launch.bypass === 'not-launched')
        return error(noBypass, 'bypass_not_launched');
      return success({mode}, () => submit({op: 'set-mode', mode}));
    }
    case 'set_model': {
      const wanted = request.model ?? 'default';
      const model = wanted === 'default' || wanted === '' ? launch.model : wanted;
      return success({model}, () => submit({op: 'set-model', model}));
    }
    case 'set_max_thinking_tokens': {
      const {max_thinking_tokens: tokens} = request;
      if (tokens !== undefined) submit({op: 'set-thinking', thinking: thinkingOf(tokens, launch.thinking)});
      return success({});
    }
    case 'rewind_files': {
      if (launch.checkpoints === 'off') return error('File rewinding is not enabled.', 'rewinding_off');
      const manner = request.dry_run === true ? 'preview' : 'carry-out';
      return success(await options.rewinder.rewind({prompt: request.user_message_id, manner}));
    }
    case 'cancel_async_message':
      return success({cancelled: prompts.dropOne(request.message_uuid)});
    case 'get_context_usage':
      return success(contextUsage(state));
    case 'mcp_status': {
      const tools = servers.tools();
      return success({mcpServers: servers.servers().map(server => serverStatus(server, tools))});
    }
    case 'mcp_set_servers': {
      const [own, foreign] = partition(Object.entries(request.servers), ([, {type}]) => type === 'sdk');
      const {added, removed, errors} = await servers.set(own.map(([name]) => name));
      const refused = Object.fromEntries(foreign.map(([name]) => [name, noProcessServers]));
      return success({added, removed, errors: {...errors, ...refused}});
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
 * What is told beside the capabilities says what became of the request: a later one of the same client finds its hooks and
 * servers as they were taken at the first, so it says that its hooks were not taken.
 */
function initialized(request: InitializeRequest, {capabilities, initialize}: RpcLaunch): JsonObject {
  const isFirst = request === initialize;
  return {
    ...capabilities,
    hook_on_failure_supported: true,
    ...(has(request.hooks) ? {hooks_applied: isFirst} : {}),
    ...(has(request.mcpServers) ? {mcp_servers_applied: false} : {}),
    ...(has(request.plugins) ? {plugins_applied: false} : {}),
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

const noBypass =
  'weft was not started for it: bypassPermissions needs --allow-dangerously-skip-permissions or the mode itself at the start.';

const noProcessServers =
  'weft cannot run or reach MCP servers yet: only servers inside the program that drives it work.';

const success = (payload: JsonObject, afterwards: () => void = () => {}): Served => ({
  kind: 'success',
  payload,
  afterwards,
});
const error = (message: string, code: string): Served => ({kind: 'error', message, code});
const settled = (outcome: Awaited<ReturnType<ClientServers['reconnect']>>): Served =>
  outcome.tag === 'ok' ? success({}) : error(outcome.error, 'mcp_failed');

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter(item => !isFirst(item))];
}
