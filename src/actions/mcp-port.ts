import type {JsonObject} from '../base/json.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {ImageBlock, TextBlock} from '../domain/conversation.ts';
import {rejected, type Fault} from '../domain/fault.ts';

/** The MCP servers of this run. What they say and offer is theirs: nothing of it is trusted, everything is bounded. */
export interface McpPort {
  /** Waits for servers that are just starting, a few seconds at most; the tools of later ones join a later request. */
  ready(signal: AbortSignal): Promise<void>;
  /** Those of the connected servers, in the order of the servers; the same list while nothing changed. */
  tools(): readonly McpTool[];
  servers(): readonly McpServerState[];
  /** Settles once, in bounded time; an abort tells the server and settles at once. A result that says it is an error is a fault. */
  call(request: McpCallRequest, signal: AbortSignal): Promise<Outcome<McpResult, Fault>>;
  /** The resources of one server, or of all for `undefined`. */
  resources(server: string | undefined, signal: AbortSignal): Promise<Outcome<readonly McpResource[], Fault>>;
  readResource(request: McpResourceRequest, signal: AbortSignal): Promise<Outcome<McpResult, Fault>>;
}

export interface McpCallRequest {
  readonly server: string;
  readonly tool: string;
  readonly input: JsonObject;
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
}

export interface McpServerState {
  readonly name: string;
  readonly status: 'connected' | 'failed' | 'pending' | 'disabled';
  /** Where it comes from: `sdk` runs in the program that drives weft. */
  readonly source: 'sdk';
  /** Why it failed; empty otherwise. */
  readonly error: string;
  /** How the server calls itself; empty until it is connected. */
  readonly title: string;
  readonly version: string;
  readonly resources: 'offered' | 'none';
}

export interface McpResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mediaType: string;
}

/** A prompt that a server offers to the user. */
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

/** What a model said to a server that asked it (`sampling`), in the protocol's form; the error says why it was not asked. */
export type SamplingReply = Outcome<JsonObject, string>;

/** What a server answered, bounded, ready for the model. */
export interface McpResult {
  readonly blocks: readonly (TextBlock | ImageBlock)[];
}

/** What a server wants to know of the user. */
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

/** Runs the programs of MCP servers. */
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

export const noMcp: McpPort = {
  ready: async () => {},
  tools: () => [],
  servers: () => [],
  call: async () => noServer,
  resources: async () => ok([]),
  readResource: async () => noServer,
};
