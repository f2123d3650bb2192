import {randomUUID} from 'node:crypto';
import {createReadStream} from 'node:fs';
import {stat} from 'node:fs/promises';
import type {EngineOptions} from '../agent/create-engine.ts';
import {isJsonObject, type JsonObject} from '../base/json.ts';
import {failed, ok} from '../base/outcome.ts';
import type {ClientServers, RpcLaunch} from '../headless/rpc/serve-request.ts';
import {causeText} from '../domain/fault.ts';
import type {PermissionMode} from '../domain/risk.ts';
import {parseServers, mergeServers} from '../extensions/mcp/server-config.ts';
import type {Exchange} from '../extensions/mcp/exchange-transport.ts';
import type {ElicitUser} from '../extensions/mcp/server-entry.ts';
import {clientLines, readOpening} from '../headless/rpc/client-input.ts';
import {makeControlChannel} from '../headless/rpc/control-channel.ts';
import {elicitBy} from '../headless/rpc/permission-request.ts';
import {hookEvents} from '../config/hook-settings.ts';
import {clientHooks, hookNotes} from '../headless/rpc/hooks.ts';
import {ServedClient} from '../headless/rpc/serve-client.ts';
import {SessionState} from '../headless/rpc/session-state.ts';
import {startFailure} from '../headless/rpc/failure-results.ts';
import {makeStdoutWriter, maxUnread, messageLines} from '../headless/stdout-writer.ts';
import type {ControlMessage, InitializeRequest} from '../protocol/rpc/control-message.ts';
import type {RpcMessage} from '../protocol/rpc/rpc-message.ts';
import {type ChosenModel, requireModel, connectModel} from '../app/choose-model.ts';
import {composeSession, defaultDriver, structuredOutputFor, applyNamedAgent} from '../app/compose-session.ts';
import {configuredServers, isSdkServer} from '../app/mcp-servers.ts';
import {makeServers} from '../app/open-servers.ts';
import {type OfferedExtensions, offeredExtensions} from '../app/offered-extensions.ts';
import {contextFor, type RunContext} from '../app/run-context.ts';
import {exitCode, type ExitCode, timeLimitText, UsageError} from '../app/exit-code.ts';
import {headlessClock, messageUuid} from '../app/clock-and-ids.ts';
import {noteFindings} from '../app/leftovers.ts';
import {logEvents, note, stdoutSink} from '../app/output.ts';
import type {MainOptions} from '../app/main-options.ts';
import {thinkingOf} from '../app/main-options.ts';
import {optionsWithInitialize} from './sdk-options.ts';
import {onSignal, stopOnSignals} from './signals.ts';
import {version} from '../app/version.ts';

/**
 * Serves a program that drives weft over stdin and stdout. First it reads up to the first message that needs a session, because the
 * fields of `initialize` decide how the session is made. Then it serves the client until the input has ended and all requests are done.
 */
export async function runRpc(options: MainOptions): Promise<ExitCode> {
  const leave = leaveEarly();
  const opening = await readOpening(clientLines(process.stdin));
  if (opening.input === 'ended' && opening.lines.length === 0) {
    note('stdin ended before a message arrived. Send one: {"type":"user","message":{…}}');
    return exitCode.failed;
  }
  const broken = Promise.withResolvers<void>();
  let serving: 'starting' | 'begun' = 'starting';
  const writer = makeStdoutWriter(stdoutSink('json'), () => broken.resolve());
  const lineOf = await messageLines(options.seedMessages === undefined ? 'without' : 'with');
  const send = (message: RpcMessage | ControlMessage): void => writer.write(lineOf(message));
  let leaveWorktree = nothingLeft;
  try {
    const {chosen, structured, ...prepared} = await prepare(options, opening.initialize);
    const own =
      options.worktree === undefined
        ? {context: prepared.context, leave: leaveWorktree}
        : await (await import('../app/session-worktree.ts')).inWorktree(prepared.context, options.worktree);
    const {context} = own;
    leaveWorktree = own.leave;
    const state = new SessionState();
    const channel = makeControlChannel({send, newId: () => randomUUID()});
    const greeted = Promise.withResolvers<void>();
    const servers = await openClientServers(context, opening.initialize, {
      exchange: async (server, message, signal) => {
        // The client must get the answer to `initialize` first.
        await greeted.promise;
        const request = {subtype: 'mcp_message', server_name: server, message} as const;
        const reply = await channel.request(request, signal);
        if (reply.tag === 'failed') throw new Error(reply.error.message);
        const answer = reply.value['mcp_response'];
        return isJsonObject(answer) ? answer : undefined;
      },
      elicit: elicitBy(channel),
    });
    const hooks = opening.initialize?.hooks ?? {};
    for (const text of hookNotes(hooks, hookEvents)) note(text);
    const extensions = await offeredExtensions(context, servers.commands);
    const engine = await composeSession(chosen, context, {
      ...defaultDriver,
      interaction: canAsk(context.options) ? 'interactive' : 'unattended',
      // A program that answers questions learns about the new session from its next messages.
      frontEnd: new Set([
        'shows-suggestions',
        'follows-sessions',
        ...(canAsk(context.options) ? (['opens-conversations'] as const) : []),
      ]),
      servers,
      structured,
      hooks: clientHooks(hooks, channel),
      promptSource: 'sdk',
      answers: 'program',
      // As clients expect, the result comes at once, and the end of a sub-agent has its own turn and result.
      backgroundAgents: 'left',
    });
    logEvents(engine, options);
    leave();
    serving = 'begun';
    const stopper = stopOnSignals(engine);
    const {permissionMode} = context.settings;
    const client = new ServedClient({
      engine,
      state,
      channel,
      servers: servers.port,
      writer,
      launch: {
        capabilities: rpcCapabilities(chosen, {version, permissionMode, pid: process.pid, extensions}),
        initialize: opening.initialize,
        model: chosen.model,
        agent: context.options.agent ?? null,
        thinking: thinkingOf(context.options),
        compaction: context.settings.compaction,
        readFile: readStart,
        bypass: mayBypass(context) ? 'launched' : 'not-launched',
        checkpoints: options.sessionPersistence ? 'kept' : 'off',
      },
      encoding: {
        partials: options.includePartialMessages === undefined ? 'without' : 'with',
        hooks: options.includeHookEvents === undefined ? 'without' : 'with',
        agentTexts: options.forwardSubagentText === undefined ? 'without' : 'with',
        progress: options.includeToolProgress === undefined ? 'without' : {now: () => performance.now()},
        echo: options.replayUserMessages === undefined ? 'without' : 'with',
        extensions: extensions.init,
      },
      lineOf,
      uuid: messageUuid,
      version,
      note,
      clock: headlessClock,
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) onSignal(signal, () => client.stop());
    for (const line of opening.lines) client.take(line);
    // When this callback runs, the answer to `initialize` has been written.
    setImmediate(() => greeted.resolve());
    const noted = noteFindings(context, note);
    void (async () => {
      for await (const line of opening.rest) {
        client.take(line);
        await writer.room(maxUnread.answers);
      }
      client.inputEnded();
    })();
    const timer = timeLimit(options, () => {
      stopper.stop(exitCode.timeLimit);
      client.stop();
    });
    const keepAlive = setInterval(() => send({type: 'keep_alive'}), keepAliveMs);
    const code = await Promise.race([client.exitCode, stopper.gaveUp, broken.promise]);
    clearTimeout(timer);
    clearInterval(keepAlive);
    await engine.close(code === undefined ? 'shutdown' : 'finished');
    for (const line of await leaveWorktree()) note(line);
    const stdout = await Promise.race([writer.drained(), stopper.gaveUp]);
    const stopped = stopper.stopped();
    await noted;
    if (stopped === exitCode.timeLimit && options.timeout !== undefined) note(timeLimitText(options.timeout));
    if (stopped !== undefined) return stopped;
    if (stdout?.kind === 'failed') {
      note(`can't write messages to stdout: ${stdout.message}`);
      return exitCode.failed;
    }
    return code ?? exitCode.done;
  } catch (cause) {
    if (serving === 'begun') throw cause;
    for (const line of await leaveWorktree()) note(line);
    // Answer a pending `initialize` or prompt with the reason.
    const failure = {initializeId: opening.initializeId, message: causeText(cause), uuid: () => randomUUID()};
    for (const message of startFailure(failure)) send(message);
    await writer.drained();
    throw cause;
  }
}

const nothingLeft = async (): Promise<readonly string[]> => [];

/**
 * Opens the MCP servers for a program that drives weft: those that run in the program, those that it configures, and those of the
 * settings. The program can change its own while it runs; those of the settings stay.
 */
async function openClientServers(
  context: RunContext,
  initialize: InitializeRequest | undefined,
  reach: {readonly exchange: Exchange; readonly elicit: ElicitUser},
) {
  const found = await configuredServers(context);
  for (const notice of found.notices) note(notice);
  const isStrict = context.options.strictMcpConfig !== undefined;
  const ofSettings = isStrict ? [] : found.servers.filter(({source}) => source !== 'given');
  const ofFlags = found.servers.filter(({source}) => source === 'given');
  const open = await makeServers(
    {context, log: note, newServers: 'awaited'},
    {
      sdk: initialize?.sdkMcpServers ?? [],
      configured: mergeServers([ofSettings, ofFlags, givenServers(initialize?.mcpServers ?? {})]),
      ...reach,
    },
  );
  const port: ClientServers = {
    ready: async signal => void (await open.set.ready(signal)),
    start: () => void open.set.settled(new AbortController().signal),
    servers: () => open.set.servers(),
    tools: () => open.mcp.tools(),
    reconnect: name => open.set.reconnect(name),
    toggle: (name, state) => open.set.toggle(name, state),
    deliver: (name, message) => open.deliver(name, message),
    set(servers) {
      const entries = Object.entries(servers);
      const sdk = entries.flatMap(([name, server]) => (isSdkServer(server) ? [name] : []));
      const others = Object.fromEntries(entries.filter(([, server]) => !isSdkServer(server)));
      return open.set.set({sdk, configured: mergeServers([ofSettings, givenServers(others)])});
    },
  };
  return {...open, port};
}

const givenServers = (servers: JsonObject) =>
  parseServers(servers, {source: 'given', path: 'the program that drives weft'});

/** Reads the beginning of a file for the program. */
const readStart: RpcLaunch['readFile'] = async (path, maxBytes) => {
  try {
    const found = await stat(path);
    if (!found.isFile()) return failed(`${path} is not a file.`);
    const chunks: Buffer[] = [];
    if (maxBytes > 0) for await (const chunk of createReadStream(path, {end: maxBytes - 1})) chunks.push(chunk);
    return ok({bytes: Buffer.concat(chunks), isCut: found.size > maxBytes});
  } catch (cause) {
    return failed(`Can't read ${path}: ${causeText(cause)}`);
  }
};

interface Prepared {
  readonly context: RunContext;
  readonly chosen: ChosenModel;
  readonly structured: EngineOptions['structuredOutput'] | 'by-flag';
}

/** Prepares the session. The fields of `initialize` override the flags of the command line. */
async function prepare(given: MainOptions, initialize: InitializeRequest | undefined): Promise<Prepared> {
  if (given.resume === true) throw new UsageError('--resume needs a session id here. List them: weft sessions list');
  const options = optionsWithInitialize(given, initialize);
  const context = await applyNamedAgent(contextFor(options));
  const [chosen, structured] = await Promise.all([
    connectModel(context),
    structuredFrom(initialize?.jsonSchema ?? undefined),
  ]);
  requireModel(chosen);
  for (const notice of [...(await context.notices()), ...context.startInstructions().skipped]) note(notice);
  return {context, chosen, structured};
}

async function structuredFrom(schema: JsonObject | undefined): Promise<Prepared['structured']> {
  if (schema === undefined) return 'by-flag';
  const structured = await structuredOutputFor(schema);
  if (structured.tag === 'failed') throw new UsageError(`Can't use the schema of the answer: ${structured.error}`);
  return structured.value;
}

/** Milliseconds between `keep_alive` messages, which detect that the reader is gone. */
const keepAliveMs = 10_000;

const canAsk = ({permissionPromptTool, permissionPrompts}: MainOptions): boolean =>
  permissionPromptTool === 'stdio' && permissionPrompts !== 'none';

const mayBypass = ({options, settings}: RunContext): boolean =>
  options.allowDangerouslySkipPermissions !== undefined || settings.permissionMode === 'bypassPermissions';

const interrupt = (): never => process.exit(exitCode.interrupted);
const terminate = (): never => process.exit(exitCode.terminated);

/** Makes signals end weft at once until the engine exists: there is nothing to settle. Returns a function that stops this. */
function leaveEarly(): () => void {
  onSignal('SIGINT', interrupt);
  onSignal('SIGTERM', terminate);
  onSignal('SIGHUP', terminate);
  return () => {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', terminate);
    process.off('SIGHUP', terminate);
  };
}

function timeLimit({timeout}: MainOptions, stop: () => void): NodeJS.Timeout | undefined {
  return timeout === undefined ? undefined : setTimeout(stop, Math.max(0, timeout * 1000 - performance.now()));
}

/** Returns weft's answer to `initialize`. It lists only what weft supports. */
function rpcCapabilities(
  {port, model}: ChosenModel,
  run: {
    readonly version: string;
    readonly permissionMode: PermissionMode;
    readonly pid: number;
    readonly extensions: OfferedExtensions;
  },
): JsonObject {
  const anthropic = port.provider === 'anthropic';
  return {
    commands: run.extensions.commands,
    agents: run.extensions.agents,
    output_style: 'default',
    available_output_styles: ['default'],
    models: [
      {
        value: 'default',
        resolvedModel: model,
        displayName: 'Default',
        description: `The model weft was started with: ${model}`,
      },
      {value: model, resolvedModel: model, displayName: model, description: `Served by ${port.provider}`},
    ],
    account: anthropic
      ? {apiKeySource: 'ANTHROPIC_API_KEY', tokenSource: 'none', apiProvider: 'firstParty'}
      : {apiKeySource: 'none', tokenSource: 'none'},
    claude_code_version: run.version,
    current_permission_mode: run.permissionMode,
    pid: run.pid,
  };
}
