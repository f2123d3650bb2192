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
import {raceAbort, raceTimeout} from '../../base/race.ts';
import {visibleLine} from '../../base/visible.ts';
import {type Fault, rejected} from '../../domain/fault.ts';
import {offeredSchema} from './server-answers.ts';
import {changedTools, type Manifest, manifestKey, type Manifests, withAccepted, withNewTools} from './manifests.ts';
import {admitsTool, type ConfiguredServer, type ServerConfig} from './server-config.ts';
import type {ServerConnection} from './server-connection.ts';
import {
  configOf,
  type ElicitUser,
  type Entry,
  isAgain,
  isEnabled,
  isRequired,
  isSame,
  isSoonOffered,
  lastWords,
  newEntry,
  type ServerToStart,
  serverToStart,
  stateOf,
  whyNotThere,
  withLine,
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

/** Signs the user in to a server; `say` hears where the link is. Answers with what came of it, a sentence. */
export type SignIn = (
  server: {readonly name: string; readonly config: ServerConfig},
  say: (line: string) => void,
  signal: AbortSignal,
) => Promise<Outcome<string, string>>;

export interface ServerSetOptions {
  /** Servers that run in the program which drives weft. */
  readonly sdk: readonly string[];
  readonly configured: readonly ConfiguredServer[];
  readonly connect: ConnectServer;
  /** Why a server could not be connected, in words, and whether the user has to sign in. */
  readonly trouble: (
    cause: unknown,
    server: string,
  ) => {readonly text: string; readonly kind: 'failed' | 'needs-sign-in'};
  /** Asks the user what a server wants to know; `by-calls`: whoever made the server's last call that goes on asks. */
  readonly elicit: ElicitUser | 'by-calls';
  readonly signIn: SignIn;
  readonly manifests: Manifests;
  /** One line that may help to find out why a server does not work. */
  readonly log: (line: string) => void;
  readonly now: () => number;
  /** Milliseconds the first request to the model waits for servers in the program which drives weft. */
  readonly readyWithinMs: number;
}

export interface ServerSet extends McpPort {
  /** From now on there are these servers; those that stay are not disturbed. Settles when the new ones have begun or failed. */
  set(wanted: Pick<ServerSetOptions, 'sdk' | 'configured'>): Promise<ServerChange>;
  close(): Promise<void>;
}

interface ServerChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
}

/**
 * Holds the servers of a session. One that was connected before is offered from its manifest, and started with its first call. The
 * others are started when they are first asked for (`ready`), side by side; nobody waits for them.
 */
export function makeServerSet(options: ServerSetOptions, signal: AbortSignal): ServerSet {
  return new Servers(options, signal);
}

/** Milliseconds the first request waits for a server whose tools are always offered, and are not known yet. */
const alwaysOfferedWithinMs = 5000;
/** Milliseconds after which servers that nobody waits for are started. */
const afterRequestMs = 300;
const longestPause = 60_000;
/** Resources of one server that the user can choose from. */
const maxListed = 200;

class Servers implements ServerSet {
  readonly #options: ServerSetOptions;
  readonly #end = new AbortController();
  #entries: readonly Entry[];
  #tools: readonly McpTool[] | undefined;
  #prompts: readonly McpPrompt[] | undefined;
  #resources: readonly McpResource[] | undefined;

  constructor(options: ServerSetOptions, signal: AbortSignal) {
    this.#options = options;
    if (signal.aborted) this.#end.abort();
    signal.addEventListener('abort', () => void this.close(), {once: true, signal: this.#end.signal});
    this.#entries = this.#entriesOf(options);
  }

  async ready(signal: AbortSignal): Promise<Outcome<undefined, Fault>> {
    if (this.#entries.length === 0) return ok(undefined);
    for (const entry of this.#entries) if (isRequired(entry) || isSoonOffered(entry)) this.#startIfDue(entry);
    // The request leaves first: programs that start take time from it.
    setTimeout(() => this.#startAll(), afterRequestMs).unref();
    const required = this.#entries.filter(isRequired);
    await raceAbort(
      Promise.all([
        ...required.map(({starting}) => starting),
        ...this.#entries.filter(isSoonOffered).map(({awaited}) => awaited),
      ]),
      signal,
    );
    const missing = required.find(({state}) => state.status === 'failed' || state.status === 'needs-sign-in');
    if (missing === undefined) return ok(undefined);
    return failed({
      kind: 'needs-user',
      message: `The MCP server ${missing.name} is required and did not start: ${missing.state.error}`,
      fix: 'Repair it, or take "required" out of its configuration.',
    });
  }

  async settled(signal: AbortSignal): Promise<void> {
    this.#startAll();
    await raceAbort(Promise.all(this.#entries.map(({starting}) => starting)), signal);
  }

  tools(): readonly McpTool[] {
    return (this.#tools ??= this.#named());
  }

  prompts(): readonly McpPrompt[] {
    return (this.#prompts ??= this.#known(({prompts}) => prompts));
  }

  listedResources(): readonly McpResource[] {
    return (this.#resources ??= this.#known(({listed}) => listed));
  }

  #known<Item extends object>(of: (known: Manifest) => readonly Item[]): readonly Item[] {
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
    const found = await this.#demand(server, signal);
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
      else this.#tellChanged(entry, [name]);
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
    if (server !== undefined) return this.#with(server, signal, connection => connection.listResources(signal));
    const able = this.#entries.filter(entry => isEnabled(entry) && entry.known.resources === 'offered');
    const lists = await Promise.all(able.map(({name}) => this.resources(name, signal)));
    const found = lists.flatMap(list => (list.tag === 'ok' ? list.value : []));
    const trouble = lists.find(list => list.tag === 'failed');
    return found.length === 0 && trouble !== undefined ? trouble : ok(found);
  }

  async readResource({server, uri}: McpResourceRequest, signal: AbortSignal): Promise<Outcome<McpResult, Fault>> {
    return this.#with(server, signal, connection => connection.readResource(uri, signal));
  }

  async expandPrompt({server, ...prompt}: McpPromptRequest, signal: AbortSignal): Promise<Outcome<McpResult, Fault>> {
    return this.#with(server, signal, connection => connection.expandPrompt(prompt, signal));
  }

  async #with<Value>(
    server: string,
    signal: AbortSignal,
    use: (connection: ServerConnection) => Promise<Outcome<Value, Fault>>,
  ): Promise<Outcome<Value, Fault>> {
    const found = await this.#demand(server, signal);
    return found.tag === 'ok' ? use(found.value.connection) : found;
  }

  async set(wanted: Pick<ServerSetOptions, 'sdk' | 'configured'>): Promise<ServerChange> {
    const next = this.#entriesOf(wanted);
    const kept = this.#entries.filter(entry => next.some(other => isSame(entry, other)));
    const removed = this.#entries.filter(entry => !kept.includes(entry));
    const added = next.filter(entry => !kept.some(other => isSame(entry, other)));
    this.#entries = next.map(entry => kept.find(other => isSame(entry, other)) ?? entry);
    this.#changed();
    for (const entry of added) if (isEnabled(entry)) this.#start(entry);
    await Promise.all([...removed.map(entry => this.#drop(entry)), ...added.map(({starting}) => starting)]);
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
    await this.#drop(entry);
    entry.failures = 0;
    this.#start(entry);
    await entry.starting;
    return entry.state.error === '' ? ok(undefined) : failed(entry.state.error);
  }

  async toggle(name: string, wanted: 'enabled' | 'disabled'): Promise<Outcome<undefined, string>> {
    const entry = this.#find(name);
    if (entry === undefined) return failed(unknownServer(name));
    if (wanted === 'enabled') return entry.state.status === 'disabled' ? this.reconnect(name) : ok(undefined);
    await this.#drop(entry);
    entry.state = {status: 'disabled', error: ''};
    this.#changed();
    return ok(undefined);
  }

  async signIn(name: string, say: (line: string) => void, signal: AbortSignal): Promise<Outcome<string, string>> {
    const entry = this.#find(name);
    if (entry === undefined) return failed(unknownServer(name));
    const {origin} = entry;
    if (origin.kind === 'sdk') return failed(`${name} runs in the program which drives weft: it asks for no sign-in.`);
    if (origin.config.tag === 'failed') return failed(entry.state.error);
    const {value: config} = origin.config;
    const signedIn = await this.#options.signIn({name, config}, say, AbortSignal.any([signal, this.#end.signal]));
    if (signedIn.tag === 'failed') return signedIn;
    const connected = await this.reconnect(name);
    return connected.tag === 'ok' ? signedIn : connected;
  }

  async close(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#entries.map(entry => this.#drop(entry)));
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

  /** Starts what is not known yet, and what ended and may be tried again; once it has begun, that is what each request does. */
  #startAll(): void {
    for (const entry of this.#entries) this.#startIfDue(entry);
  }

  #startIfDue(entry: Entry): void {
    const {status} = entry.state;
    const isNew = status === 'pending' && entry.round === 0;
    const isDown = status === 'failed' || status === 'needs-sign-in';
    const isBack = isDown && entry.failures > 0 && this.#mayRetry(entry);
    if (isNew || isBack || (isRequired(entry) && status === 'idle')) this.#start(entry);
  }

  #mayRetry = ({retryAt}: Entry): boolean => this.#options.now() >= retryAt;

  #start(entry: Entry): void {
    if (this.#end.signal.aborted) return;
    entry.round += 1;
    if (entry.origin.kind === 'configured' && entry.origin.config.tag === 'failed') return;
    entry.state = {status: 'pending', error: ''};
    entry.starting = this.#connect(entry, entry.round);
    if (isSoonOffered(entry)) {
      const within = entry.origin.kind === 'sdk' ? this.#options.readyWithinMs : alwaysOfferedWithinMs;
      entry.awaited = raceTimeout(entry.starting, within);
    }
  }

  /** Never rejects. */
  async #connect(entry: Entry, round: number): Promise<void> {
    const {signal} = this.#end;
    const server = serverToStart(entry);
    if (server === undefined) return;
    let connection: ServerConnection | undefined;
    try {
      connection = await this.#options.connect(
        server,
        {
          log: line => {
            entry.log = withLine(entry.log, line);
          },
          changed: what => void this.#refresh(entry, round, what),
          elicit: (elicitation, asked) => this.#elicit(entry, elicitation, asked),
          sample: async (request, asked) => {
            const {sample} = entry.callers.at(-1) ?? {};
            if (sample === undefined) return failed('weft samples only for a call that goes on.');
            return oneOfFew(entry, failed(tooManyQuestions), () => sample(request, asked));
          },
        },
        signal,
      );
      const manifest = await manifestOf(connection, entry, signal);
      if (entry.round !== round) {
        await connection.close();
        return;
      }
      entry.connection = connection;
      entry.failures = 0;
      this.#learn(entry, manifest);
      entry.state = {status: 'connected', error: ''};
      void this.#listResources(entry, round);
      void this.#watch(entry, {connection, round});
    } catch (cause) {
      await connection?.close().catch(() => {});
      if (entry.round !== round) return;
      const {text, kind} = this.#options.trouble(cause, entry.name);
      this.#fail(entry, kind, lastWords(text, entry.log));
      if (!signal.aborted && entry.failures === 1)
        this.#options.log(`MCP server ${entry.name} could not be started: ${entry.state.error}`);
    }
    this.#changed();
  }

  /** A connection that ends by itself is made again with the next call or request. */
  async #watch(entry: Entry, {connection, round}: {readonly connection: ServerConnection; readonly round: number}) {
    const why = await connection.closed;
    if (entry.round !== round || this.#end.signal.aborted) return;
    entry.connection = undefined;
    this.#fail(entry, 'failed', lastWords(why, entry.log));
    this.#options.log(`MCP server ${entry.name}: ${entry.state.error}`);
  }

  /** The first new start may come at once, later ones after a pause that doubles. */
  #fail(entry: Entry, status: 'failed' | 'needs-sign-in', error: string): void {
    entry.failures += 1;
    const pause = entry.failures === 1 ? 0 : Math.min(longestPause, 1000 * 2 ** (entry.failures - 2));
    entry.retryAt = this.#options.now() + pause;
    entry.state = {status, error: clip(visibleLine(error), 500)};
  }

  #learn(entry: Entry, manifest: Manifest): void {
    const before = entry.known;
    entry.known = {...manifest, accepted: withNewTools(before.accepted, manifest.tools)};
    this.#keep(entry);
    const changed = changedTools(entry.known);
    const told = changedTools(before);
    entry.toldChanged = entry.toldChanged.filter(name => told.has(name));
    this.#tellChanged(
      entry,
      [...changed].filter(name => !told.has(name)),
    );
  }

  /** Says once what is not as the user knew it. */
  #tellChanged(entry: Entry, changed: readonly string[]): void {
    const untold = changed.filter(name => !entry.toldChanged.includes(name));
    if (untold.length === 0) return;
    entry.toldChanged = [...entry.toldChanged, ...untold];
    const tools = `${untold.length === 1 ? 'a tool' : 'tools'} differently now: ${untold.join(', ')}`;
    const what = 'Your rules do not cover that: you are asked, except in the mode bypassPermissions';
    this.#options.log(`MCP server ${entry.name} describes ${tools}. ${what}`);
  }

  #keep(entry: Entry): void {
    const {origin} = entry;
    if (origin.kind !== 'configured' || origin.key === '') return;
    void this.#options.manifests.write(origin.key, () => entry.known);
  }

  /** What changed is accepted once the user lets it run: no rule and no grant covers it before. */
  #accept(entry: Entry, tool: string): void {
    entry.known = {...entry.known, accepted: withAccepted(entry.known, tool)};
    this.#keep(entry);
    this.#changed();
  }

  /** Lists again what the server says has changed; once more where it says so meanwhile. */
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
        this.#learn(entry, manifest);
        this.#changed();
      } while (isAgain(entry));
    } catch (cause) {
      this.#options.log(
        `MCP server ${entry.name}: its tools could not be listed again: ${this.#options.trouble(cause, entry.name).text}`,
      );
    } finally {
      entry.refreshing = 'no';
    }
  }

  /** Nobody waits for the list: the user chooses from it. One that cannot be had leaves the last as it is. */
  async #listResources(entry: Entry, round: number): Promise<void> {
    const {connection} = entry;
    if (connection === undefined || connection.resources === 'none') return;
    const found = await connection.listResources(this.#end.signal);
    if (entry.round !== round || found.tag === 'failed') return;
    entry.known = {...entry.known, listed: found.value.slice(0, maxListed)};
    this.#keep(entry);
    this.#resources = undefined;
  }

  async #drop(entry: Entry): Promise<void> {
    const {connection} = entry;
    entry.round += 1;
    entry.connection = undefined;
    if (isEnabled(entry) && entry.state.status !== 'failed') entry.state = {status: 'idle', error: ''};
    await connection?.close().catch(() => {});
  }

  /** The connection of a server, which is started where it does not run; a fault says why there is none. */
  async #demand(
    name: string,
    signal: AbortSignal,
  ): Promise<Outcome<{readonly entry: Entry; readonly connection: ServerConnection}, Fault>> {
    const entry = this.#find(name);
    if (entry === undefined) return failed(rejected(unknownServer(name)));
    const {status} = entry.state;
    const isOff = status === 'idle' || (status === 'failed' && this.#mayRetry(entry)) || status === 'needs-sign-in';
    if (isOff || (status === 'pending' && entry.round === 0)) this.#start(entry);
    if (entry.state.status === 'pending') await raceAbort(entry.starting, signal);
    if (entry.connection !== undefined) return ok({entry, connection: entry.connection});
    return failed(rejected(whyNotThere(entry, this.#options.now())));
  }

  #find = (name: string): Entry | undefined => this.#entries.find(entry => entry.name === name);

  /** A server that asks when nobody called it has nobody to ask. */
  async #elicit(entry: Entry, elicitation: Elicitation, signal: AbortSignal): Promise<ElicitationReply> {
    const {elicit} = this.#options;
    const asker = elicit === 'by-calls' ? entry.callers.at(-1)?.elicit : elicit;
    const declined = {action: 'decline', content: undefined} as const;
    return asker === undefined ? declined : oneOfFew(entry, declined, () => asker(elicitation, signal));
  }

  #changed(): void {
    this.#tools = undefined;
    this.#prompts = undefined;
    this.#resources = undefined;
  }

  #named(): readonly McpTool[] {
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
        // A server that names two tools alike has one.
        nameOf.delete(tool.name);
        if (named === undefined || !isEnabled(entry)) return [];
        if (config !== undefined && !admitsTool(config.tools, tool.name)) return [];
        if (named.clash === 'renamed') {
          const note = `its tool ${tool.name} goes by ${named.name}, since another has that name`;
          this.#options.log(visibleLine(`MCP server ${entry.name}: ${note}`));
        }
        return [
          {
            ...tool,
            inputSchema: offeredSchema(tool.inputSchema),
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

/** Questions of one server that may be open at a time. */
const maxOpenQuestions = 16;

const tooManyQuestions = `weft takes ${maxOpenQuestions} questions of a server at a time.`;

/** Asks, or answers with `declined` while too many questions of the server are open. */
async function oneOfFew<Reply>(entry: Entry, declined: Reply, ask: () => Promise<Reply>): Promise<Reply> {
  if (entry.openQuestions >= maxOpenQuestions) return declined;
  entry.openQuestions += 1;
  try {
    return await ask();
  } finally {
    entry.openQuestions -= 1;
  }
}

async function manifestOf(connection: ServerConnection, {name, known}: Entry, signal: AbortSignal): Promise<Manifest> {
  const [tools, prompts] = await Promise.all([connection.listTools(signal), connection.listPrompts(signal)]);
  const {title, version, instructions, resources, era} = connection;
  const {listed, accepted} = known;
  const named = prompts.tag === 'ok' ? prompts.value.map(prompt => ({...prompt, server: name})) : [];
  return {title, version, instructions, resources, tools, prompts: named, listed, accepted, era};
}

const changedText = (server: string, tool: string): string =>
  `${tool} was not called: the MCP server ${server} describes it differently now than when it was last used, so what was allowed before does not cover it. Call it again if it still does what you want.`;

const unknownServer = (name: string): string => `There is no MCP server named ${JSON.stringify(name)}.`;
