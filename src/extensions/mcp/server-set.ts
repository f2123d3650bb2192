import type {
  Elicitation,
  ElicitationReply,
  McpCallObserver,
  McpCallRequest,
  McpPort,
  McpPrompt,
  McpPromptRequest,
  McpResource,
  McpResourceRequest,
  McpResult,
  McpServerState,
  McpTool,
} from '../../actions/mcp-port.ts';
import {clip} from '../../base/clip.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {raceAbort} from '../../base/race.ts';
import {visibleLine} from '../../base/visible.ts';
import {type Fault, rejected, needsUser} from '../../domain/fault.ts';
import {toModelSchema} from './server-answers.ts';
import {changedTools, type Manifest, manifestKey, type Manifests, withAccepted, withNewTools} from './manifests.ts';
import {admitsTool, type ConfiguredServer, type ServerConfig} from './server-config.ts';
import type {ServerConnection} from './server-connection.ts';
import {
  configOf,
  type ElicitUser,
  type Entry,
  shouldRefreshAgain,
  isEnabled,
  isRequired,
  isSame,
  isNew,
  withRecentLog,
  newEntry,
  type ServerToStart,
  serverToStart,
  stateOf,
  explainUnavailable,
  appendLogLine,
  awaitStart,
  changedText,
  limitOpenQuestions,
  secondsText,
  startLimit,
  startLimitMs,
  tooManyQuestions,
} from './server-entry.ts';
import {ToolNames} from './tool-names.ts';

export type ConnectServer = (
  server: ServerToStart,
  hears: ServerListener,
  signal: AbortSignal,
) => Promise<ServerConnection>;

interface ServerListener {
  readonly log: (line: string) => void;
  readonly changed: (what: 'tools' | 'prompts' | 'resources') => void;
  readonly elicit: ElicitUser;
  readonly sample: McpCallObserver['sample'];
}

/** Signs the user in to a server. `say` gets the lines to show, such as the link. Returns the outcome as a sentence. */
export type SignIn = (
  server: {readonly name: string; readonly config: ServerConfig},
  say: (line: string) => void,
  signal: AbortSignal,
) => Promise<Outcome<string, string>>;

export interface ServerSetOptions {
  /** Servers inside the SDK program that drives weft. */
  readonly sdk: readonly string[];
  readonly configured: readonly ConfiguredServer[];
  readonly connect: ConnectServer;
  /** Returns why a server could not be connected, as text, and whether the user has to sign in. */
  readonly explainConnectError: (
    cause: unknown,
    server: string,
  ) => {readonly text: string; readonly kind: 'failed' | 'needs-sign-in'};
  /** Asks the user a server's question. `by-calls`: the observer of the server's latest running call asks. */
  readonly elicit: ElicitUser | 'by-calls';
  readonly signIn: SignIn;
  readonly manifests: Manifests;
  /** Logs one line that may help to debug a server. */
  readonly log: (line: string) => void;
  readonly now: () => number;
  /**
   * The time that the first request to the model waits for servers inside the SDK program and for those that never
   * connected before, in milliseconds. `none`: the model learns of the tools of the latter in a later request.
   */
  readonly newServerWaitMs: number | 'none';
  /** The time in which a server must start whose configuration sets no limit, in milliseconds. May be infinite. */
  readonly startLimitMs: number;
}

export interface ServerSet extends McpPort {
  /** Replaces the set of servers without disturbing those that stay. Settles when the new ones have started or failed. */
  set(wanted: Pick<ServerSetOptions, 'sdk' | 'configured'>): Promise<ServerChange>;
  close(): Promise<void>;
}

interface ServerChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
}

/**
 * Manages the servers of a session. A server that was connected before is offered from its manifest and started with
 * its first call. The others are started in parallel at the first `ready`. Requests wait for required servers, for a
 * short time for those that are always offered, and for new ones as `newServerWaitMs` says.
 */
export function makeServerSet(options: ServerSetOptions, signal: AbortSignal): ServerSet {
  return new Servers(options, signal);
}

/** The time that the first request waits for a server whose tools are always offered but not known yet, in milliseconds. */
const alwaysOfferedWaitMs = 5000;
/** The delay before servers start that no request waits for, in milliseconds. */
const afterRequestMs = 300;
const maxPauseMs = 60_000;
/** The maximum number of resources of one server that the user can choose from. */
const maxListed = 200;

class Servers implements ServerSet {
  readonly #options: ServerSetOptions;
  readonly #end = new AbortController();
  #entries: readonly Entry[];
  #tools: readonly McpTool[] | undefined;
  #prompts: readonly McpPrompt[] | undefined;
  #resources: readonly McpResource[] | undefined;
  /** Settles when all manifests are saved. */
  #saving: Promise<unknown> = Promise.resolve();

  constructor(options: ServerSetOptions, signal: AbortSignal) {
    this.#options = options;
    if (signal.aborted) this.#end.abort();
    signal.addEventListener('abort', () => void this.close(), {once: true, signal: this.#end.signal});
    this.#entries = this.#entriesOf(options);
  }

  async ready(signal: AbortSignal): Promise<Outcome<undefined, Fault>> {
    if (this.#entries.length === 0) return ok(undefined);
    this.#reportInvalid();
    for (const entry of this.#entries) if (isRequired(entry) || this.#isBrieflyAwaited(entry)) this.#startIfDue(entry);
    // Send the request first, because starting programs would slow it down.
    setTimeout(() => this.#startAll(), afterRequestMs).unref();
    const required = this.#entries.filter(isRequired);
    await raceAbort(
      Promise.all([
        ...required.map(({starting}) => starting),
        ...this.#entries.filter(this.#isBrieflyAwaited).map(({awaited}) => awaited),
      ]),
      signal,
    );
    const missing = required.find(({state}) => state.status === 'failed' || state.status === 'needs-sign-in');
    if (missing === undefined) return ok(undefined);
    return failed(
      needsUser(
        `The required MCP server ${missing.name} did not start: ${missing.state.error}`,
        'Fix it, or remove "required" from its configuration.',
      ),
    );
  }

  /** Logs once why a server's configuration can't be used. */
  #reportInvalid(): void {
    for (const entry of this.#entries)
      if (entry.failures === 0 && entry.origin.kind === 'configured' && entry.origin.config.tag === 'failed') {
        entry.failures = 1;
        this.#options.log(`MCP server ${entry.name}: ${entry.state.error}`);
      }
  }

  async settled(signal: AbortSignal, server?: string): Promise<void> {
    if (server !== undefined) {
      await this.#ensureConnected(server, signal);
      return;
    }
    this.#startAll();
    await raceAbort(Promise.all(this.#entries.map(({starting}) => starting)), signal);
  }

  tools(): readonly McpTool[] {
    return (this.#tools ??= this.#nameTools());
  }

  prompts(): readonly McpPrompt[] {
    return (this.#prompts ??= this.#collect(({prompts}) => prompts));
  }

  listedResources(): readonly McpResource[] {
    return (this.#resources ??= this.#collect(({listed}) => listed));
  }

  #collect<Item extends object>(of: (known: Manifest) => readonly Item[]): readonly Item[] {
    const enabled = this.#entries.filter(isEnabled);
    return enabled.flatMap(({known, name}) => of(known).map(item => ({...item, server: name})));
  }

  servers(): readonly McpServerState[] {
    return this.#entries.map(stateOf);
  }

  async call(
    {server, tool, toolName, standing, input}: McpCallRequest,
    caller: McpCallObserver,
    signal: AbortSignal,
  ): Promise<Outcome<McpResult, Fault>> {
    const found = await this.#ensureConnected(server, signal);
    if (found.tag === 'failed') return found;
    const {entry, connection} = found.value;
    const own = this.tools().filter(known => known.server === server);
    const name = own.find(known => known.toolName === toolName)?.name;
    if (name === undefined) {
      const names = own.map(known => known.toolName).join(', ');
      return failed(rejected(`The MCP server ${server} has no tool ${tool}. It has: ${clip(names, 2000)}.`));
    }
    if (changedTools(entry.known).has(name)) {
      if (standing === 'as-known') return failed(rejected(changedText(server, name)));
      if (standing === 'accepted') this.#accept(entry, name);
      else this.#reportChanged(entry, [name]);
    }
    const began = this.#options.now();
    entry.callers = [...entry.callers, caller];
    try {
      return await connection.call({tool: name, input, progress: caller.progress}, signal);
    } finally {
      entry.callers = entry.callers.filter(each => each !== caller);
      entry.latencyMs = Math.round(this.#options.now() - began);
    }
  }

  async resources(server: string | undefined, signal: AbortSignal): Promise<Outcome<readonly McpResource[], Fault>> {
    if (server !== undefined)
      return this.#withConnection(server, signal, connection => connection.listResources(signal));
    const able = this.#entries.filter(entry => isEnabled(entry) && entry.known.resources === 'offered');
    const lists = await Promise.all(able.map(({name}) => this.resources(name, signal)));
    const found = lists.flatMap(list => (list.tag === 'ok' ? list.value : []));
    const trouble = lists.find(list => list.tag === 'failed');
    return found.length === 0 && trouble !== undefined ? trouble : ok(found);
  }

  async readResource({server, uri}: McpResourceRequest, signal: AbortSignal): Promise<Outcome<McpResult, Fault>> {
    return this.#withConnection(server, signal, connection => connection.readResource(uri, signal));
  }

  async expandPrompt({server, ...prompt}: McpPromptRequest, signal: AbortSignal): Promise<Outcome<McpResult, Fault>> {
    return this.#withConnection(server, signal, connection => connection.expandPrompt(prompt, signal));
  }

  async #withConnection<Value>(
    server: string,
    signal: AbortSignal,
    use: (connection: ServerConnection) => Promise<Outcome<Value, Fault>>,
  ): Promise<Outcome<Value, Fault>> {
    const found = await this.#ensureConnected(server, signal);
    return found.tag === 'ok' ? use(found.value.connection) : found;
  }

  async set(wanted: Pick<ServerSetOptions, 'sdk' | 'configured'>): Promise<ServerChange> {
    const next = this.#entriesOf(wanted);
    const kept = this.#entries.filter(entry => next.some(other => isSame(entry, other)));
    const removed = this.#entries.filter(entry => !kept.includes(entry));
    const added = next.filter(entry => !kept.some(other => isSame(entry, other)));
    this.#entries = next.map(entry => kept.find(other => isSame(entry, other)) ?? entry);
    this.#clearCaches();
    for (const entry of added) if (isEnabled(entry)) this.#start(entry);
    await Promise.all([...removed.map(entry => this.#disconnect(entry)), ...added.map(({starting}) => starting)]);
    return {
      added: added.map(({name}) => name),
      removed: removed.filter(({name}) => !next.some(entry => entry.name === name)).map(({name}) => name),
      errors: Object.fromEntries(
        added.flatMap(({name, state}) => (state.error === '' ? [] : [[name, state.error] as const])),
      ),
    };
  }

  async reconnect(name: string): Promise<Outcome<undefined, string>> {
    const entry = this.#find(name);
    if (entry === undefined) return failed(unknownServer(name));
    await this.#disconnect(entry);
    entry.failures = 0;
    this.#start(entry);
    await entry.starting;
    return entry.state.error === '' ? ok(undefined) : failed(entry.state.error);
  }

  async toggle(name: string, wanted: 'enabled' | 'disabled'): Promise<Outcome<undefined, string>> {
    const entry = this.#find(name);
    if (entry === undefined) return failed(unknownServer(name));
    if (wanted === 'enabled') return entry.state.status === 'disabled' ? this.reconnect(name) : ok(undefined);
    await this.#disconnect(entry);
    entry.state = {status: 'disabled', error: ''};
    this.#clearCaches();
    return ok(undefined);
  }

  async signIn(name: string, say: (line: string) => void, signal: AbortSignal): Promise<Outcome<string, string>> {
    const entry = this.#find(name);
    if (entry === undefined) return failed(unknownServer(name));
    const {origin} = entry;
    if (origin.kind === 'sdk') return failed(`${name} runs in the program that drives weft and needs no sign-in.`);
    if (origin.config.tag === 'failed') return failed(entry.state.error);
    const {value: config} = origin.config;
    const signedIn = await this.#options.signIn({name, config}, say, AbortSignal.any([signal, this.#end.signal]));
    if (signedIn.tag === 'failed') return signedIn;
    const connected = await this.reconnect(name);
    return connected.tag === 'ok' ? signedIn : connected;
  }

  async close(): Promise<void> {
    this.#end.abort();
    await Promise.all([this.#saving, ...this.#entries.map(entry => this.#disconnect(entry))]);
  }

  #entriesOf({sdk, configured}: Pick<ServerSetOptions, 'sdk' | 'configured'>): readonly Entry[] {
    return [
      ...[...new Set(sdk)].map(name => newEntry(name, {kind: 'sdk'}, undefined)),
      ...configured
        .filter(({name}) => !sdk.includes(name))
        .map(({name, ...given}) => {
          const {config} = given;
          const key = config.tag === 'ok' ? manifestKey(name, config.value) : '';
          const manifest = key === '' ? undefined : this.#options.manifests.read(key);
          return newEntry(name, {kind: 'configured', ...given, key}, manifest);
        }),
    ];
  }

  /** Starts servers that are not known yet, and those that ended and can be retried. Every request calls this. */
  #startAll(): void {
    for (const entry of this.#entries) this.#startIfDue(entry);
  }

  #startIfDue(entry: Entry): void {
    const {status} = entry.state;
    const isDue = status === 'pending' && entry.round === 0;
    const isDown = status === 'failed' || status === 'needs-sign-in';
    const isBack = isDown && entry.failures > 0 && this.#canRetry(entry);
    if (isDue || isBack || (isRequired(entry) && status === 'idle')) this.#start(entry);
  }

  #canRetry = ({retryAt}: Entry): boolean => this.#options.now() >= retryAt;

  #start(entry: Entry): void {
    if (this.#end.signal.aborted) return;
    entry.round += 1;
    if (entry.origin.kind === 'configured' && entry.origin.config.tag === 'failed') return;
    entry.state = {status: 'pending', error: ''};
    entry.starting = this.#connect(entry, entry.round);
    if (this.#isBrieflyAwaited(entry)) {
      const {newServerWaitMs: ms, log} = this.#options;
      const limitMs = startLimitMs(entry, this.#options.startLimitMs);
      entry.awaited = awaitStart(entry, {ms: ms === 'none' ? alwaysOfferedWaitMs : ms, limitMs, log}, this.#end.signal);
    }
  }

  #isBrieflyAwaited = (entry: Entry): boolean =>
    entry.state.status === 'pending' &&
    (entry.origin.kind === 'sdk' ||
      configOf(entry.origin)?.offering === 'always' ||
      (this.#options.newServerWaitMs !== 'none' && isNew(entry)));

  /** Never rejects. */
  async #connect(entry: Entry, round: number): Promise<void> {
    const {signal} = this.#end;
    const server = serverToStart(entry);
    if (server === undefined) return;
    let connection: ServerConnection | undefined;
    const limitMs = startLimitMs(entry, this.#options.startLimitMs);
    const limit = startLimit(limitMs, signal);
    try {
      connection = await this.#options.connect(
        server,
        {
          log: line => {
            entry.log = appendLogLine(entry.log, line);
          },
          changed: what => void this.#refresh(entry, round, what),
          elicit: (elicitation, asked) => this.#elicit(entry, elicitation, asked),
          sample: async (request, asked) => {
            const {sample} = entry.callers.at(-1) ?? {};
            if (sample === undefined) return failed('weft supports sampling only during a call.');
            return limitOpenQuestions(entry, failed(tooManyQuestions), () => sample(request, asked));
          },
        },
        limit.signal,
      );
      const manifest = await manifestOf(connection, entry, limit.signal);
      limit.clear();
      if (entry.round !== round) {
        await connection.close();
        return;
      }
      entry.connection = connection;
      entry.failures = 0;
      this.#updateManifest(entry, manifest);
      entry.state = {status: 'connected', error: ''};
      void this.#listResources(entry, round);
      void this.#watch(entry, {connection, round});
    } catch (cause) {
      limit.clear();
      await connection?.close().catch(() => {});
      if (entry.round !== round) return;
      const {text, kind} = limit.passed()
        ? ({text: `it did not start within ${secondsText(limitMs)}`, kind: 'failed'} as const)
        : this.#options.explainConnectError(cause, entry.name);
      this.#fail(entry, kind, withRecentLog(text, entry.log));
      if (!signal.aborted && entry.failures === 1)
        this.#options.log(`Can't start MCP server ${entry.name}: ${entry.state.error}`);
    }
    this.#clearCaches();
  }

  /** Watches a connection. If it ends by itself, the next call or request connects again. */
  async #watch(entry: Entry, {connection, round}: {readonly connection: ServerConnection; readonly round: number}) {
    const why = await connection.closed;
    if (entry.round !== round || this.#end.signal.aborted) return;
    entry.connection = undefined;
    this.#fail(entry, 'failed', withRecentLog(why, entry.log));
    this.#options.log(`MCP server ${entry.name}: ${entry.state.error}`);
  }

  /** Records a failure. The first retry may follow at once, and later ones wait for a pause that doubles each time. */
  #fail(entry: Entry, status: 'failed' | 'needs-sign-in', error: string): void {
    entry.failures += 1;
    const pause = entry.failures === 1 ? 0 : Math.min(maxPauseMs, 1000 * 2 ** (entry.failures - 2));
    entry.retryAt = this.#options.now() + pause;
    entry.state = {status, error: clip(visibleLine(error), 500)};
  }

  #updateManifest(entry: Entry, manifest: Manifest): void {
    const before = entry.known;
    entry.known = {...manifest, accepted: withNewTools(before.accepted, manifest.tools)};
    this.#saveManifest(entry);
    const changed = changedTools(entry.known);
    const changedBefore = changedTools(before);
    entry.reportedChanges = entry.reportedChanges.filter(name => changedBefore.has(name));
    this.#reportChanged(
      entry,
      [...changed].filter(name => !changedBefore.has(name)),
    );
  }

  /** Notifies the user once of each tool whose description changed. */
  #reportChanged(entry: Entry, changed: readonly string[]): void {
    const unreported = changed.filter(name => !entry.reportedChanges.includes(name));
    if (unreported.length === 0) return;
    entry.reportedChanges = [...entry.reportedChanges, ...unreported];
    const tools = `${unreported.length === 1 ? 'a tool' : 'tools'}: ${unreported.join(', ')}`;
    const what = 'Your rules no longer cover this, so weft asks (except in bypassPermissions mode)';
    this.#options.log(`MCP server ${entry.name} changed ${tools}. ${what}`);
  }

  #saveManifest(entry: Entry): void {
    const {origin} = entry;
    if (origin.kind !== 'configured' || origin.key === '') return;
    const saving = this.#options.manifests.write(origin.key, () => entry.known);
    this.#saving = Promise.all([this.#saving, saving]);
  }

  /** Accepts a changed tool after the user lets it run. Before that, no rule and no grant covers it. */
  #accept(entry: Entry, tool: string): void {
    entry.known = {...entry.known, accepted: withAccepted(entry.known, tool)};
    this.#saveManifest(entry);
    this.#clearCaches();
  }

  /** Lists the changed items again, and once more if the server reports another change in the meantime. */
  async #refresh(entry: Entry, round: number, what: 'tools' | 'prompts' | 'resources'): Promise<void> {
    if (what === 'resources') return this.#listResources(entry, round);
    if (entry.refreshing !== 'no') {
      entry.refreshing = 'again';
      return;
    }
    try {
      do {
        entry.refreshing = 'yes';
        await entry.starting;
        const {connection} = entry;
        if (entry.round !== round || connection === undefined) break;
        const manifest = await manifestOf(connection, entry, this.#end.signal);
        if (entry.round !== round) break;
        this.#updateManifest(entry, manifest);
        this.#clearCaches();
      } while (shouldRefreshAgain(entry));
    } catch (cause) {
      this.#options.log(
        `Can't update the tools of MCP server ${entry.name}: ${this.#options.explainConnectError(cause, entry.name).text}`,
      );
    } finally {
      entry.refreshing = 'no';
    }
  }

  /** Updates the list of resources that the user can choose from. No request waits for it. If it fails, the last list stays. */
  async #listResources(entry: Entry, round: number): Promise<void> {
    const {connection} = entry;
    if (connection === undefined || connection.resources === 'none') return;
    const found = await connection.listResources(this.#end.signal);
    if (entry.round !== round || found.tag === 'failed') return;
    entry.known = {...entry.known, listed: found.value.slice(0, maxListed)};
    this.#saveManifest(entry);
    this.#resources = undefined;
  }

  async #disconnect(entry: Entry): Promise<void> {
    const {connection} = entry;
    entry.round += 1;
    entry.connection = undefined;
    if (isEnabled(entry) && entry.state.status !== 'failed') entry.state = {status: 'idle', error: ''};
    await connection?.close().catch(() => {});
  }

  /** Returns a server's connection, and starts the server if it is not running. The fault says why there is no connection. */
  async #ensureConnected(
    name: string,
    signal: AbortSignal,
  ): Promise<Outcome<{readonly entry: Entry; readonly connection: ServerConnection}, Fault>> {
    const entry = this.#find(name);
    if (entry === undefined) return failed(rejected(unknownServer(name)));
    const {status} = entry.state;
    const isOff = status === 'idle' || (status === 'failed' && this.#canRetry(entry)) || status === 'needs-sign-in';
    if (isOff || (status === 'pending' && entry.round === 0)) this.#start(entry);
    if (entry.state.status === 'pending') await raceAbort(entry.starting, signal);
    if (entry.connection !== undefined) return ok({entry, connection: entry.connection});
    return failed(rejected(explainUnavailable(entry, this.#options.now())));
  }

  #find = (name: string): Entry | undefined => this.#entries.find(entry => entry.name === name);

  /** Passes a server's question to the user. Declines it if no call is running. */
  async #elicit(entry: Entry, elicitation: Elicitation, signal: AbortSignal): Promise<ElicitationReply> {
    const {elicit} = this.#options;
    const asker = elicit === 'by-calls' ? entry.callers.at(-1)?.elicit : elicit;
    const declined = {action: 'decline', content: undefined} as const;
    return asker === undefined ? declined : limitOpenQuestions(entry, declined, () => asker(elicitation, signal));
  }

  #clearCaches(): void {
    this.#tools = undefined;
    this.#prompts = undefined;
    this.#resources = undefined;
  }

  #nameTools(): readonly McpTool[] {
    const names = new ToolNames(this.#entries.map(({name}) => name));
    return this.#entries.flatMap(entry => {
      const {origin, known} = entry;
      const nameOf = names.namesOf(
        entry.name,
        [...known.accepted, ...known.tools].map(({name}) => name),
      );
      const changed = changedTools(known);
      const config = configOf(origin);
      return known.tools.flatMap((tool): readonly McpTool[] => {
        const named = nameOf.get(tool.name);
        // Only the first of two tools with the same name is offered.
        nameOf.delete(tool.name);
        if (named === undefined || !isEnabled(entry)) return [];
        if (config !== undefined && !admitsTool(config.tools, tool.name)) return [];
        if (named.clash === 'renamed') {
          const note = `its tool ${tool.name} is renamed to ${named.name}, since the name is taken`;
          this.#options.log(visibleLine(`MCP server ${entry.name}: ${note}`));
        }
        return [
          {
            ...tool,
            inputSchema: toModelSchema(tool.inputSchema),
            server: entry.name,
            toolName: named.name,
            standing: changed.has(tool.name) ? 'changed' : 'as-known',
            offering: config?.offering ?? 'by-size',
          },
        ];
      });
    });
  }
}

async function manifestOf(connection: ServerConnection, {name, known}: Entry, signal: AbortSignal): Promise<Manifest> {
  const [tools, prompts] = await Promise.all([connection.listTools(signal), connection.listPrompts(signal)]);
  const {title, version, instructions, resources, era} = connection;
  const {listed, accepted} = known;
  const named = prompts.tag === 'ok' ? prompts.value.map(prompt => ({...prompt, server: name})) : [];
  return {title, version, instructions, resources, tools, prompts: named, listed, accepted, era};
}

const unknownServer = (name: string): string => `There is no MCP server named ${JSON.stringify(name)}.`;
