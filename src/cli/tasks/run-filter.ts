import {makeStdoutWriter, type WriteState} from '../../headless/stdout-writer.ts';
import {exitCode, type ExitCode} from '../exit-code.ts';
import {note, stdoutSink} from '../say.ts';
import {readText} from './read-text.ts';

/** Turns text, as it comes, into output. */
export interface Filter {
  /** What `text` adds to the output, in pieces. */
  push(text: string): Iterable<string>;
  /** What the end of the text adds. */
  end(): Iterable<string>;
}

/** Says on stderr what could not be read, and where. */
export type Complain = (position: string, message: string) => void;

/**
 * Runs a filter from a file or stdin to stdout. What comes is written before more is read, so that memory is bounded by a piece
 * and its output. A reader that closes stdout ends it all and is no failure; a complaint makes the exit code 1.
 */
export async function runFilter(
  file: string | undefined,
  makeFilter: (complain: Complain) => Promise<Filter>,
): Promise<ExitCode> {
  const {complain, code} = makeComplaints();
  const filter = await makeFilter(complain);
  const stop = new AbortController();
  const stdout = makeStdoutWriter(stdoutSink('json'), () => stop.abort());
  const write = async (pieces: Iterable<string>): Promise<WriteState> => {
    let length = 0;
    for (const piece of pieces) {
      stdout.write(piece);
      length += piece.length;
      if (length > mostWaiting) {
        // oxlint-disable-next-line no-await-in-loop -- waiting for the reader is the purpose
        const {kind} = await stdout.drained();
        if (kind !== 'open') break;
        length = 0;
      }
    }
    return stdout.drained();
  };
  let state: WriteState = {kind: 'open'};
  for await (const text of readText(file, stop.signal)) {
    state = await write(filter.push(text));
    if (state.kind !== 'open') break;
  }
  if (state.kind === 'open') state = await write(filter.end());
  if (state.kind === 'failed') throw new Error(`Cannot write to stdout: ${state.message}`);
  return code();
}

export function makeComplaints(): {readonly complain: Complain; readonly code: () => ExitCode} {
  let code: ExitCode = exitCode.done;
  return {
    complain(position, message) {
      remark(position, message);
      code = exitCode.failed;
    },
    code: () => code,
  };
}

/** Says on stderr what a reader should know, and where; no failure. */
export const remark = (position: string, message: string): void => {
  note(`${position}: ${message.replaceAll('\n', ' ⏎ ')}`);
};

/** Characters of output that may wait for the reader. */
const mostWaiting = 256 * 1024;
