import {once} from 'node:events';
import {appendFileSync} from 'node:fs';
import type {AgentEvent} from '../actions/agent-event.ts';
import type {AgentClient} from '../agent/client.ts';
import {visibleJson, visibleText} from '../base/visible.ts';
import type {MainOptions} from './main-options.ts';
import type {TextSink} from '../headless/stdout-writer.ts';

/**
 * What weft writes to stdout and stderr, but for the terminal UI, which has the terminal to itself. Answers, names of files and
 * settings may hold bytes that steer a terminal: one that shows stdout gets them as visible escapes, while a pipe and a file get
 * every byte as it is. Stderr is for people, also where it is a pipe: what is written there is always visible.
 */

/** How text is made visible on a terminal: JSON keeps its value, text for people is changed. */
type OutputForm = 'text' | 'json';

/** Writes text for people to stdout. */
export const print = (text: string): void => void process.stdout.write(onStdout(text, 'text'));

/** Writes JSON, which ends in a line feed, to stdout. */
export const printJson = (text: string): void => void process.stdout.write(onStdout(text, 'json'));

/** Writes to stdout and waits for a slow reader. A reader that is gone is not waited for. */
export async function printAndWait(text: string, form: OutputForm): Promise<void> {
  const {stdout} = process;
  if (stdout.write(onStdout(text, form)) || stdout.destroyed) return;
  await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]);
}

export const isStdoutGone = (): boolean => process.stdout.destroyed;

/** Writes text for people to stderr: lines with their line feeds, or a question without one. */
export const printError = (text: string): void => void process.stderr.write(visibleText(text));

/** Writes JSON, which ends in a line feed, to stderr. */
const printErrorJson = (text: string): void => void process.stderr.write(visibleJson(text));

/** Writes one line for the user to stderr. */
export const note = (line: string): void => printError(`weft: ${line}\n`);

/** The width in cells of the terminal that shows stdout; `undefined` where stdout is no terminal. */
export const stdoutWidth = (): number | undefined => process.stdout.columns;

export const isStdoutTerminal = (): boolean => process.stdout.isTTY;

/** Settles when everything written to stdout has reached the reader, however slow it is, or when the reader is gone. */
export const stdoutFlushed = (): Promise<void> =>
  new Promise(resolve => {
    const {stdout} = process;
    if (stdout.destroyed || stdout.writableLength === 0) resolve();
    else stdout.write('', () => resolve());
  });

/** Calls `fail` when stdout cannot be written. A reader that closes it (`weft … | head -1`) is no failure. Errors of stderr are ignored. */
export function onStdoutFailure(fail: () => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') fail();
  });
  process.stderr.on('error', () => {});
}

/** Stdout for text that is written in parts, which may end in the middle of a character. */
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

/** Asks a question on stderr and reads one line from stdin. The end of stdin is a no. */
export async function askYesNo(question: string): Promise<boolean> {
  printError(question);
  for await (const chunk of process.stdin) return /^\s*y(?:es)?\s*$/iu.test(String(chunk));
  return false;
}

/** Implements `--debug` and `--debug-file`: writes every event of the engine but deltas to stderr or `file`, as a line of JSON with its time. */
export function logEvents(
  engine: AgentClient,
  {debug, debugFile: file}: Pick<MainOptions, 'debug' | 'debugFile'>,
): void {
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
