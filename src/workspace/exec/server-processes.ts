import type {Readable, Writable} from 'node:stream';
import type {ServerProcess, ServerProcesses, ServerProcessEvents, ServerProgram} from '../../actions/mcp-port.ts';
import {ByteLineSplitter} from '../../base/byte-line-splitter.ts';
import {raceTimeout} from '../../base/race.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import {withoutTerminals} from './hidden-terminals.ts';
import {startTimeSync} from './process-table.ts';
import {endProcessTree, treeOf} from './process-tree.ts';
import type {RunTags} from './run-tag.ts';
import {type Environment, runTagVariable} from './shell-environment.ts';
import type {ProcessWatchdog} from './watchdog.ts';

/** The maximum number of bytes of one line that a server may print. weft ends a server that prints more. */
const maxLineBytes = 32 * 1024 * 1024;

/** The maximum number of bytes that may wait for a program to read them. weft ends a program that leaves more unread. */
const maxUnread = 4 * 1024 * 1024;

/** Milliseconds for which weft keeps reading the output after a program has ended. */
const drainMs = 1000;

/** Milliseconds that an MCP server has to exit after its input is closed. */
export const serverExitMs = 200;

/**
 * Runs programs that weft talks to over their stdin and stdout. Each has its own process group, and none outlives weft,
 * even after `kill -9`. A program gets the few variables that every program needs and its configured ones, but none of
 * weft's own. Nothing is loaded or started before the first program.
 */
export function makeServerProcesses(options: {
  /** The environment of weft itself, with the PATH to search for programs. */
  readonly environment: Environment;
  /** The folder that run tags are made for; see `makeRunTags`. */
  readonly registryFolder: string;
  /** Milliseconds that a program has to exit after its input is closed. */
  readonly exitMs: number;
}): ServerProcesses & {close(): Promise<void>} {
  const running = new Set<ServerProcess>();
  let context: Promise<{readonly tags: RunTags; readonly watchdog: ProcessWatchdog}> | undefined;
  return {
    async start(program, events) {
      context ??= openContext(options.registryFolder);
      const {tags, watchdog} = await context;
      const variables = {...inheritVariables(options.environment), ...program.env, [runTagVariable]: tags.next()};
      const started = await startProgram(program, {variables, watchdog, events, leaveMs: options.exitMs});
      if (started.tag === 'failed') return started;
      const {value: server} = started;
      running.add(server);
      void server.ended.then(() => running.delete(server));
      return ok(server);
    },
    async close() {
      await Promise.all([...running].map(server => server.stop()));
      if (context !== undefined) (await context).watchdog.dismiss();
    },
  };
}

async function openContext(registryFolder: string) {
  const [{makeRunTags}, {startProcessWatchdog}] = await Promise.all([import('./run-tag.ts'), import('./watchdog.ts')]);
  const tags = await makeRunTags(registryFolder);
  return {tags, watchdog: startProcessWatchdog(tags.prefix)};
}

/** The variables that the MCP SDK passes to every server. A server's configuration names any others that it needs. */
const inheritedNames: readonly string[] = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];

function inheritVariables(environment: Environment): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of inheritedNames) {
    const value = environment[name];
    if (value !== undefined && !value.startsWith('()')) found[name] = value;
  }
  return found;
}

async function startProgram(
  {command, args, directory}: ServerProgram,
  {
    variables,
    watchdog,
    events,
    leaveMs,
  }: {
    readonly leaveMs: number;
    readonly variables: Readonly<Record<string, string>>;
    readonly watchdog: ProcessWatchdog;
    readonly events: ServerProcessEvents;
  },
): Promise<Outcome<ServerProcess, string>> {
  const {execa} = await import('execa');
  const subprocess = execa(command, [...args], {
    cwd: directory,
    env: variables,
    extendEnv: false,
    stdio: withoutTerminals(['pipe', 'pipe', 'pipe']),
    buffer: false,
    encoding: 'buffer',
    killDescendants: true,
    reject: false,
  });
  const {pid, stdin, stdout, stderr} = subprocess;
  if (pid === undefined) {
    const result = await subprocess;
    return failed(
      `${command} could not be started: ${result.failed ? (result.originalMessage ?? result.shortMessage) : 'no process was created'}`,
    );
  }
  const leader = pid;
  const leaderStarted = startTimeSync(pid);
  watchdog.watch(pid, leaderStarted);
  const tree = treeOf({leader: pid, leaderStarted, runTag: variables[runTagVariable] ?? ''});
  let reason = '';
  const stopped = Promise.withResolvers<void>();
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= end());
  readLines(stdout, events.line, () => {
    reason = `it printed a line of more than ${maxLineBytes / 1024 / 1024} MB`;
    void stop();
  });
  readLines(stderr, events.log, () => {});
  stdin.on('error', () => {});
  // A child of the program may hold its output open, so the exit event comes before the end of the output.
  const exited = Promise.withResolvers<void>();
  subprocess.nodeChildProcess.once('exit', (code, signal) => {
    reason ||= signal === null ? `it exited with code ${String(code ?? 0)}` : `it was ended by ${signal}`;
    exited.resolve();
  });
  const left = exited.promise;
  // Children that a server leaves behind end with it.
  void left.then(stop);
  async function end(): Promise<void> {
    stdin.end();
    await raceTimeout(left, leaveMs);
    await endProcessTree(tree, 'short');
    // Read the program's last output.
    await raceTimeout(subprocess, drainMs);
    watchdog.forget(leader);
    stopped.resolve();
  }
  return ok({
    ended: stopped.promise.then(() => reason || 'it was stopped'),
    write(line) {
      if (stdin.writableLength > maxUnread) {
        reason ||= `it left ${maxUnread / 1024 / 1024} MB of input unread`;
        void stop();
      }
      return writeLine(stdin, line);
    },
    stop,
  });
}

/** Resolves once the pipe accepts more. */
function writeLine(stdin: Writable, line: string): Promise<void> {
  const done = Promise.withResolvers<void>();
  stdin.write(`${line}\n`, cause => {
    if (cause === undefined || cause === null) done.resolve();
    else done.reject(new Error(`it accepts no input: ${causeText(cause)}`));
  });
  return done.promise;
}

/** Calls `take` with every line. Calls `tooLong` once if a line exceeds the bound, and then reads nothing more. */
function readLines(source: Readable, take: (line: string) => void, tooLong: () => void): void {
  const splitter = new ByteLineSplitter(maxLineBytes);
  const read = (chunk: Buffer): void => {
    const lines = splitter.push(chunk);
    if (lines !== 'too-long') return lines.forEach(take);
    source.off('data', read).resume();
    tooLong();
  };
  source.on('data', read);
  source.on('end', () => {
    const last = splitter.rest();
    if (last !== '') take(last);
  });
  source.on('error', () => {});
}
