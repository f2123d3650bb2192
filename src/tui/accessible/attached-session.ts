import {visibleOutput} from '../../base/visible.ts';
import type {BlockId} from '../../domain/ids.ts';
import type {TerminalSessions} from '../terminal/terminal-sessions.ts';
import type {AttachEnd} from '../terminal/attached-terminal.ts';

interface AttachedSessionHost {
  readonly terminals: TerminalSessions;
  readonly stop: (block: BlockId) => void;
  readonly columns: () => number;
  readonly say: (...lines: readonly string[]) => void;
  /** The user has left the terminal session, or could not be attached to it. */
  readonly left: (block: BlockId, end: AttachEnd) => void;
}

/** The terminal session to which the user's lines go, while one is attached: what it prints arrives as lines. */
export class AttachedSession {
  readonly #host: AttachedSessionHost;
  #session: {readonly block: BlockId; readonly terminal: ReturnType<TerminalSessions['attach']>} | undefined;
  #sent = '';
  /** The line that the program printed last. */
  #last = '';

  constructor(host: AttachedSessionHost) {
    this.#host = host;
  }

  get block(): BlockId | undefined {
    return this.#session?.block;
  }

  /** Whether the line being typed must be hidden, because the program asks for a secret. */
  get hides(): boolean {
    return (
      this.#session !== undefined && /(?:password|passphrase|passcode|\bpin\b|secret)[^:]*:\s*$/iu.test(this.#last)
    );
  }

  start(block: BlockId): void {
    const {terminals, columns, say} = this.#host;
    this.#sent = '';
    this.#last = '';
    const terminal = terminals.attach(block, {
      size: {columns: Math.max(20, columns()), rows: screenRows},
      show: text => {
        const lines = linesOf(text).filter(line => line !== this.#sent);
        this.#last = lines.at(-1) ?? this.#last;
        say(...lines);
      },
      left: end => this.#end(end),
    });
    this.#session = {block, terminal};
    say(`${block} is yours: your lines go there. /back goes back to weft, /stop ends the command.`);
  }

  enter(line: string): void {
    if (line.trim() === '/back') this.#end({kind: 'detached'});
    else if (line.trim() === '/stop' && this.#session !== undefined) this.#host.stop(this.#session.block);
    else this.press(`${line.replaceAll('\n', '\r')}\r`);
  }

  /** Sends what was typed, or a control character, unchanged. */
  press(keys: string): void {
    this.#sent = keys.trim();
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
    this.#host.left(session.block, end);
  }
}

const screenRows = 24;

// oxlint-disable-next-line no-control-regex -- sequences of the terminal
const moves = /\u001B\[[\d;]*[Hfd]/gu;

/** Splits output into lines. A program that draws a screen moves the cursor between rows, so each movement begins a line; empty lines are dropped. */
const linesOf = (text: string): readonly string[] =>
  visibleOutput(text.replaceAll(moves, '\n'))
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
