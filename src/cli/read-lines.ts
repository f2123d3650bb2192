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
