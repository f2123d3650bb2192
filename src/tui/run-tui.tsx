import {modifyOtherKeys, resetModes, restoreScreen, trackModes} from './terminal/terminal-modes.ts';
import {openTerminalTitle} from './terminal/terminal-title.ts';
import {type EraseBehaviour, type ResizeSignals, sizeOf, watchTerminalEnd} from './terminal/terminal-output.ts';
import {loadMarkdownLexer} from './scrollback/render-markdown.ts';
import type {TuiExit, TuiOptions} from './options.ts';
import type {BlockId} from '../domain/ids.ts';
import {attachTerminal} from './terminal/attached-terminal.ts';
import type {EditorWork} from './app/slash-commands.ts';
import type {TranscriptPanel} from './scrollback/transcript-panel.ts';
import {App, AppScreen} from './app.tsx';
import {Store} from './app/store.ts';
import {openKeyboard} from './terminal/keyboard.ts';
import {keyOf, keysOf} from './terminal/keymap.ts';
import {type InkTerminal, openInkTerminal} from './terminal/ink-terminal.tsx';
import {loadPromptHistory} from './editor/prompt-history.ts';
import type {Media} from './terminal/media.ts';
import {TerminalSessions} from './terminal/terminal-sessions.ts';
import type {PositionQuery} from './terminal/cursor-position.ts';
import {backgroundQueryThroughTmux, probeQueries} from './terminal/terminal-probes.ts';
import type {Reflow} from './terminal/reflow.ts';
import {raceTimeout} from '../base/race.ts';
import {loadVimKeys} from './editor/vim-keys.ts';
import {openScrollbackBuffer} from './scrollback/scrollback-buffer.ts';
import {backgroundOfReply} from './theme/terminal-look.ts';
import {chalkLevelOf} from './theme/theme.ts';
import chalk from 'chalk';

/**
 * Runs the terminal UI until the user exits or `signal` aborts. Both streams must be terminals. The caller closes the engine.
 * Start order:
 * 1. Read the keyboard, so that keys typed ahead are kept and the terminal no longer echoes them.
 * 2. Set the title and draw the first frame.
 * 3. Subscribe to the engine's events.
 * 4. Load what the first frame did not need: prompt history, then markdown with the first text to show.
 */
export async function runTui(options: TuiOptions, signal: AbortSignal): Promise<TuiExit> {
  const {stdin, stdout, engine} = options;
  if (options.preferences.editorMode === 'vim') await loadVimKeys();
  const {promise: left, resolve: leave} = Promise.withResolvers<TuiExit>();
  const unwatch = watchTerminalEnd({stdin, stdout, signal}, () => leave({kind: 'left'}));
  stdin.setRawMode(true);
  let sawShiftEnter = false;
  let newlineShown = keyOf('newline');
  /** Shift+Enter only if the terminal distinguishes it from Enter, and if it is not the user's own key. */
  const newlineKey = (): string => {
    const [first = '', ...others] = keysOf('newline', 'prompt');
    const isReported = sawShiftEnter || modes.reportsModifiers === 'yes';
    return first === 'Ctrl+J' && isReported && others.includes('Shift+Enter') ? 'Shift+Enter' : first;
  };
  const modes = trackModes(() => {
    options.restorer.keep(modes.resetSequence());
    if (newlineKey() === newlineShown) return;
    newlineShown = newlineKey();
    store.refresh();
  });
  const modifiers = (state: keyof typeof modifyOtherKeys): string =>
    options.modifiedKeys === 'yes' ? modifyOtherKeys[state] : '';
  let opened: InkTerminal | undefined;
  let synchronized = false;
  let reflow: Reflow = 'wrapped';
  // The safe assumption until the terminal identifies itself.
  let erasing: EraseBehaviour = 'keeping';
  let resizeSignals: ResizeSignals = 'at-once';
  let kitty: 'yes' | 'no' = 'no';
  chalk.level = chalkLevelOf(options.look);
  const keyboard = openKeyboard(stdin, reply => {
    if (reply.reply === 'synchronized-output') synchronized = reply.supported === 'yes';
    else if (reply.reply === 'background') store.backgroundIs(backgroundOfReply(reply.colour));
    else if (reply.reply === 'kind') {
      ({reflow, erasing} = reply);
      if (reply.is === 'tmux') {
        resizeSignals = 'late';
        write(backgroundQueryThroughTmux);
      }
    } else if (reply.reply === 'kitty-keyboard') {
      kitty = 'yes';
      opened?.enableKittyKeyboard();
    } else if (reply.reply === 'focus-reporting') title.focusReporting(reply.supported);
    else title.focus(reply.focused);
  });
  const title = openTerminalTitle({directory: options.directory, notify: options.preferences.notify});
  const write = (text: string): void => {
    if (text === '') return;
    modes.observe(text);
    stdout.write(text);
  };
  const terminal = {
    stdin: keyboard.stdin,
    stdout,
    synchronized: () => synchronized,
    reflow: () => reflow,
    erasing: () => erasing,
    resizeSignals: () => resizeSignals,
    kittyKeyboard: () => kitty,
    positions: (query: PositionQuery) => keyboard.askPositions(query, write),
    wrote: (text: string) => modes.observe(text),
  };
  const transcript = options.preferences.tui === 'fullscreen' ? openScrollbackBuffer() : 'none';
  // Clear this line: the terminal echoed keys typed before raw mode, and an old terminal may print the queries' letters.
  write(`${probeQueries}${modifiers('on')}${title.open()}\r\u001B[K`);
  const ended = new AbortController();
  const terminals = new TerminalSessions(engine, () => options.clock.now());
  // The alternate screen is drawn cell by cell.
  const media: Media = transcript === 'none' ? options.media : {...options.media, pictures: 'none'};
  const store: Store = new Store(
    {...options, media},
    {
      leave,
      terminals,
      transcript,
      size: () => opened?.size ?? sizeOf(stdout),
      ready: () => opened?.ready ?? false,
      redraw: () => opened?.redraw(),
      get newlineKey() {
        return newlineKey();
      },
      loadLexer: loadMarkdownLexer,
      attach: block => suspendFor(() => attachToBlock(block)),
      edit: work => suspendFor(() => openEditor(work)),
      read: panel => suspendFor(() => openTranscript(panel)),
      suspend: () => suspendFor(() => stopForShell('stops')),
    },
  );
  const ink = openInkTerminal(terminal, {
    screen: transcript === 'none' ? 'inline' : 'alternate',
    root: () => <App store={store} onKey={key => (sawShiftEnter ||= key.return && key.shift)} />,
    drawing: () => <AppScreen screen={store.screen()} onRoom={() => {}} />,
    onDropped: () => store.handleDropped(),
    onPaste: (text, part) => store.handlePaste(text, part),
    above: store.above,
    onResize: () => store.handleResize(),
    onReady: () => store.handleReady(),
  });
  opened = ink;
  let suspension = Promise.resolve();
  let isSuspended = false;
  let suspendReader: 'none' | ((use: () => Promise<() => void>) => Promise<void>) = 'none';
  const job = options.job.watch(signalled => {
    const use = () => stopForShell(signalled === 'continued' ? 'continued' : 'stops');
    if (suspendReader !== 'none') void suspendReader(use);
    // A program that controls the terminal handles the stop itself.
    else if (isSuspended && signalled === 'asked-to-stop') job.stop();
    else suspendFor(use);
  });

  /** Suspends the UI once, even if the key is pressed again before the first press takes effect. */
  function suspendFor(use: () => Promise<() => void>): void {
    if (isSuspended) return;
    isSuspended = true;
    suspension = suspension
      .then(() => suspendDuring(use))
      .finally(() => {
        isSuspended = false;
      });
  }

  /** Gives the terminal to `use`, which resolves to a callback that runs when the UI is back. */
  async function suspendDuring(use: () => Promise<() => void>): Promise<void> {
    if (signal.aborted) return;
    await ink.suspend(store.pause(), async () => {
      write(modifiers('off') + title.close());
      const afterwards = await use();
      write(modifiers('on') + title.open());
      options.restorer.keep(modes.resetSequence());
      return () => store.resume(afterwards);
    });
  }

  async function attachToBlock(block: BlockId): Promise<() => void> {
    stdin.setRawMode(true);
    const command = store.commandOf(block);
    options.restorer.keep(restoreScreen + modes.resetSequence());
    const end = await attachTerminal(
      {
        stdin,
        stdout,
        terminals,
        block,
        command,
        awaitsAnswer: () => store.awaitsAnswer,
        watch: hear => engine.subscribe(hear),
        forBlock: (text, later) => keyboard.forAttachedProgram(text, later),
      },
      signal,
    );
    return () => store.handleDetached(block, end);
  }

  async function openEditor(work: EditorWork): Promise<() => void> {
    stdin.setRawMode(false);
    // Everything typed belongs to the editor. A pause takes effect once Node has noticed that Ink's listener is gone.
    await new Promise(resolve => {
      setImmediate(resolve);
    });
    stdin.resume().pause();
    options.restorer.keep(resetModes + modes.resetSequence());
    const afterwards = await work(signal);
    stdin.setRawMode(true);
    stdout.write(resetModes);
    return afterwards;
  }

  async function stopForShell(how: 'stops' | 'continued'): Promise<() => void> {
    stdin.setRawMode(false);
    if (how === 'stops') job.stop();
    stdin.setRawMode(true);
    return () => {};
  }

  /** Loads what the first frame did not need, after 50 ms, so that keys typed ahead are drawn before the processor is busy again. */
  async function loadDeferred(): Promise<void> {
    if ((await raceTimeout(left, 50)) !== 'timeout' || ended.signal.aborted) return;
    store.preload();
    if (options.opening !== 'sessions' && options.firstPrompt === '') store.findLastSession();
    for await (const notice of options.lateNotices()) {
      if (ended.signal.aborted) return;
      store.warn(notice);
    }
  }

  async function openTranscript(panel: TranscriptPanel): Promise<() => void> {
    const {readTranscript} = await import('./transcript-reader.tsx');
    const over = new AbortController();
    void left.then(() => over.abort());
    await readTranscript(
      panel,
      {
        terminal,
        frame: columns => store.frameOf(columns),
        awaitsAnswer: () => store.awaitsAnswer,
        watch: hear => engine.subscribe(hear),
        stopForShell: () => stopForShell('stops'),
        onOpen: suspend => {
          suspendReader = suspend;
        },
      },
      over.signal,
    );
    suspendReader = 'none';
    return () => {};
  }

  try {
    store.start();
    const unsubscribe = engine.subscribe(events => {
      const busy = store.handleEvents(events);
      if (events.some(({event}) => event === 'prompt-accepted')) {
        if (transcript !== 'none') transcript.markPrompt();
      }
      write(title.after(events, store.awaitsAnswer ? 'asks' : 'asks-nothing'));
      return busy;
    });
    terminals.follow(done => store.handleBlocks(done), ended.signal);
    try {
      if (options.firstPrompt !== '') store.send(options.firstPrompt);
      else if (store.hasNoModel && options.opening === 'composer') store.offerModels('none');
      void loadPromptHistory(engine, ended.signal).then(prompts => store.setPromptHistory(prompts));
      if (options.opening === 'sessions') store.offerSessions();
      void loadDeferred();
      return await Promise.race([left, ink.failed]);
    } finally {
      unsubscribe();
      ended.abort();
    }
  } finally {
    await suspension;
    await ink.close(store.stop());
    keyboard.close();
    if (transcript !== 'none') {
      stdout.write(
        transcript
          .linesSincePrompt()
          .map(line => `${line}\n`)
          .join(''),
      );
    }
    write(title.close() + modifiers('off'));
    options.restorer.release();
    job.close();
    unwatch();
  }
}
