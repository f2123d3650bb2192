import {randomUUID} from 'node:crypto';
import type {EngineOptions} from '../agent/create-engine.ts';
import {noHooks} from '../agent/hooks-port.ts';
import {isJsonObject, type JsonObject} from '../base/json.ts';
import {causeText} from '../domain/fault.ts';
import {connectSdkServers, usualTimes} from '../extensions/mcp/connect-sdk-servers.ts';
import {clientLines} from '../headless/rpc/client-lines.ts';
import {makeControlChannel} from '../headless/rpc/control-channel.ts';
import {elicitBy} from '../headless/rpc/elicit.ts';
import {hookNotes, makeHookCallbacks} from '../headless/rpc/hook-callbacks.ts';
import {makeHookWatcher} from '../headless/rpc/hook-watcher.ts';
import {readOpening} from '../headless/rpc/read-opening.ts';
import {serveClient} from '../headless/rpc/serve-client.ts';
import {SessionState} from '../headless/rpc/session-state.ts';
import {startFailure} from '../headless/rpc/start-failure.ts';
import {makeStdoutWriter, mostUnread} from '../headless/stdout-writer.ts';
import type {ControlMessage} from '../protocol/rpc/control-message.ts';
import type {InitializeRequest} from '../protocol/rpc/control-request.ts';
import {jsonLine} from '../protocol/rpc/json-line.ts';
import type {RpcMessage} from '../protocol/rpc/rpc-message.ts';
import type {ChosenModel} from './choose-model.ts';
import {blocksFolder, composeSession, configuredModel} from './compose-session.ts';
import {directoryOf} from './directory-of.ts';
import {exitCode, timeLimitText, type ExitCode} from './exit-code.ts';
import {onSignal} from './ignored-signals.ts';
import {leftoverNotices} from './leftover-notices.ts';
import {loadSurroundings, type Surroundings} from './load-surroundings.ts';
import {noModelText} from './no-model.ts';
import type {MainOptions} from './program.ts';
import {realClock} from './real-clock.ts';
import {rpcCapabilities} from './rpc-capabilities.ts';
import {note, stdoutSink} from './say.ts';
import {stopOnSignals} from './stop-on-signals.ts';
import {structuredBy} from './structured-output.ts';
import {greetedOptions, greetingNotes} from './take-initialize.ts';
import {thinkingOf} from './take-program-options.ts';
import {toldUuid} from './told-uuid.ts';
import {UsageError} from './usage-error.ts';
import {version} from './version.ts';

/**
 * weft driven by a program over stdin and stdout. Order of work: read up to the first message that needs a session, since what a
 * program says in `initialize` decides how the session is made; make it; serve the client until its input has ended and all it
 * asked for is done.
 */
export async function runRpc(options: MainOptions): Promise<ExitCode> {
  const leave = leaveEarly();
  const opening = await readOpening(clientLines(process.stdin));
  if (opening.input === 'ended' && opening.lines.length === 0) {
    note('stdin ended before a message came. Send one: {"type":"user","message":{…}}');
    return exitCode.failed;
  }
  const broken = Promise.withResolvers<void>();
  let serving: 'starting' | 'begun' = 'starting';
  const writer = makeStdoutWriter(stdoutSink('json'), () => broken.resolve());
  const send = (message: RpcMessage | ControlMessage): void => writer.write(jsonLine(message));
  try {
    const {surroundings, chosen, structured} = await prepare(options, opening.initialize);
    const state = new SessionState();
    const channel = makeControlChannel({send, newId: () => randomUUID()});
    const greeted = Promise.withResolvers<void>();
    const ended = new AbortController();
    const mcp = connectSdkServers(
      {
        names: opening.initialize?.sdkMcpServers ?? [],
        exchange: async (server, message, signal) => {
          // The client hears the answer to its greeting first.
          await greeted.promise;
          const request = {subtype: 'mcp_message', server_name: server, message} as const;
          const reply = await channel.request(request, signal);
          if (reply.tag === 'failed') throw new Error(reply.error.message);
          const answer = reply.value['mcp_response'];
          return isJsonObject(answer) ? answer : undefined;
        },
        log: note,
        elicit: elicitBy(channel),
        version,
        ...usualTimes,
      },
      ended.signal,
    );
    const hooks = opening.initialize?.hooks ?? {};
    const greeting = opening.initialize === undefined ? [] : greetingNotes(opening.initialize);
    for (const text of [...greeting, ...hookNotes(hooks)]) note(text);
    const events = options.includeHookEvents === undefined ? 'without' : 'with';
    const watcher = makeHookWatcher({events, state, uuid: () => randomUUID(), send});
    const engine = await composeSession(chosen, {
      surroundings,
      asking: canAsk(surroundings.options) ? 'somebody' : 'nobody',
      driven: {
        mcp,
        structured,
        hooks: Object.keys(hooks).length === 0 ? noHooks : makeHookCallbacks({hooks, channel, state, watcher}),
      },
    });
    if (options.debug !== undefined || options.debugFile !== undefined) {
      (await import('./debug-log.ts')).logEvents(engine, options.debugFile);
    }
    leave();
    serving = 'begun';
    const stopper = stopOnSignals(engine);
    const {permissionMode} = surroundings.settings;
    const client = serveClient({
      engine,
      state,
      channel,
      servers: mcp,
      writer,
      launch: {
        capabilities: rpcCapabilities(chosen, {version, permissionMode, pid: process.pid}),
        initialize: opening.initialize,
        model: chosen.model,
        thinking: thinkingOf(surroundings.options),
        bypass: mayBypass(surroundings) ? 'launched' : 'not-launched',
        checkpoints: options.sessionPersistence ? 'kept' : 'off',
      },
      encoding: {
        partials: options.includePartialMessages === undefined ? 'without' : 'with',
        progress: options.includeToolProgress === undefined ? 'without' : {now: () => performance.now()},
        echo: options.replayUserMessages === undefined ? 'without' : 'with',
      },
      uuid: toldUuid,
      version,
      note,
      clock: realClock,
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) onSignal(signal, () => client.stop());
    for (const line of opening.lines) client.take(line);
    // What serves the greeting has written its answer by then.
    setImmediate(() => greeted.resolve());
    void leftoverNotices(blocksFolder(surroundings)).then(notices => notices.forEach(note));
    void (async () => {
      for await (const line of opening.rest) {
        client.take(line);
        await writer.room(mostUnread.answers);
      }
      client.inputEnded();
    })();
    const timer = timeLimit(options, () => {
      stopper.stop(exitCode.timeLimit);
      client.stop();
    });
    const keepAlive = setInterval(() => send({type: 'keep_alive'}), keepAliveMs);
    const code = await Promise.race([client.exitCode, stopper.given, broken.promise]);
    clearTimeout(timer);
    clearInterval(keepAlive);
    await engine.close(code === undefined ? 'shutdown' : 'finished');
    ended.abort();
    await mcp.close();
    const stdout = await Promise.race([writer.drained(), stopper.given]);
    const stopped = stopper.stopped();
    if (stopped === exitCode.timeLimit && options.timeout !== undefined) note(timeLimitText(options.timeout));
    if (stopped !== undefined) return stopped;
    if (stdout?.kind === 'failed') {
      note(`messages could not be written to stdout: ${stdout.message}`);
      return exitCode.failed;
    }
    return code ?? exitCode.done;
  } catch (cause) {
    if (serving === 'begun') throw cause;
    // Whoever waits for an answer to the greeting or for a result gets it, and the reason.
    const failure = {initializeId: opening.initializeId, message: causeText(cause), uuid: () => randomUUID()};
    for (const message of startFailure(failure)) send(message);
    await writer.drained();
    throw cause;
  }
}

interface Prepared {
  readonly surroundings: Surroundings;
  readonly chosen: ChosenModel;
  readonly structured: EngineOptions['structured'] | 'by-flag';
}

/** What the program said in its greeting goes over what it said on the command line. */
async function prepare(given: MainOptions, initialize: InitializeRequest | undefined): Promise<Prepared> {
  if (given.resume === true) throw new UsageError('--resume needs a session id here. List them: weft sessions list');
  const options = greetedOptions(given, initialize);
  const surroundings = loadSurroundings({
    directory: directoryOf(options.cwd ?? '.'),
    added: (options.addDir ?? []).map(directoryOf),
    options,
  });
  const [chosen, structured] = await Promise.all([
    configuredModel(surroundings),
    structuredFrom(initialize?.jsonSchema ?? undefined),
  ]);
  if (chosen.state === 'missing') throw new Error(noModelText);
  for (const notice of [...surroundings.notices, ...surroundings.startInstructions().skipped])
    surroundings.note(notice);
  return {surroundings, chosen, structured};
}

async function structuredFrom(schema: JsonObject | undefined): Promise<Prepared['structured']> {
  if (schema === undefined) return 'by-flag';
  const structured = await structuredBy(schema);
  if (structured.tag === 'failed') throw new UsageError(`The schema of the answer cannot be used: ${structured.error}`);
  return structured.value;
}

/** Between messages that only find out whether there is still a reader. */
const keepAliveMs = 10_000;

const canAsk = ({permissionPromptTool, permissionPrompts}: MainOptions): boolean =>
  permissionPromptTool === 'stdio' && permissionPrompts !== 'none';

const mayBypass = ({options, settings}: Surroundings): boolean =>
  options.allowDangerouslySkipPermissions !== undefined || settings.permissionMode === 'bypassPermissions';

const interrupt = (): never => process.exit(exitCode.interrupted);
const terminate = (): never => process.exit(exitCode.terminated);

/** Until the engine is there, a signal ends weft at once: there is nothing to settle. */
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
