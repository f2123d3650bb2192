import type {BlockState} from '../../actions/ports.ts';

export type BlockEnd = Extract<BlockState, {readonly kind: 'exited' | 'signalled' | 'ended'}>;

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Where the output of a block comes from and its input goes: a pseudo-terminal, or pipes where there is none. */
export interface BlockSource {
  readonly terminal: 'pty' | 'pipes';
  /** The process that leads the block's group. */
  readonly leader: number;
  /** Whether the command can be written to. */
  readonly input: 'open' | 'none';
  /** Settles when the command has ended and all its output has been given to the listener. Never rejects. */
  readonly ended: Promise<BlockEnd>;
  /** To be called once, in the same turn in which the source was made. */
  onData(listener: (bytes: Uint8Array) => void): void;
  /** `closed`: nobody reads what is written. */
  write(text: string): 'written' | 'closed';
  resize(size: ScreenSize): void;
  /** Between the two nothing is read, and the command waits once its pipe is full. */
  pause(): void;
  resume(): void;
  /** The open file that the command's output comes through, for somebody who goes on reading it; `undefined` for none. */
  readonly descriptor: number | undefined;
  /** What the system calls the open file that the command writes to, while it is open here; empty where it does not tell. */
  readonly output: string;
  /** Gives back what is open. */
  close(): void;
}

/** What starts a command in a source of its own. */
export interface SourceRequest {
  readonly shell: string;
  readonly command: string;
  readonly directory: string;
  readonly environment: Record<string, string>;
  readonly size: ScreenSize;
}
