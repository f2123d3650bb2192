import {closeSync, constants, mkdtempSync, openSync, rmSync} from 'node:fs';
import {Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Readable} from 'node:stream';
import {execa} from 'execa';

/** Where a command writes: both its streams share one pipe, so what it prints arrives in the order it was written. */
export interface OutputPipe {
  readonly reader: Readable;
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
 * scripts do. These are real pipes: named ones in a private folder that goes when weft does, each used again once its run
 * ended cleanly.
 */
export function makeOutputPipes(): OutputPipes {
  let folder: string | undefined;
  let count = 0;
  const free: string[] = [];

  async function makePath(): Promise<string> {
    if (folder === undefined) {
      const created = mkdtempSync(join(tmpdir(), 'weft-'));
      folder = created;
      process.once('exit', () => rmSync(created, {recursive: true, force: true}));
    }
    count += 1;
    const path = join(folder, `pipe-${count}`);
    await execa('mkfifo', ['-m', '600', path], {stdin: 'ignore'});
    return path;
  }

  return {
    async open() {
      const path = free.pop() ?? (await makePath());
      // The reader first and without waiting, or each end would wait for the other.
      const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const writer = openSync(path, constants.O_WRONLY);
      const reader = new Socket({fd: readEnd, readable: true, writable: false});
      let open = true;
      const closeWriter = (): void => {
        if (open) closeSync(writer);
        open = false;
      };
      return {
        reader,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- execa hands any descriptor on, whatever its types say
        writer: writer as Descriptor,
        closeWriter,
        close() {
          closeWriter();
          const ended = reader.readableEnded;
          reader.destroy();
          // A pipe that somebody may still hold must not meet the next run.
          if (ended) free.push(path);
          else rmSync(path, {force: true});
        },
      };
    },
  };
}
