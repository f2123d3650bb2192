import type {AgentEvent} from '../../actions/agent-event.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {BlockId} from '../../domain/ids.ts';
import {Appearance} from './appearance.ts';
import {attachText, handOverAnswers, type AttachEnd} from '../visits/attached-terminal.ts';
import {BranchName} from './branch-name.ts';
import {Composer} from './composer.ts';
import type {CommandDesk, SlashCommand} from '../commands/command.ts';
import {editorLeft, type EditorEnd} from '../visits/editor-left.ts';
import {commandsFor} from '../commands/command-list.ts';
import {resumeCommand} from '../commands/resume.ts';
import {unknownText, type CommandLine} from '../input/commands.ts';
import {expanded} from '../input/draft.ts';
import {rewritten, switchedVim} from '../input/editing.ts';
import {historyOf} from '../input/prompt-history.ts';
import {readKeys, type KeyPress, type RawKey} from '../input/keymap.ts';
import {leaveWithinMs, press, shownOn} from '../input/press.ts';
import {followRewind} from '../input/follow-rewind.ts';
import type {Effect, PressContext} from '../input/effect.ts';
import {attend, focusDue, focused, openUi, type Ui} from '../input/ui.ts';
import {openDesk} from './open-desk.ts';
import type {TuiOptions} from '../options.ts';
import {reduce, stopAsked, told} from '../state/reduce.ts';
import {attentionOf} from '../state/select.ts';
import {emptyView, type View} from '../state/view.ts';
import {Scrollback} from './scrollback.ts';
import type {SessionHost} from './session-host.ts';
import {FocusTimer} from './focus-timer.ts';
import {RunClock} from './run-clock.ts';
import type {Surface} from '../terminal/surface.ts';
import type {Background} from '../theme/background.ts';
import {draftWidth} from '../views/composer-view.ts';
import {wholeApproval} from '../views/approval-card.ts';
import {panelRows, screen} from '../views/screen.ts';
import {openLines} from '../views/transcript.ts';
import type {EntryFrame} from '../views/verbosity.ts';

/** Least time between two frames that only events asked for; keys are shown at once. */
const frameMs = 50;
const tickMs = 1000;

/**
 * Joins the parts: events and keys change `view` and `ui`, a frame writes what is finished to the scrollback and draws the
 * rest. Deltas are only added up between frames, so their cost does not depend on how often they come.
 */
export class Session {
  readonly #options: TuiOptions;
  readonly #appearance: Appearance;
  readonly #clock: RunClock;
  readonly #focus: FocusTimer;
  readonly #branch: BranchName;
  readonly #desk: CommandDesk;
  readonly #commands: readonly SlashCommand[];
  readonly #host: SessionHost;
  readonly #composer: Composer;
  readonly #scrollback: Scrollback;
  #surface: Surface | undefined;
  #view: View = emptyView;
  #ui: Ui;
  #frameTimer: NodeJS.Timeout | undefined;
  #tickTimer: NodeJS.Timeout | undefined;
  #leaveTimer: NodeJS.Timeout | undefined;
  #lastFrame = Number.NEGATIVE_INFINITY;

  constructor(options: TuiOptions, host: SessionHost) {
    this.#options = options;
    this.#host = host;
    this.#appearance = new Appearance(options.look, options.preferences.verbosity);
    this.#clock = new RunClock(() => options.clock.now());
    this.#focus = new FocusTimer({
      now: () => options.clock.now(),
      due: () => (this.#surface === undefined ? undefined : focusDue(this.#ui)),
      take: () => {
        this.#ui = focused(this.#ui);
        this.#drawNow();
      },
    });
    this.#branch = new BranchName(() => options.outside.branch());
    this.#commands = commandsFor(options.demo);
    this.#desk = this.#openDesk();
    this.#scrollback = new Scrollback({
      loadLexer: () => host.loadLexer(),
      now: () => options.clock.now(),
      redraw: () => this.#drawSoon(),
    });
    this.#composer = new Composer({
      options,
      ui: () => this.#ui,
      view: () => this.#view,
      show: ({ui = this.#ui, view = this.#view}) => {
        this.#ui = ui;
        this.#view = view;
        this.#drawSoon();
      },
    });
    this.#ui = openUi([], '', options.preferences.editorMode);
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
    this.#composer.giveBack(events);
    for (const event of events) {
      this.#view = reduce(this.#view, event);
      this.#clock.follow(event);
      this.#ui = followRewind(this.#ui, event);
    }
    this.#branch.follow(events);
    this.#keepTicking();
    this.#attend();
    this.#drawSoon();
  }

  handleInput(input: string, key: RawKey): void {
    this.#press(readKeys(input, key));
  }

  handlePaste(text: string, part: 'first' | 'more'): void {
    this.#press([{kind: 'paste', text, part}]);
  }

  warn(notices: readonly string[]): void {
    for (const notice of notices) this.#tell('warning', notice);
  }

  /** The terminal has told its background. */
  backgroundIs(background: Background): void {
    this.#appearance.backgroundIs(background);
    this.#drawSoon();
  }

  /** Something on screen that is no part of the session has changed. */
  refresh(): void {
    this.#drawSoon();
  }

  handleResize(): void {
    this.#drawNow();
  }

  /** Hands a prompt to the engine. */
  send(text: string): void {
    this.#composer.send(text, 'queued');
  }

  /** The terminal is somebody else's for a while: nothing is drawn. Answers as `stop` does. */
  pause(): string {
    const {view, finished} = this.#scrollback.take(this.#view, this.#frame);
    this.#view = view;
    clearTimeout(this.#frameTimer);
    this.#frameTimer = undefined;
    this.#surface = undefined;
    return linesText(finished);
  }

  /** The terminal is back, on a new surface; `tell` says what came of it. */
  resume(surface: Surface, tell: () => void): void {
    this.#surface = surface;
    tell();
    this.#attend();
    this.#drawNow();
  }

  /** The user has left a block's terminal. */
  blockLeft(block: BlockId, end: AttachEnd): void {
    for (const op of handOverAnswers(this.#view.handOvers, block, end)) this.#options.engine.submit(op);
    this.#view = told(this.#view, end.kind === 'refused' ? 'warning' : 'info', attachText(block, end));
  }

  /** The user has left the editor. */
  edited(left: EditorEnd): void {
    const screenAfter = editorLeft({ui: this.#ui, view: this.#view}, left, this.#options.clock.now());
    this.#ui = screenAfter.ui;
    this.#view = screenAfter.view;
  }

  /** What a press is read with on a screen of that size. */
  context(place: PressContext['place'], {columns, rows} = {columns: 80, rows: 24}): PressContext {
    const frame = this.#frameOf(columns);
    return {
      view: this.#view,
      commands: this.#commands,
      blocks: this.#options.blocks.list(),
      now: this.#options.clock.now(),
      place,
      width: draftWidth(frame),
      frame,
      rows: panelRows(rows),
    };
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
    this.#focus.stop();
    this.#composer.close();
    const frame = this.#frame;
    const {view, finished} = this.#scrollback.take(this.#view, this.#frame);
    this.#surface = undefined;
    const open = {lexer: this.#scrollback.lexer, actions: this.#clock.times().actions};
    return linesText([...finished, ...view.entries.flatMap(entry => openLines(entry, open, frame))]);
  }

  #press(presses: readonly KeyPress[]): void {
    for (const [at, one] of presses.entries()) {
      const {ui, effects} = press(this.#ui, one, this.context(at === 0 ? 'first' : 'later', this.#surface?.size));
      this.#ui = ui;
      for (const effect of effects) this.#perform(effect);
    }
    this.#composer.followDraft();
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
    const {engine} = this.#options;
    switch (effect.do) {
      case 'compose':
        this.#composer.perform(effect.work);
        return;
      case 'op':
        if (effect.op.op === 'interrupt') this.#view = stopAsked(this.#view);
        engine.submit(effect.op);
        return;
      case 'command':
        this.#command(effect.line);
        return;
      case 'show-all':
        this.#scrollback.putAside(['', ...wholeApproval(effect.approval, this.#frame)]);
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
        this.#tell('info', effect.text);
        return;
      case 'write':
        this.#ui = rewritten(this.#ui, effect.text);
        return;
      case 'edit-outside':
        this.#host.edit(effect.what === 'draft' ? expanded(this.#ui.draft) : effect.what);
        return;
      case 'redraw':
        this.#surface?.redraw();
        return;
      case 'scroll':
        this.#surface?.scroll(effect.step);
        return;
      case 'unfold':
        if (!this.#scrollback.unfold(this.#frame)) this.#tell('info', nothingFolded);
        return;
      case 'next-verbosity':
        this.#commands.find(({name}) => name === 'verbosity')?.run('next', this.#desk);
        return;
      case 'choose-theme':
        this.#appearance.choose(effect.theme);
        return;
      case 'suspend':
        return this.#host.suspend();
      case 'leave':
        return this.#host.leave({kind: 'left'});
      default:
        unreachable(effect);
    }
  }

  #command(line: CommandLine): void {
    if (line.kind === 'unknown') this.#tell('warning', unknownText(line));
    else this.#commands.find(({name}) => name === line.name)?.run(line.argument, this.#desk);
  }

  /** Opens the list of earlier sessions. */
  offerSessions(): void {
    resumeCommand.run('', this.#desk);
  }

  #openDesk(): CommandDesk {
    return openDesk({
      host: this.#host,
      view: () => this.#view,
      frame: () => this.#frame,
      options: this.#options,
      commands: this.#commands,
      appearance: this.#appearance,
      times: () => this.#clock.times(),
      tell: (level, text) => this.#tell(level, text),
      print: lines => {
        this.#scrollback.putAside(lines);
        this.#drawSoon();
      },
      open: panel => {
        this.#ui = {...this.#ui, panel};
        this.#drawSoon();
      },
      edit: () => this.#host.edit(expanded(this.#ui.draft)),
      switchVim: () => {
        this.#ui = switchedVim(this.#ui);
        return this.#ui.editing.vim === 'off' ? 'off' : 'on';
      },
    });
  }

  #tell(level: 'info' | 'warning', text: string): void {
    this.#view = told(this.#view, level, text);
    this.#drawSoon();
  }

  #attend(): void {
    this.#ui = attend(this.#ui, this.#view, this.#options.clock.now());
    this.#focus.follow();
  }

  /** Seconds are counted on screen only while something runs, which an agent that waits for an answer does not. */
  #keepTicking(): void {
    const waits = attentionOf(this.#view).kind !== 'composer' && this.#clock.times().actions.size === 0;
    if (this.#view.run.state !== 'idle' && !waits) this.#tickTimer ??= setInterval(() => this.#drawSoon(), tickMs);
    else {
      clearInterval(this.#tickTimer);
      this.#tickTimer = undefined;
    }
  }

  get #frame(): EntryFrame {
    return this.#frameOf(this.#surface?.size.columns ?? 80);
  }

  #frameOf(columns: number): EntryFrame {
    const {theme, verbosity} = this.#appearance;
    // One column stays free: a terminal holds back the wrap after its last one, and not all do it alike.
    return {theme, verbosity, width: Math.max(12, columns - 1)};
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
    const {view, finished} = this.#scrollback.take(this.#view, this.#frame);
    this.#view = view;
    this.#lastFrame = this.#options.clock.now();
    const state = {
      view,
      ui: this.#ui,
      commands: this.#commands,
      lexer: this.#scrollback.lexer,
      directory: this.#options.directory,
      blocks: this.#options.blocks.list(),
      times: this.#clock.times(),
      branch: this.#branch.name,
      demo: this.#options.demo,
      newlineKey: this.#host.newlineKey,
    };
    const live = screen(state, this.#surface.size.rows, this.#frame);
    if (this.#surface.show(linesText(finished), live) === 'waits') return;
    this.#ui = shownOn(this.#ui, live.lines, {view, frame: this.#frame});
  }
}

const linesText = (lines: readonly string[]): string => (lines.length === 0 ? '' : `${lines.join('\n')}\n`);

const nothingFolded = 'Nothing that is folded is left to show here; /transcript shows everything.';
