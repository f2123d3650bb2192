import type {
  Elicitation,
  ElicitationReply,
  McpCallRequest,
  McpPort,
  McpResource,
  McpResourceRequest,
  McpResult,
  McpServerState,
  McpTool,
} from '../../actions/mcp-port.ts';
import {clip} from '../../base/clip.ts';
import type {JsonObject} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {raceAbort, raceTimeout} from '../../base/race.ts';
import {visibleLine} from '../../base/visible.ts';
import {causeText, type Fault, rejected} from '../../domain/fault.ts';
import {type Exchange, ExchangeTransport} from './exchange-transport.ts';
import type {ServerTool} from './server-answers.ts';
import type {ServerConnection} from './server-connection.ts';

export interface SdkServerOptions {
  /** The servers, by the names of the program that runs them. */
  readonly names: readonly string[];
  readonly exchange: Exchange;
  /** One line that may help to find out why a server does not work. */
  readonly log: (line: string) => void;
  /** Asks the user what a server wants to know. */
  readonly elicit: (elicitation: Elicitation, signal: AbortSignal) => Promise<ElicitationReply>;
  /** weft's own version. */
  readonly version: string;
  /** Milliseconds a server has to begin, and to show life during a call. */
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** Milliseconds the first request to the model waits for servers that are just starting. */
  readonly readyWithinMs: number;
}

export const usualTimes = {startTimeoutMs: 60_000, callTimeoutMs: 300_000, readyWithinMs: 3000} as const;

export interface SdkServers extends McpPort {
  /** From now on there are these servers; those that stay are not disturbed. Settles when the new ones have begun or failed. */
  set(names: readonly string[]): Promise<ServerChange>;
  /** Greets the server again; the failure says why that did not help. */
  reconnect(name: string): Promise<Outcome<undefined, string>>;
  /** Takes the tools of a server away, or brings them back. */
  toggle(name: string, wanted: 'enabled' | 'disabled'): Promise<Outcome<undefined, string>>;
  /** Hands over a message that a server sent of its own; of an unknown server it is dropped. */
  deliver(name: string, message: JsonObject): void;
  close(): Promise<void>;
}

interface ServerChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
}

/** Connects the servers that run in the program which drives weft. They begin at once and side by side; nobody waits here. */
export function connectSdkServers(options: SdkServerOptions, signal: AbortSignal): SdkServers {
  return new ServerSet(options, signal);
}

interface Entry {
  readonly name: string;
  /** Grows with every start: what an earlier one comes to counts no more. */
  round: number;
  state: Pick<McpServerState, 'status' | 'error'>;
  transport: ExchangeTransport;
  connection: ServerConnection | undefined;
  tools: readonly ServerTool[];
  starting: Promise<void>;
  /** Until it has begun, or so long that requests go without it. */
  awaited: Promise<unknown>;
  refreshing: 'no' | 'yes' | 'again';
}

class ServerSet implements SdkServers {
  readonly #options: SdkServerOptions;
  readonly #end = new AbortController();
  #entries: Entry[] = [];
  #tools: readonly McpTool[] | undefined;

  constructor(options: SdkServerOptions, signal: AbortSignal) {
    this.#options = {...options, log: line => options.log(visibleLine(line))};
    if (signal.aborted) this.#end.abort();
    signal.addEventListener('abort', () => void this.close(), {once: true, signal: this.#end.signal});
    this.#entries = [...new Set(options.names)].map(name => this.#begin(name));
  }

  async ready(signal: AbortSignal): Promise<void> {
    const pending = this.#entries.filter(({state}) => state.status === 'pending');
    if (pending.length === 0 || signal.aborted) return;
    await raceAbort(Promise.all(pending.map(({awaited}) => awaited)), signal);
  }

  tools(): readonly McpTool[] {
    return (this.#tools ??= this.#named());
  }

  servers(): readonly McpServerState[] {
    return this.#entries.map(({name, state, connection}) => ({
      name,
      ...state,
      source: 'sdk',
      title: connection?.title ?? '',
      version: connection?.version ?? '',
      resources: state.status === 'connected' ? (connection?.resources ?? 'none') : 'none',
    }));
  }

  async call({server, tool, input}: McpCallRequest, signal: AbortSignal): Promise<Outcome<McpResult, Fault>> {
    const connection = this.#connected(server);
    return connection.tag === 'ok' ? connection.value.call({tool, input, progress: () => {}}, signal) : connection;
  }

  async resources(server: string | undefined, signal: AbortSignal): Promise<Outcome<readonly McpResource[], Fault>> {
    if (server !== undefined) {
      const connection = this.#connected(server);
      return connection.tag === 'ok' ? connection.value.listResources(signal) : connection;
    }
    const able = this.#entries.flatMap(({state, connection}) =>
      state.status === 'connected' && connection?.resources === 'offered' ? [connection] : [],
    );
    const lists = await Promise.all(able.map(connection => connection.listResources(signal)));
    const found = lists.flatMap(list => (list.tag === 'ok' ? list.value : []));
    const trouble = lists.find(list => list.tag === 'failed');
    return found.length === 0 && trouble !== undefined ? trouble : ok(found);
  }

  async readResource({server, uri}: McpResourceRequest, signal: AbortSignal): Promise<Outcome<McpResult, Fault>> {
    const connection = this.#connected(server);
    return connection.tag === 'ok' ? connection.value.readResource(uri, signal) : connection;
  }

  async set(names: readonly string[]): Promise<ServerChange> {
    const wanted = [...new Set(names)];
    const removed = this.#entries.filter(({name}) => !wanted.includes(name));
    const added = wanted.filter(name => !this.#entries.some(entry => entry.name === name));
    const kept = this.#entries.filter(entry => !removed.includes(entry));
    const begun = added.map(name => this.#begin(name));
    this.#entries = [...kept, ...begun];
    this.#tools = undefined;
    await Promise.all([...removed.map(entry => this.#drop(entry)), ...begun.map(({starting}) => starting)]);
    return {
      added,
      removed: removed.map(({name}) => name),
      errors: Object.fromEntries(
        begun.flatMap(({name, state}) => (state.status === 'failed' ? [[name, state.error] as const] : [])),
      ),
    };
  }

  async reconnect(name: string): Promise<Outcome<undefined, string>> {
    const entry = this.#entries.find(known => known.name === name);
    if (entry === undefined) return failed(unknownServer(name));
    await this.#drop(entry);
    this.#start(entry);
    await entry.starting;
    return entry.state.status === 'failed' ? failed(entry.state.error) : ok(undefined);
  }

  async toggle(name: string, wanted: 'enabled' | 'disabled'): Promise<Outcome<undefined, string>> {
    const entry = this.#entries.find(known => known.name === name);
    if (entry === undefined) return failed(unknownServer(name));
    if (wanted === 'enabled') return entry.state.status === 'disabled' ? this.reconnect(name) : ok(undefined);
    await this.#drop(entry);
    entry.state = {status: 'disabled', error: ''};
    return ok(undefined);
  }

  deliver(name: string, message: JsonObject): void {
    this.#entries.find(known => known.name === name)?.transport.deliver(message);
  }

  async close(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#entries.map(entry => this.#drop(entry)));
  }

  #begin(name: string): Entry {
    const entry: Entry = {
      name,
      round: 0,
      state: {status: 'pending', error: ''},
      transport: new ExchangeTransport(name, this.#options.exchange),
      connection: undefined,
      tools: [],
      starting: Promise.resolve(),
      awaited: Promise.resolve(),
      refreshing: 'no',
    };
    this.#start(entry);
    return entry;
  }

  #start(entry: Entry): void {
    entry.round += 1;
    entry.state = {status: 'pending', error: ''};
    entry.transport = new ExchangeTransport(entry.name, this.#options.exchange);
    entry.starting = this.#connect(entry, entry.round);
    entry.awaited = raceTimeout(entry.starting, this.#options.readyWithinMs);
  }

  /** Never rejects. */
  async #connect(entry: Entry, round: number): Promise<void> {
    const {name} = entry;
    const {signal} = this.#end;
    let connection: ServerConnection | undefined;
    try {
      const {connectTransport} = await import('./server-connection.ts');
      const {version, elicit, log, startTimeoutMs, callTimeoutMs} = this.#options;
      connection = await connectTransport(
        entry.transport,
        {
          options: {
            server: name,
            version,
            times: {start: startTimeoutMs, silence: callTimeoutMs, call: Number.MAX_SAFE_INTEGER},
            services: {elicit, sample: undefined, roots: () => []},
            log: line => log(`MCP server ${name}: ${line}`),
            changed: what => {
              if (what === 'tools') void this.#refresh(entry, round);
            },
          },
          negotiation: 'legacy',
          era: {kind: 'unknown'},
        },
        signal,
      );
      const tools = await connection.listTools(signal);
      if (entry.round !== round) {
        await connection.close();
        return;
      }
      entry.connection = connection;
      entry.tools = tools;
      entry.state = {status: 'connected', error: ''};
    } catch (cause) {
      await connection?.close().catch(() => {});
      if (entry.round !== round) return;
      entry.state = {status: 'failed', error: clip(causeText(cause), 500)};
      this.#options.log(`MCP server ${name} could not be started: ${entry.state.error}`);
    }
    this.#tools = undefined;
  }

  /** Lists the tools again; once more where the server says so meanwhile. */
  async #refresh(entry: Entry, round: number): Promise<void> {
    if (entry.refreshing !== 'no') {
      entry.refreshing = 'again';
      return;
    }
    entry.refreshing = 'yes';
    try {
      do {
        entry.refreshing = 'yes';
        await entry.starting;
        const tools = await entry.connection?.listTools(this.#end.signal);
        if (entry.round !== round || tools === undefined) break;
        entry.tools = tools;
        this.#tools = undefined;
      } while (isAgain(entry));
    } catch (cause) {
      this.#options.log(`MCP server ${entry.name}: its tools could not be listed again: ${causeText(cause)}`);
    } finally {
      entry.refreshing = 'no';
    }
  }

  async #drop(entry: Entry): Promise<void> {
    const {connection, transport} = entry;
    entry.round += 1;
    entry.connection = undefined;
    entry.tools = [];
    this.#tools = undefined;
    await connection?.close().catch(() => {});
    await transport.close();
  }

  #connected(name: string): Outcome<ServerConnection, Fault> {
    const entry = this.#entries.find(known => known.name === name);
    if (entry === undefined) return failed(rejected(unknownServer(name)));
    if (entry.connection !== undefined) return ok(entry.connection);
    const {status, error} = entry.state;
    return failed(rejected(`The MCP server ${name} is ${status}${error === '' ? '' : `: ${error}`}.`));
  }

  #named(): readonly McpTool[] {
    const names = new ToolNames();
    return this.#entries.flatMap(entry =>
      entry.tools.flatMap((tool): readonly McpTool[] => {
        const named = names.nameFor(entry.name, tool.name);
        if (named === undefined) return [];
        if (named.clash === 'renamed') {
          this.#options.log(
            `MCP server ${entry.name}: its tool ${tool.name} goes by ${named.name}, since another has that name`,
          );
        }
        return [{server: entry.name, toolName: named.name, ...tool}];
      }),
    );
  }
}

const isAgain = ({refreshing}: Entry): boolean => refreshing === 'again';

const unknownServer = (name: string): string => `There is no MCP server named ${JSON.stringify(name)}.`;

/** Longest name of a tool that models are told. */
const longestName = 128;

/** The names by which models know the tools of servers: unlike for unlike tools, and the same in every run. */
class ToolNames {
  readonly #taken = new Map<string, string>();

  /** `undefined` for a tool that has its name already: a server that names two tools alike has one. */
  nameFor(server: string, tool: string): {readonly name: string; readonly clash: 'none' | 'renamed'} | undefined {
    const whole = JSON.stringify([server, tool]);
    const plain = bounded(`mcp__${cleanName(server)}__${cleanName(tool)}`, whole);
    const owner = this.#taken.get(plain);
    if (owner === whole) return undefined;
    if (owner === undefined) {
      this.#taken.set(plain, whole);
      return {name: plain, clash: 'none'};
    }
    const marked = bounded(`${plain.slice(0, longestName - 9)}_${checksum(whole)}`, whole);
    if (this.#taken.has(marked)) return undefined;
    this.#taken.set(marked, whole);
    return {name: marked, clash: 'renamed'};
  }
}

/** What names of tools may not have becomes `_`. */
const cleanName = (name: string): string => name.replaceAll(/[^\w-]/gu, '_');

const bounded = (name: string, whole: string): string =>
  name.length <= longestName ? name : `${name.slice(0, longestName - 9)}_${checksum(whole)}`;

/** FNV-1a, eight hexadecimal digits: tells apart, guards nothing. */
function checksum(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
