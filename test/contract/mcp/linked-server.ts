import {McpServer} from '@modelcontextprotocol/sdk/server/mcp.js';
import type {Transport} from '@modelcontextprotocol/sdk/shared/transport.js';
import type {JSONRPCMessage} from '@modelcontextprotocol/sdk/types.js';
import {isJsonObject, type JsonObject} from '../../../src/base/json.ts';
import type {Exchange} from '../../../src/extensions/mcp/exchange-transport.ts';

/** A real MCP server in this process, behind an exchange as a program that drives weft has it. */
export class LinkedServer implements Transport {
  readonly server: McpServer;
  /** What weft sent, in order. */
  readonly heard: JsonObject[] = [];
  /** What the server sends that answers nothing. */
  onOwnMessage: (message: JsonObject) => void = () => {};
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  readonly #waiting = new Map<unknown, (answer: JsonObject) => void>();

  constructor(build: (server: McpServer) => void) {
    this.server = new McpServer({name: 'Linked', version: '1.2.3'}, {capabilities: {tools: {listChanged: true}}});
    build(this.server);
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const sent: unknown = JSON.parse(JSON.stringify(message));
    if (!isJsonObject(sent)) return;
    const waiting = sent['method'] === undefined ? this.#waiting.get(sent['id']) : undefined;
    if (waiting === undefined) this.onOwnMessage(sent);
    else waiting(sent);
  }

  readonly exchange: Exchange = async (_server, message, signal) => {
    this.heard.push(message);
    const isRequest = message['method'] !== undefined && message['id'] !== undefined;
    const answered = Promise.withResolvers<JsonObject | undefined>();
    if (isRequest) this.#waiting.set(message['id'], answered.resolve);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client makes messages of the protocol
    this.onmessage?.(message as unknown as JSONRPCMessage);
    // What the SDK answers to anything else.
    if (!isRequest) return {jsonrpc: '2.0', result: {}, id: 0};
    signal.addEventListener('abort', () => answered.reject(new Error('withdrawn')), {once: true});
    return answered.promise;
  };
}

/** A user who wants to be asked nothing. */
export const declineAll = async () => ({action: 'decline', content: undefined}) as const;
