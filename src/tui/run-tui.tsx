import {loadMarkdownLexer} from './markdown/render-markdown.ts';
import type {TuiExit, TuiOptions} from './options.ts';
import type {BlockId} from '../domain/ids.ts';
import type {openFullscreen} from './fullscreen/open-fullscreen.tsx';
import type {KeptLines} from './fullscreen/kept-lines.ts';
import {attachTerminal, giveScreenBack} from './visits/attached-terminal.ts';
import type {EditorEnd} from './visits/editor-left.ts';
import type {ProposalWork} from './input/approval/proposal-work.ts';
import type {Panel} from './panels/panel.ts';
import type {SummaryWork} from './input/summary-work.ts';
import {Session} from './session/session.ts';
import {openKeyboard} from './terminal/keyboard.ts';
import {sizeOf} from './terminal/terminal-output.ts';
import {openSurface, type Surface, type SurfaceListener} from './terminal/surface.ts';
import {visibleLine} from '../base/visible.ts';
import {modifiedKeys, type NewlineKey} from './terminal/modified-keys.ts';
import {keepTitle} from './terminal/terminal-title.ts';
import {resetModes} from './terminal/reset-modes.ts';
import {trackModes} from './terminal/terminal-modes.ts';
import {watchEnd} from './terminal/watch-end.ts';
import {probeQueries, widthQuery} from './terminal/terminal-probes.ts';
import type {Erasing} from './text/erase.ts';
import type {Reflow} from './text/reflow.ts';
import {wrapSpans} from './text/wrap.ts';
import {readBackground} from './theme/background.ts';
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
  let sawShiftEnter = false;
  let newlineShown: NewlineKey = 'Ctrl+J';
  const newlineKey = (): NewlineKey => (sawShiftEnter || modes.tellsModifiers === 'yes' ? 'Shift+Enter' : 'Ctrl+J');
  const modes = trackModes(() => {
    options.keeper.keep(modes.undo());
    if (newlineKey() === newlineShown) return;
    newlineShown = newlineKey();
    session.refresh();
  });
  const modifiers = (state: keyof typeof modifiedKeys): string =>
    options.modifiedKeys === 'yes' ? modifiedKeys[state] : '';
  let synchronized = false;
  let reflow: Reflow = 'wrapped';
  // Until the terminal has said what it is.
  let erasing: Erasing = 'keeping';
  let kitty: 'yes' | 'no' = 'no';
  const keyboard = openKeyboard(stdin, reply => {
    if (reply.reply === 'synchronized-output') synchronized = reply.supported === 'yes';
    else if (reply.reply === 'background') session.backgroundIs(readBackground(reply.colour));
    else if (reply.reply === 'kind') ({reflow, erasing} = reply);
    else if (reply.reply === 'kitty-keyboard') {
      kitty = 'yes';
      surface.takeKeyboard();
    } else if (reply.reply === 'focus-reporting') title.focusReporting(reply.supported);
    else title.focus(reply.focused);
  });
  const title = keepTitle({directory: options.directory, notify: options.preferences.notify});
  const say = (text: string): void => {
    if (text === '') return;
    modes.wrote(text);
    stdout.write(text);
  };
  const terminal = {
    stdin: keyboard.stdin,
    stdout,
    synchronized: () => synchronized,
    reflow: () => reflow,
    erasing: () => erasing,
    kittyKeyboard: () => kitty,
    width: () => keyboard.askWidth(() => stdout.write(widthQuery)),
    wrote: (text: string) => modes.wrote(text),
  };
  // An answer's letters that an old terminal shows are cleared with the line.
  const above = titleLines(options);
  const screen = options.preferences.tui === 'fullscreen' ? await loadFullscreen() : undefined;
  screen?.kept.add(above);
  // Keys typed before the keyboard was taken were echoed on this line.
  say(`${probeQueries}${modifiers('on')}${title.open()}\r\u001B[K${screen === undefined ? above : ''}`);
  const session: Session = new Session(options, {
    leave,
    get newlineKey() {
      return newlineKey();
    },
    loadLexer: loadMarkdownLexer,
    attach: block => visitBy(() => visitBlock(block)),
    edit: what => visitBy(() => visitEditor(what)),
    read: panel => visitBy(() => visitPanel(panel)),
    suspend: () => visitBy(() => visitShell('stops')),
  });
  const listener: SurfaceListener = {
    onInput(input, key) {
      sawShiftEnter ||= key.return && key.shift;
      session.handleInput(input, key);
    },
    onPaste: (text, part) => session.handlePaste(text, part),
    onResize: () => session.handleResize(),
  };
  const open = (): Surface =>
    screen === undefined ? openSurface(terminal, listener) : screen.open(terminal, listener, screen.kept);
  let surface = open();
  let visit = Promise.resolve();
  let visiting = false;
  const job = options.job.watch(signalled => {
    if (signalled === 'continued') visitBy(() => visitShell('went-on'));
    // Whoever has the terminal for now gives it back itself.
    else if (visiting) job.stop();
    else visitBy(() => visitShell('stops'));
  });

  /** Once: a second press of the key may come before the first has had its effect. */
  function visitBy(use: () => Promise<() => void>): void {
    if (visiting) return;
    visiting = true;
    visit = visit
      .then(() => lend(use))
      .finally(() => {
        visiting = false;
      });
  }

  /** The surface goes while somebody else has the terminal, and a new one comes after it; `use` answers with what to tell then. */
  async function lend(use: () => Promise<() => void>): Promise<void> {
    if (signal.aborted) return;
    await surface.close(session.pause(), 'for-a-visit');
    say(modifiers('off') + title.close());
    const tell = await use();
    say(modifiers('on') + title.open());
    options.keeper.keep(modes.undo());
    surface = open();
    session.resume(surface, tell);
  }

  async function visitBlock(block: BlockId): Promise<() => void> {
    stdin.setRawMode(true);
    const command = options.blocks.list().find(({id}) => id === block)?.command ?? '';
    options.keeper.keep(giveScreenBack + modes.undo());
    const end = await attachTerminal(
      {
        stdin,
        stdout,
        desk: options.blocks,
        block,
        command,
        asks: () => session.asks,
        watch: hear => engine.subscribe(hear),
        forGuest: (text, later) => keyboard.forGuest(text, later),
      },
      signal,
    );
    return () => session.blockLeft(block, end);
  }

  async function visitEditor(what: string | ProposalWork | SummaryWork): Promise<() => void> {
    // What is typed is the editor's: nothing is read of it.
    stdin.setRawMode(false);
    stdin.resume().pause();
    options.keeper.keep(resetModes + modes.undo());
    const end = await visitedEditor(what, options, signal);
    stdin.setRawMode(true);
    stdout.write(resetModes);
    return () => session.edited(end);
  }

  /** After it went on, whoever had the terminal may have changed it. */
  async function visitShell(how: 'stops' | 'went-on'): Promise<() => void> {
    stdin.setRawMode(false);
    if (how === 'stops') job.stop();
    stdin.setRawMode(true);
    return () => {};
  }

  async function visitPanel(panel: Panel): Promise<() => void> {
    const [{readPanel}, fullscreen] = await Promise.all([import('./visits/read-panel.ts'), loadFullscreen()]);
    const over = new AbortController();
    void left.then(() => over.abort());
    await readPanel(
      panel,
      {
        terminal,
        open: fullscreen.open,
        context: (place, size) => session.context(place, size),
        asks: () => session.asks,
        watch: hear => engine.subscribe(hear),
      },
      over.signal,
    );
    return () => {};
  }

  try {
    session.start(surface);
    const unsubscribe = engine.subscribe(events => {
      session.handleEvents(events);
      if (events.some(({event}) => event === 'prompt-accepted')) screen?.kept.mark();
      say(title.after(events, session.asks ? 'asks' : 'asks-nothing'));
    });
    const unwatchBlocks = options.blocks.watch(() => session.refresh());
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
    await surface.close(session.stop(), 'for-good');
    keyboard.close();
    say(title.close() + modifiers('off'));
    options.keeper.release();
    job.close();
    unwatch();
  }
}

/** The lines outlast the surfaces: they are there again after a visit. */
async function loadFullscreen(): Promise<{readonly open: typeof openFullscreen; readonly kept: KeptLines}> {
  const [surface, {openKeptLines}] = await Promise.all([
    import('./fullscreen/open-fullscreen.tsx'),
    import('./fullscreen/kept-lines.ts'),
  ]);
  return {open: surface.openFullscreen, kept: openKeptLines()};
}

async function visitedEditor(
  what: string | ProposalWork | SummaryWork,
  options: TuiOptions,
  signal: AbortSignal,
): Promise<EditorEnd> {
  if (typeof what === 'string') {
    const work = {text: what, name: 'prompt.md', form: 'prose'} as const;
    return {of: 'draft', outcome: await options.editor.edit(work, signal)};
  }
  if ('kind' in what) {
    const {preview} = what;
    const work = {text: preview.summary, name: 'summary.md', form: 'prose'} as const;
    return {of: 'summary', preview, outcome: await options.editor.edit(work, signal)};
  }
  const {editProposal} = await import('./visits/edit-proposal.ts');
  return {of: 'proposal', work: what, end: await editProposal(what, options, signal)};
}

const hanging = {first: '', rest: '  ', roles: []} as const;

function titleLines({stdout, look, version, directory, notices}: TuiOptions): string {
  const theme = themeOf(look);
  const frame = {theme, width: Math.max(12, sizeOf(stdout).columns - 1)};
  const lines = [
    `${theme.paint(['bold'], `weft ${version}`)} ${theme.paint(['dim'], visibleLine(directory))}`,
    ...notices.flatMap(notice => wrapSpans([{text: visibleLine(notice), roles: ['warning']}], frame, hanging)),
  ];
  return `${lines.join('\n')}\n`;
}
