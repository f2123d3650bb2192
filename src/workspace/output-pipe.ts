import {closeSync, constants, existsSync, mkdtempSync, openSync, rmSync} from 'node:fs';
import {Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Readable} from 'node:stream';
import {execa} from 'execa';
import {openFileName} from './process-table.ts';

/** Where a command writes: both its streams share one pipe, so what it prints arrives in the order it was written. */
export interface OutputPipe {
  readonly reader: Readable;
  /** What `reader` reads, for somebody who goes on reading it. */
  readonly descriptor: number;
  /** What the system calls it, and nothing else; empty where it does not tell. */
  readonly name: string;
  /** The descriptor to hand to the child. */
  readonly writer: Descriptor;
  /** To be called once the child has its copy: the reader ends when the last writer is gone. */
  closeWriter(): void;
  /** To be called once when the run is over. */
  close(): void;
}

/** Any number that names an open file; execa's types know the small ones only. */
export type Descriptor = 3 | 4 | 5 | 6 | 7 | 8 | 9;

export interface OutputPipes {
  /** Throws when the system has no room for a pipe. */
  open(): Promise<OutputPipe>;
}

/**
 * Node gives a child sockets where others give pipes, and on Linux a socket cannot be opened again through /dev/stderr, as
 * scripts do. These are real pipes, each used again once its run ended cleanly.
 */
export function makeOutputPipes(): OutputPipes {
  const free: NamedPipe[] = [];
  return {
    async open() {
      const named = free.pop() ?? (await makeNamedPipe());
      // The reader first and without waiting, or each end would wait for the other.
      const readEnd = openSync(named.path, constants.O_RDONLY | constants.O_NONBLOCK);
      const writer = openSync(named.path, constants.O_WRONLY);
      const reader = new Socket({fd: readEnd, readable: true, writable: false});
      let open = true;
      const closeWriter = (): void => {
        if (open) closeSync(writer);
        open = false;
      };
      return {
        reader,
        descriptor: readEnd,
        name: openFileName(readEnd),
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- execa hands any descriptor on, whatever its types say
        writer: writer as Descriptor,
        closeWriter,
        close() {
          closeWriter();
          const ended = reader.readableEnded;
          reader.destroy();
          // A pipe that somebody may still hold must not meet the next run.
          if (ended) free.push(named);
          else named.forget();
        },
      };
    },
  };
}

interface NamedPipe {
  /** Opens it anew each time. */
  readonly path: string;
  forget(): void;
}

/** Where an open file has a name of its own the pipe's other name goes at once; elsewhere when weft ends. */
async function makeNamedPipe(): Promise<NamedPipe> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-'));
  const remove = (): void => rmSync(folder, {recursive: true, force: true});
  const path = join(folder, 'pipe');
  try {
    await execa('mkfifo', ['-m', '600', path], {stdin: 'ignore'});
    if (existsSync('/proc/self/fd')) {
      const keeper = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      remove();
      return {path: `/proc/self/fd/${keeper}`, forget: () => closeSync(keeper)};
    }
  } catch (cause) {
    remove();
    throw cause;
  }
  process.once('exit', remove);
  return {
    path,
    forget() {
      process.off('exit', remove);
      remove();
    },
  };
}
