import {watchTerminalEnd} from '../terminal/terminal-output.ts';
import type {TuiExit, TuiOptions} from '../options.ts';
import {loadPromptHistory} from '../editor/prompt-history.ts';
import {ScreenReaderSession} from './screen-reader-session.ts';
import {LineKeyReader} from './line-input.ts';
import type {AppendOnlyTerminalOptions} from './append-only-terminal.ts';

export interface AccessibleOptions extends TuiOptions {
  readonly echo: AppendOnlyTerminalOptions['echo'];
}

/** The maximum number of bytes that may be buffered for the terminal before the engine has to wait. */
const maxBufferedBytes = 1024 * 1024;

/**
 * Runs screen-reader mode: a conversation in lines, for screen readers, braille displays and terminals that cannot move their cursor.
 * Text is only ever appended. Ink's screen-reader mode (`isScreenReaderEnabled`) is unsuitable: it erases and rewrites all text with
 * every change, so a screen reader starts over. Input is read key by key, because it matters when the user began a line.
 * The caller closes the engine.
 */
export async function runAccessible(options: AccessibleOptions, signal: AbortSignal): Promise<TuiExit> {
  const {stdin, stdout, engine} = options;
  const {promise: left, resolve: leave} = Promise.withResolvers<TuiExit>();
  const unwatch = watchTerminalEnd({stdin, stdout, signal}, () => leave({kind: 'left'}));
  stdin.setRawMode(true);
  options.restorer.keep('');
  const write = (text: string): void => {
    if (text !== '') stdout.write(text);
  };
  const reader = new LineKeyReader();
  const decoder = new TextDecoder();
  const onData = (chunk: Buffer | string): void => {
    session.press(reader.read(typeof chunk === 'string' ? chunk : decoder.decode(chunk, {stream: true})));
  };
  async function showLateNotices(): Promise<void> {
    for await (const notice of options.lateNotices()) {
      if (signal.aborted) return;
      session.warn(notice);
    }
  }

  const stop = (how: 'stops' | 'continued'): void =>
    session.suspendFor(() => {
      const isRaw = !editing;
      if (isRaw) stdin.setRawMode(false);
      if (how === 'stops') job.stop();
      if (isRaw) stdin.setRawMode(true);
    });
  let editing = false;
  const job = options.job.watch(signalled => stop(signalled === 'continued' ? 'continued' : 'stops'));
  const session = new ScreenReaderSession(options, {
    terminal: {write, columns: () => stdout.columns, echo: options.echo},
    leave,
    suspend: () => stop('stops'),
    async inTerminal(use) {
      editing = true;
      stdin.off('data', onData);
      stdin.setRawMode(false);
      stdin.pause();
      const result = await use(options, signal);
      editing = false;
      if (!signal.aborted) {
        stdin.setRawMode(true);
        stdin.on('data', onData);
        stdin.resume();
      }
      return result;
    },
  });
  stdin.on('data', onData);
  stdin.resume();
  const unsubscribe = engine.subscribe(events => {
    session.handleEvents(events);
    if (stdout.writableLength <= maxBufferedBytes) return undefined;
    return new Promise<void>(resolve => {
      stdout.once('drain', resolve);
    });
  });
  session.start();
  try {
    void loadPromptHistory(engine, signal).then(prompts => session.remember(prompts));
    void showLateNotices();
    if (options.opening === 'sessions') session.offerSessions();
    return await left;
  } finally {
    unsubscribe();
    session.stop();
    stdin.off('data', onData);
    stdin.setRawMode(false);
    stdin.pause();
    options.restorer.release();
    job.close();
    unwatch();
  }
}
