import {createReadStream, fstatSync} from 'node:fs';
import {causeText} from '../../domain/fault.ts';
import {note} from '../say.ts';

/**
 * The text of a file, or of stdin where there is none or it is `-`, in pieces as they come; UTF-8, without its byte order mark.
 * What cannot be opened or read is an error that names it. An abort ends the reading, without an error.
 */
export async function* readText(file: string | undefined, signal: AbortSignal): AsyncGenerator<string> {
  const fromStdin = isStdin(file);
  if (fromStdin && process.stdin.isTTY) {
    note('reading from the terminal; Ctrl+D ends it');
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

/** Node reads nothing from a folder, and says nothing of it. */
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
