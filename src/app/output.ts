import {once} from 'node:events';
import {appendFileSync} from 'node:fs';
import type {AgentEvent} from '../actions/agent-event.ts';
import type {AgentClient} from '../agent/client.ts';
import {visibleJson, visibleText} from '../base/visible.ts';
import type {MainOptions} from './main-options.ts';
import type {TextSink} from '../headless/stdout-writer.ts';

/**
 * Output to stdout and stderr, except for the terminal UI. Answers, file names and settings may contain bytes that control a terminal.
 * On a terminal, stdout shows them as visible escapes; a pipe or a file gets every byte unchanged. Stderr is for people, even in a pipe,
 * so there they are always visible escapes.
 */

/** How control characters become visible on a terminal: JSON keeps its value, plain text is changed. */
type OutputForm = 'text' | 'json';

/** Writes text for people to stdout. */
export const print = (text: string): void => void process.stdout.write(onStdout(text, 'text'));

/** Writes JSON that ends in a line feed to stdout. */
export const printJson = (text: string): void => void process.stdout.write(onStdout(text, 'json'));

/** Writes to stdout and waits for a slow reader, unless the reader is gone. A pipe gets the bytes of a buffer unchanged. */
export async function printAndWait(text: string | Buffer, form: OutputForm): Promise<void> {
  const {stdout} = process;
  const shown = typeof text === 'string' || isStdoutTerminal() ? onStdout(text.toString(), form) : text;
  if (stdout.write(shown) || stdout.destroyed) return;
  await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]);
}

export const isStdoutGone = (): boolean => process.stdout.destroyed;

/** Writes text for people to stderr: lines with line feeds, or a question without one. */
export const printError = (text: string): void => void process.stderr.write(visibleText(text));

/** Writes JSON that ends in a line feed to stderr. */
const printErrorJson = (text: string): void => void process.stderr.write(visibleJson(text));

/** Writes one line for the user to stderr. */
export const note = (line: string): void => printError(`${broken(`weft: ${line}`, widthOf(process.stderr))}\n`);

const widthOf = ({columns}: NodeJS.WriteStream): number | undefined => (columns === 0 ? 80 : columns);

/** Returns the width of the terminal of stdout, in cells; `undefined` if stdout is not a terminal. */
export const stdoutWidth = (): number | undefined => widthOf(process.stdout);

/** Prints a row of a list. */
export const printRow = (row: string): void => print(`${broken(row, stdoutWidth())}\n`);

/** In a terminal, breaks long lines at spaces, never inside a word, and indents their further lines. */
const broken = (text: string, width: number | undefined): string =>
  width === undefined
    ? text
    : text
        .split('\n')
        .flatMap(line => brokenAt(line, width - 1))
        .join('\n');

function brokenAt(line: string, width: number): readonly string[] {
  const indent = `${/^ */u.exec(line)?.[0] ?? ''}    `;
  const lines: string[] = [];
  let rest = line;
  for (;;) {
    const last = rest.lastIndexOf(' ', width);
    const end = last > indent.length ? last : rest.indexOf(' ', indent.length + 1);
    if (rest.length <= width || end < 0) return [...lines, rest];
    lines.push(rest.slice(0, end).trimEnd());
    rest = indent + rest.slice(end).trimStart();
  }
}

export const isStdoutTerminal = (): boolean => process.stdout.isTTY;

/** Settles when a reader, however slow, has received everything written to stdout, or when the reader is gone. */
export const stdoutFlushed = (): Promise<void> =>
  new Promise(resolve => {
    const {stdout} = process;
    if (stdout.destroyed || stdout.writableLength === 0) resolve();
    else stdout.write('', () => resolve());
  });

/** Calls `fail` if writing to stdout fails. A reader that closes it (`weft … | head -1`) is not a failure. Ignores errors of stderr. */
export function onStdoutFailure(fail: () => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') fail();
  });
  process.stderr.on('error', () => {});
}

/** Returns stdout for text in chunks, which may end in the middle of a character. */
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

/** Asks a question on stderr. The end of stdin means no. */
export const askYesNo = async (question: string): Promise<boolean> =>
  /^\s*y(?:es)?\s*$/iu.test(await askLine(question));

/** Asks a question on stderr and reads one line from stdin. The end of stdin is an empty answer. */
export async function askLine(question: string): Promise<string> {
  printError(question);
  // The next question reads from the same stream.
  for await (const chunk of process.stdin.iterator({destroyOnReturn: false})) {
    process.stdin.pause();
    return String(chunk);
  }
  return '';
}

/** Implements `--debug`, `--debug=FILE` and WEFT_LOG: writes each engine event except deltas to stderr or a file, as a line of JSON with its time. */
export function logEvents(engine: AgentClient, {debug, debugFile}: Pick<MainOptions, 'debug' | 'debugFile'>): void {
  const file = debugFile ?? (process.env['WEFT_LOG'] || undefined);
  if (debug === undefined && file === undefined) return;
  const write = (line: string): void => {
    if (file === undefined) printErrorJson(line);
    else appendFileSync(file, line, {mode: 0o600});
  };
  engine.subscribe(events => {
    for (const event of events) {
      if (!isDelta(event)) write(`${JSON.stringify({time: new Date().toISOString(), ...event})}\n`);
    }
  });
}

const isDelta = ({event}: AgentEvent): boolean => event === 'block-delta' || event === 'action-output';

/** Breaks a line for stdout between words, at the width of the terminal. Lines for programs stay whole. */
export function wrapped(text: string, indent: string): string {
  const width = process.stdout.isTTY ? process.stdout.columns : Infinity;
  let column = indent.length;
  const words = text.split(' ').map((word, at) => {
    const isNext = at > 0 && column + 1 + word.length < width;
    column = (isNext ? column + 1 : indent.length) + word.length;
    return at === 0 ? word : isNext ? ` ${word}` : `\n${indent}${word}`;
  });
  return words.join('');
}
