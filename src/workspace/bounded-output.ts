import type {BoundedOutput} from '../actions/ports.ts';
import {makeBoundedText} from './bounded-text.ts';
import {keepRawOutput} from './raw-output.ts';
import {makeTerminalText} from './terminal-text.ts';

/** UTF-16 units of a command's output that are kept as text. */
export const outputBound = 30_000;

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
  const raw = keepRawOutput(options.newFile);

  function take(decoded: string): void {
    if (decoded === '') return;
    const {settled, live} = terminal.push(decoded);
    bounded.add(settled);
    if (live !== '') options.observe(live);
  }

  return {
    push(bytes) {
      take(decoder.decode(bytes, {stream: true}));
      if (bounded.overflowed) raw.spill();
      return raw.push(bytes);
    },
    async finish() {
      take(decoder.decode());
      bounded.add(terminal.end());
      if (bounded.overflowed) raw.spill();
      const end = await raw.close();
      return {
        text: bounded.text(end.missing),
        totalBytes: raw.totalBytes(),
        leftOutLines: bounded.leftOutLines(),
        file: end.file,
      };
    },
  };
}
