import {createWriteStream, type WriteStream} from 'node:fs';
import {causeText} from '../domain/fault.ts';

/** A file that takes the whole of a long output. */
export interface SpillFile {
  /** Empty where none could be made. */
  readonly path: string;
  /** A promise when the disk is behind: wait for it before writing more. */
  write(bytes: Uint8Array): Promise<void> | undefined;
  close(): Promise<SpillEnd>;
}

/** `missing` says why the file does not hold everything; empty when it does. */
export interface SpillEnd {
  readonly file: string | undefined;
  readonly missing: string;
}

/** Bytes after which a file takes no more: a command that never stops must not fill the disk. */
const largestSpill = 512 * 1024 * 1024;

/**
 * Creates the file that `newFile` names (which must not exist; it may throw), readable by the owner only. Trouble with the disk
 * is no failure: see `close`.
 */
export function openSpillFile(newFile: () => string, largest = largestSpill): SpillFile {
  let path = '';
  let room = largest;
  let trouble = '';
  let behind: PromiseWithResolvers<void> | undefined;
  const stream = open();

  function open(): WriteStream | undefined {
    try {
      path = newFile();
    } catch (cause) {
      trouble = causeText(cause);
      return undefined;
    }
    const opened = createWriteStream(path, {flags: 'wx', mode: 0o600, highWaterMark: 1024 * 1024});
    opened.on('error', cause => {
      trouble = cause.message;
      proceed();
    });
    opened.on('drain', proceed);
    return opened;
  }

  function proceed(): void {
    behind?.resolve();
    behind = undefined;
  }

  return {
    path,
    write(bytes) {
      if (stream === undefined || trouble !== '' || room === 0) return undefined;
      const kept = bytes.length > room ? bytes.subarray(0, room) : bytes;
      room -= kept.length;
      if (stream.write(kept)) return undefined;
      behind ??= Promise.withResolvers<void>();
      return behind.promise;
    },
    async close() {
      if (stream === undefined) return {file: undefined, missing: `it could not be kept: ${trouble}`};
      if (!stream.destroyed) {
        const closed = Promise.withResolvers<void>();
        stream.once('close', closed.resolve);
        stream.end();
        await closed.promise;
      }
      if (trouble !== '') return {file: undefined, missing: `it could not be kept: ${trouble}`};
      return {file: path, missing: room === 0 ? `the file ends after ${largest} bytes` : ''};
    },
  };
}
