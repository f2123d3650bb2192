import {programName} from '../../actions/block-text.ts';
import {isBackgroundAgentEnd} from '../../actions/background-agent-end.ts';
import type {AgentEvent} from '../../actions/agent-event.ts';
import type {BlockInfo, ScreenSize} from '../../actions/ports.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {BlockId} from '../../domain/ids.ts';
import {approvalInFull} from '../scrollback/approval-text.ts';
import {composerDraftWidth} from '../components/composer.tsx';
import {turnMs} from '../components/spinner.tsx';
import {showsDecision} from '../components/approval-card.tsx';
import {showsOption} from '../components/question-card.tsx';
import {type LiveRegionState, panelRows, textRows} from '../components/live-region.tsx';
import {draftText, isEmptyDraft} from '../editor/draft.ts';
import {promptHistoryOf} from '../editor/prompt-history.ts';
import {replaceFieldText} from '../editor/text-field.ts';
import type {TuiOptions} from '../options.ts';
import {openLines} from '../scrollback/entries.ts';
import type {Effect, ExternalEdit, PressContext, PanelQuery} from '../state/effect.ts';
import {leaveWithinMs, press} from '../state/press.ts';
import type {ScrollPosition, ScrollStep} from '../state/scroll-position.ts';
import {reduce, withEndedBlocks, withNotice, withStopRequested} from '../state/reduce.ts';
import {restoreRewoundPrompt, applyQueryResult, runPanelQuery} from '../state/panel-queries.ts';
import {type ConnectPanel, connectPanel, findServers} from '../state/panels/connect.ts';
import {quitPanel} from '../state/panels/panel.ts';
import {summaryAwaited, withOffer} from '../state/panels/compact.ts';
import {attentionOf, hasNoModel, isIdle} from '../state/selectors.ts';
import {focusCard, focusDue, initialUi, keyContextOf, type Ui, updateCard} from '../state/ui.ts';
import {emptyView, type View} from '../state/view.ts';
import {type AttachEnd, attachText, opsAfterDetaching} from '../terminal/attached-terminal.ts';
import {type KeyPress, KeyReader, type RawKey} from '../terminal/keymap.ts';
import type {EntryFrame} from '../text/wrap.ts';
import type {Background} from '../theme/terminal-look.ts';
import {Appearance} from '../theme/theme.ts';
import type {CustomStatusLine} from './custom-status-line.ts';
import {ComposerEffects} from './composer-effects.ts';
import {editExternally} from './external-editor.ts';
import {FocusTimer} from './focus-timer.ts';
import {FrameSchedule} from './frame-schedule.ts';
import {RunClock} from './run-clock.ts';
import {type CommandHost, SlashCommands} from './slash-commands.ts';
import {StartScreenState} from './start-screen-state.ts';
import type {ScrollbackBuffer} from '../scrollback/scrollback-buffer.ts';
import {todosOf} from '../../tasks/task-view.ts';
import {Scrollback} from '../scrollback/scrollback.ts';
import type {LinesAbove} from '../terminal/ink-terminal.tsx';
import {TranscriptOutput} from './transcript-output.ts';

const tickMs = 1000;

export interface Screen {
  readonly live: LiveRegionState;
  readonly frame: EntryFrame;
  readonly size: ScreenSize;
  /** The part of the unfinished entries that isn't drawn because it is already in the terminal's scrollback. */
  readonly lost: readonly string[];
  /** In fullscreen mode, the lines that inline mode writes to the terminal's scrollback. */
  readonly transcript: 'none' | {readonly kept: ScrollbackBuffer; readonly position: ScrollPosition};
}

/**
 * The state of the terminal UI. Agent events change `view`. Key presses change `ui` and have effects. The store publishes the screen at
 * once after a key, at most every `frameMs` after events, and never while the terminal can't take a frame. Ink draws only published
 * screens. Deltas between frames are only accumulated, so their cost doesn't depend on their rate.
 */
export class Store {
  readonly #options: TuiOptions;
  readonly #appearance: Appearance;
  readonly #clock: RunClock;
  readonly #frames: FrameSchedule;
  readonly #focus: FocusTimer;
  readonly #start: StartScreenState;
  readonly #slash: SlashCommands;
  readonly #host: AppHost;
  readonly #composer: ComposerEffects;
  readonly #scrollback: Scrollback;
  readonly #transcript: TranscriptOutput;
  readonly #keys = new KeyReader();
  readonly #listeners = new Set<() => void>();
  #screen: Screen;
  #view: View = emptyView;
  #ui: Ui;
  #leaveTimer: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();
  /** True while the model writes the summary of a compaction that the user requested. */
  #awaitsSummary = false;
  #statusLine: CustomStatusLine | undefined;

  constructor(options: TuiOptions, host: AppHost) {
    this.#options = options;
    this.#host = host;
    this.#appearance = new Appearance(options.look, options.preferences.verbosity, options.media);
    this.#clock = new RunClock(() => options.clock.now());
    this.#frames = new FrameSchedule({
      now: () => options.clock.now(),
      ready: () => host.ready(),
      draw: () => this.#draw(),
    });
    this.#focus = new FocusTimer({
      now: () => options.clock.now(),
      due: () => (this.#frames.isPaused ? undefined : focusDue(this.#ui)),
      take: () => {
        this.#ui = focusCard(this.#ui);
        this.#frames.drawNow();
      },
    });
    this.#transcript = new TranscriptOutput({
      buffer: host.transcript,
      frame: () => this.#frame,
      start: frame => this.#start.lines(frame),
      isMoving: () =>
        attentionOf(this.#view).kind === 'composer' && (!isIdle(this.#view) || this.#view.entries.length > 0),
    });
    this.#scrollback = new Scrollback({
      loadLexer: () => host.loadLexer(),
      now: () => options.clock.now(),
      redraw: () => this.#frames.drawSoon(),
    });
    const deps = {
      options,
      signal: this.#closing.signal,
      ui: () => this.#ui,
      view: () => this.#view,
      frame: () => this.#frame,
      show: ({ui = this.#ui, view = this.#view}: {readonly ui?: Ui; readonly view?: View}) => {
        this.#ui = ui;
        this.#view = view;
        this.#frames.drawSoon();
      },
      redraw: () => this.#frames.drawSoon(),
    };
    this.#start = new StartScreenState(deps);
    this.#composer = new ComposerEffects(deps);
    this.#slash = new SlashCommands({
      ...deps,
      host,
      leave: () => this.#leave(),
      editDraft: () => this.#edit('draft'),
      appearance: this.#appearance,
      times: () => this.#clock.times(),
      addNote: note => this.#composer.perform({kind: 'note', note}),
      query: request => void this.#query(request),
      send: text =>
        this.#composer.perform({kind: 'send', text, when: this.#view.run.state === 'idle' ? 'queued' : 'steering'}),
      queue: text => this.send(text),
      compose: work => this.#composer.perform(work),
      print: lines => {
        this.#scrollback.print(() => lines);
        this.#frames.drawSoon();
      },
    });
    this.#ui = initialUi([], '', options.preferences.editorMode);
    this.#view = {...this.#view, effort: options.effort};
    this.#screen = this.#screenNow();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly screen = (): Screen => this.#screen;

  /** Takes the lines to write above the live region now. Returns each line only once. */
  takeFinished(): string {
    return this.#frames.isPaused ? '' : this.#transcript.take();
  }

  /** Sets how many rows the transcript has on the screen in fullscreen mode. */
  readonly setRoom = (rows: number): void => this.#transcript.setRows(rows);

  readonly handleReady = (): void => this.#frames.handleReady();

  offerSessions(): void {
    this.#slash.offerSessions();
  }

  start(): void {
    this.#frames.resume();
    this.#frames.drawNow();
  }

  /** Loads the modules that the first answer needs. Must be called after the first frame. */
  preload(): void {
    this.#scrollback.preload();
    if (this.#options.preferences.statusLine !== 'none') void this.#loadStatusLine();
  }

  async #loadStatusLine(): Promise<void> {
    const {CustomStatusLine: Line} = await import('./custom-status-line.ts');
    this.#statusLine = new Line({
      options: this.#options,
      signal: this.#closing.signal,
      view: () => this.#view,
      redraw: () => this.#frames.drawSoon(),
      warn: text => this.warn(text),
    });
  }

  setPromptHistory(prompts: readonly string[]): void {
    this.#ui = {...this.#ui, history: promptHistoryOf(prompts)};
  }

  /** Handles agent events. See `FrameSchedule.drawEvents` for the promise. */
  // oxlint-disable-next-line typescript/no-invalid-void-type -- a listener of the client returns nothing or a promise
  handleEvents(events: readonly AgentEvent[]): void | Promise<void> {
    this.#composer.restoreWithdrawn(events);
    for (const event of events) {
      this.#view = reduce(this.#view, event);
      this.#clock.handleEvent(event);
      if (event.event === 'session-opened') this.#appearance.setDirectory(event.session.directory);
      if (event.event === 'terminal-needed') this.#host.attach(event.block);
      if (isBackgroundAgentEnd(event))
        this.#options.engine.submit({op: 'hear-agents', id: this.#options.newPromptId()});
      if (event.event === 'review-opened') this.#slash.openReview(event.range);
      this.#ui = restoreRewoundPrompt(this.#ui, event);
      if (event.event === 'compaction-begun' && this.#awaitsSummary) {
        this.#ui = {...this.#ui, panel: summaryAwaited(event.estimate)};
      }
    }
    this.#clock.updateTodos(todosOf(this.#view.tasks));
    this.#start.handleEvents(events);
    this.#statusLine?.handleEvents(events);
    this.#frames.tick(this.#tickEvery());
    this.#updateCard();
    return this.#frames.drawEvents(events);
  }

  handleInput(input: string, key: RawKey): void {
    this.#press(this.#keys.read(input, key, keyContextOf(this.#ui)));
  }

  handlePaste(text: string, part: 'first' | 'more'): void {
    this.#press([{kind: 'paste', text, part}]);
  }

  warn(notice: string): void {
    this.#notify('warning', notice);
  }

  backgroundIs(background: Background): void {
    this.#appearance.setBackground(background);
    this.#frames.drawSoon();
  }

  /** Redraws the screen because something outside the app's own state has changed. */
  readonly refresh = (): void => this.#frames.drawSoon();

  /** Handles a change of the background commands. `ended` are those that have ended. */
  handleBlocks(ended: readonly BlockInfo[]): void {
    this.#view = withEndedBlocks(this.#view, ended);
    this.#frames.drawSoon();
  }

  /** Must be called if the last frame didn't reach the terminal. Its lines are written with the next frame. */
  handleDropped(): void {
    this.#transcript.handleDropped();
  }

  get above(): LinesAbove {
    return this.#transcript;
  }

  handleResize(): void {
    this.#transcript.handleResize();
    this.#frames.drawNow();
  }

  /** Submits a prompt to the engine. Without a model, the prompt waits in the composer. */
  send(text: string): void {
    if (!hasNoModel(this.#view)) return this.#composer.send(text, 'queued');
    this.#ui = replaceFieldText(this.#ui, text);
    this.offerModels('waits');
  }

  offerModels(prompt: ConnectPanel['prompt']): void {
    const model = hasNoModel(this.#view) ? 'none' : 'some';
    this.#slash.open(connectPanel({model, prompt, demo: this.#options.demo}));
    this.#perform(findServers);
  }

  /** Adds the last session to the start screen. Must be called after the first frame. */
  findLastSession(): void {
    void this.#start.findLastSession();
  }

  get hasNoModel(): boolean {
    return hasNoModel(this.#view);
  }

  /** Stops publishing while another program has the terminal. Returns the finished lines for the scrollback. */
  pause(): string {
    this.#frames.pause();
    this.#addFinished();
    const last = this.#transcript.take();
    this.#transcript.forgetWritten();
    return last;
  }

  /**
   * Resumes after another program had the terminal. `afterwards` applies the program's result. Ink draws the published screen
   * once weft has the terminal again.
   */
  resume(afterwards: () => void): void {
    afterwards();
    // Keys for the other program may still arrive, so a card waits for a pause as after any other key.
    this.#ui = {...this.#ui, lastKey: {kind: 'pressed', at: this.#options.clock.now(), key: '', on: 'other'}};
    this.#frames.resume();
    this.#updateCard();
    this.#publish();
    this.#frames.drawSoon();
  }

  handleDetached(block: BlockId, end: AttachEnd): void {
    for (const op of opsAfterDetaching(this.#view, block, end)) this.#options.engine.submit(op);
    const {terminalNeeded} = this.#view;
    // The entry of the user's own command shows how it ended.
    if (terminalNeeded !== 'none' && terminalNeeded.block === block && end.kind !== 'detached') return;
    const text = attachText(programName(this.commandOf(block)) || block, end);
    this.#view = withNotice(this.#view, end.kind === 'refused' ? 'warning' : 'info', text);
  }

  /** Returns the command that runs in a terminal session. Empty if the session is gone. */
  commandOf(block: BlockId): string {
    const {terminalNeeded} = this.#view;
    if (terminalNeeded !== 'none' && terminalNeeded.block === block) return terminalNeeded.command;
    return this.#host.terminals.list().find(({id}) => id === block)?.command ?? '';
  }

  #edit(what: ExternalEdit): void {
    const draft = draftText(this.#ui.draft);
    this.#host.edit(async signal => {
      const after = await editExternally(what, draft, this.#options, signal);
      return () => {
        ({ui: this.#ui, view: this.#view} = after({ui: this.#ui, view: this.#view}, this.#options.clock.now()));
      };
    });
  }

  #context(batchPosition: PressContext['batchPosition']): PressContext {
    const {columns, rows} = this.#host.size();
    const frame = this.frameOf(columns);
    return {
      view: this.#view,
      commands: this.#slash.known,
      blocks: this.#host.terminals.list(),
      workAfter: this.#options.workAfter,
      now: this.#options.clock.now(),
      batchPosition,
      width: composerDraftWidth(frame),
      frame,
      rows: panelRows(rows),
      showsDecision: (approval, most) => showsDecision({approval, view: this.#view, rows: most}, frame),
      showsOption: (form, row, most) => showsOption({form, rows: most, row}, frame),
    };
  }

  /** True if an approval or a question waits for the user in any session. */
  get awaitsAnswer(): boolean {
    return (
      ['approval', 'question'].includes(attentionOf(this.#view).kind) ||
      this.#options.runningSessions().some(({state}) => state === 'needs-input')
    );
  }

  /** Stops all timers and returns the remaining lines for the scrollback. */
  stop(): string {
    this.#frames.stop();
    clearTimeout(this.#leaveTimer);
    this.#focus.stop();
    this.#composer.close();
    this.#statusLine?.stop();
    this.#closing.abort();
    this.#addFinished();
    const open = {lexer: this.#scrollback.lexer, actions: this.#clock.times().actions};
    const unfinished = this.#view;
    this.#transcript.addStart(this.#start.take());
    this.#transcript.add([frame => openLines(unfinished, open, frame)]);
    return this.#transcript.take();
  }

  #press(presses: readonly KeyPress[]): void {
    for (const [at, one] of presses.entries()) {
      const {ui, effects} = press(this.#ui, one, this.#context(at === 0 ? 'first' : 'following'));
      this.#ui = ui;
      for (const effect of effects) this.#perform(effect);
    }
    this.#composer.updateMentions();
    this.#slash.loadCompletions();
    this.#updateCard();
    this.#resetLeaveTimer();
    this.#frames.drawNow();
  }

  /** Restarts the timer that hides the exit hint. Every key press shows or hides the hint. */
  #resetLeaveTimer(): void {
    clearTimeout(this.#leaveTimer);
    if (this.#ui.leaving.kind === 'no' || this.#frames.isPaused) return;
    this.#leaveTimer = setTimeout(() => {
      this.#ui = {...this.#ui, leaving: {kind: 'no'}};
      this.#frames.drawNow();
    }, leaveWithinMs);
  }

  #perform(effect: Effect): void {
    const {engine} = this.#options;
    switch (effect.do) {
      case 'compose':
        this.#composer.perform(effect.work);
        return;
      case 'op':
        if (effect.op.op === 'interrupt') this.#view = withStopRequested(this.#view);
        // The panel must not open again before the engine says that it has the answer.
        if (effect.op.op === 'answer-compaction') this.#view = {...this.#view, compaction: 'none'};
        engine.submit(effect.op);
        return;
      case 'query':
        void this.#query(effect.request);
        return;
      case 'command':
        this.#slash.run(effect.line);
        return;
      case 'show-all':
        void this.#slash.showWhole(effect.approval);
        return;
      case 'print-approval':
        this.#scrollback.print(frame => ['', ...approvalInFull(effect.approval, frame)]);
        return;
      case 'attach':
        this.#host.attach(effect.block);
        return;
      case 'notify':
        this.#notify('info', effect.text);
        return;
      case 'write':
        this.#ui = replaceFieldText(this.#ui, effect.text);
        return;
      case 'edit-externally':
        this.#edit(effect.what);
        return;
      case 'redraw':
        this.#host.redraw();
        return;
      case 'scroll':
        this.#scroll(effect.step);
        return;
      case 'expand':
        if (!this.#scrollback.expand()) this.#notify('info', nothingToExpand);
        return;
      case 'next-verbosity':
        this.#slash.nextVerbosity();
        return;
      case 'choose-theme':
        this.#appearance.choose(effect.theme);
        return;
      case 'change-rule':
        this.#slash.changeRule(effect.rule);
        return;
      case 'suspend':
        return this.#host.suspend();
      case 'leave':
        return this.#leave();
      case 'quit':
        return this.#host.leave({kind: 'left'});
      default:
        unreachable(effect);
    }
  }

  #leave(): void {
    const {panel: open} = this.#ui;
    const isAsked = open !== 'none' && open.panel === 'confirm' && open.yes.do === 'quit';
    const panel = quitPanel(this.#options, {question: isAsked ? 'asked' : 'unasked', shown: this.#view});
    if (panel === 'none') this.#host.leave({kind: 'left'});
    else this.#ui = {...this.#ui, panel};
    this.#frames.drawSoon();
  }

  async #query(request: PanelQuery): Promise<void> {
    const isCompaction = request.query === 'preview-compaction';
    if (isCompaction) this.#awaitsSummary = true;
    const next = await runPanelQuery(request, this.#options.engine, this.#closing.signal);
    if (isCompaction) this.#awaitsSummary = false;
    if (this.#closing.signal.aborted) return;
    const {panel} = this.#ui;
    this.#ui = applyQueryResult(this.#ui, next);
    if (next.step === 'notice') this.#notify(next.level, next.text);
    if (next.step === 'change' && next.text !== '') this.#notify('info', next.text);
    const isConnected = panel !== 'none' && panel.panel === 'connect' && this.#ui.panel === 'none';
    // A prompt that waited for a model is in the composer: Enter sends it.
    if (isConnected && panel.prompt === 'waits') this.#press([{kind: 'key', name: 'enter'}]);
    this.#updateCard();
    this.#frames.drawSoon();
  }

  #notify(level: 'info' | 'warning', text: string): void {
    this.#view = withNotice(this.#view, level, text);
    this.#frames.drawSoon();
  }

  #updateCard(): void {
    const now = this.#options.clock.now();
    this.#ui = {
      ...this.#ui,
      panel: withOffer(this.#ui.panel, this.#view.compaction, isEmptyDraft(this.#ui.draft) ? 0 : now),
    };
    this.#ui = updateCard(this.#ui, this.#view, now);
    this.#focus.update();
  }

  /** Returns the redraw interval for the spinner and elapsed times, or `never` if nothing runs or the agent only waits for an answer. */
  #tickEvery(): number | 'never' {
    const isAsked = attentionOf(this.#view).kind !== 'composer';
    if (this.#view.run.state === 'idle' || (isAsked && this.#clock.times().actions.size === 0)) return 'never';
    const isTurning = this.#view.run.state === 'working' && !isAsked && this.#appearance.theme.name !== 'plain';
    return isTurning ? turnMs : tickMs;
  }

  get #frame(): EntryFrame {
    return this.frameOf(this.#host.size().columns);
  }

  frameOf(columns: number): EntryFrame {
    const {theme, verbosity} = this.#appearance;
    // One column stays free because terminals wrap differently after the last column.
    return {theme, verbosity, home: this.#options.home, width: Math.max(12, columns - 1)};
  }

  #scroll(step: ScrollStep): void {
    const {view, lexer, times} = this.#liveState();
    this.#transcript.scroll(step, openLines(view, {lexer, actions: times.actions}, this.#frame).length);
  }

  #draw(): void {
    this.#addFinished();
    this.#publish();
  }

  #publish(): void {
    this.#screen = this.#screenNow();
    for (const listener of this.#listeners) listener();
    this.#frames.published();
  }

  #screenNow(): Screen {
    const {lost, shown} = this.#transcript;
    return {
      live: this.#liveState(),
      frame: this.#frame,
      size: this.#host.size(),
      lost,
      transcript: shown,
    };
  }

  #liveState(): LiveRegionState {
    return {
      view: this.#view,
      ui: this.#ui,
      commands: this.#slash.known,
      lexer: this.#scrollback.lexer,
      start: this.#transcript.hasStart ? 'written' : this.#start.shown,
      blocks: this.#host.terminals.list(),
      sessions: this.#options.runningSessions(),
      times: this.#clock.times(),
      demo: this.#options.demo,
      workAfter: this.#options.workAfter,
      newlineKey: this.#host.newlineKey,
      chord: this.#keys.begun,
      statusLine: this.#statusLine?.shown ?? {custom: '', padding: 0},
    };
  }

  /** Writes the finished entries. The first of them move the start screen to the scrollback. */
  #addFinished(): void {
    const rows = textRows(this.#host.size().rows);
    const {view, finished, begun} = this.#scrollback.take(this.#view, this.#frame, rows);
    this.#view = view;
    if (finished.length > 0) this.#transcript.addStart(this.#start.take());
    this.#transcript.add(finished);
    this.#transcript.writeBegun(begun, rows);
  }
}

const nothingToExpand = 'Nothing left to expand. See everything with /transcript.';

/** The app's port to `runTui`, which controls the terminal. */
interface AppHost extends CommandHost {
  /** Attaches the terminal to a block. Calls `pause` before and `resume` after. */
  attach(block: BlockId): void;
  /** Restores the terminal and stops weft until the shell continues it. */
  suspend(): void;
  redraw(): void;
  readonly size: () => ScreenSize;
  /** True if the terminal can take a frame. Otherwise `handleReady` is called as soon as it can. */
  readonly ready: () => boolean;
  /** In fullscreen mode, the buffer for the lines that inline mode writes to the terminal. */
  readonly transcript: 'none' | ScrollbackBuffer;
  readonly newlineKey: string;
}
