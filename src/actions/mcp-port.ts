import type {JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Access} from '../domain/access.ts';
import type {ImageBlock, TextBlock} from '../domain/conversation.ts';
import {rejected, type Fault} from '../domain/fault.ts';

/** The MCP servers of this run. Everything they send is untrusted and bounded. */
export interface McpPort {
  /**
   * Waits before each request to the model: for `required` servers, and a few seconds for servers in the program that drives weft.
   * The model learns of the tools of all other servers in a later request. A fault says which required server did not start.
   */
  ready(signal: AbortSignal): Promise<Outcome<undefined, Fault>>;
  /** Waits until this server, or every server, has started or failed. */
  settled(signal: AbortSignal, server?: string): Promise<void>;
  /**
   * Returns the tools of all enabled servers in server order, as last reported. A server need not be running.
   * Returns the same list until something changes.
   */
  tools(): readonly McpTool[];
  servers(): readonly McpServerState[];
  /**
   * Calls a tool and starts its server if necessary. Settles once, in bounded time. An abort notifies the server and settles at once.
   * A result that is marked as an error is a fault.
   */
  call(request: McpCallRequest, observer: McpCallObserver, signal: AbortSignal): Promise<Outcome<McpResult, Fault>>;
  /** Returns the resources of one server, or of all if `server` is `undefined`. */
  resources(server: string | undefined, signal: AbortSignal): Promise<Outcome<readonly McpResource[], Fault>>;
  /** Returns the resources that enabled servers listed when last connected. Returns the same list until something changes. */
  listedResources(): readonly McpResource[];
  readResource(request: McpResourceRequest, signal: AbortSignal): Promise<Outcome<McpResult, Fault>>;
  /** Returns the prompts of all enabled servers, as last reported. */
  prompts(): readonly McpPrompt[];
  expandPrompt(request: McpPromptRequest, signal: AbortSignal): Promise<Outcome<McpResult, Fault>>;
  /** Closes the connection and opens a new one. The failure says why that didn't help. */
  reconnect(server: string): Promise<Outcome<undefined, string>>;
  /** Disables the tools of a server for this session, or enables them again. */
  toggle(server: string, wanted: 'enabled' | 'disabled'): Promise<Outcome<undefined, string>>;
  /**
   * Signs the user in to a server in the browser and connects it. `say` gets the link that the user has to open.
   * Returns a sentence about the result.
   */
  signIn(server: string, say: (line: string) => void, signal: AbortSignal): Promise<Outcome<string, string>>;
}

export interface McpPromptRequest {
  readonly server: string;
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

export interface McpCallRequest {
  readonly server: string;
  readonly tool: string;
  /** The name under which the call was judged. A tool that now has another name is not called. */
  readonly toolName: string;
  /**
   * Whether the tool was unchanged when the call was judged. A tool that has changed since is not called. `accepted`:
   * the tool had changed and the user agreed to the call, so permissions cover it again.
   */
  readonly standing: McpTool['standing'] | 'accepted';
  readonly input: JsonObject;
}

/** The caller of a tool, as far as the server may talk to it during the call. */
export interface McpCallObserver {
  readonly progress: (line: string) => void;
  readonly elicit: (elicitation: Elicitation, signal: AbortSignal) => Promise<ElicitationReply>;
  /** Asks the model for the server, if the user agrees. */
  readonly sample: (request: SamplingRequest, signal: AbortSignal) => Promise<SamplingReply>;
}

export interface McpResourceRequest {
  readonly server: string;
  readonly uri: string;
}

/** `server` and `name` are the server's own names. Models know the tool as `toolName`. */
export interface McpTool {
  readonly server: string;
  readonly name: string;
  readonly toolName: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** The server's claim about the tool. */
  readonly effect: 'claims-read-only' | 'claims-destructive' | 'unsaid';
  /**
   * `changed`: the tool's description or schema differs from when it was last used or first seen, so earlier
   * permissions don't cover it.
   */
  readonly standing: Extract<Access, {kind: 'mcp-tool'}>['standing'];
  /** `always`: ToolSearch never hides the tool. */
  readonly offering: 'always' | 'by-size';
}

export interface McpServerState {
  readonly name: string;
  /**
   * `idle`: the server's tools are known, and the first call starts it. `untrusted`: the project configures the server,
   * and it is not started.
   */
  readonly status: 'connected' | 'failed' | 'pending' | 'disabled' | 'idle' | 'needs-sign-in' | 'untrusted';
  /** The server's origin. `sdk` runs in the program that drives weft. `given`: that program configured it. */
  readonly source: 'sdk' | 'user' | 'project' | 'local' | 'given';
  /** The file or flag that configures the server. Empty for `sdk`. */
  readonly path: string;
  readonly transport: 'program' | 'http' | 'sdk';
  /** Why the server failed, or what to do. Empty otherwise. */
  readonly error: string;
  /** The server's own name. Empty until it is connected. */
  readonly title: string;
  readonly version: string;
  /** The server's advice on its tools, up to a limit. Empty if it gives none or is not in use. */
  readonly instructions: string;
  readonly resources: 'offered' | 'none';
  /** The last lines of the server's output that are not protocol messages, oldest first. */
  readonly log: readonly string[];
  readonly latencyMs: number | undefined;
}

export interface McpResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mediaType: string;
}

export interface McpPrompt {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly need: 'required' | 'optional';
  }[];
}

/** A request from a server to the model (`sampling/createMessage`), in the form of the protocol. */
export interface SamplingRequest {
  readonly server: string;
  readonly params: JsonObject;
}

/** The model's answer to a server, in the form of the protocol. The error says why the model was not asked. */
export type SamplingReply = Outcome<JsonObject, string>;

/** A server's answer, bounded and ready for the model. */
export interface McpResult {
  readonly blocks: readonly (TextBlock | ImageBlock)[];
}

export interface Elicitation {
  readonly server: string;
  readonly message: string;
  readonly mode: 'form' | 'url';
  /** Empty if the mode is `form`. */
  readonly url: string;
  /** Empty if the server gave none. */
  readonly elicitationId: string;
  readonly requestedSchema: JsonObject | undefined;
}

export interface ElicitationReply {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content: JsonObject | undefined;
}

/** Runs programs that talk over stdin and stdout: MCP servers and harnesses. */
export interface ServerProcesses {
  /** Starts a program. The error says why that failed. */
  start(program: ServerProgram, events: ServerProcessEvents): Promise<Outcome<ServerProcess, string>>;
}

export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables to add to the few that every program gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly directory: string;
}

export interface ServerProcessEvents {
  /** Called with each line of stdout. */
  readonly line: (line: string) => void;
  /** Called with each line of stderr. */
  readonly log: (line: string) => void;
}

export interface ServerProcess {
  /** Settles with a clause about the exit, when the program and all its children are gone. */
  readonly ended: Promise<string>;
  /** Resolves when the program's stdin has taken the line. */
  write(line: string): Promise<void>;
  /** Closes the program's stdin, and kills it if that doesn't end it. */
  stop(): Promise<void>;
}

const missingServersFault = failed(rejected('No MCP servers here.'));

const noTools: readonly McpTool[] = [];
const noPrompts: readonly McpPrompt[] = [];
const noResources: readonly McpResource[] = [];

export const noopMcp: McpPort = {
  ready: async () => ok(undefined),
  settled: async () => {},
  tools: () => noTools,
  prompts: () => noPrompts,
  expandPrompt: async () => missingServersFault,
  reconnect: async () => failed('No MCP servers here.'),
  toggle: async () => failed('No MCP servers here.'),
  signIn: async () => failed('No MCP servers here.'),
  servers: () => [],
  call: async () => missingServersFault,
  resources: async () => ok([]),
  listedResources: () => noResources,
  readResource: async () => missingServersFault,
};

/** Restricts MCP servers to the tools that an agent may call. If it may call all, the list of tools is the same object. */
export function limitedServers(
  mcp: McpPort,
  mayCall: (tool: Pick<McpTool, 'server' | 'toolName'>) => boolean,
): McpPort {
  let known: {readonly of: ReturnType<McpPort['tools']>; readonly list: ReturnType<McpPort['tools']>} | undefined;
  return {
    ready: signal => mcp.ready(signal),
    settled: (signal, server) => mcp.settled(signal, server),
    tools() {
      const of = mcp.tools();
      if (known?.of !== of) {
        const list = of.filter(mayCall);
        known = {of, list: list.length === of.length ? of : list};
      }
      return known.list;
    },
    servers: () => mcp.servers(),
    async call(request, observer, signal) {
      if (!mayCall(request)) return failed(rejected(`${request.toolName} may not be used here.`));
      return mcp.call(request, observer, signal);
    },
    resources: (...request) => mcp.resources(...request),
    listedResources: () => mcp.listedResources(),
    readResource: (...request) => mcp.readResource(...request),
    prompts: () => mcp.prompts(),
    expandPrompt: (...request) => mcp.expandPrompt(...request),
    reconnect: server => mcp.reconnect(server),
    toggle: (server, wanted) => mcp.toggle(server, wanted),
    signIn: (...request) => mcp.signIn(...request),
  };
}
