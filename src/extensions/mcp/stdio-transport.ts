import type {JSONRPCMessage, Transport} from '@modelcontextprotocol/client';
import type {ServerProcess, ServerProcesses, ServerProgram} from '../../actions/mcp-port.ts';
import {firstLine} from '../../base/clip.ts';
import {isJsonObject, jsonText, parseJson} from '../../base/json.ts';
import {raceTimeout} from '../../base/race.ts';
import {visibleLine} from '../../base/visible.ts';
import {receive} from './exchange-transport.ts';

/** Says how a server's program exited, and its last output. */
export class ServerEnded extends Error {}

/** The time for a program that no longer accepts input to exit by itself, so that its exit can be reported. In milliseconds. */
const exitGraceMs = 5000;
/** The longest part of a last line that is reported, in UTF-16 units. */
const maxLastLine = 300;

/**
 * Exchanges JSON-RPC with a program, one message per line. Many servers print other lines to stdout; these go to
 * `log` like stderr. The client library recognizes a stdio transport by `pid` and `stderr`.
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
  /** The last two lines of stderr. */
  #lastLines: readonly string[] = [];
  #state: 'open' | 'closed' = 'open';
  /** Settles when every message so far has been delivered. */
  #delivered: Promise<void> = Promise.resolve();

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
        this.#lastLines = [...this.#lastLines, firstLine(visibleLine(line), maxLastLine)].slice(-2);
        this.#log(line);
      },
    });
    if (started.tag === 'failed') {
      this.#markClosed();
      throw new Error(started.error);
    }
    this.#process = started.value;
    if (this.#state === 'closed') return started.value.stop();
    void this.#watch(started.value);
  }

  /** Sends a message. A program that no longer accepts input has exited or is about to; the rejection says how. */
  async send(message: JSONRPCMessage): Promise<void> {
    const program = this.#process;
    if (program === undefined || this.#state === 'closed') throw new Error('The server is not running.');
    try {
      await program.write(jsonText(message));
    } catch {
      await raceTimeout(program.ended, exitGraceMs);
      await program.stop();
      throw this.#endedBy(await program.ended);
    }
  }

  async close(): Promise<void> {
    this.#markClosed();
    await this.#process?.stop();
  }

  async #watch({ended}: ServerProcess): Promise<void> {
    const how = await ended;
    await this.#delivered;
    if (this.#state === 'open') this.onerror?.(this.#endedBy(how));
    this.#markClosed();
  }

  #endedBy(how: string): ServerEnded {
    return new ServerEnded(['the server stopped', how, ...this.#lastLines].join('; '));
  }

  #markClosed(): void {
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
    // The client library handles a notification one tick after delivery, so without this chain, progress would arrive
    // after its result.
    this.#delivered = this.#delivered.then(() => receive(this, value));
  }
}
