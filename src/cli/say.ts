import {once} from 'node:events';
import {visibleJson, visibleText} from '../base/visible.ts';
import type {TextSink} from '../headless/stdout-writer.ts';

/**
 * What weft writes to stdout and stderr, but for the terminal UI, which has the terminal to itself. Answers, names of files and
 * settings may hold bytes that steer a terminal: one that shows stdout gets them as visible escapes, while a pipe and a file get
 * every byte as it is. Stderr is for people, also where it is a pipe: what is written there is always visible.
 */

/** JSON stays the same value on a terminal; text is changed. */
export type OutputForm = 'text' | 'json';

/** Writes what was asked for: text for people. */
export const print = (text: string): void => void process.stdout.write(onStdout(text, 'text'));

/** Writes what was asked for: JSON, with the line feed at its end. */
export const printJson = (text: string): void => void process.stdout.write(onStdout(text, 'json'));

/** Writes what was asked for and waits for a slow reader; one that is gone needs no more. */
export async function printAndWait(text: string, form: OutputForm): Promise<void> {
  const {stdout} = process;
  if (stdout.write(onStdout(text, form)) || stdout.destroyed) return;
  await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]);
}

export const isStdoutGone = (): boolean => process.stdout.destroyed;

/** Writes to stderr: several lines, with the line feed at their end, or a question without one. */
export const printError = (text: string): void => void process.stderr.write(visibleText(text));

/** Writes JSON to stderr, with the line feed at its end. */
export const printErrorJson = (text: string): void => void process.stderr.write(visibleJson(text));

/** Tells the user one line on stderr. */
export const note = (line: string): void => printError(`weft: ${line}\n`);

/** Cells of the terminal that shows stdout. */
export const stdoutWidth = (): number | undefined => process.stdout.columns;

export const isStdoutTerminal = (): boolean => process.stdout.isTTY;

/** What was written to a pipe may still be on its way: a slow reader gets all of it. A reader that is gone ends the wait. */
export const stdoutFlushed = (): Promise<void> =>
  new Promise(resolve => {
    const {stdout} = process;
    if (stdout.destroyed || stdout.writableLength === 0) resolve();
    else stdout.write('', () => resolve());
  });

/** `weft … | head -1` closes our stdout: that is the reader's choice and no failure. Stderr is not waited for. */
export function onStdoutFailure(fail: () => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') fail();
  });
  process.stderr.on('error', () => {});
}

/** Stdout for what comes in pieces, which may end within a character. */
export function stdoutSink(form: OutputForm): TextSink {
  const {stdout} = process;
  if (!isStdoutTerminal()) return stdout;
  let held = '';
  return {
    write(piece, done) {
      const text = held + piece;
      held = /[\r\uD800-\uDBFF]$/u.exec(text)?.[0] ?? '';
      return stdout.write(onStdout(text.slice(0, text.length - held.length), form), done);
    },
  };
}

const onStdout = (text: string, form: OutputForm): string => {
  if (!isStdoutTerminal()) return text;
  return form === 'json' ? visibleJson(text) : visibleText(text);
};
