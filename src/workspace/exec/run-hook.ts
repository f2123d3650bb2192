import {spawn} from 'node:child_process';
import type {Readable} from 'node:stream';
import {isJsonObject, parseJson} from '../../base/json.ts';
import {raceAbort} from '../../base/race.ts';
import {causeText} from '../../domain/fault.ts';
import {type HookCommand, type HookEnd, type HookOutput, mostHookOutput} from '../../domain/hook.ts';
import {withoutTerminals} from './hidden-terminals.ts';
import {endProcessTree, groupRemains, type GroupLeader, treeOf} from './process-tree.ts';
import {startAtOnce} from './process-table.ts';
import type {ShellContext} from './shell.ts';
import {shellEnvironment, type VariableSources} from './shell-environment.ts';
import {findShell} from './shell-start.ts';

/** Milliseconds in which what a hook left running may still write into its pipes. */
const drainMs = 200;

export interface HookProcesses {
  /**
   * Runs a hook's command in the workspace's first folder, in a process group of its own. It settles when the command itself has
   * ended or says that it goes on by itself; after an abort, when everything that it started has. What it leaves running ends with weft.
   */
  run(command: HookCommand, stdin: string, signal: AbortSignal): Promise<HookOutput>;
  /** Ends what hooks left running. */
  close(): Promise<void>;
}

export function makeHookProcesses(options: {
  readonly variables: VariableSources;
  readonly runContext: () => Promise<Pick<ShellContext, 'tags' | 'watchdog'>>;
}): HookProcesses {
  const {variables} = options;
  const [root = '/'] = variables.roots;
  const left = new Map<string, GroupLeader>();
  return {
    async run({command, args, environment}, stdin, signal) {
      const {tags, watchdog} = await options.runContext();
      if (signal.aborted) return {end: {kind: 'aborted'}, stdout: '', stderr: ''};
      const runTag = tags.next();
      const shell = findShell(variables.given, variables.roots);
      const [program, words] = args === 'shell' ? [shell, ['-c', command]] : [withProject(command, root), args];
      const child = spawn(
        program,
        words.map(word => (args === 'shell' ? word : withProject(word, root))),
        {
          cwd: root,
          detached: true,
          env: {
            ...shellEnvironment(variables, {runTag, channel: 'pipes', environment: 'inherited'}),
            CLAUDE_PROJECT_DIR: root,
            WEFT_PROJECT_DIR: root,
            ...environment,
          },
          stdio: withoutTerminals(['pipe', 'pipe', 'pipe']),
        },
      );
      const ended = new Promise<HookEnd>(resolve => {
        child.once('error', cause => resolve({kind: 'not-started', why: causeText(cause)}));
        child.once('exit', (code, by) =>
          resolve(by === null ? {kind: 'exited', code: code ?? 0} : {kind: 'signalled', signal: by}),
        );
      });
      // A hook need not read what it is given.
      child.stdin.on('error', () => {});
      child.stdin.end(stdin);
      const {pid} = child;
      if (pid === undefined) return {end: await ended, stdout: '', stderr: ''};
      const leader = {pid, started: startAtOnce(pid)};
      watchdog.watch(pid, leader.started);
      left.set(runTag, leader);
      const stdout = collect(child.stdout);
      const stderr = collect(child.stderr);
      const first = await raceAbort(Promise.race([ended, stdout.full, stderr.full, stdout.goesOn]), signal);
      const forget = (): void => {
        if (groupRemains(pid)) return;
        left.delete(runTag);
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
      return {end, stdout: stdout.text(), stderr: stderr.text()};
    },
    async close() {
      if (left.size === 0) return;
      await endProcessTree({leaders: [...left.values()], owns: tag => left.has(tag), outputs: []}, 'short');
      left.clear();
    },
  };
}

/** Without a shell nobody else puts the variables in. */
const withProject = (word: string, root: string): string =>
  word.replaceAll(/\$(?:\{(?:CLAUDE|WEFT)_PROJECT_DIR\}|(?:CLAUDE|WEFT)_PROJECT_DIR\b)/gu, () => root);

interface Collected {
  /** Settles when more came than a hook may write; else never. */
  readonly full: Promise<HookEnd>;
  /** Settles when the first line says that the hook goes on by itself; else never. */
  readonly goesOn: Promise<HookEnd>;
  readonly closed: Promise<void>;
  text(): string;
}

function collect(stream: Readable): Collected {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const full = Promise.withResolvers<HookEnd>();
  const goesOn = Promise.withResolvers<HookEnd>();
  const closed = Promise.withResolvers<void>();
  let firstLine = '';
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= mostHookOutput) chunks.push(chunk);
    else full.resolve({kind: 'too-long'});
    if (firstLine.includes('\n')) return;
    firstLine += chunk.toString('utf8');
    if (firstLine.includes('\n') && saysAsync(firstLine)) goesOn.resolve({kind: 'goes-on'});
  });
  stream.on('error', () => {});
  stream.once('close', () => closed.resolve());
  return {
    full: full.promise,
    goesOn: goesOn.promise,
    closed: closed.promise,
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}

function saysAsync(text: string): boolean {
  const json = parseJson(text.slice(0, text.indexOf('\n')));
  return json.tag === 'ok' && isJsonObject(json.value) && json.value['async'] === true;
}
