import {randomUUID} from 'node:crypto';
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {runAgentTool, servedTools} from '../actions/served-tools.ts';
import type {AgentClient} from '../agent/client.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {raceTimeout} from '../base/race.ts';
import {causeText} from '../domain/fault.ts';
import {HttpToolServer, LineTransport, serveTools, type ToolServing} from '../extensions/mcp/tool-server.ts';
import {type AgentRequest, type Interaction, type ToolEngine, ToolSession} from '../headless/mcp/tool-session.ts';
import {makeStdoutWriter} from '../headless/stdout-writer.ts';
import {startServer} from '../server/start-server.ts';
import {CalledModel, chosenFor} from '../app/called-model.ts';
import {connectModel, modelChoice, requireModel} from '../app/choose-model.ts';
import {composeSession, defaultDriver} from '../app/compose-session.ts';
import {exitCode, type ExitCode} from '../app/exit-code.ts';
import type {MainOptions} from '../app/main-options.ts';
import {note, print, stdoutSink} from '../app/output.ts';
import {emptyServers} from '../app/open-servers.ts';
import {requireNamedSandbox} from '../app/prove-sandbox.ts';
import {contextFor, type RunContext} from '../app/run-context.ts';
import {version} from '../app/version.ts';
import {containsPath, realPath} from '../workspace/files/resolve-path.ts';
import {searchProviderOf} from '../workspace/web/search-provider.ts';
import {serverToken} from './commands/serve/server-token.ts';
import {normalizeOptions} from './sdk-options.ts';
import {surviveFaults} from '../app/log-file.ts';
import {onStopSignal} from './signals.ts';
import {readLines} from './read-lines.ts';

export interface McpServeOptions extends MainOptions {
  readonly http?: true;
  readonly port: number;
}

const instructions =
  "weft's tools work in one folder. weft's permission rules apply to every call: reads in the folder run, changes need " +
  'an approval or a rule. Calls run one after the other. run_agent does whole tasks.';

/** `weft mcp serve`: serves weft's tools to MCP clients, on stdin and stdout or over HTTP. */
export async function runMcpServe({http, port, ...given}: McpServeOptions): Promise<ExitCode> {
  const options = normalizeOptions(given);
  const context = contextFor(options);
  for (const notice of await context.notices()) note(notice);
  await requireNamedSandbox(context);
  const {deny} = context.settings.rules;
  const serving: ToolServing = {
    version,
    instructions,
    tools: [
      ...servedTools({
        isLeftOut: name => deny.some(({tool, about}) => tool === name && about.kind === 'every-call'),
        webSearch: searchProviderOf(process.env) === undefined ? 'none' : 'offered',
      }),
      runAgentTool,
    ],
    open: () =>
      new ToolSession({
        openTools: interaction => openTools(context, interaction),
        openAgent: (request, interaction) => openAgent(context, request, interaction),
        uuid: randomUUID,
        now: () => Date.now(),
      }),
  };
  const stopped = Promise.withResolvers<ExitCode>();
  onStopSignal(stopped.resolve);
  surviveFaults(note);
  return http === undefined ? serveStdio(serving, stopped) : serveHttp(serving, {port, context}, stopped);
}

type Stopped = PromiseWithResolvers<ExitCode>;

/** Milliseconds for the last calls to be answered once the client has closed stdin. */
const answerMs = 1000;

async function serveStdio(serving: ToolServing, stopped: Stopped): Promise<ExitCode> {
  const writer = makeStdoutWriter(stdoutSink('json'), () => stopped.resolve(exitCode.done));
  const transport = new LineTransport(line => writer.write(`${line}\n`));
  const client = serveTools(serving, transport, randomUUID);
  const ended = readLines(line => transport.take(line)).then(() => raceTimeout(transport.answered(), answerMs));
  void ended.then(() => stopped.resolve(exitCode.done));
  const code = await stopped.promise;
  await client.close();
  await writer.drained();
  return code;
}

async function serveHttp(
  serving: ToolServing,
  {port, context}: {readonly port: number; readonly context: RunContext},
  stopped: Stopped,
): Promise<ExitCode> {
  const clients = new HttpToolServer(serving, randomUUID);
  const token = serverToken(context.places.serverToken, process.env);
  const started = await startServer({
    host: '127.0.0.1',
    port,
    token: token.value,
    clientPath: '',
    allowedHosts: [],
    allowedOrigins: [],
    routes: [],
    handlers: {'/mcp': (request, body, left) => clients.respond(request, body, left)},
    attach: async () => failed({status: 404, error: 'Unknown path.'}),
    note,
  });
  if (started.tag === 'failed') {
    note(started.error);
    return exitCode.failed;
  }
  print(`weft serves MCP on ${started.value.url}/mcp, token in ${token.file ?? 'WEFT_SERVER_TOKEN'}\n`);
  const code = await stopped.promise;
  await clients.close();
  await started.value.close();
  return code;
}

/** The driver of a client's sessions. */
const driverOf = (interaction: Interaction) =>
  ({...defaultDriver, interaction, answers: 'program', promptSource: 'sdk', backgroundAgents: 'waited-for'}) as const;

/** Opens the session in which a client's tool calls run. Limits on prompts count for agents alone. */
async function openTools(context: RunContext, interaction: Interaction): Promise<ToolEngine> {
  const {maxTurns: _turns, maxCost: _cost, goal: _goal, requireCheck: _checks, ...options} = context.options;
  const settings = {...context.settings, requireChecks: []};
  const model = new CalledModel();
  const engine = await composeSession(
    chosenFor(model, modelChoice(context)),
    // No model reads a system prompt or instructions here.
    {...context, settings, options: {...options, name: 'Tools over MCP', systemPrompt: 'Tools over MCP'}},
    {...driverOf(interaction), servers: emptyServers},
  );
  return {engine, give: call => model.give(call)};
}

/** Opens the session of an agent, in the workspace of the server. The error is a sentence. */
async function openAgent(
  server: RunContext,
  {cwd, model, session}: AgentRequest,
  interaction: Interaction,
): Promise<Outcome<AgentClient, string>> {
  const {options} = server;
  if (session !== undefined && !options.sessionPersistence)
    return failed('This server saves no sessions. Call run_agent without session_id.');
  const known =
    session === undefined ? undefined : (await server.store()).list({idPrefix: session}).find(({id}) => id === session);
  if (session !== undefined && (known === undefined || !isInside(known.directory, server.roots)))
    return failed(`There is no session ${JSON.stringify(session)} in the server's workspace.`);
  const directory = cwd === undefined ? (known?.directory ?? server.directory) : resolve(server.directory, cwd);
  if (!isInside(directory, server.roots))
    return failed(`${directory} is outside of the server's workspace. Start the server with --add-dir ${directory}.`);
  try {
    const context = contextFor({
      ...options,
      cwd: directory,
      ...(model === undefined ? {} : {model}),
      ...(session === undefined ? {} : {resume: session}),
    });
    const chosen = await connectModel(context);
    requireModel(chosen);
    return ok(await composeSession(chosen, context, driverOf(interaction)));
  } catch (cause) {
    return failed(causeText(cause));
  }
}

/** True if the folder exists and is one of the roots or inside one, with links resolved. */
const isInside = (folder: string, roots: readonly string[]): boolean =>
  existsSync(folder) && roots.some(root => containsPath(realPath(root), realPath(folder)));
