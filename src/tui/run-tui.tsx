import {loadMarkdownLexer} from './markdown/render-markdown.ts';
import type {TuiExit, TuiOptions} from './options.ts';
import type {BlockId} from '../domain/ids.ts';
import {attachTerminal} from './attached-terminal.ts';
import {Session} from './session.ts';
import {openSurface, type Surface, type SurfaceListener} from './surface.tsx';
import {visibleLine} from '../base/visible.ts';
import {wrapSpans} from './text/wrap.ts';
import {themeOf} from './theme/theme.ts';

/**
 * Runs the terminal UI until the user leaves or `signal` aborts; needs a terminal on both streams. Order of work: take the
 * keyboard, so that keys typed ahead are kept and no longer echoed by the terminal; title and first frame; the engine's
 * events; then what the first frame did not need (history; markdown with the first thing to show). The engine is not closed.
 */
export async function runTui(options: TuiOptions, signal: AbortSignal): Promise<TuiExit> {
  const {stdin, stdout, engine} = options;
  const {promise: left, resolve: leave} = Promise.withResolvers<TuiExit>();
  const unwatch = watchEnd({stdin, stdout, signal}, () => leave({kind: 'left'}));
  stdin.setRawMode(true);
  stdout.write(titleText(options));
  const session: Session = new Session(options, {leave, loadLexer: loadMarkdownLexer, attach});
  const open = (): Surface => openSurface({stdin, stdout}, listenerOf(session));
  let surface = open();
  let visit = Promise.resolve();
  let visiting = false;

  /** Once: a second press of the key may come before the first has had its effect. */
  function attach(block: BlockId): void {
    if (visiting) return;
    visiting = true;
    visit = visit
      .then(() => lend(block))
      .finally(() => {
        visiting = false;
      });
  }

  /** The surface goes while a block has the terminal, and a new one comes after it. */
  async function lend(block: BlockId): Promise<void> {
    if (signal.aborted) return;
    await surface.close(session.pause());
    stdin.setRawMode(true);
    const command = options.blocks.list().find(({id}) => id === block)?.command ?? '';
    const end = await attachTerminal(
      {
        stdin,
        stdout,
        desk: options.blocks,
        block,
        command,
        asks: () => session.asks,
        watch: listener => engine.subscribe(listener),
      },
      signal,
    );
    surface = open();
    session.resume(surface, block, end);
  }

  try {
    session.start(surface);
    const unsubscribe = engine.subscribe(events => session.handleEvents(events));
    const unwatchBlocks = options.blocks.watch(() => session.handleBlocks());
    try {
      if (options.firstPrompt !== '') session.send(options.firstPrompt);
      session.remember(options.history.load());
      void options.lateNotices().then(notices => session.warn(notices));
      if (options.opening === 'sessions') session.offerSessions();
      return await left;
    } finally {
      unsubscribe();
      unwatchBlocks();
    }
  } finally {
    await visit;
    await surface.close(session.stop());
    unwatch();
  }
}

interface Ends {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** A terminal that went away reads as end of input or fails to write: then there is nobody left to stay for. */
function watchEnd({stdin, stdout, signal}: Ends, leave: () => void): () => void {
  stdin.on('end', leave);
  stdout.on('error', leave);
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  return () => {
    stdin.off('end', leave);
    stdout.off('error', leave);
    signal.removeEventListener('abort', leave);
  };
}

const listenerOf = (session: Session): SurfaceListener => ({
  onInput: (input, key) => session.handleInput(input, key),
  onPaste: text => session.handlePaste(text),
  onResize: () => session.handleResize(),
});

const hanging = {first: '', rest: '  ', roles: []} as const;

/** Begins by clearing the line: keys typed before the keyboard was taken were echoed there. */
function titleText({stdout, look, version, directory, notices}: TuiOptions): string {
  const theme = themeOf(look);
  const frame = {theme, width: Math.max(12, stdout.columns - 1)};
  const lines = [
    `${theme.paint(['bold'], `weft ${version}`)} ${theme.paint(['dim'], visibleLine(directory))}`,
    ...notices.flatMap(notice => wrapSpans([{text: visibleLine(notice), roles: ['warning']}], frame, hanging)),
  ];
  return `\r\u001B[K${lines.join('\n')}\n`;
}
