import type {BoundedOutput} from '../actions/ports.ts';
import {makeBoundedText} from './bounded-text.ts';
import {openSpillFile, type SpillFile} from './spill-file.ts';
import {makeTerminalText} from './terminal-text.ts';

/** UTF-16 units of a command's output that are kept as text. */
export const outputBound = 30_000;

/** Raw bytes held before a file is made: progress bars are much output for little text. */
const heldBound = 128 * 1024;

export interface OutputCollector {
  /** Takes the next bytes. A promise means that the disk is behind: read on when it resolves. */
  push(bytes: Uint8Array): Promise<void> | undefined;
  finish(): Promise<BoundedOutput>;
}

/**
 * Collects the output of a command in bounded memory: plain text with head and tail, and once that is not all of it, the raw
 * bytes in the file that `newFile` names then. `observe` gets the plain text as it comes.
 */
export function collectOutput(options: {
  readonly newFile: () => string;
  readonly observe: (text: string) => void;
}): OutputCollector {
  const decoder = new TextDecoder('utf-8', {ignoreBOM: true});
  const terminal = makeTerminalText();
  const bounded = makeBoundedText(outputBound);
  let held: Uint8Array[] = [];
  let total = 0;
  let spill: SpillFile | undefined;

  function take(decoded: string): void {
    if (decoded === '') return;
    const {settled, live} = terminal.push(decoded);
    bounded.add(settled);
    if (live !== '') options.observe(live);
  }

  function keep(bytes: Uint8Array): Promise<void> | undefined {
    if (spill !== undefined) return spill.write(bytes);
    held.push(bytes);
    if (!bounded.overflowed && total <= heldBound) return undefined;
    spill = openSpillFile(options.newFile);
    const waiting = spill.write(Buffer.concat(held));
    held = [];
    return waiting;
  }

  return {
    push(bytes) {
      total += bytes.length;
      take(decoder.decode(bytes, {stream: true}));
      return keep(bytes);
    },
    async finish() {
      take(decoder.decode());
      bounded.add(terminal.end());
      if (bounded.overflowed) await keep(new Uint8Array());
      const end = spill === undefined ? {file: undefined, missing: ''} : await spill.close();
      return {text: bounded.text(end.missing), totalBytes: total, file: end.file};
    },
  };
}
