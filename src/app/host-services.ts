import type {SessionInfo} from '../actions/agent-event.ts';
import type {EditPreview, FileFinder, FoundFiles, ImagePort} from '../actions/files-port.ts';
import type {Attachment, TerminalControl} from '../actions/ports.ts';
import type {HostServices} from '../agent/answer-queries.ts';
import type {McpPort, McpServerState} from '../actions/mcp-port.ts';
import type {
  ExportEnd,
  McpServerRow,
  ModelConnection,
  ModelList,
  Queries,
  Query,
  RequestedRuleChange,
  RuleRow,
  SessionMessage,
  SettingRow,
  WatchEnd,
} from '../agent/client.ts';
import type {TrustedSettings} from '../config/merge-settings.ts';
import type {LocalServer} from '../domain/local-server.ts';
import type {Plan} from '../domain/plan.ts';
import type {StackBoard, StackChange} from '../tasks/stack/stack-board.ts';
import type {MemoryNotes} from '../domain/memory-notes.ts';
import type {CachedRequest} from '../domain/cached-request.ts';
import type {SessionFilter, SessionSummary} from '../domain/journal.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {raceTimeout} from '../base/race.ts';
import {unreachable} from '../base/unreachable.ts';
import {resourceMention} from '../domain/mention.ts';
import type {BlamedFile} from '../domain/blame.ts';
import {causeText, rejected, thrownFault, type Fault} from '../domain/fault.ts';
import type {BlockId, SessionId} from '../domain/ids.ts';

/** Services of this machine and the user's files for front ends. Each is loaded when it is first used. */
export interface HostPorts {
  readonly terminals: TerminalControl;
  readonly edits: EditPreview;
  readonly finder: FileFinder;
  readonly images: Pick<ImagePort, 'read'>;
  readonly sessions: {
    list(filter: SessionFilter): readonly SessionSummary[];
    firstPrompts(): ReadonlyMap<SessionId, string>;
    /** Returns the costs in US dollars. */
    costs(filter: SessionFilter): Promise<ReadonlyMap<SessionId, number | 'unknown'>>;
    blame(target: string, signal: AbortSignal): Promise<Outcome<BlamedFile, Fault>>;
    cacheReport(id: SessionId): Promise<readonly CachedRequest[]>;
    lastMessages(id: SessionId): readonly SessionMessage[];
  };
  readonly history: {load(): readonly string[]; add(prompt: string): void};
  readonly settings: {
    list(name: string): Promise<readonly string[]>;
    rows(): Promise<readonly SettingRow[]>;
    set(name: string, value: string): Promise<readonly string[]>;
  };
  readonly trust: FolderTrustPort;
  readonly work: WorkPort;
  readonly models: ModelSetup;
  readonly mcp: McpPort;
  /** Returns the project's servers that do not start because they are not trusted. */
  untrustedServers(): Promise<readonly McpServerState[]>;
  permissionRules(): Promise<readonly RuleRow[]>;
  changeRule(rule: RequestedRuleChange): Promise<Outcome<string, Fault>>;
  addNote(note: string): Promise<Outcome<string, Fault>>;
  readonly memory: MemoryPort;
  exportSession(work: ExportWork): Promise<Outcome<ExportEnd, Fault>>;
  exportText(work: TextExport): Promise<Outcome<ExportEnd, Fault>>;
  diagnostics(): Promise<string>;
  branch(): string;
}

/** The user's plans and task stack. */
export interface WorkPort {
  plans(): Promise<Queries['plans']['answer']>;
  changePlan(request: Pick<Query<'change-plan'>, 'plan' | 'change'>): Promise<Outcome<Plan, Fault>>;
  bisect(
    request: Pick<Query<'bisect'>, 'session' | 'command'>,
    signal: AbortSignal,
  ): Promise<Outcome<Queries['bisect']['answer'], Fault>>;
  stack(): Promise<StackBoard>;
  changeStack(change: StackChange): Promise<Outcome<StackBoard, Fault>>;
}

export interface MemoryPort {
  read(): Promise<Outcome<MemoryNotes, Fault>>;
  add(note: string): Promise<Outcome<MemoryNotes, Fault>>;
  write(edit: {readonly before: string; readonly text: string}): Promise<Outcome<MemoryNotes, Fault>>;
}

/** Lets the user choose the model while weft runs. */
export interface ModelSetup {
  list(signal: AbortSignal): Promise<Outcome<ModelList, Fault>>;
  localServers(signal: AbortSignal): Promise<readonly LocalServer[]>;
  useKey(given: KeyRequest, signal: AbortSignal): Promise<Outcome<ModelConnection, Fault>>;
  useServer(given: ServerRequest, signal: AbortSignal): Promise<Outcome<ModelConnection, Fault>>;
  useWay(given: WayRequest, signal: AbortSignal): Promise<Outcome<ModelConnection, Fault>>;
  /** Signs in to ChatGPT. `say` gets the link and the result. */
  signIn(say: (line: string) => void, signal: AbortSignal): Promise<Outcome<null, Fault>>;
  finishSignIn(address: string): Promise<Outcome<null, Fault>>;
  useEffort(given: EffortRequest, signal: AbortSignal): Promise<Outcome<ModelConnection, Fault>>;
}

/** Trust in the files of a folder, for front ends that show what the files ask for and let the user accept it. */
export interface FolderTrustPort {
  /** Returns the state of trust, and what trust would grant, in several lines. */
  show(): Promise<{readonly state: TrustedSettings['trust']; readonly text: string}>;
  /**
   * Trusts the folder if its settings still request what they requested when weft started. Trusts its other files with
   * the content that was shown. Returns a sentence about the outcome.
   */
  accept(): Promise<string>;
  /** Returns a sentence if weft ignores files of the folder. The warnings at start already cover the settings. */
  untrustedFiles(): Promise<readonly string[]>;
}

export type KeyRequest = Omit<Query<'use-key'>, 'query'>;
export type ServerRequest = Omit<Query<'use-server'>, 'query'>;
export type WayRequest = Omit<Query<'use-way'>, 'query'>;
export type EffortRequest = Omit<Query<'use-effort'>, 'query'>;

export type TextExport = Omit<Query<'export-text'>, 'query'>;

export interface ExportWork {
  readonly name: string;
  readonly session: SessionInfo;
  readonly present: 'kept' | 'replaced';
}

/** The model setup of a run whose model can't change. `why` is the error of every change. */
export const fixedModel = (why: string): ModelSetup => ({
  list: async () => failed(rejected(why)),
  localServers: async () => [],
  useKey: async () => failed(rejected(why)),
  useServer: async () => failed(rejected(why)),
  useWay: async () => failed(rejected(why)),
  signIn: async () => failed(rejected(why)),
  finishSignIn: async () => failed(rejected(why)),
  useEffort: async () => failed(rejected(why)),
});

/** Milliseconds to wait for starting MCP servers before they are listed. */
const serversMs = 2000;

const toggled = {'turn-off': 'disabled', 'turn-on': 'enabled'} as const;

const serverRows = (mcp: McpPort): readonly McpServerRow[] =>
  mcp.servers().map(state => ({
    state,
    tools: mcp
      .tools()
      .filter(({server}) => server === state.name)
      .map(({toolName, description, standing}) => ({toolName, description, standing})),
  }));

/** The maximum number of MCP resources to offer for one mention. */
const maxResources = 50;

/** Returns mentions of listed MCP resources whose mention or name contains the letters. Sends no request to a server. */
function fittingResources(letters: string, mcp: McpPort): readonly string[] {
  if (letters === '') return [];
  const sought = letters.toLowerCase();
  return mcp
    .listedResources()
    .filter(({name, ...resource}) => `${resourceMention(resource)}\n${name}`.toLowerCase().includes(sought))
    .slice(0, maxResources)
    .map(resourceMention);
}

/** Answers the queries that the engine passes on to this machine. Every failure is a fault in the answer. */
export function hostServices(ports: HostPorts): HostServices {
  const {terminals, edits, finder, images, sessions, history, settings, trust, mcp} = ports;
  const attached = new Map<BlockId, Attachment>();
  return {
    queries: {
      sessions: ({limit, idPrefix, withoutModel}) =>
        answered('Listing the sessions', () => sessions.list({limit, idPrefix, withoutModel})),
      'first-prompts': () =>
        answered('Reading the sessions', () =>
          [...sessions.firstPrompts()].map(([session, prompt]) => ({session, prompt})),
        ),
      'session-costs': ({limit}) =>
        answered('Reading the sessions', async () =>
          [...(await sessions.costs({limit}))].map(([session, usd]) => ({session, usd})),
        ),
      blame: ({target}, signal) => sessions.blame(target, signal),
      'cache-report': ({session}) => answered('Reading the session', () => sessions.cacheReport(session)),
      'last-messages': ({session}) => answered('Reading the session', () => sessions.lastMessages(session)),
      'prompt-history': () => answered('Reading the history', () => history.load()),
      'preview-edits': (request, signal) => edits.plan(request.edits, signal),
      'draft-edits': (request, signal) => edits.draft(request.edits, signal),
      'read-image': ({path}, signal) => images.read(path, signal),
      'add-note': ({note}) => ports.addNote(note),
      memory: () => ports.memory.read(),
      'add-to-memory': ({note}) => ports.memory.add(note),
      'write-memory': edit => ports.memory.write(edit),
      'mcp-servers': async (_, signal) => {
        await raceTimeout(mcp.settled(signal), serversMs);
        const rows = serverRows(mcp);
        return answered('Looking at the servers', async () => [
          ...rows,
          ...(await ports.untrustedServers())
            .filter(({name}) => !rows.some(({state}) => state.name === name))
            .map(state => ({state, tools: []})),
        ]);
      },
      'change-mcp-server': async ({server, change}) => {
        const done = await (change === 'reconnect' ? mcp.reconnect(server) : mcp.toggle(server, toggled[change]));
        const row = serverRows(mcp).find(({state}) => state.name === server);
        // The row of a server that can't be connected contains the reason.
        return row === undefined
          ? failed(rejected(done.tag === 'failed' ? done.error : 'The server is gone.'))
          : ok(row);
      },
      'permission-rules': () => answered('Reading the rules', () => ports.permissionRules()),
      'change-rule': ({rule}) => ports.changeRule(rule),
      'folder-trust': () => answered('Reading the settings', () => trust.show()),
      'trust-folder': () => answered('Trusting the folder', () => trust.accept()),
      plans: () => answered('Reading the plans', () => ports.work.plans()),
      'change-plan': request => ports.work.changePlan(request),
      bisect: (request, signal) => ports.work.bisect(request, signal),
      stack: () => answered('Reading the task stack', () => ports.work.stack()),
      'change-stack': ({change}) => ports.work.changeStack(change),
      settings: ({name}) => refused(() => settings.list(name)),
      'setting-rows': () => refused(() => settings.rows()),
      'change-setting': ({name, value}) => refused(() => settings.set(name, value)),
      models: (_, signal) => ports.models.list(signal),
      'local-servers': (_, signal) => answered('Looking for model servers', () => ports.models.localServers(signal)),
      'use-key': (request, signal) => ports.models.useKey(request, signal),
      'use-server': (request, signal) => ports.models.useServer(request, signal),
      'use-way': (request, signal) => ports.models.useWay(request, signal),
      'finish-sign-in': ({address}) => ports.models.finishSignIn(address),
      'use-effort': (request, signal) => ports.models.useEffort(request, signal),
      diagnostics: () => answered('Looking at the machine', () => ports.diagnostics()),
      branch: () => answered('Looking at the repository', () => ports.branch()),
      'export-text': work => ports.exportText(work),
      'export-session': ({name, session, present}) => ports.exportSession({name, session, present}),
    },
    watches: {
      async 'find-files'({letters}, listener, signal) {
        const resources = fittingResources(letters, mcp);
        const tell = ({paths, state}: FoundFiles): void => listener({paths: [...paths, ...resources], state});
        await finder.find(letters, resources.length === 0 ? listener : tell, signal);
        return signal.aborted ? {tag: 'cancelled'} : {tag: 'ended'};
      },
      terminals(_, listener, signal) {
        if (signal.aborted) return Promise.resolve({tag: 'cancelled'});
        const {promise, resolve} = Promise.withResolvers<WatchEnd>();
        const unwatch = terminals.watch(() => listener(terminals.list()));
        const end = (): void => {
          unwatch();
          resolve({tag: 'cancelled'});
        };
        // Subscribe first: the listener may abort in its first call.
        signal.addEventListener('abort', end, {once: true});
        listener(terminals.list());
        return promise;
      },
      'attach-terminal': ({id, size}, listener, signal) => attach(id, {size, show: listener}, signal),
      async 'chatgpt-sign-in'(_, listener, signal) {
        const done = await ports.models.signIn(listener, signal);
        if (signal.aborted) return {tag: 'cancelled'};
        return done.tag === 'failed' ? done : {tag: 'ended'};
      },
      async 'mcp-sign-in'({server}, listener, signal) {
        const done = await mcp.signIn(server, listener, signal);
        if (signal.aborted) return {tag: 'cancelled'};
        if (done.tag === 'failed') return failed(rejected(done.error));
        listener(done.value);
        return {tag: 'ended'};
      },
    },
    submit(op) {
      switch (op.op) {
        case 'remember-prompt':
          history.add(op.text);
          return;
        case 'stop-terminal':
          void terminals.stop(op.id);
          return;
        case 'keep-terminal':
          terminals.keep(op.id);
          return;
        case 'write-terminal':
          attached.get(op.id)?.write(op.keys);
          return;
        case 'resize-terminal':
          attached.get(op.id)?.resize(op.size);
          return;
        default:
          unreachable(op);
      }
    },
  };

  function attach(
    id: BlockId,
    {
      size,
      show,
    }: {readonly size: {readonly columns: number; readonly rows: number}; readonly show: (text: string) => void},
    signal: AbortSignal,
  ): Promise<WatchEnd> {
    if (signal.aborted) return Promise.resolve({tag: 'cancelled'});
    const {promise, resolve} = Promise.withResolvers<WatchEnd>();
    const opened = terminals.attach(id, {size, show, ended: () => resolve({tag: 'ended'})});
    if (opened.tag === 'failed') return Promise.resolve(opened);
    attached.set(id, opened.value);
    const detach = (): void => resolve({tag: 'cancelled'});
    signal.addEventListener('abort', detach, {once: true});
    return promise.finally(() => {
      signal.removeEventListener('abort', detach);
      opened.value.detach();
      if (attached.get(id) === opened.value) attached.delete(id);
    });
  }
}

async function answered<T>(what: string, run: () => T | Promise<T>): Promise<Outcome<T, Fault>> {
  try {
    return ok(await run());
  } catch (cause) {
    return failed(thrownFault(`${what} failed`, cause));
  }
}

/** Turns the error for a wrong setting name or value into a fault with its text. */
async function refused<T>(run: () => Promise<T>): Promise<Outcome<T, Fault>> {
  try {
    return ok(await run());
  } catch (cause) {
    return failed(rejected(causeText(cause)));
  }
}
