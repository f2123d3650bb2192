import {type ChildProcessWithoutNullStreams, spawn} from 'node:child_process';
import type {Readable} from 'node:stream';
import {isJsonObject, parseJson} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {raceAbort} from '../../base/race.ts';
import {causeText} from '../../domain/fault.ts';
import {type HookCommand, type HookEnd, type HookOutput, maxHookOutput} from '../../domain/hook.ts';
import {type Attempt, explainMoreRights, openProjectLaunch} from '../sandbox/launch.ts';
import {type CommandSandbox, type CommandStart, startIn} from '../sandbox/sandbox.ts';
import {withoutTerminals} from './hidden-terminals.ts';
import {endProcessTree, groupRemains, type GroupLeader, treeOf} from './process-tree.ts';
import {startTimeSync} from './process-table.ts';
import type {ShellContext} from './shell.ts';
import {shellEnvironment, type VariableSources} from './shell-environment.ts';
import {findShell} from './trusted-path.ts';

/** Milliseconds for which processes that a hook left running may still write to its pipes. */
const drainMs = 200;

export interface HookProcesses {
  /**
   * Runs a hook's command in the first workspace folder, in its own process group. Settles when the command has ended
   * or reports that it continues in the background; after an abort, when all processes that it started have ended.
   * Processes that it leaves running end with weft.
   */
  run(command: HookCommand, stdin: string, signal: AbortSignal): Promise<HookOutput>;
  /** Ends the processes that hooks left running. */
  close(): Promise<void>;
}

export function makeHookProcesses(options: {
  readonly variables: VariableSources;
  readonly runContext: () => Promise<Pick<ShellContext, 'tags' | 'watchdog'>>;
  /** Confines hooks that have fewer rights than the user. */
  readonly sandbox: CommandSandbox;
}): HookProcesses {
  const {variables} = options;
  const [root = '/'] = variables.roots;
  const leftRunning = new Map<string, GroupLeader>();
  return {
    async run({command, args, environment, rights}, stdin, signal) {
      const {tags, watchdog} = await options.runContext();
      if (signal.aborted) return {end: {kind: 'aborted'}, stdout: '', stderr: ''};
      const runTag = tags.next();
      const shell = findShell(variables.inherited, variables.roots);
      const start = {
        program: args === 'shell' ? shell : expandProjectDir(command, root),
        args: args === 'shell' ? ['-c', command] : args.map(word => expandProjectDir(word, root)),
        environment: {
          ...shellEnvironment(variables, {runTag, channel: 'pipes', environment: 'inherited'}),
          CLAUDE_PROJECT_DIR: root,
          WEFT_PROJECT_DIR: root,
          ...environment,
        },
      };
      const launched = await openProjectLaunch(options.sandbox, {start, directory: root, rights});
      if (launched.tag === 'failed') return notStarted(launched.error);
      const launch = launched.value;
      const release = (): Promise<unknown> => launch.end('none', signal);
      const begin = launch.begin(enclosure => startIn(enclosure, start), signal);
      const begun = await begin(each => spawnHook(each, root));
      if (begun.tag === 'failed') {
        await release();
        return notStarted(begun.error);
      }
      const {child, pid, ended, stdout, stderr} = begun.value;
      void ended.then(release);
      child.stdin.end(stdin);
      const leader = {pid, started: startTimeSync(pid)};
      watchdog.watch(pid, leader.started);
      leftRunning.set(runTag, leader);
      const first = await raceAbort(
        Promise.race([ended, stdout.overflowed, stderr.overflowed, stdout.continues]),
        signal,
      );
      const forget = (): void => {
        if (groupRemains(pid)) return;
        leftRunning.delete(runTag);
        watchdog.forget(pid);
      };
      if (first !== 'aborted' && first.kind === 'goes-on') {
        void ended.then(forget);
        return {end: first, stdout: stdout.text(), stderr: stderr.text()};
      }
      const isOver = first !== 'aborted' && first.kind !== 'too-long';
      if (!isOver) {
        await endProcessTree(treeOf({leader: pid, leaderStarted: leader.started, runTag}), 'short');
      } else {
        await Promise.race([
          Promise.all([stdout.closed, stderr.closed]),
          new Promise(resolve => setTimeout(resolve, drainMs).unref()),
        ]);
      }
      child.stdout.destroy();
      child.stderr.destroy();
      forget();
      const end: HookEnd = first === 'aborted' ? {kind: 'aborted'} : first;
      const isBroken = end.kind === 'exited' && end.code !== 0 && end.code !== 2;
      const isInside = launch.enclosure.kind === 'enclosed';
      const errorText = isBroken && isInside ? `${stderr.text().trim()} (${explainMoreRights(rights)})` : stderr.text();
      return {end, stdout: stdout.text(), stderr: errorText};
    },
    async close() {
      if (leftRunning.size === 0) return;
      await endProcessTree(
        {leaders: [...leftRunning.values()], owns: tag => leftRunning.has(tag), outputs: []},
        'short',
      );
      leftRunning.clear();
    },
  };
}

const notStarted = (why: string): HookOutput => ({end: {kind: 'not-started', why}, stdout: '', stderr: ''});

interface HookChild {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
  readonly ended: Promise<HookEnd>;
  readonly stdout: StreamCollector;
  readonly stderr: StreamCollector;
}

async function spawnHook(
  {program, args, environment}: CommandStart,
  cwd: string,
): Promise<Outcome<Attempt<HookChild>, string>> {
  const stdio = withoutTerminals(['pipe', 'pipe', 'pipe']);
  const child = spawn(program, args, {cwd, detached: true, env: environment, stdio});
  const ended = new Promise<HookEnd>(resolve => {
    child.once('error', cause => resolve({kind: 'not-started', why: causeText(cause)}));
    child.once('exit', (code, by) =>
      resolve(by === null ? {kind: 'exited', code: code ?? 0} : {kind: 'signalled', signal: by}),
    );
  });
  // The output is read at once, because unread output of an ended program is lost.
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  // A hook may ignore its input.
  child.stdin.on('error', () => {});
  const {pid} = child;
  if (pid === undefined) {
    const end = await ended;
    return failed(end.kind === 'not-started' ? end.why : 'no process was created');
  }
  const discard = async (): Promise<string> => {
    await stderr.closed;
    return stderr.text();
  };
  return ok({started: {child, pid, ended, stdout, stderr}, ended, discard});
}

/** Expands the project variables, because no shell expands them here. */
const expandProjectDir = (word: string, root: string): string =>
  word.replaceAll(/\$(?:\{(?:CLAUDE|WEFT)_PROJECT_DIR\}|(?:CLAUDE|WEFT)_PROJECT_DIR\b)/gu, () => root);

interface StreamCollector {
  /** Settles if the hook writes more than it may; otherwise never. */
  readonly overflowed: Promise<HookEnd>;
  /** Settles if the first line says that the hook continues in the background; otherwise never. */
  readonly continues: Promise<HookEnd>;
  readonly closed: Promise<void>;
  text(): string;
}

function collect(stream: Readable): StreamCollector {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const full = Promise.withResolvers<HookEnd>();
  const goesOn = Promise.withResolvers<HookEnd>();
  const closed = Promise.withResolvers<void>();
  let firstLine = '';
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxHookOutput) chunks.push(chunk);
    else full.resolve({kind: 'too-long'});
    if (firstLine.includes('\n')) return;
    firstLine += chunk.toString('utf8');
    if (firstLine.includes('\n') && saysAsync(firstLine)) goesOn.resolve({kind: 'goes-on'});
  });
  stream.on('error', () => {});
  stream.once('close', () => closed.resolve());
  return {
    overflowed: full.promise,
    continues: goesOn.promise,
    closed: closed.promise,
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}

function saysAsync(text: string): boolean {
  const json = parseJson(text.slice(0, text.indexOf('\n')));
  return json.tag === 'ok' && isJsonObject(json.value) && json.value['async'] === true;
}
