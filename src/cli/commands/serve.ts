import {Option, type Command} from 'commander';
import {portArgument} from '../flags.ts';
import {exiting, exitCode, type ExitCode, UsageError} from '../../app/exit-code.ts';
import {createHmac, randomUUID} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import type {AgentPort} from '../../jobs/agent-port.ts';
import {AgentRuns} from '../../jobs/agent-runs.ts';
import {ClaimedJob} from '../../jobs/claimed-job.ts';
import {runJob} from '../../jobs/run-jobs.ts';
import {startScheduler} from '../../jobs/scheduler.ts';
import {type DirectorPort, StackRuns} from '../../jobs/stack-runs.ts';
import {agentRoutes} from '../../server/routes/agent-routes.ts';
import {defaultPort} from '../../server/route.ts';
import {startServer} from '../../server/start-server.ts';
import {machineRoutes, type MachinePort} from '../../server/routes/machine-routes.ts';
import {planRoutes} from '../../server/routes/plan-routes.ts';
import {stackRoutes} from '../../server/routes/stack-routes.ts';
import {stackRunRoutes} from '../../server/routes/stack-run-routes.ts';
import {withServerRoutes} from '../../server/openapi.ts';
import type {Store} from '../../store/open-store.ts';
import {loadNextTime, openUserQueue, openUserStores} from '../../app/user-jobs.ts';
import {now} from '../../app/user-database.ts';
import {userPlaces} from '../../app/user-data.ts';
import {dailyPrune, doDaily} from '../../app/daily-work.ts';
import type {Places} from '../../config/places.ts';
import {parseSessionId, type SessionId} from '../../domain/ids.ts';
import type {NewJob} from '../../domain/job.ts';
import {note as tellUser, print, printJson} from '../../app/output.ts';
import {openLog, surviveFaults} from '../../app/log-file.ts';
import {onStopSignal} from '../signals.ts';
import {version} from '../../app/version.ts';
import type {ServerPlace} from './serve/agent-sessions.ts';
import {dryRuns} from './serve/dry-runs.ts';
import {requestFolder} from './serve/request-folder.ts';
import {serverToken} from './serve/server-token.ts';
import {join, parse} from 'node:path';

interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly store?: string;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly workRoot?: readonly string[];
  readonly approveOnExecute?: boolean;
  readonly seedClients?: boolean;
  readonly outputFormat: 'text' | 'json';
}

/** `weft serve`. */
export function add(command: Command): void {
  command
    .addOption(
      new Option('--port <n>', 'Port to listen on; 0 for any free port').argParser(portArgument).default(defaultPort),
    )
    .option('--host <address>', 'Address to listen on', '127.0.0.1')
    .option('--store <where>', 'Store to use: sqlite, or postgres://… (default: WEFT_STORE, or sqlite)')
    .option('--allow-host <names...>', 'Host names that requests may use for the server')
    .option('--allow-origin <origins...>', 'Web origins whose pages may call the server')
    .option('--work-root <folders...>', 'Folders in which a missing workDir is made')
    .option('--approve-on-execute', 'Let a request approve the plan that it executes')
    .option(
      '--seed-clients',
      'Serve clients that send no token, at a secret path: executing approves, and any missing workDir is made',
    )
    .addOption(
      new Option('--output-format <format>', 'Format of the address').choices(['text', 'json']).default('text'),
    )
    .action(exiting(runServe));
}

/** Milliseconds for running prompts to settle when the server ends. */
const stopMs = 700;

const newSession = (): SessionId => parseSessionId(randomUUID()) ?? noUuid();

function noUuid(): never {
  throw new Error('randomUUID() returned no UUID');
}

/** Returns what the commands of the same names print. Each is loaded by the first request that needs it. */
const machine: MachinePort = {
  sandboxProviders: async () => (await import('./sandbox.ts')).providerRows(),
  async mcpServers(directory) {
    const {serverRows} = await import('../../app/server-rows.ts');
    const {knownServers} = await import('../../app/known-servers.ts');
    const rows = await serverRows((await knownServers(directory)).servers, {directory, check: false});
    return rows.map(row => ({...row}));
  },
  skills: async workDir => (await import('./skills.ts')).skillRows(workDir),
  run: async (request, signal) => (await import('./serve/sandbox-runs.ts')).runInSandbox(request, signal),
  folder: requestFolder,
};

/** Loads the engine with the first request that needs it. */
function lazySessions(store: Store, server: ServerPlace): AgentPort {
  let opened: Promise<AgentPort> | undefined;
  const sessions = () =>
    (opened ??= import('./serve/agent-sessions.ts').then(({agentSessions}) => agentSessions(store, server)));
  return {
    open: async request => (await sessions()).open(request),
    sessions: async filter => (await sessions()).sessions(filter),
    messages: async session => (await sessions()).messages(session),
    artifact: async (artifact, signal) => (await sessions()).artifact(artifact, signal),
  };
}

async function notePruning(places: Places, note: (line: string) => void): Promise<void> {
  for await (const line of doDaily(dailyPrune(places))) note(line);
}

/** `weft serve`: serves until a signal arrives. */
async function runServe(options: ServeOptions): Promise<ExitCode> {
  const {seedClients = false, host} = options;
  if (seedClients && !['127.0.0.1', 'localhost', '::1'].includes(host))
    throw new UsageError('--seed-clients serves this machine alone: leave --host out');
  const places = userPlaces(options.store);
  const note = openLog(places.log, tellUser);
  const stores = await openUserStores(places);
  const {sessions, plans, jobs, schedules, stack} = stores;
  let url = '';
  const agent = lazySessions(sessions, {
    named: options.store,
    url: () => url,
    artifacts: places.artifacts,
    workRoots: [
      join(places.data, 'sessions'),
      ...(options.workRoot ?? []),
      ...(seedClients ? [parse(process.cwd()).root] : []),
    ],
  });
  const isShared = places.database.kind === 'postgres';
  const runs = new AgentRuns({uuid: randomUUID, jobs, processes: isShared ? 'of-many' : 'of-one-process', now, note});
  const queue = places.database.kind === 'postgres' ? await openUserQueue(places.database, note) : 'none';
  const director = (directory: string): DirectorPort => ({
    open: async (...run) => {
      const {stackDirector} = await import('./stack/director.ts');
      return stackDirector({stack, sessions, named: options.store})(directory).open(...run);
    },
  });
  const directory = process.cwd();
  const stackRuns = new StackRuns({jobs, queue, director: director(directory), directory, uuid: randomUUID});
  surviveFaults(note);
  const token = serverToken(places.serverToken, process.env);
  const clientPath = seedClients
    ? `/${createHmac('sha256', token.value).update('seed clients').digest('base64url')}`
    : '';
  const approveOnExecute = seedClients ? 'always' : options.approveOnExecute === true ? 'if-asked' : 'never';
  const stopped = Promise.withResolvers<ExitCode>();
  onStopSignal(stopped.resolve);
  const started = await startServer({
    host,
    port: options.port,
    token: token.value,
    clientPath,
    allowedHosts: options.allowHost ?? [],
    allowedOrigins: options.allowOrigin ?? [],
    routes: withServerRoutes(
      [
        ...stackRoutes(stack),
        ...stackRunRoutes(stackRuns),
        ...agentRoutes({agent, runs, jobs, newTaskId: randomUUID, directory}),
        ...planRoutes({
          agent,
          runs,
          plans,
          dryRuns: dryRuns(options.store),
          jobs,
          queue,
          newSession,
          newTaskId: randomUUID,
          approveOnExecute,
        }),
        ...machineRoutes(machine),
      ],
      // Clients without a token know the service by the name in their own documents.
      {version, service: seedClients ? 'Frameworks Backend' : 'weft'},
    ),
    attach: async request =>
      (await import('../../server/attach-session.ts')).attachSession(request, {agent, runs, version}),
    note,
  });
  if (started.tag === 'failed') {
    tellUser(started.error);
    stores.close();
    return exitCode.failed;
  }
  ({url} = started.value);
  const address = `${url}${clientPath}`;
  const access = seedClients
    ? 'without a token: keep the address secret'
    : `token in ${token.file ?? 'WEFT_SERVER_TOKEN'}`;
  if (options.outputFormat === 'json')
    printJson(`${JSON.stringify({type: 'listening', url: address, token_file: token.file, pid: process.pid})}\n`);
  else print(`weft listens on ${address}, ${access}\n`);
  const ending = new AbortController();
  const run = async (due: NewJob): Promise<void> =>
    runJob(await ClaimedJob.added(jobs, due), {agent, runs, jobs, plans, schedules, director}, ending.signal);
  void notePruning(places, note);
  const scheduler = startScheduler({schedules, jobs, queue, run, uuid: randomUUID, now, loadNextTime, note});
  const code = await stopped.promise;
  scheduler.close();
  await Promise.race([
    Promise.all([runs.close(), queue === 'none' ? stackRuns.close() : queue.close()]),
    delay(stopMs, undefined, {ref: false}),
  ]);
  await started.value.close();
  stores.close();
  return code;
}
