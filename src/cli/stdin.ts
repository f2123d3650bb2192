import {createReadStream, fstatSync} from 'node:fs';
import {StringDecoder} from 'node:string_decoder';
import {tryOr} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import {UsageError} from '../app/exit-code.ts';
import {note} from '../app/output.ts';

/** How long an open pipe may stay silent when there is a prompt without it, in milliseconds. */
const silenceMs = 1500;
const maxBytes = 8 * 1024 * 1024;

/**
 * What was piped in, decoded as UTF-8; empty for a terminal, a device or nothing. `until: 'first-silence'` gives up when
 * nothing at all arrives for a while (an inherited pipe that nobody writes to) and says so through `note`; once something has
 * arrived, it is read to its end.
 */
export async function readStdin(until: 'end' | 'first-silence'): Promise<string> {
  // To look at `process.stdin` makes a stream of it.
  if (!carriesData(0)) return '';
  const {stdin} = process;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer =
    until === 'first-silence'
      ? setTimeout(() => {
          note(`nothing on stdin for ${silenceMs / 1000} s; continuing without it`);
          stdin.destroy();
        }, silenceMs)
      : undefined;
  try {
    for await (const chunk of stdin) {
      clearTimeout(timer);
      const piece: Buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      bytes += piece.length;
      if (bytes > maxBytes) {
        throw new UsageError(`stdin has more than ${maxBytes / 1024 / 1024} MB. Name a file in the prompt instead.`);
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
const carriesData = (fd: number): boolean => tryOr(() => !fstatSync(fd).isCharacterDevice(), false);

/** Joins a prompt and the text piped in beside it, marked so that the model can tell them apart. */
export function joinPrompt(prompt: string, piped: string): string {
  if (piped.trim() === '') return prompt;
  return prompt === '' ? piped : `${prompt}\n\n<stdin>\n${piped.replace(/\n$/u, '')}\n</stdin>`;
}

/**
 * The text of a file, or of stdin where there is none or it is `-`, in pieces as they come; UTF-8, without its byte order mark.
 * What cannot be opened or read is an error that names it. An abort ends the reading, without an error.
 */
export async function* readText(file: string | undefined, signal: AbortSignal): AsyncGenerator<string> {
  const fromStdin = isStdin(file);
  if (fromStdin && process.stdin.isTTY) {
    note('reading from the terminal · Ctrl+D to end');
  }
  if (fromStdin && isFolder(0)) throw new Error('Cannot read stdin: it is a folder');
  const source: NodeJS.ReadableStream & {destroy(): unknown} = fromStdin ? process.stdin : createReadStream(file);
  const stop = (): void => void source.destroy();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  source.setEncoding('utf8');
  let start = true;
  try {
    for await (const piece of source) {
      const text = String(piece);
      yield start && text.startsWith(byteOrderMark) ? text.slice(1) : text;
      start = false;
    }
  } catch (cause) {
    if (!signal.aborted) throw new Error(`Cannot read ${fromStdin ? 'stdin' : file}: ${causeText(cause)}`, {cause});
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Whether the descriptor is a folder, from which Node reads nothing without an error. */
function isFolder(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isDirectory();
  } catch {
    // Closed before weft began: there is nothing to read.
    return false;
  }
}

export const isStdin = (file: string | undefined): file is undefined | '-' => file === undefined || file === '-';

const byteOrderMark = '\uFEFF';

/** Characters of one line. Of a longer one only the beginning is kept, which then is no JSON. */
const longestLine = 16 * 1024 * 1024;

/** The lines of a stream as they arrive, numbered from 1. Only line feeds end a line; the last line needs none. */
export async function* eachLine(
  stream: NodeJS.ReadableStream,
): AsyncGenerator<{readonly line: string; readonly number: number}> {
  const decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let kept = 0;
  let number = 1;
  const keep = (piece: string): void => {
    if (kept < longestLine) pieces.push(piece.slice(0, longestLine - kept));
    kept += piece.length;
  };
  const take = (): {readonly line: string; readonly number: number} => {
    const line = pieces.join('');
    pieces = [];
    kept = 0;
    return {line, number: number++};
  };
  for await (const chunk of stream) {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      keep(text.slice(from, end));
      from = end + 1;
      yield take();
    }
    keep(text.slice(from));
  }
  keep(decoder.end());
  if (kept > 0) yield take();
}
