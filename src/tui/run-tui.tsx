import {loadMarkdownLexer} from './markdown/render-markdown.ts';
import type {TuiExit, TuiOptions} from './options.ts';
import {Session} from './session.ts';
import {openSurface, type SurfaceListener} from './surface.tsx';
import {visibleLine} from './text/visible.ts';
import {themeOf} from './theme/theme.ts';

/**
 * Runs the terminal UI until the user leaves or `signal` aborts; needs a terminal on both streams. Order of work: take the keyboard, so that
 * keys typed ahead are kept and no longer echoed by the terminal; title and first frame; the engine's events; then what the
 * first frame did not need (history; markdown with the first thing to show). The engine is not closed.
 */
export async function runTui(options: TuiOptions, signal: AbortSignal): Promise<TuiExit> {
  const {stdin, stdout, engine} = options;
  stdin.setRawMode(true);
  stdout.write(titleText(options));
  const {promise: left, resolve: leave} = Promise.withResolvers<TuiExit>();
  const session = new Session(options, {leave, loadLexer: loadMarkdownLexer});
  const surface = openSurface({stdin, stdout}, listenerOf(session));
  const leaveNow = (): void => leave({kind: 'left'});
  signal.addEventListener('abort', leaveNow, {once: true});
  if (signal.aborted) leaveNow();
  const cleanup = [onceGone({stdin, stdout}, leaveNow), () => signal.removeEventListener('abort', leaveNow)];
  try {
    session.start(surface);
    cleanup.push(engine.subscribe(events => session.handleEvents(events)));
    if (options.firstPrompt !== '') session.send(options.firstPrompt);
    session.remember(options.history.load());
    return await left;
  } finally {
    for (const undo of cleanup) undo();
    await surface.close(session.stop());
  }
}

/** A terminal that went away reads as end of input or fails to write: then there is nobody left to stay for. */
function onceGone({stdin, stdout}: Pick<TuiOptions, 'stdin' | 'stdout'>, leave: () => void): () => void {
  stdin.on('end', leave);
  stdout.on('error', leave);
  return () => {
    stdin.off('end', leave);
    stdout.off('error', leave);
  };
}

const listenerOf = (session: Session): SurfaceListener => ({
  onInput: (input, key) => session.handleInput(input, key),
  onPaste: text => session.handlePaste(text),
  onResize: () => session.handleResize(),
});

/** Begins by clearing the line: keys typed before the keyboard was taken were echoed there. */
function titleText({look, version, directory, notices}: TuiOptions): string {
  const theme = themeOf(look === 'colour' ? 'colour' : 'plain');
  const lines = [
    `${theme.paint(['bold'], `weft ${version}`)} ${theme.paint(['dim'], visibleLine(directory))}`,
    ...notices.map(notice => theme.paint(['warning'], visibleLine(notice))),
  ];
  return `\r\u001B[K${lines.join('\n')}\n`;
}
