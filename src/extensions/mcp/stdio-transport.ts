import {type JSONRPCMessage, parseJSONRPCMessage, type Transport} from '@modelcontextprotocol/client';
import type {ServerProcess, ServerProcesses, ServerProgram} from '../../actions/mcp-port.ts';
import {firstLine} from '../../base/clip.ts';
import {isJsonObject, type JsonObject, jsonText, parseJson} from '../../base/json.ts';
import {raceTimeout} from '../../base/race.ts';
import {visibleLine} from '../../base/visible.ts';
import {causeText} from '../../domain/fault.ts';

/** Says how the program of a server ended, and what it wrote last. */
export class ServerEnded extends Error {}

/** Milliseconds that a program which takes no input any more has to end by itself, so that it can be said how it did. */
const endMs = 5000;
/** Characters of each of the last lines that are said. */
const longestLastLine = 300;

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
  /** The last two lines of its stderr. */
  #lastLines: readonly string[] = [];
  #state: 'open' | 'closed' = 'open';
  /** Settles when every message so far was handed over. */
  #handedOver: Promise<void> = Promise.resolve();

  constructor(
    program: ServerProgram,
    options: {readonly processes: ServerProcesses; readonly log: (line: string) => void},
  ) {
    this.#program = program;
    this.#processes = options.processes;
    this.#log = options.log;
  }

  async start(): Promise<void> {
    const started = await this.#processes.start(this.#program, {
      line: line => this.#take(line),
      log: line => {
        this.#lastLines = [...this.#lastLines, firstLine(visibleLine(line), longestLastLine)].slice(-2);
        this.#log(line);
      },
    });
    if (started.tag === 'failed') {
      this.#leave();
      throw new Error(started.error);
    }
    this.#process = started.value;
    if (this.#state === 'closed') return started.value.stop();
    void this.#watch(started.value);
  }

  /** A program that takes no input has ended, or is about to: the rejection says how. */
  async send(message: JSONRPCMessage): Promise<void> {
    const program = this.#process;
    if (program === undefined || this.#state === 'closed') throw new Error('The server is not running.');
    try {
      await program.write(jsonText(message));
    } catch {
      await raceTimeout(program.ended, endMs);
      await program.stop();
      throw this.#endedBy(await program.ended);
    }
  }

  async close(): Promise<void> {
    this.#leave();
    await this.#process?.stop();
  }

  async #watch({ended}: ServerProcess): Promise<void> {
    const how = await ended;
    await this.#handedOver;
    if (this.#state === 'open') this.onerror?.(this.#endedBy(how));
    this.#leave();
  }

  #endedBy(how: string): ServerEnded {
    return new ServerEnded(['the server ended', how, ...this.#lastLines].join('; '));
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
    const {value} = json;
    // The protocol works on a notice a moment after it was handed over: progress that came with a result would come too late.
    this.#handedOver = this.#handedOver.then(() => this.#handOver(value));
  }

  #handOver(message: JsonObject): void {
    try {
      this.onmessage?.(parseJSONRPCMessage(message));
    } catch (cause) {
      this.onerror?.(new Error(causeText(cause), {cause}));
    }
  }
}
