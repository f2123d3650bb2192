import {openSpillFile, type SpillEnd, type SpillFile} from './spill-file.ts';

/** Every byte a command wrote, as it wrote it: a little in memory, more in a file. */
export interface RawOutput {
  /** Takes the next bytes. A promise means that the disk is behind: go on when it resolves. */
  push(bytes: Uint8Array): Promise<void> | undefined;
  /** From now on there is a file: what is shown of the output is not all of it. Names it; empty where none could be made. */
  spill(): string;
  totalBytes(): number;
  /** Nothing more comes. What is in the file then is all that was written. */
  close(): Promise<SpillEnd>;
}

/** Bytes held before a file is made: progress bars are much output for little text. */
const heldBound = 128 * 1024;

/** `newFile` names the file when it is needed, see `openSpillFile`. */
export function keepRawOutput(newFile: () => string): RawOutput {
  let held: Uint8Array[] = [];
  let total = 0;
  let file: SpillFile | undefined;
  let closed = false;
  let behind: Promise<void> | undefined;

  function open(): SpillFile {
    if (file !== undefined) return file;
    file = openSpillFile(newFile);
    behind = file.write(Buffer.concat(held));
    held = [];
    if (closed) void file.close();
    return file;
  }

  return {
    push(bytes) {
      total += bytes.length;
      if (file === undefined) held.push(bytes);
      else behind = file.write(bytes);
      if (file === undefined && total > heldBound) open();
      const waiting = behind;
      behind = undefined;
      return waiting;
    },
    spill: () => open().path,
    totalBytes: () => total,
    async close() {
      closed = true;
      return file === undefined ? {file: undefined, missing: ''} : file.close();
    },
  };
}
