import {setImmediate as nextTurn} from 'node:timers/promises';
import {makeTaskLog} from '../../../tasks/task-log.ts';
import {todosOf} from '../../../tasks/task-view.ts';
import {watchTodos, type TodoWatch} from '../../../tui/watch-todos.tsx';
import {exitCode, type ExitCode} from '../../../app/exit-code.ts';
import {onSignal} from '../../signals.ts';
import {lookOf} from '../../run-terminal.ts';
import {isStdin, readText} from '../../stdin.ts';
import {makeComplaints, taskFilter} from './task-filter.ts';

/**
 * Shows the list on the terminal until the input ends. Reports invalid input afterwards, because stderr is usually the same terminal and
 * a line in the middle of the panel would break it.
 */
export async function watchPanel(file: string | undefined): Promise<ExitCode> {
  const {signal, stopped, release} = watchSignals();
  const held: (readonly [position: string, message: string])[] = [];
  let more = 0;
  // Open the panel at once for a pipe, which may be silent for a while. For a file, wait until it can be read.
  let panel: TodoWatch | undefined = isStdin(file) ? openPanel() : undefined;
  const log = makeTaskLog();
  const filter = taskFilter({
    input: 'auto',
    complain(position, message) {
      if (held.length < maxHeld) held.push([position, message]);
      else more += 1;
    },
    onEvent(event) {
      log.applyEvent(event);
      return '';
    },
    onPayload(payload) {
      log.applyPayload(payload);
      return '';
    },
    onEnd: () => '',
  });
  try {
    for await (const text of readText(file, signal)) {
      panel ??= openPanel();
      run(filter.push(text));
      panel.show(todosOf(log.view));
    }
    if (!signal.aborted) run(filter.end());
    panel?.show(todosOf(log.view));
  } finally {
    await panel?.close();
    await signalsHeard();
    release();
  }
  const {complain, code} = makeComplaints();
  for (const [position, message] of held) complain(position, message);
  if (more > 0) complain('and', `${more} more lines`);
  return stopped() ?? code();
}

/**
 * Waits until Node has delivered pending signals. Ctrl+C ends the whole pipeline, so the end of the input may arrive before the signal.
 * Node delivers signals when it polls for input, between two turns of its loop.
 */
async function signalsHeard(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** The maximum number of invalid lines that are reported at the end; more are only counted. */
const maxHeld = 100;

const openPanel = (): TodoWatch =>
  watchTodos({stdin: process.stdin, stdout: process.stdout, look: lookOf(process.env, {color: true, theme: 'auto'})});

function run(pieces: Iterable<string>): void {
  for (const _ of pieces);
}

interface SignalWatch {
  /** Aborted by a signal, or if the terminal is gone. */
  readonly signal: AbortSignal;
  readonly stopped: () => ExitCode | undefined;
  readonly release: () => void;
}

function watchSignals(): SignalWatch {
  const stop = new AbortController();
  let code: ExitCode | undefined;
  const stopAs = (as: ExitCode) => (): void => {
    code ??= as;
    stop.abort();
  };
  const handlers = [
    ['SIGINT', stopAs(exitCode.interrupted)],
    ['SIGTERM', stopAs(exitCode.terminated)],
    ['SIGHUP', stopAs(exitCode.terminated)],
  ] as const;
  for (const [name, handler] of handlers) onSignal(name, handler);
  process.stdout.once('error', stopAs(exitCode.done));
  return {
    signal: stop.signal,
    stopped: () => code,
    release() {
      for (const [name, handler] of handlers) process.off(name, handler);
    },
  };
}
