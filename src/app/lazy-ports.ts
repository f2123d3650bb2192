import {sandboxesAllCommands, type SandboxChoice} from '../domain/sandbox.ts';
import {basename} from 'node:path';
import type {McpPort} from '../actions/mcp-port.ts';
import type {EnvironmentPort, JudgePort, PlanStorePort, RunningAgentsPort, WorkspaceStatePort} from '../agent/ports.ts';
import {homedir} from 'node:os';
import type {FileFinder, ImagePort} from '../actions/files-port.ts';
import type {ArtifactsPort, ArtifactUrl} from '../actions/artifacts-port.ts';
import type {ComputerPort} from '../actions/computer-port.ts';
import type {ReviewSourcePort} from '../actions/review-port.ts';
import type {WebPort} from '../actions/web-port.ts';
import type {ImpactPort, SearchPort, TerminalControl} from '../actions/ports.ts';
import {isRunning} from '../actions/block-text.ts';
import type {WorktreesPort} from '../actions/worktrees-port.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {visibleLine} from '../base/visible.ts';
import type {ComparisonPort} from '../actions/review-port.ts';
import type {CheckpointsPort, SessionCheckpoints} from '../domain/checkpoint.ts';
import {rejected} from '../domain/fault.ts';
import type {SessionId} from '../domain/ids.ts';
import {unknownFileEffect} from '../domain/risk.ts';
import type {Judge, JudgeOptions, OutsideOptions} from '../safety/judge.ts';
import {allowsEveryCall, type PermissionRules} from '../safety/rules/permission-rule.ts';
import {hostDecision, hostRule, canReachSomeHost} from '../safety/rules/host-rules.ts';
import type {PathContextOptions} from '../safety/paths/path-context.ts';
import {redactDeep, type Redactor} from '../safety/secrets/redactor.ts';
import type {PlanStore} from '../store/plan-store.ts';
import type {JobStore} from '../domain/job.ts';
import type {CheckpointOptions, WriteNotesPort} from '../workspace/checkpoints/make-checkpoints.ts';
import {findDesktop, type FoundDesktop} from '../workspace/computer/find-desktop.ts';
import type {ComputerOptions} from '../workspace/computer/make-computer.ts';
import {findProgram, findShell, isExecutable, userPath} from '../workspace/exec/trusted-path.ts';
import {gitBranch} from '../workspace/files/git-branch.ts';
import {changedAt, listFolder} from '../workspace/files/list-folder.ts';
import {readBytes} from '../workspace/files/regular-files.ts';
import type {ImpactOptions} from '../workspace/impact/make-impact.ts';
import type {SandboxNetwork, SandboxOptions} from '../workspace/sandbox/make-sandbox.ts';
import type {CommandSandbox} from '../workspace/sandbox/sandbox.ts';
import type {Finder, FinderOptions} from '../workspace/search/make-finder.ts';
import type {makeSearch} from '../workspace/search/search.ts';
import type {WebOptions} from '../workspace/web/make-web.ts';
import {searchProviderOf} from '../workspace/web/search-provider.ts';
import {version} from './version.ts';
import type {MemoryPort} from './host-services.ts';

/** Returns methods of a port that is loaded with the first call. */
function lazyPort<Port extends object, Name extends Answering<Port>>(
  load: () => Promise<Port>,
  ...names: readonly Name[]
): Pick<Port, Name>;
function lazyPort(load: () => Promise<object>, ...names: readonly string[]): object {
  let loaded: Promise<object> | undefined;
  const method =
    (name: string) =>
    async (...given: readonly unknown[]): Promise<unknown> => {
      const port = await (loaded ??= load());
      const call: unknown = Reflect.get(port, name);
      return typeof call === 'function' ? Reflect.apply(call, port, given) : undefined;
    };
  return Object.fromEntries(names.map(name => [name, method(name)]));
}

type Answering<Port> = {
  [Name in keyof Port]: Port[Name] extends (...given: never[]) => Promise<unknown> ? Name : never;
}[keyof Port];

/** How a dry run holds changes back. */
export interface HoldingBack {
  readonly heldBack?: 'view' | 'copy' | undefined;
}

type LoadedJudge = Omit<Judge, 'writes'> & Pick<JudgePort, 'writes'>;

/** Loads the judge with the first action, because an answer without actions needs none. */
export function lazyJudge({
  heldBack,
  choice,
  ...options
}: Omit<JudgeOptions, 'effectOf' | 'heldBack'> & HoldingBack & {readonly choice: SandboxChoice}): LoadedJudge {
  const load = async (): Promise<LoadedJudge> => {
    const [{makeJudge}, {readingOf}, {entryKind, fileEffect}] = await Promise.all([
      import('../safety/judge.ts'),
      import('../safety/commands/effects.ts'),
      import('../workspace/impact/file-effect.ts'),
    ]);
    const on = {kindOf: entryKind, sed: process.platform === 'linux' ? 'GNU' : 'other'} as const;
    const sandboxed = sandboxesAllCommands(choice) ? 'all-commands' : 'some-commands';
    const judge = makeJudge({
      ...options,
      heldBack: heldBack === 'copy' ? {...on, sandboxed} : heldBack,
      effectOf: command => fileEffect(command, {home: options.home, readCommand: readingOf}),
    });
    return {...judge, writes: (command, directory) => judge.writes(command, directory, on)};
  };
  return lazyPort(load, 'assess', 'learn', 'writes', 'reach', 'checksIn', 'hidingIn', 'ranIn');
}

/** Makes the memory for text from outside, empty. Loads the search in files with the first question about such text. */
export const outsideOptions = ({
  roots,
  ...given
}: Pick<OutsideOptions, 'workspace' | 'outputs'> & {readonly roots: readonly string[]}): OutsideOptions => ({
  ...given,
  text: undefined,
  began: new Map(),
  changedAt,
  now: () => Date.now(),
  isExecutable,
  async oldTexts(word, before) {
    // Nothing in a folder that the user does not trust is the user's own.
    if (given.workspace === 'untrusted') return [];
    const search = await import('../workspace/search/old-texts.ts');
    return search.oldTexts(word, {roots, before});
  },
  async changedFiles(since) {
    const search = await import('../workspace/search/old-texts.ts');
    return search.changedFiles(roots, since);
  },
});

/** Reads and changes the file with the user's notes for the project, without secrets. */
export function lazyMemory(path: () => string, {redact}: Pick<Redactor, 'redact'>): MemoryPort {
  const load = async (): Promise<MemoryPort> => {
    const {addToNotes, readNotes, writeNotes} = await import('../config/memory-file.ts');
    return {
      read: async () => readNotes(path(), redact),
      add: async note => addToNotes(path(), note, redact),
      write: async edit => writeNotes(path(), edit, redact),
    };
  };
  return lazyPort(load, 'read', 'add', 'write');
}

/** Loads the code for screen, mouse and keyboard with the first request to use them. Looks for a display only once. */
export function lazyComputer({
  environment,
  newFile,
}: Pick<ComputerOptions, 'newFile'> & {readonly environment: NodeJS.ProcessEnv}): ComputerPort {
  let found: {readonly desktop: FoundDesktop | undefined} | undefined;
  const look = (): FoundDesktop | undefined =>
    (found ??= {desktop: findDesktop(process.platform, environment, findProgram)}).desktop;
  const load = async (): Promise<Omit<ComputerPort, 'using'>> => {
    const {makeComputer, programRunner} = await import('../workspace/computer/make-computer.ts');
    return makeComputer({found: look(), run: programRunner(environment), newFile});
  };
  return {
    get using() {
      return look()?.missing.length === 0 ? 'offered' : 'none';
    },
    ...lazyPort(load, 'probe', 'act', 'screenshot'),
  };
}

/** Loads the impact analysis with the first command that destroys something. */
export const lazyImpact = (
  place: Omit<ImpactOptions, 'canQueryGit' | 'readCommand'>,
  pathContext: Pick<PathContextOptions, 'roots' | 'home' | 'resolve' | 'weftFolders'>,
  secrets: Redactor,
): ImpactPort => ({
  async find(commands, signal) {
    const [{makeImpact}, {readingOf}, {makePathContext}, {repositoryFinding}] = await Promise.all([
      import('../workspace/impact/make-impact.ts'),
      import('../safety/commands/effects.ts'),
      import('../safety/paths/path-context.ts'),
      import('../safety/paths/git-repository.ts'),
    ]);
    const disk = {
      list: listFolder,
      read: readBytes,
      findWorkspaceProgram: () => undefined,
      effectOf: () => unknownFileEffect,
    };
    const canQueryGit = (directory: string): boolean =>
      repositoryFinding(directory, makePathContext({...pathContext, ...disk})).reason === undefined;
    const report = await makeImpact({...place, canQueryGit, readCommand: readingOf}).find(commands, signal);
    return redactDeep(report, secrets);
  },
});

/** Saves files with the session. Fails if the session itself is not saved. */
export const lazyArtifacts = (
  {
    artifactsFolder: folder,
    artifactUrl: urlOf,
  }: {readonly artifactsFolder: string | undefined; readonly artifactUrl: ArtifactUrl},
  secrets: Redactor,
): ArtifactsPort => ({
  async keep(request, signal) {
    if (folder === undefined) return failed(rejected('This session is not saved, so no files can be saved with it.'));
    const {makeArtifacts} = await import('../workspace/files/artifacts.ts');
    const holdsSecrets = (text: string): boolean => secrets.redact(text) !== text;
    return redactDeep(await makeArtifacts({folder, holdsSecrets, urlOf}).keep(request, signal), secrets);
  },
});

/** Manages the worktrees of agents. Their diffs contain placeholders instead of secrets. */
export function lazyWorktrees(environment: NodeJS.ProcessEnv, secrets: Redactor): WorktreesPort {
  const load = async (): Promise<WorktreesPort> => {
    const {makeWorktrees} = await import('../workspace/worktrees/make-worktrees.ts');
    return makeWorktrees({environment, now: () => Date.now(), pid: process.pid});
  };
  const worktrees = lazyPort(load, 'open', 'changes', 'merge', 'release', 'drop');
  return {
    ...worktrees,
    changes: async (worktree, signal) => redactDeep(await worktrees.changes(worktree, signal), secrets),
    merge: async (worktree, signal) => redactDeep(await worktrees.merge(worktree, signal), secrets),
  };
}

/** Opens the plan store with the first plan. */
export function lazyPlans(open: () => Promise<PlanStore>): PlanStorePort & {close(): Promise<void>} {
  let store: Promise<PlanStore> | undefined;
  return {
    add: async plan => (await (store ??= open())).add(plan),
    change: async (id, work) => (await (store ??= open())).change(id, work),
    close: async () => (await store)?.close(),
  };
}

/** Reads the changes for a code review. Paths and lines contain placeholders instead of secrets. */
export const lazyReviewSource = (
  place: {readonly directory: string; readonly environment: NodeJS.ProcessEnv},
  secrets: Redactor,
): ReviewSourcePort => ({
  async read(request, signal) {
    const {makeReviewSource} = await import('../workspace/review/review-source.ts');
    return redactDeep(await makeReviewSource(place).read(request, signal), secrets);
  },
});

/**
 * Loads checkpoints with the first action that may change something. Without a folder it makes no checkpoints, because the
 * session is not saved either: only hashes for receipts. Once a day it first removes checkpoints that no session needs; `trees`
 * returns those that are needed.
 */
export function lazyCheckpoints(
  {folder, ...rest}: Omit<CheckpointOptions, 'folder'> & {readonly folder: string | undefined},
  trees: () => Promise<readonly SessionCheckpoints[]>,
): SessionStates {
  if (folder === undefined) {
    const hashes = async () => (await import('../workspace/checkpoints/hashed-states.ts')).hashedStates(rest);
    return {...nothingKept, ...lazyPort(hashes, 'stateNow', 'unchangedSince')};
  }
  const place = {...rest, folder};
  const load = async (): Promise<SessionStates> => {
    const {makeCheckpoints} = await import('../workspace/checkpoints/make-checkpoints.ts');
    await pruneWhenDue(place, trees);
    return makeCheckpoints(place);
  };
  return lazyPort(
    load,
    'prefetch',
    'uncoveredFiles',
    'take',
    'preview',
    'revert',
    'compare',
    'stateNow',
    'unchangedSince',
    'noteWrites',
  );
}

/** Removes unneeded checkpoints once a day. After a failure, weft tries again the next day. */
async function pruneWhenDue(
  {folder, now}: CheckpointOptions,
  trees: () => Promise<readonly SessionCheckpoints[]>,
): Promise<void> {
  try {
    const [{isPruningDue, pruneCheckpoints}, {isInUse}] = await Promise.all([
      import('../workspace/checkpoints/prune-checkpoints.ts'),
      import('../workspace/checkpoints/store-lock.ts'),
    ]);
    // No session knows the states yet that a call of this process has stored.
    if (isInUse(folder)) return;
    if (isPruningDue(folder, now())) await pruneCheckpoints({folder, sessions: await trees(), now: now()});
  } catch {
    return;
  }
}

const nothing = {files: [], conflicts: [], excluded: [], coverage: 'all files'} as const;

type SessionStates = CheckpointsPort & ComparisonPort & WriteNotesPort;

/** For sessions without checkpoints. `revert` is never called, because there is nothing to revert. */
const nothingKept: CheckpointsPort & Pick<ComparisonPort, 'compare'> & WriteNotesPort = {
  noteWrites: async () => {},
  compare: async () =>
    failed(
      rejected('This session is not saved, so weft keeps no states of its files. /diff git shows what git knows.'),
    ),
  prefetch: async () => {},
  uncoveredFiles: async () => [],
  take: async () => ok('off'),
  preview: async () => ok(nothing),
  revert: async () => {
    throw new Error('there are no checkpoints');
  },
};

/** Loads the file finder with the first search. `drop` ends and frees its file listing; the next search lists the files again. */
export function lazyFinder(options: FinderOptions): {readonly finder: FileFinder; readonly drop: () => void} {
  let made: Promise<Finder> | undefined;
  const load = (): Promise<Finder> =>
    (made ??= import('../workspace/search/make-finder.ts').then(({makeFinder}) => makeFinder(options)));
  return {
    finder: {
      find: async (query, listener, signal) => {
        const loaded = await load();
        if (!signal.aborted) await loaded.find(query, listener, signal);
      },
    },
    drop() {
      void made?.then(finder => finder.close());
      made = undefined;
    },
  };
}

/** Loads the sandbox with the first command that may need it. */
export function lazySandbox({heldBack, ...options}: SandboxOptions & HoldingBack): CommandSandbox {
  let made: Promise<CommandSandbox> | undefined;
  let loaded: CommandSandbox | undefined;
  let offline: Promise<Outcome<readonly string[], string>> | undefined;
  const load = (): Promise<CommandSandbox> =>
    (made ??= import('../workspace/sandbox/make-sandbox.ts').then(({makeSandbox}) => {
      const network = heldBack === undefined ? options.network : {...options.network, canReachHosts: () => false};
      loaded = makeSandbox({...options, network});
      return loaded;
    }));
  return {
    async enclose(request) {
      const isPlain =
        request.confinement === 'outside' ||
        (request.confinement === 'chosen' && (options.choice === 'auto' || options.choice === 'native'));
      const enclosure = isPlain ? ok({kind: 'plain'} as const) : await (await load()).enclose(request);
      if (heldBack === undefined || enclosure.tag === 'failed' || enclosure.value.kind === 'enclosed') return enclosure;
      const words = await (offline ??= import('../workspace/sandbox/offline.ts').then(({findOfflineWords}) =>
        findOfflineWords(),
      ));
      // In a copy, unconfined commands only write files of the copy.
      if (words.tag === 'failed') return heldBack === 'copy' ? enclosure : words;
      return ok({kind: 'plain', within: words.value});
    },
    proof: async () => (await load()).proof(),
    known: () => loaded?.known() ?? 'unknown',
    close: async () => (await made)?.close(),
  };
}

/** The network of sandboxed commands under these rules. The proxy is loaded with the first command that may reach a host. */
export const lazyNetwork = ({
  rules,
  loopback,
  asking,
}: {
  readonly rules: PermissionRules;
  readonly loopback: 'closed' | 'open';
  /** `by-rule`: commands can reach hosts only if a rule may allow it. */
  readonly asking: 'open' | 'by-rule';
}): SandboxNetwork => ({
  canReachHosts: () => loopback === 'open' || asking === 'open' || canReachSomeHost(rules),
  async open(request) {
    const [{openNetwork}, {machineNetwork}] = await Promise.all([
      import('../workspace/sandbox/open-network.ts'),
      import('../workspace/web/connect-host.ts'),
    ]);
    return openNetwork(
      {decision: host => hostDecision(host, rules), ruleFor: hostRule, loopback, network: machineNetwork},
      request,
    );
  },
});

/** The environment of the model on this machine. `prompt`: `at-once` if the first prompt comes as soon as weft has started. */
export function machineEnvironment({
  environment,
  roots,
  sandbox,
  prompt,
}: {
  readonly environment: NodeJS.ProcessEnv;
  readonly roots: readonly [string, ...string[]];
  readonly sandbox: EnvironmentPort['sandbox'];
  readonly prompt: 'at-once' | 'later';
}): EnvironmentPort {
  let shell: string | undefined;
  const read = async (folder: string, signal: AbortSignal): ReturnType<EnvironmentPort['repository']> => {
    if (gitBranch(folder) === '') return undefined;
    const {repositoryState} = await import('../workspace/repository-state.ts');
    return repositoryState({folder, environment, signal});
  };
  // git answers while weft starts.
  let early = prompt === 'at-once' ? read(roots[0], new AbortController().signal) : undefined;
  return {
    machine() {
      shell ??= basename(findShell({PATH: userPath()}, roots));
      return {platform: process.platform, shell};
    },
    date: () => localDate(new Date()),
    sandbox,
    branch: gitBranch,
    async repository(folder, signal) {
      const known = folder === roots[0] ? early : undefined;
      early = undefined;
      return known ?? read(folder, signal);
    },
  };
}

/** Returns the date in the time zone of this machine. `Intl` would name the zone, and take 27 ms. */
function localDate(now: Date): string {
  const minutes = -now.getTimezoneOffset();
  const local = new Date(now.getTime() + minutes * 60_000).toISOString().slice(0, 10);
  const zone = new Date(Math.abs(minutes) * 60_000).toISOString().slice(11, 16);
  return `${local}, UTC${minutes < 0 ? '-' : '+'}${zone}`;
}

/** Loads file search with the first search. */
export function lazySearch(options: Parameters<typeof makeSearch>[0]): SearchPort {
  let made: Promise<SearchPort> | undefined;
  const searchIn = (load: () => Promise<SearchPort>): SearchPort => ({
    limitedTo: paths => searchIn(async () => (await load()).limitedTo(paths)),
    ...lazyPort(load, 'grep', 'glob', 'codebase'),
  });
  return searchIn(() => (made ??= import('../workspace/search/search.ts').then(loaded => loaded.makeSearch(options))));
}

/** Loads web access with the first page or search. The user's environment names the search engine and the proxy. */
export function lazyWeb({
  environment,
  rules,
  ...options
}: Pick<WebOptions, 'newFile' | 'redact'> & {
  readonly environment: NodeJS.ProcessEnv;
  readonly rules: PermissionRules;
}): WebPort {
  const provider = searchProviderOf(environment);
  const load = async (): Promise<WebPort> => {
    const [{makeWeb}, {machineNetwork}, {routeThroughProxy}] = await Promise.all([
      import('../workspace/web/make-web.ts'),
      import('../workspace/web/connect-host.ts'),
      import('../models/proxy.ts'),
    ]);
    const network = {...machineNetwork, routeOf: (url: URL) => routeThroughProxy(url, environment)};
    const userAgent = `weft/${version}`;
    return makeWeb({...options, provider, network, userAgent, now: () => Date.now(), timeoutMs: 20_000});
  };
  return {
    get searching() {
      if (provider !== undefined) return 'offered';
      return allowsEveryCall(rules, 'WebSearch') ? 'by-provider' : 'none';
    },
    ...lazyPort(load, 'fetch', 'search'),
  };
}

/** The size of the largest file whose text weft compares with a goal. */
const maxTextSize = 64 * 1024 * 1024;

/** The workspace state for reminders to the model: instructions, running commands, fingerprints of files. */
export const workspaceState = (
  found: Pick<WorkspaceStatePort, 'instructions' | 'instructionsBelow'>,
  desk: Pick<TerminalControl, 'list'>,
): WorkspaceStatePort => ({
  ...found,
  runningCommands: () =>
    desk
      .list()
      .filter(({state}) => isRunning(state))
      .map(({id, command, ports}) => {
        const listening = ports.length === 0 ? '' : ` (listens on ${ports.join(', ')})`;
        return {block: id, text: `- block ${id}: ${visibleLine(command)}${listening}`};
      }),
  async text(path) {
    const {readRegularFile} = await import('../workspace/files/regular-files.ts');
    return readRegularFile(path, maxTextSize)?.toString();
  },
  async fingerprints(paths, signal) {
    const {fingerprintFiles} = await import('../workspace/files/regular-files.ts');
    return fingerprintFiles(paths, signal);
  },
});

export function lazyImages(directory: string): ImagePort {
  const load = async (): Promise<ImagePort> => {
    const {makeImages} = await import('../workspace/files/images.ts');
    return makeImages({directory, home: homedir(), environment: process.env});
  };
  return lazyPort(load, 'read', 'fromClipboard');
}

const idOf = (id: SessionId): string => `agent ${id}`;

/** Records running sub-agents in the user's database, which is opened with the first one. Failures are ignored. */
export function lazyRunningAgents(open: () => Promise<JobStore>): RunningAgentsPort {
  let opened: Promise<JobStore> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const shown = new Set<SessionId>();
  const stopped = new Set<SessionId>();
  const then = (work: (jobs: JobStore) => Promise<unknown>): void => {
    last = last.then(async () => work(await (opened ??= open()))).catch(() => {});
  };
  return {
    show(agent) {
      shown.add(agent.id);
      const spec = {kind: 'agent', agent: {...agent, pid: process.pid}} as const;
      then(jobs => jobs.add({id: idOf(agent.id), spec, session: 'not-open'}, 'running'));
    },
    hide(id) {
      shown.delete(id);
      stopped.delete(id);
      then(jobs => jobs.remove(idOf(id)));
    },
    /** Returns the result of the previous call, because the store answers later. */
    stopRequests() {
      for (const id of shown)
        then(async jobs => {
          const heard = await jobs.heard({id: idOf(id), attempt: 1});
          if (heard !== 'lost' && heard.stop && shown.has(id)) stopped.add(id);
        });
      return [...stopped];
    },
  };
}

export const longTexts = () => import('../workspace/files/long-texts.ts');

/** Loads the code that saves long results only when a server is called. */
export function savingLongAnswers(mcp: McpPort, newFile: () => string): McpPort {
  const saving = async (): Promise<McpPort> => (await longTexts()).saveLongAnswers(mcp, newFile);
  return {
    ...mcp,
    call: async (request, observer, signal) => (await saving()).call(request, observer, signal),
    readResource: async (request, signal) => (await saving()).readResource(request, signal),
  };
}
