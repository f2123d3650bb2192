import type {AgentEvent} from '../actions/agent-event.ts';
import {unreachable} from '../base/unreachable.ts';
import type {BlockId} from '../domain/ids.ts';
import {attachText, type AttachEnd} from './attached-terminal.ts';
import type {CommandDesk, SlashCommand} from './commands/command.ts';
import {commandsFor} from './commands/command-list.ts';
import {resumeCommand} from './commands/resume.ts';
import {unknownText, type CommandLine} from './input/commands.ts';
import {draftOf, isEmptyDraft} from './input/draft.ts';
import {historyOf} from './input/prompt-history.ts';
import {readKeys, type KeyPress, type RawKey} from './input/keymap.ts';
import {leaveWithinMs, press} from './input/press.ts';
import {followRewind} from './input/follow-rewind.ts';
import {attend, focusDue, focused, openUi, type Effect, type Ui} from './input/ui.ts';
import type {MarkdownLexer} from './markdown/render-markdown.ts';
import type {TuiExit, TuiOptions} from './options.ts';
import {drain} from './state/drain.ts';
import {promptQueued, reduce, stopAsked, told} from './state/reduce.ts';
import {attentionOf} from './state/select.ts';
import {emptyView, type View} from './state/view.ts';
import type {Surface} from './surface.tsx';
import type {Frame} from './text/wrap.ts';
import {themeOf, type Theme} from './theme/theme.ts';
import {wholeApproval} from './views/approval-card.ts';
import {screen} from './views/screen.ts';
import {finishedLines, openLines} from './views/transcript.ts';

/** Least time between two frames that only events asked for; keys are shown at once. */
const frameMs = 50;
const tickMs = 1000;

export interface SessionHost {
  leave(exit: TuiExit): void;
  /** Gives the terminal to a block; `pause` and `resume` are called around it. */
  attach(block: BlockId): void;
  /** Called once, when there is something to write to the scrollback. */
  loadLexer(): Promise<MarkdownLexer>;
}

/**
 * Joins the parts: events and keys change `view` and `ui`, a frame writes what is finished to the scrollback and draws the
 * rest. Deltas are only added up between frames, so their cost does not depend on how often they come.
 */
export class Session {
  readonly #options: TuiOptions;
  readonly #theme: Theme;
  readonly #desk: CommandDesk;
  readonly #commands: readonly SlashCommand[];
  readonly #host: SessionHost;
  #surface: Surface | undefined;
  #lexer: MarkdownLexer | undefined;
  #lexerState: 'not-needed' | 'loading' = 'not-needed';
  #view: View = emptyView;
  #ui: Ui;
  #frameTimer: NodeJS.Timeout | undefined;
  #tickTimer: NodeJS.Timeout | undefined;
  #leaveTimer: NodeJS.Timeout | undefined;
  #focusTimer: NodeJS.Timeout | undefined;
  #focusDue: number | undefined;
  #lastFrame = Number.NEGATIVE_INFINITY;
  #runningSince = 0;
  #retryAt = 0;
  /** Lines that go to the scrollback ahead of what is open. */
  #aside: readonly string[] = [];

  constructor(options: TuiOptions, host: SessionHost) {
    this.#options = options;
    this.#host = host;
    this.#theme = themeOf(options.look);
    this.#commands = commandsFor(options.demo);
    this.#desk = this.#openDesk();
    this.#ui = openUi([], '');
  }

  /** The first frame. */
  start(surface: Surface): void {
    this.#surface = surface;
    this.#drawNow();
  }

  /** Earlier prompts; read after the first frame. */
  remember(prompts: readonly string[]): void {
    this.#ui = {...this.#ui, history: historyOf(prompts)};
  }

  handleEvents(events: readonly AgentEvent[]): void {
    const {queued} = this.#view;
    const withdrawn = events.flatMap(event => (event.event === 'prompt-withdrawn' ? [event.id] : []));
    this.#giveBack(queued.filter(({id}) => withdrawn.includes(id)).map(({text}) => text));
    for (const event of events) {
      this.#view = reduce(this.#view, event);
      if (event.event === 'prompt-accepted') this.#runningSince = this.#options.clock.now();
      this.#ui = followRewind(this.#ui, event);
      if (event.event === 'retrying') this.#retryAt = this.#options.clock.now() + event.delayMs;
    }
    this.#keepTicking();
    this.#attend();
    this.#drawSoon();
  }

  handleInput(input: string, key: RawKey): void {
    this.#press(readKeys(input, key));
  }

  handlePaste(text: string): void {
    this.#press([{kind: 'paste', text}]);
  }

  warn(notices: readonly string[]): void {
    for (const notice of notices) this.#view = told(this.#view, 'warning', notice);
    if (notices.length > 0) this.#drawSoon();
  }

  handleBlocks(): void {
    this.#drawSoon();
  }

  handleResize(): void {
    this.#drawNow();
  }

  /** Hands a prompt to the engine. */
  send(text: string): void {
    const id = this.#options.newPromptId();
    this.#view = promptQueued(this.#view, {id, text});
    this.#options.engine.submit({op: 'prompt', id, text, images: [], when: 'queued'});
    this.#drawSoon();
  }

  /** The terminal is somebody else's for a while: nothing is drawn. Answers as `stop` does. */
  pause(): string {
    const {view, finished} = this.#drained();
    this.#view = view;
    clearTimeout(this.#frameTimer);
    this.#frameTimer = undefined;
    this.#surface = undefined;
    return linesText(finished);
  }

  /** The terminal is back, on a new surface; the agent learns of it where it had handed the block over. */
  resume(surface: Surface, block: BlockId, end: AttachEnd): void {
    this.#surface = surface;
    for (const {id} of this.#view.handOvers.filter(open => open.block === block)) {
      this.#options.engine.submit({op: 'answer-hand-over', id, end: end.kind === 'refused' ? 'declined' : end.kind});
    }
    this.#view = told(this.#view, end.kind === 'refused' ? 'warning' : 'info', attachText(block, end));
    this.#attend();
    this.#drawNow();
  }

  /** Whether something waits for the user's answer. */
  get asks(): boolean {
    return ['approval', 'question'].includes(attentionOf(this.#view).kind);
  }

  /** Stops all timers; answers with what was open, for the scrollback. */
  stop(): string {
    clearTimeout(this.#frameTimer);
    clearInterval(this.#tickTimer);
    clearTimeout(this.#leaveTimer);
    clearTimeout(this.#focusTimer);
    const frame = this.#frame;
    const {view, finished} = this.#drained();
    this.#surface = undefined;
    return linesText([...finished, ...view.entries.flatMap(entry => openLines(entry, this.#lexer, frame))]);
  }

  #press(presses: readonly KeyPress[]): void {
    for (const [at, one] of presses.entries()) {
      const {ui, effects} = press(this.#ui, one, {
        view: this.#view,
        commands: this.#commands,
        blocks: this.#options.blocks.list(),
        now: this.#options.clock.now(),
        place: at === 0 ? 'first' : 'later',
      });
      this.#ui = ui;
      for (const effect of effects) this.#perform(effect);
    }
    this.#attend();
    this.#forgetLeaving();
    this.#drawNow();
  }

  /** The offer to leave goes when its time is over; every press sets or takes back the offer, and so the time. */
  #forgetLeaving(): void {
    clearTimeout(this.#leaveTimer);
    if (this.#ui.leaving.kind === 'no' || this.#surface === undefined) return;
    this.#leaveTimer = setTimeout(() => {
      this.#ui = {...this.#ui, leaving: {kind: 'no'}};
      this.#drawNow();
    }, leaveWithinMs);
  }

  #perform(effect: Effect): void {
    const {engine, history} = this.#options;
    switch (effect.do) {
      case 'send':
        history.add(effect.text);
        this.send(effect.text);
        return;
      case 'op':
        if (effect.op.op === 'interrupt') this.#view = stopAsked(this.#view);
        engine.submit(effect.op);
        return;
      case 'command':
        this.#command(effect.line);
        return;
      case 'show-all':
        this.#aside = [...this.#aside, '', ...wholeApproval(effect.approval, this.#frame)];
        return;
      case 'attach':
        this.#host.attach(effect.block);
        return;
      case 'stop-block':
        void this.#options.blocks.stop(effect.block);
        return;
      case 'keep-block':
        this.#options.blocks.keep(effect.block);
        return;
      case 'tell':
        this.#view = told(this.#view, 'info', effect.text);
        return;
      case 'leave':
        this.#host.leave({kind: 'left'});
        return;
      default:
        unreachable(effect);
    }
  }

  #command(line: CommandLine): void {
    if (line.kind === 'unknown') this.#view = told(this.#view, 'warning', unknownText(line));
    else line.command.run(line.argument, this.#desk);
  }

  /** Opens the list of earlier sessions. */
  offerSessions(): void {
    resumeCommand.run('', this.#desk);
  }

  #openDesk(): CommandDesk {
    const view = (): View => this.#view;
    const frame = (): Frame => this.#frame;
    return {
      options: this.#options,
      commands: this.#commands,
      get view() {
        return view();
      },
      get frame() {
        return frame();
      },
      tell: (level, text) => {
        this.#view = told(this.#view, level, text);
        this.#drawSoon();
      },
      print: lines => {
        this.#aside = [...this.#aside, ...lines];
        this.#drawSoon();
      },
      submit: op => this.#options.engine.submit(op),
      open: panel => {
        this.#ui = {...this.#ui, panel};
        this.#drawSoon();
      },
      leave: exit => this.#host.leave(exit),
    };
  }

  /** Prompts that an interrupt dropped are the user's work: they come back as the draft. */
  #giveBack(queued: readonly string[]): void {
    if (queued.length > 0 && isEmptyDraft(this.#ui.draft)) {
      this.#ui = {...this.#ui, draft: draftOf(queued.join('\n\n'))};
    }
  }

  #attend(): void {
    this.#ui = attend(this.#ui, this.#view, this.#options.clock.now());
    this.#awaitFocus();
  }

  /** Sets the time at which the card takes the keys. */
  #awaitFocus(): void {
    const due = focusDue(this.#ui);
    if (due === this.#focusDue) return;
    this.#focusDue = due;
    clearTimeout(this.#focusTimer);
    if (due === undefined || this.#surface === undefined) return;
    // Keys that were pressed while nothing could be read are read first: they move the time, and go to the draft.
    const taken = (): unknown => setImmediate(() => this.#takeFocus());
    this.#focusTimer = setTimeout(taken, Math.max(0, due - this.#options.clock.now()));
  }

  #takeFocus(): void {
    const due = focusDue(this.#ui);
    if (due === undefined || this.#surface === undefined) return;
    if (due <= this.#options.clock.now()) {
      this.#ui = focused(this.#ui);
      this.#drawNow();
    }
    this.#focusDue = undefined;
    this.#awaitFocus();
  }

  /** Seconds are counted on screen only while something runs. */
  #keepTicking(): void {
    const running = this.#view.run.state !== 'idle';
    if (running) this.#tickTimer ??= setInterval(() => this.#drawSoon(), tickMs);
    else {
      clearInterval(this.#tickTimer);
      this.#tickTimer = undefined;
    }
  }

  get #frame(): Frame {
    // One column stays free: a terminal holds back the wrap after its last one, and not all do it alike.
    return {theme: this.#theme, width: Math.max(12, (this.#surface?.size.columns ?? 80) - 1)};
  }

  #drawSoon(): void {
    if (this.#surface === undefined) return;
    const wait = this.#lastFrame + frameMs - this.#options.clock.now();
    this.#frameTimer ??= setTimeout(() => this.#drawNow(), Math.min(frameMs, Math.max(0, wait)));
  }

  #drawNow(): void {
    clearTimeout(this.#frameTimer);
    this.#frameTimer = undefined;
    if (this.#surface === undefined) return;
    const {view, finished} = this.#drained();
    this.#view = view;
    const now = this.#options.clock.now();
    this.#lastFrame = now;
    const {rows} = this.#surface.size;
    const state = {
      view,
      ui: this.#ui,
      commands: this.#commands,
      lexer: this.#lexer,
      directory: this.#options.directory,
      blocks: this.#options.blocks.list(),
      times: {elapsedMs: now - this.#runningSince, retryInMs: this.#retryAt - now},
      demo: this.#options.demo,
    };
    this.#surface.show(linesText(finished), screen(state, rows, this.#frame));
  }

  async #needLexer(): Promise<void> {
    if (this.#lexerState === 'loading') return;
    this.#lexerState = 'loading';
    this.#lexer = await this.#host.loadLexer();
    this.#drawSoon();
  }

  #drained(): {readonly view: View; readonly finished: readonly string[]} {
    const lexer = this.#lexer;
    if (lexer === undefined) {
      if (this.#view.entries.length > 0 || this.#aside.length > 0) void this.#needLexer();
      return {view: this.#view, finished: []};
    }
    const {view, finished} = drain(this.#view);
    const frame = this.#frame;
    const lines = [...this.#aside, ...finished.flatMap(one => finishedLines(one, lexer, frame))];
    this.#aside = [];
    return {view, finished: lines};
  }
}

const linesText = (lines: readonly string[]): string => (lines.length === 0 ? '' : `${lines.join('\n')}\n`);
