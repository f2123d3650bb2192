import {fstatSync} from 'node:fs';
import {isatty} from 'node:tty';
import {UsageError} from './usage-error.ts';

/** How long an open pipe may stay silent when there is a prompt without it, in milliseconds. */
const silenceMs = 1500;
const mostBytes = 8 * 1024 * 1024;

/**
 * What was piped in, decoded as UTF-8; empty for a terminal, a device or nothing. `until: 'first-silence'` gives up when
 * nothing at all arrives for a while (an inherited pipe that nobody writes to) and says so through `note`; once something has
 * arrived, it is read to its end.
 */
export async function readStdin(
  stdin: NodeJS.ReadStream,
  {until, note}: {readonly until: 'end' | 'first-silence'; readonly note: (line: string) => void},
): Promise<string> {
  if (!carriesData(0)) return '';
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer =
    until === 'first-silence'
      ? setTimeout(() => {
          note(`nothing arrived on stdin within ${silenceMs / 1000} s; going on without it`);
          stdin.destroy();
        }, silenceMs)
      : undefined;
  try {
    for await (const chunk of stdin) {
      clearTimeout(timer);
      const piece: Buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      bytes += piece.length;
      if (bytes > mostBytes) {
        throw new UsageError(
          `stdin has more than ${mostBytes / 1024 / 1024} MB. Give a file's name in the prompt instead.`,
        );
      }
      chunks.push(piece);
    }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    // A destroyed or broken stream ends the reading; what came before it counts.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Pipes, sockets and files carry data; terminals and devices such as /dev/null do not. */
function carriesData(fd: number): boolean {
  try {
    return !isatty(fd) && !fstatSync(fd).isCharacterDevice();
  } catch {
    return false;
  }
}

/** A prompt with what was piped in beside it, marked so that the model can tell them apart. */
export function joinPrompt(prompt: string, piped: string): string {
  if (piped.trim() === '') return prompt;
  return prompt === '' ? piped : `${prompt}\n\n<stdin>\n${piped.replace(/\n$/u, '')}\n</stdin>`;
}
