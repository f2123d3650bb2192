import type {JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Access} from '../domain/access.ts';
import type {ImageBlock, TextBlock} from '../domain/conversation.ts';
import {rejected, type Fault} from '../domain/fault.ts';

/** The MCP servers of this run. What they say and offer is theirs: nothing of it is trusted, everything is bounded. */
export interface McpPort {
  /**
   * Called before each request to the model: waits for servers that are `required`, and a few seconds for those that run in the program
   * which drives weft; the tools of all others join a later request. A fault says which required server did not start.
   */
  ready(signal: AbortSignal): Promise<Outcome<undefined, Fault>>;
  settled(signal: AbortSignal): Promise<void>;
  /**
   * Those of all servers that are not disabled, in the order of the servers, as they were last heard of: a server need not run yet. The
   * same list while nothing changed.
   */
  tools(): readonly McpTool[];
  servers(): readonly McpServerState[];
  /**
   * Starts the server where it does not run. Settles once, in bounded time; an abort tells the server and settles at once. A result that
   * says it is an error is a fault.
   */
  call(request: McpCallRequest, observer: McpCallObserver, signal: AbortSignal): Promise<Outcome<McpResult, Fault>>;
  /** The resources of one server, or of all for `undefined`. */
  resources(server: string | undefined, signal: AbortSignal): Promise<Outcome<readonly McpResource[], Fault>>;
  /** Those that servers which are not disabled listed when they were last connected; the same list while nothing changed. */
  listedResources(): readonly McpResource[];
  readResource(request: McpResourceRequest, signal: AbortSignal): Promise<Outcome<McpResult, Fault>>;
  /** The prompts of all servers that are not disabled, as they were last heard of. */
  prompts(): readonly McpPrompt[];
  expandPrompt(request: McpPromptRequest, signal: AbortSignal): Promise<Outcome<McpResult, Fault>>;
  /** Ends the connection and makes it anew; the failure says why that did not help. */
  reconnect(server: string): Promise<Outcome<undefined, string>>;
  /** Takes the tools of a server away for this session, or brings them back. */
  toggle(server: string, wanted: 'enabled' | 'disabled'): Promise<Outcome<undefined, string>>;
  /**
   * Signs the user in to a server in the browser and connects it; `say` hears where the link is that the user has to open. Answers with
   * what came of it, a sentence.
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
  /** The name by which the call was judged: a tool that goes by another one is not called. */
  readonly toolName: string;
  /**
   * As it was when the call was judged: one that has changed since is not called. `accepted`: it had changed, and the user agreed to
   * the call, so that permissions cover it again.
   */
  readonly standing: McpTool['standing'] | 'accepted';
  readonly input: JsonObject;
}

/** Whoever called a tool, as far as its server may speak to them meanwhile. */
export interface McpCallObserver {
  readonly progress: (line: string) => void;
  readonly elicit: (elicitation: Elicitation, signal: AbortSignal) => Promise<ElicitationReply>;
  /** Asks the model for the server, where the user agrees. */
  readonly sample: (request: SamplingRequest, signal: AbortSignal) => Promise<SamplingReply>;
}

export interface McpResourceRequest {
  readonly server: string;
  readonly uri: string;
}

/** `server` and `name` are what the server goes by; models know it as `toolName`. */
export interface McpTool {
  readonly server: string;
  readonly name: string;
  readonly toolName: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** What the server claims of it. */
  readonly effect: 'claims-read-only' | 'claims-destructive' | 'unsaid';
  /** `changed`: its description or schema is not what it was when it was last used or first seen, so earlier permissions do not cover it. */
  readonly standing: Extract<Access, {kind: 'mcp-tool'}>['standing'];
  /** `always`: it is never put behind ToolSearch. */
  readonly offering: 'always' | 'by-size';
}

export interface McpServerState {
  readonly name: string;
  /** `idle`: its tools are known, and it is started with the first call. `untrusted`: the project names it, and it is not started. */
  readonly status: 'connected' | 'failed' | 'pending' | 'disabled' | 'idle' | 'needs-sign-in' | 'untrusted';
  /** Where it comes from: `sdk` runs in the program that drives weft, which may also have `given` it. */
  readonly source: 'sdk' | 'user' | 'project' | 'local' | 'given';
  /** The file or flag that names it; empty for `sdk`. */
  readonly path: string;
  readonly transport: 'program' | 'http' | 'sdk';
  /** Why it failed, or what to do; empty otherwise. */
  readonly error: string;
  /** How the server calls itself; empty until it is connected. */
  readonly title: string;
  readonly version: string;
  /** How the server wants its tools to be used, bounded; empty where it does not say, or is not used. */
  readonly instructions: string;
  readonly resources: 'offered' | 'none';
  /** The last lines that it wrote beside messages, oldest first. */
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

/** What a server wants to ask the model (`sampling/createMessage`), in the protocol's form. */
export interface SamplingRequest {
  readonly server: string;
  readonly params: JsonObject;
}

/** What a model said to a server that asked it, in the protocol's form; the error says why it was not asked. */
export type SamplingReply = Outcome<JsonObject, string>;

/** What a server answered, bounded, ready for the model. */
export interface McpResult {
  readonly blocks: readonly (TextBlock | ImageBlock)[];
}

export interface Elicitation {
  readonly server: string;
  readonly message: string;
  readonly mode: 'form' | 'url';
  /** Empty where the mode is `form`. */
  readonly url: string;
  /** Empty where the server gave none. */
  readonly elicitationId: string;
  readonly requestedSchema: JsonObject | undefined;
}

export interface ElicitationReply {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content: JsonObject | undefined;
}

/** Runs programs that are spoken to over their stdin and stdout: MCP servers and harnesses. */
export interface ServerProcesses {
  /** Starts a program; the error says why it could not be. */
  start(program: ServerProgram, events: ServerProcessEvents): Promise<Outcome<ServerProcess, string>>;
}

export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** What it gets beside the few variables that every program gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly directory: string;
}

export interface ServerProcessEvents {
  /** A line of its stdout. */
  readonly line: (line: string) => void;
  /** A line of its stderr. */
  readonly log: (line: string) => void;
}

export interface ServerProcess {
  /** Settles when the program and all its children are gone; says how it ended, as a clause. */
  readonly ended: Promise<string>;
  /** Resolves when the program's stdin has taken the line. */
  write(line: string): Promise<void>;
  /** Closes its stdin, and ends it where that does not. */
  stop(): Promise<void>;
}

const noServer = failed(rejected('There are no MCP servers here.'));

const noTools: readonly McpTool[] = [];
const noPrompts: readonly McpPrompt[] = [];
const noResources: readonly McpResource[] = [];

export const noMcp: McpPort = {
  ready: async () => ok(undefined),
  settled: async () => {},
  tools: () => noTools,
  prompts: () => noPrompts,
  expandPrompt: async () => noServer,
  reconnect: async () => failed('There are no MCP servers here.'),
  toggle: async () => failed('There are no MCP servers here.'),
  signIn: async () => failed('There are no MCP servers here.'),
  servers: () => [],
  call: async () => noServer,
  resources: async () => ok([]),
  listedResources: () => noResources,
  readResource: async () => noServer,
};
