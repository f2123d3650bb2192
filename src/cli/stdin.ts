import {createReadStream, fstatSync} from 'node:fs';
import {StringDecoder} from 'node:string_decoder';
import {tryOr} from '../base/outcome.ts';
import {causeText} from '../domain/fault.ts';
import {UsageError} from '../app/exit-code.ts';
import {note} from '../app/output.ts';

/** Milliseconds to wait for the first data on an open pipe if there is also a prompt. */
const silenceMs = 1500;
const maxBytes = 8 * 1024 * 1024;

/**
 * Returns the text piped into stdin, decoded as UTF-8. Empty for a terminal or a device, or if stdin is closed. With `first-silence`
 * it gives up with a notice if nothing arrives for `silenceMs`, as on an inherited pipe without a writer. Once data has arrived, it
 * reads to the end.
 */
export async function readStdin(until: 'end' | 'first-silence'): Promise<string> {
  // Check the descriptor first: accessing `process.stdin` already opens a stream.
  if (!carriesData(0)) return '';
  const {stdin} = process;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer =
    until === 'first-silence'
      ? setTimeout(() => {
          note(`no input on stdin for ${silenceMs / 1000} s, continuing without it`);
          stdin.destroy();
        }, silenceMs)
      : undefined;
  try {
    for await (const chunk of stdin) {
      clearTimeout(timer);
      const piece: Buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      bytes += piece.length;
      if (bytes > maxBytes) {
        throw new UsageError(`stdin is larger than ${maxBytes / 1024 / 1024} MB. Name a file in the prompt instead.`);
      }
      chunks.push(piece);
    }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    // A destroyed or broken stream ends the input. The text received so far counts.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** True for pipes, sockets and files; false for terminals and devices such as /dev/null. */
const carriesData = (fd: number): boolean => tryOr(() => !fstatSync(fd).isCharacterDevice(), false);

/**
 * Yields the text of a file in chunks as they arrive: UTF-8, without the byte order mark. Reads stdin if `file` is `-` or missing.
 * Throws an error that names the file if it can't be opened or read. An abort ends the text without an error.
 */
export async function* readText(file: string | undefined, signal: AbortSignal): AsyncGenerator<string> {
  const fromStdin = isStdin(file);
  if (fromStdin && process.stdin.isTTY) {
    note('reading from the terminal, press Ctrl+D to end');
  }
  if (fromStdin && isFolder(0)) throw new Error("Can't read stdin: it is a folder");
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
    if (!signal.aborted) throw new Error(`Can't read ${fromStdin ? 'stdin' : file}: ${causeText(cause)}`, {cause});
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** True if the descriptor is a folder, from which Node would read nothing. Something may have closed it before weft started. */
const isFolder = (descriptor: number): boolean => tryOr(() => fstatSync(descriptor).isDirectory(), false);

export const isStdin = (file: string | undefined): file is undefined | '-' => file === undefined || file === '-';

const byteOrderMark = '\uFEFF';

/** The maximum number of characters of one line. The rest of a longer line is dropped, so it is not valid JSON. */
const longestLine = 16 * 1024 * 1024;

/** Yields the lines of a stream as they arrive, numbered from 1. Only line feeds end a line; the last line needs none. */
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
