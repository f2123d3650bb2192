import {visibleOutput} from '../../base/visible.ts';
import type {BlockId} from '../../domain/ids.ts';
import type {TerminalSessions} from '../terminal/terminal-sessions.ts';
import type {AttachEnd} from '../terminal/attached-terminal.ts';

interface AttachedSessionHost {
  readonly terminals: TerminalSessions;
  readonly stop: (block: BlockId) => void;
  readonly columns: () => number;
  readonly say: (...lines: readonly string[]) => void;
  /** Called when the user has left the terminal session, or could not be attached to it. */
  readonly onDetached: (block: BlockId, end: AttachEnd) => void;
}

/** Sends the user's lines to the attached terminal session, if there is one, and prints its output as lines. */
export class AttachedSession {
  readonly #host: AttachedSessionHost;
  #session: {readonly block: BlockId; readonly terminal: ReturnType<TerminalSessions['attach']>} | undefined;
  #lastInput = '';
  #lastOutputLine = '';

  constructor(host: AttachedSessionHost) {
    this.#host = host;
  }

  get block(): BlockId | undefined {
    return this.#session?.block;
  }

  /** True if the program asks for a secret, so the line being typed must be hidden. */
  get hidesInput(): boolean {
    return (
      this.#session !== undefined &&
      /(?:password|passphrase|passcode|\bpin\b|secret)[^:]*:\s*$/iu.test(this.#lastOutputLine)
    );
  }

  start(block: BlockId): void {
    const {terminals, columns, say} = this.#host;
    this.#lastInput = '';
    this.#lastOutputLine = '';
    const terminal = terminals.attach(block, {
      size: {columns: Math.max(20, columns()), rows: defaultRows},
      show: text => {
        const lines = linesOf(text).filter(line => line !== this.#lastInput);
        this.#lastOutputLine = lines.at(-1) ?? this.#lastOutputLine;
        say(...lines);
      },
      left: end => this.#end(end),
    });
    this.#session = {block, terminal};
    say(`${block} is yours: what you type goes to it. /back returns to weft, /stop ends the command.`);
  }

  enter(line: string): void {
    if (line.trim() === '/back') this.#end({kind: 'detached'});
    else if (line.trim() === '/stop' && this.#session !== undefined) this.#host.stop(this.#session.block);
    else this.press(`${line.replaceAll('\n', '\r')}\r`);
  }

  /** Sends typed text or a control character unchanged. */
  press(keys: string): void {
    this.#lastInput = keys.trim();
    this.#session?.terminal.write(keys);
  }

  close(): void {
    this.#session?.terminal.detach();
    this.#session = undefined;
  }

  #end(end: AttachEnd): void {
    const session = this.#session;
    if (session === undefined) return;
    this.#session = undefined;
    if (end.kind === 'detached') session.terminal.detach();
    this.#host.onDetached(session.block, end);
  }
}

const defaultRows = 24;

// oxlint-disable-next-line no-control-regex -- terminal escape sequences
const cursorMoves = /\u001B\[[\d;]*[Hfd]/gu;

/** Splits output into lines without empty ones. Full-screen programs move the cursor between rows, so each movement begins a line. */
const linesOf = (text: string): readonly string[] =>
  visibleOutput(text.replaceAll(cursorMoves, '\n'))
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
