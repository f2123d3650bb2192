import type {Elicitation, ElicitationReply, McpCallObserver, McpServerState} from '../../actions/mcp-port.ts';
import {firstLine} from '../../base/clip.ts';
import type {Outcome} from '../../base/outcome.ts';
import {raceTimeout} from '../../base/race.ts';
import {visibleLine} from '../../base/visible.ts';
import type {Manifest} from './manifests.ts';
import {type ConfiguredServer, defaultTimeouts, type ServerConfig} from './server-config.ts';
import type {ProtocolEra, ServerConnection} from './server-connection.ts';

export type ElicitUser = (elicitation: Elicitation, signal: AbortSignal) => Promise<ElicitationReply>;

/** A server inside the SDK program that drives weft, or a configured one. */
export type ServerToStart =
  | {readonly kind: 'sdk'; readonly name: string}
  | {
      readonly kind: 'configured';
      readonly name: string;
      readonly source: ConfiguredServer['source'];
      readonly config: ServerConfig;
      /** The protocol revisions known from an earlier connection. */
      readonly era: ProtocolEra;
    };

export type Origin =
  | {readonly kind: 'sdk'}
  | {
      readonly kind: 'configured';
      readonly source: ConfiguredServer['source'];
      readonly path: string;
      readonly config: Outcome<ServerConfig, string>;
      /** The key of the configuration (`manifestKey`); empty if it can't be used. */
      readonly key: string;
    };

/** One server of a session, with its manifest and the state of its connection. */
export interface Entry {
  readonly name: string;
  readonly origin: Origin;
  /** Grows with every start. Results of earlier starts are ignored. */
  round: number;
  state: Pick<McpServerState, 'status' | 'error'>;
  connection: ServerConnection | undefined;
  known: Manifest;
  /** Settles when the current start succeeded or failed. Never rejects. */
  starting: Promise<void>;
  /** Settles when requests no longer need to wait for the server. */
  awaited: Promise<unknown>;
  /** The number of consecutive starts that failed or exited. */
  failures: number;
  /** The earliest time of the next start. */
  retryAt: number;
  refreshing: 'no' | 'yes' | 'again';
  /** The changed tools that the user has been notified of. */
  reportedChanges: readonly string[];
  log: readonly string[];
  latencyMs: number | undefined;
  callers: readonly McpCallObserver[];
  /** The number of unanswered questions from the server to the user or the model. */
  openQuestions: number;
}

const emptyManifest: Manifest = {
  title: '',
  version: '',
  instructions: '',
  resources: 'none',
  tools: [],
  prompts: [],
  listed: [],
  accepted: [],
  era: {kind: 'unknown'},
};

/** Returns the configuration, or `undefined` if it is invalid or the server runs inside the SDK program. */
export const configOf = (origin: Origin): ServerConfig | undefined =>
  origin.kind === 'configured' && origin.config.tag === 'ok' ? origin.config.value : undefined;

export function newEntry(name: string, origin: Origin, manifest: Manifest | undefined): Entry {
  const why = origin.kind === 'configured' && origin.config.tag === 'failed' ? origin.config.error : '';
  const isDisabled = configOf(origin)?.state === 'disabled';
  const status = why !== '' ? 'failed' : isDisabled ? 'disabled' : manifest === undefined ? 'pending' : 'idle';
  return {
    name,
    origin,
    round: 0,
    state: {status, error: why === '' ? '' : `its configuration is invalid: ${why}`},
    connection: undefined,
    known: manifest ?? emptyManifest,
    starting: Promise.resolve(),
    awaited: Promise.resolve(),
    failures: 0,
    retryAt: 0,
    refreshing: 'no',
    reportedChanges: [],
    log: [],
    latencyMs: undefined,
    callers: [],
    openQuestions: 0,
  };
}

/** True if the first request waits until this server has started. */
export const isRequired = ({origin, state}: Entry): boolean =>
  state.status !== 'disabled' && configOf(origin)?.need === 'required';

/** True if this is the first start of a configured server whose tools are not known. */
export const isNew = ({origin, known, round}: Entry): boolean =>
  origin.kind === 'configured' && known === emptyManifest && round <= 1;

export const isEnabled = ({state}: Pick<Entry, 'state'>): boolean => state.status !== 'disabled';

export const shouldRefreshAgain = ({refreshing}: Entry): boolean => refreshing === 'again';

export const isSame = (one: Entry, other: Entry): boolean =>
  one.name === other.name && JSON.stringify(one.origin) === JSON.stringify(other.origin);

/** Returns the state of a server for front ends. */
export const stateOf = ({name, origin, state, known, log, latencyMs}: Entry): McpServerState => ({
  name,
  ...state,
  ...locationOf(origin),
  title: known.title,
  version: known.version,
  instructions: isEnabled({state}) ? known.instructions : '',
  resources: isEnabled({state}) ? known.resources : 'none',
  log,
  latencyMs,
});

const locationOf = (origin: Origin): Pick<McpServerState, 'source' | 'path' | 'transport'> =>
  origin.kind === 'sdk'
    ? {source: 'sdk', path: '', transport: 'sdk'}
    : {
        source: origin.source,
        path: origin.path,
        transport: origin.config.tag === 'ok' && origin.config.value.transport.kind !== 'stdio' ? 'http' : 'program',
      };

export function serverToStart({name, origin, known}: Entry): ServerToStart | undefined {
  if (origin.kind === 'sdk') return {kind: 'sdk', name};
  const config = configOf(origin);
  return config === undefined ? undefined : {kind: 'configured', name, source: origin.source, config, era: known.era};
}

/** Adds a line to a log and drops the oldest ones. */
export const appendLogLine = (log: readonly string[], line: string): readonly string[] =>
  [...log, firstLine(visibleLine(line), 300)].slice(-maxLogLines);

const maxLogLines = 20;

/** Adds the server's last log lines to a reason if the reason does not contain them. They often explain more. */
export const withRecentLog = (reason: string, log: readonly string[]): string =>
  [reason, ...log.slice(-2).filter((line, at, all) => !reason.includes(line) && all.indexOf(line) === at)].join('; ');

export function explainUnavailable({name, state, retryAt}: Entry, now: number): string {
  const {status, error} = state;
  const wait = status === 'failed' && retryAt > now ? ` weft retries in ${Math.ceil((retryAt - now) / 1000)} s.` : '';
  return `The MCP server ${name} is ${status}${error === '' ? '' : `: ${error}`}.${wait}`;
}

/** The delay before weft names a server that the first request waits for, in milliseconds. */
const silentWaitMs = 300;

export const secondsText = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

/**
 * Waits for a starting server. Logs its name if the wait is long, and again if the time runs out. A server that has to start within that
 * time fails by itself.
 */
export async function awaitStart(
  {name, starting}: Entry,
  {ms, limitMs, log}: {readonly ms: number; readonly limitMs: number; readonly log: (line: string) => void},
  signal: AbortSignal,
): Promise<void> {
  const seconds = secondsText(ms);
  const waiting = setTimeout(() => log(`Waiting for MCP server ${name} to start (at most ${seconds})`), silentWaitMs);
  const end = await (limitMs <= ms ? starting : raceTimeout(starting, ms));
  clearTimeout(waiting);
  if (end === 'timeout' && !signal.aborted)
    log(`MCP server ${name} did not start within ${seconds}, so the model does not know its tools yet.`);
}

/** Returns the time in which a server must start. `given` counts if its configuration sets no limit. */
export function startLimitMs({origin}: Entry, given: number): number {
  const {start} = configOf(origin)?.times ?? {};
  return start === defaultTimeouts.start ? given : Infinity;
}

/** Limits a start. The signal fires after this time unless `clear` was called, or with `end`. */
export function startLimit(ms: number, end: AbortSignal) {
  const limit = new AbortController();
  const timer = Number.isFinite(ms) ? setTimeout(() => limit.abort(), ms) : undefined;
  return {
    signal: AbortSignal.any([end, limit.signal]),
    passed: () => limit.signal.aborted,
    clear: () => clearTimeout(timer),
  };
}

/** The maximum number of questions of one server that may be open at a time. */
const maxOpenQuestions = 16;

export const tooManyQuestions = `weft accepts at most ${maxOpenQuestions} open questions from a server.`;

/** Asks, or returns `declined` if too many questions from the server are open. */
export async function limitOpenQuestions<Reply>(
  entry: Entry,
  declined: Reply,
  ask: () => Promise<Reply>,
): Promise<Reply> {
  if (entry.openQuestions >= maxOpenQuestions) return declined;
  entry.openQuestions += 1;
  try {
    return await ask();
  } finally {
    entry.openQuestions -= 1;
  }
}

export const changedText = (server: string, tool: string): string =>
  `${tool} was not called: the MCP server ${server} changed its description since it was last used, so earlier permissions no longer cover it. Call it again if it still does what you want.`;
