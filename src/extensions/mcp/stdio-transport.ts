import {type JSONRPCMessage, parseJSONRPCMessage, type Transport} from '@modelcontextprotocol/client';
import type {ServerProcess, ServerProcesses, ServerProgram} from '../../actions/mcp-port.ts';
import {isJsonObject, jsonText, parseJson} from '../../base/json.ts';
import {causeText} from '../../domain/fault.ts';

/**
 * JSON-RPC with a program, a line each. Lines of its stdout that are no messages, which many servers print, go to `log` like those
 * of its stderr. The protocol sees a transport of the kind stdio by `pid` and `stderr`.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly pid = null;
  readonly stderr = null;
  readonly #program: ServerProgram;
  readonly #processes: ServerProcesses;
  readonly #log: (line: string) => void;
  #process: ServerProcess | undefined;
  #state: 'open' | 'closed' = 'open';

  constructor(
    program: ServerProgram,
    options: {readonly processes: ServerProcesses; readonly log: (line: string) => void},
  ) {
    this.#program = program;
    this.#processes = options.processes;
    this.#log = options.log;
  }

  async start(): Promise<void> {
    const started = await this.#processes.start(this.#program, {line: line => this.#take(line), log: this.#log});
    if (started.tag === 'failed') {
      this.#leave();
      throw new Error(started.error);
    }
    this.#process = started.value;
    if (this.#state === 'closed') return started.value.stop();
    void this.#watch(started.value);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#process === undefined || this.#state === 'closed') throw new Error('The server is not running.');
    await this.#process.write(jsonText(message));
  }

  async close(): Promise<void> {
    this.#leave();
    await this.#process?.stop();
  }

  async #watch({ended}: ServerProcess): Promise<void> {
    const how = await ended;
    if (this.#state === 'open') this.onerror?.(new Error(how));
    this.#leave();
  }

  #leave(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.onclose?.();
  }

  #take(line: string): void {
    const json = parseJson(line);
    if (json.tag === 'failed' || !isJsonObject(json.value) || json.value['jsonrpc'] !== '2.0') {
      this.#log(line);
      return;
    }
    try {
      this.onmessage?.(parseJSONRPCMessage(json.value));
    } catch (cause) {
      this.onerror?.(new Error(causeText(cause), {cause}));
    }
  }
}
