import {createInterface} from 'node:readline';
import {note} from '../app/output.ts';
import {InputLines} from '../protocol/rpc/input-lines.ts';

/** Calls `take` with every line of stdin. Settles at its end, and drops lines that are too long. Never rejects. */
export async function readLines(take: (line: string) => void): Promise<void> {
  const lines = new InputLines();
  try {
    for await (const chunk of process.stdin)
      for (const line of lines.push(chunk)) {
        if (line.kind === 'line') take(line.text);
        else note('ignored a line on stdin: it is too long');
      }
  } catch {
    // A broken pipe: there is no more input.
  }
}

/** Yields the lines that the user types on stdin until `signal` aborts. */
export async function* typedLines(signal: AbortSignal): AsyncGenerator<string> {
  const lines = createInterface({input: process.stdin});
  const close = (): void => lines.close();
  signal.addEventListener('abort', close, {once: true});
  try {
    for await (const line of lines) {
      if (signal.aborted) return;
      yield line;
    }
  } finally {
    signal.removeEventListener('abort', close);
    lines.close();
  }
}
