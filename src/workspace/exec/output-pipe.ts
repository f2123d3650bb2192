import {closeSync, constants, existsSync, mkdtempSync, openSync, rmSync} from 'node:fs';
import {Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Readable} from 'node:stream';
import {openFileName} from './process-table.ts';

/** The pipe that a command writes to. stdout and stderr share it, so output arrives in the order in which it was written. */
export interface OutputPipe {
  readonly reader: Readable;
  /** The open file that `reader` reads, for a process that continues reading after weft has ended. */
  readonly descriptor: number;
  /** The system's unique name for this pipe; empty if the system does not report one. */
  readonly name: string;
  readonly writer: Descriptor;
  /** Call this once the child has its copy: the reader ends when the last writer is gone. */
  closeWriter(): void;
  /** Call this once when the run is over. */
  close(): void;
}

/** The number of an open file. execa's types accept only small ones. */
export type Descriptor = 3 | 4 | 5 | 6 | 7 | 8 | 9;

export interface OutputPipes {
  /** Throws if the system can't open another pipe. */
  open(): Promise<OutputPipe>;
  /** Closes the unused pipes. A pipe in use is closed with its run. */
  close(): void;
}

/**
 * Makes named pipes for the output of commands. Node would give a child sockets, and on Linux a script can't reopen a
 * socket through /dev/stderr. A pipe is reused after its run has ended cleanly.
 */
export function makeOutputPipes(): OutputPipes {
  const free: NamedPipe[] = [];
  let isClosed = false;
  return {
    close() {
      isClosed = true;
      for (const named of free.splice(0)) named.forget();
    },
    async open() {
      const named = free.pop() ?? (await makeNamedPipe());
      // Open the reading end first and without blocking. Otherwise each end would wait for the other.
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
          // Don't reuse a pipe that a process may still have open.
          if (ended && !isClosed) free.push(named);
          else named.forget();
        },
      };
    },
  };
}

interface NamedPipe {
  /** Opening this path returns a new descriptor of the same pipe. */
  readonly path: string;
  forget(): void;
}

/** Makes a named pipe. With /proc its file is removed at once, otherwise when weft ends. */
async function makeNamedPipe(): Promise<NamedPipe> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-'));
  const remove = (): void => rmSync(folder, {recursive: true, force: true});
  const path = join(folder, 'pipe');
  try {
    const {execa} = await import('execa');
    await execa('mkfifo', ['-m', '600', path], {stdin: 'ignore'});
    if (existsSync('/proc/self/fd')) {
      const holder = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      remove();
      return {path: `/proc/self/fd/${holder}`, forget: () => closeSync(holder)};
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
