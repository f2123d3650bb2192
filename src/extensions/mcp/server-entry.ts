import type {Elicitation, ElicitationReply, McpCallObserver, McpServerState} from '../../actions/mcp-port.ts';
import {firstLine} from '../../base/clip.ts';
import type {Outcome} from '../../base/outcome.ts';
import {visibleLine} from '../../base/visible.ts';
import type {Manifest} from './manifests.ts';
import type {ConfiguredServer, ServerConfig} from './server-config.ts';
import type {ProtocolEra, ServerConnection} from './server-connection.ts';

export type ElicitUser = (elicitation: Elicitation, signal: AbortSignal) => Promise<ElicitationReply>;

/** A server that runs in the program which drives weft, or one that somebody configured. */
export type ServerToStart =
  | {readonly kind: 'sdk'; readonly name: string}
  | {
      readonly kind: 'configured';
      readonly name: string;
      readonly source: ConfiguredServer['source'];
      readonly config: ServerConfig;
      /** What an earlier connection found. */
      readonly era: ProtocolEra;
    };

export type Origin =
  | {readonly kind: 'sdk'}
  | {
      readonly kind: 'configured';
      readonly source: ConfiguredServer['source'];
      readonly path: string;
      readonly config: Outcome<ServerConfig, string>;
      /** Stands for the configuration; empty if it cannot be used. */
      readonly key: string;
    };

/** One server of a session: what is known of it, and how its connection stands. */
export interface Entry {
  readonly name: string;
  readonly origin: Origin;
  /** Grows with every start: what an earlier one comes to counts no more. */
  round: number;
  state: Pick<McpServerState, 'status' | 'error'>;
  connection: ServerConnection | undefined;
  known: Manifest;
  /** Settles when the present start has come to something; never rejects. */
  starting: Promise<void>;
  /** Settles when requests need not wait for it any more. */
  awaited: Promise<unknown>;
  /** Starts in a row that failed, or ended at once. */
  failures: number;
  /** Before this time no new start is tried. */
  retryAt: number;
  refreshing: 'no' | 'yes' | 'again';
  /** The tools of which the user was told that they are described differently now. */
  toldChanged: readonly string[];
  log: readonly string[];
  latencyMs: number | undefined;
  callers: readonly McpCallObserver[];
  /** Questions of the server to the user or the model that are not answered yet. */
  openQuestions: number;
}

const nothingKnown: Manifest = {
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

/** How a configured server is reached; `undefined` if that cannot be used, and for one in the program which drives weft. */
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
    state: {status, error: why === '' ? '' : `its configuration cannot be used: ${why}`},
    connection: undefined,
    known: manifest ?? nothingKnown,
    starting: Promise.resolve(),
    awaited: Promise.resolve(),
    failures: 0,
    retryAt: 0,
    refreshing: 'no',
    toldChanged: [],
    log: [],
    latencyMs: undefined,
    callers: [],
    openQuestions: 0,
  };
}

/** Whether the first request waits for it: `required`, or its tools are always offered and not known yet. */
export const isRequired = ({origin, state}: Entry): boolean =>
  state.status !== 'disabled' && configOf(origin)?.need === 'required';

/** Whether the first request waits for it a while: it runs in the program which drives weft, or its tools are always offered. */
export const isSoonOffered = ({origin, state}: Entry): boolean =>
  state.status === 'pending' && (origin.kind === 'sdk' || configOf(origin)?.offering === 'always');

export const isEnabled = ({state}: Pick<Entry, 'state'>): boolean => state.status !== 'disabled';

export const isAgain = ({refreshing}: Entry): boolean => refreshing === 'again';

export const isSame = (one: Entry, other: Entry): boolean =>
  one.name === other.name && JSON.stringify(one.origin) === JSON.stringify(other.origin);

/** What front ends are told of it. */
export const stateOf = ({name, origin, state, known, log, latencyMs}: Entry): McpServerState => ({
  name,
  ...state,
  ...placeOf(origin),
  title: known.title,
  version: known.version,
  instructions: isEnabled({state}) ? known.instructions : '',
  resources: isEnabled({state}) ? known.resources : 'none',
  log,
  latencyMs,
});

const placeOf = (origin: Origin): Pick<McpServerState, 'source' | 'path' | 'transport'> =>
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

/** The last lines of a log, with one more. */
export const withLine = (log: readonly string[], line: string): readonly string[] =>
  [...log, firstLine(visibleLine(line), 300)].slice(-maxLogLines);

const maxLogLines = 20;

/** A reason, and the last lines that the server wrote, which mostly say more, as far as the reason does not have them. */
export const lastWords = (reason: string, log: readonly string[]): string =>
  [reason, ...log.slice(-2).filter((line, at, all) => !reason.includes(line) && all.indexOf(line) === at)].join('; ');

export function whyNotThere({name, state, retryAt}: Entry, now: number): string {
  const {status, error} = state;
  const wait =
    status === 'failed' && retryAt > now ? ` It is tried again in ${Math.ceil((retryAt - now) / 1000)} s.` : '';
  return `The MCP server ${name} is ${status}${error === '' ? '' : `: ${error}`}.${wait}`;
}
