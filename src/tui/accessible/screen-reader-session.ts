import {openReview, printReview} from '../commands/review.ts';
import {isBackgroundAgentEnd} from '../../actions/background-agent-end.ts';
import {programName} from '../../actions/block-text.ts';
import type {AgentEvent} from '../../actions/agent-event.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {BlockId, MessageId} from '../../domain/ids.ts';
import type {BellEvent} from '../../domain/preferences.ts';
import {ComposerEffects} from '../app/composer-effects.ts';
import {KnownCommands} from '../app/known-commands.ts';
import {type CommandContext, queryOrNotify} from '../commands/command.ts';
import {type CommandLine, parseCommand, parseDraft} from '../commands/command-line.ts';
import {isIdle} from '../state/selectors.ts';
import type {TuiExit, TuiOptions} from '../options.ts';
import {loadMarkdownLexer} from '../scrollback/render-markdown.ts';
import {RunClock} from '../app/run-clock.ts';
import {Appearance} from '../theme/theme.ts';
import type {Effect, PressContext, PanelQuery} from '../state/effect.ts';
import {notePanel, type Panel, quitPanel} from '../state/panels/panel.ts';
import {exitCommands} from '../state/press-composer.ts';
import {withEndedBlocks, withStopRequested} from '../state/reduce.ts';
import {readAllSessions, runPanelQuery} from '../state/panel-queries.ts';
import {compactPreview} from '../state/panels/compact.ts';
import {withAllSessions} from '../state/panels/sessions.ts';
import {initialUi, typingPauseMs, type Ui} from '../state/ui.ts';
import {emptyView, type View} from '../state/view.ts';
import {TerminalSessions} from '../terminal/terminal-sessions.ts';
import {type AttachEnd, attachText, opsAfterDetaching} from '../terminal/attached-terminal.ts';
import {AppendOnlyTerminal, type AppendOnlyTerminalOptions} from './append-only-terminal.ts';
import {AttachedSession} from './attached-session.ts';
import {CurrentQuestion, type NextQuestion} from './current-question.ts';
import {type EnteredLine, LineInput, type LineKey} from './line-input.ts';
import {changeRule} from '../commands/permissions.ts';
import {emptyListText, panelQuestion} from './panel-question.ts';
import {completion, type ScreenReaderContext, screenReaderCommands} from './screen-reader-commands.ts';
import {EventLines, plainFrame, plainNoticeLines, plainPromptLines} from './plain-entry.ts';

/** Control characters that are sent unchanged to an attached terminal session. */
const controls: Readonly<Partial<Record<LineKey['key'], string>>> = {
  interrupt: '\u0003',
  'end-of-input': '\u0004',
  suspend: '\u001A',
};

interface ScreenReaderSessionHost {
  readonly terminal: AppendOnlyTerminalOptions;
  leave(exit: TuiExit): void;
  /** Restores the terminal and stops the process until the user's shell continues it. */
  suspend(): void;
  /** Gives the terminal to the user's editor or to a command of weft. */
  readonly inTerminal: CommandContext['inTerminal'];
}

/**
 * Runs a conversation in screen-reader mode: engine events become printed lines, and entered lines become operations.
 * A question is printed when the user has paused typing, and only a line begun after it counts as an answer. That pause is the only timer.
 */
export class ScreenReaderSession {
  readonly #options: TuiOptions;
  readonly #host: ScreenReaderSessionHost;
  readonly #closing = new AbortController();
  readonly #terminals: TerminalSessions;
  readonly #terminal: AppendOnlyTerminal;
  readonly #input: LineInput;
  readonly #composer: ComposerEffects;
  readonly #attached: AttachedSession;
  readonly #context: ScreenReaderContext;
  readonly #question: CurrentQuestion;
  readonly #promptCommands: KnownCommands;
  #view: View = emptyView;
  /** The screen UI's composer state. Only its attached images are used here. */
  #ui = initialUi([], '', 'emacs');
  readonly #typedPrompts = new Set<MessageId>();
  #events: EventLines | undefined;
  #earlyEvents: (readonly AgentEvent[])[] = [];
  /** True if queued lines are printed at the next typing pause instead of after the user enters the line. */
  #printsAtPause = false;
  #lastKeyAt = Number.NEGATIVE_INFINITY;
  /** True if the user's open question confirms quitting. */
  #isQuitting = false;
  #leaving: 'no' | 'asked' | 'leaves' = 'no';
  #pause: NodeJS.Timeout | undefined;
  #answersAwaited = 0;

  constructor(options: TuiOptions, host: ScreenReaderSessionHost) {
    this.#options = options;
    this.#host = host;
    this.#terminals = new TerminalSessions(options.engine, () => options.clock.now());
    this.#terminal = new AppendOnlyTerminal(host.terminal);
    this.#promptCommands = new KnownCommands([], options, () => {}, this.#closing.signal);
    this.#question = new CurrentQuestion(lines => this.#terminal.say(lines));
    this.#input = new LineInput(this.#terminal, {
      answersQuestion: () => this.#question.askedBy !== 'none',
      isHidden: () => this.#attached.hidesInput,
      onChange: line => this.#promptCommands.loadFor(line),
      completion: text => this.#completion(text),
    });
    const say = (...lines: readonly string[]): void => this.#say(...lines);
    this.#composer = new ComposerEffects({
      options,
      ui: () => this.#ui,
      view: () => this.#view,
      show: changed => this.#show(changed),
    });
    this.#attached = new AttachedSession({
      say,
      terminals: this.#terminals,
      stop: id => options.engine.submit({op: 'stop-terminal', id}),
      columns: () => host.terminal.columns(),
      onDetached: (block, end) => this.#handleDetached(block, end),
    });
    this.#context = this.#commandContext();
  }

  /** The context of slash commands, without colors, a width limit, vim or redrawing. Running times are not shown. */
  #commandContext(): ScreenReaderContext {
    const options = this.#options;
    const view = (): View => this.#view;
    return {
      options,
      terminals: this.#terminals,
      signal: this.#closing.signal,
      commands: screenReaderCommands(options.demo, () => this.#context),
      get view() {
        return view();
      },
      frame: plainFrame,
      appearance: new Appearance('plain', 'summary'),
      times: () => new RunClock(() => options.clock.now()).times(),
      loadLexer: loadMarkdownLexer,
      notify: (level, text) => this.#say(...plainNoticeLines(level, text)),
      print: lines => this.#say(...lines),
      submit: op => options.engine.submit(op),
      runQuery: request => this.#beforeMarker(queryOrNotify(request, this.#context)),
      redraw: () => {},
      query: request => void this.#query(request),
      open: panel => this.#open(panel),
      // Screen-reader mode has its own /transcript command.
      openTranscript: () => {},
      openLoading: (_title, _text, filled) => void this.#beforeMarker(filled).then(panel => this.#open(panel)),
      openEditor: () => void this.#edit(),
      writeDraft: text => {
        this.#say('Your prompt. Press Enter to send it:');
        this.#input.write(text);
      },
      inTerminal: use => this.#inTerminal(use),
      switchVim: () => 'off',
      leave: kind => this.#leave(kind === 'demo' ? {kind, draft: ''} : {kind}),
      repeat: () => this.#question.repeat(),
      stop: () => this.#stopAgent(),
      queue: text => this.#send(text, 'queued'),
      addNote: note => this.#composer.perform({kind: 'note', note}),
      compose: work => this.#composer.perform(work),
    };
  }

  start(): void {
    this.#terminals.follow(ended => this.#show({view: withEndedBlocks(this.#view, ended)}), this.#closing.signal);
    const {version, directory, notices, firstPrompt} = this.#options;
    const how = 'Type a prompt and press Enter. /help lists commands, Ctrl+D exits.';
    this.#terminal.say([`weft ${version} in ${directory}`, ...notices, how]);
    if (firstPrompt !== '') {
      this.#terminal.say(plainPromptLines(firstPrompt));
      this.#send(firstPrompt, 'queued');
    }
    this.#proceed();
  }

  remember(prompts: readonly string[]): void {
    this.#input.remember(prompts);
  }

  warn(notice: string): void {
    this.#say(`Warning: ${notice}`);
  }

  /** Gives the terminal to the user's shell until `use` returns. */
  suspendFor(use: () => void): void {
    this.#terminal.suspendFor(use, this.#attached.hidesInput ? 'hidden' : 'shown');
  }

  offerSessions(): void {
    this.#command({kind: 'command', name: 'resume', argument: ''});
  }

  handleEvents(events: readonly AgentEvent[]): void {
    if (this.#events === undefined) {
      // Queue events until the markdown lexer is loaded, to keep the lines in order.
      this.#earlyEvents.push(events);
      if (this.#earlyEvents.length === 1) void this.#readMarkdown();
      return;
    }
    const isOther = this.#view.session.tag === 'open' && events.some(({event}) => event === 'session-opened');
    if (isOther && this.#question.askedBy === 'user') this.#question.drop();
    const {view, lines} = this.#events.take(this.#view, events);
    this.#view = view;
    this.#terminal.say(lines);
    for (const event of events) {
      this.#follow(event);
      if (isBackgroundAgentEnd(event))
        this.#options.engine.submit({op: 'hear-agents', id: this.#options.newPromptId()});
      if (event.event === 'terminal-needed' && this.#attached.block === undefined) this.#attached.start(event.block);
    }
    this.#question.follow(events, view);
    this.#proceed();
  }

  press(keys: readonly LineKey[]): void {
    if (keys.length > 0) this.#lastKeyAt = this.#options.clock.now();
    for (const key of keys) this.#key(key);
    this.#proceed();
  }

  /** Prints the remaining lines, then closes the attached terminal session and the terminal. */
  stop(): void {
    this.#closing.abort();
    this.#composer.close();
    clearTimeout(this.#pause);
    this.#attached.close();
    const open = this.#view.entries.map(entry =>
      entry.kind === 'text' || entry.kind === 'thinking' ? {...entry, state: 'done' as const} : entry,
    );
    this.#terminal.say(this.#events?.take({...this.#view, entries: open}, []).lines ?? []);
    this.#terminal.close();
  }

  async #readMarkdown(): Promise<void> {
    this.#events = new EventLines(await loadMarkdownLexer(), this.#typedPrompts);
    const earlyEvents = this.#earlyEvents;
    this.#earlyEvents = [];
    if (!this.#closing.signal.aborted) for (const events of earlyEvents) this.handleEvents(events);
  }

  get #isIdle(): boolean {
    return isIdle(this.#view);
  }

  #follow(event: AgentEvent): void {
    switch (event.event) {
      case 'rewound': {
        const {kind, prompts, prompt} = event.report;
        if (kind === 'rewind' && prompts > 0) this.#terminal.say([`The prompt was: ${prompt}`]);
        return;
      }
      case 'compaction-offered': {
        const {id, reason, preview} = event;
        return this.#open(compactPreview(preview, {id, reason, since: 0}));
      }
      case 'review-opened':
        void openReview(event.range, this.#context, printReview);
        return;
      case 'prompt-finished':
        this.#printsAtPause = true;
        this.#bell('done');
        return;
      default:
    }
  }

  #key(key: LineKey): void {
    const isLeaving = this.#leaving === 'asked';
    this.#leaving = 'no';
    const control = controls[key.key];
    if (control !== undefined && this.#attached.block !== undefined) {
      this.#attached.press(control);
      return;
    }
    switch (key.key) {
      case 'interrupt':
        this.#interrupt(isLeaving);
        return;
      case 'suspend':
        this.#host.suspend();
        return;
      case 'end-of-input':
        if (this.#input.isEmpty) this.#leave({kind: 'left'});
        return;
      case 'escape':
        if (this.#attached.block === undefined) this.#back();
        return;
      default: {
        const entered = this.#input.press(key);
        if (entered !== undefined) this.#entered(entered);
      }
    }
  }

  #interrupt(isLeaving: boolean): void {
    const isOnlyLeft = !this.#isIdle && this.#options.workAfter === 'goes-on' && this.#question.askedBy !== 'user';
    if (!this.#input.isEmpty) this.#input.clear();
    else if (isOnlyLeft || !this.#back()) {
      if (isLeaving) this.#leave({kind: 'left'});
      this.#leaving = 'asked';
      this.#terminal.say([
        this.#isIdle ? 'Press Ctrl+C again to exit.' : 'Press Ctrl+C again to exit. Escape stops the agent.',
      ]);
    }
  }

  /**
   * Closes the list that the user opened. Without a list, stops the agent. Returns `false` if there was neither a list
   * nor running work.
   */
  #back(): boolean {
    if (this.#question.askedBy === 'user') {
      this.#question.drop();
      this.#terminal.say(['Nothing was chosen.']);
      return true;
    }
    if (this.#isIdle) return false;
    this.#stopAgent();
    return true;
  }

  #stopAgent(): void {
    if (this.#isIdle) {
      this.#say('Nothing is running.');
      return;
    }
    // The user stopped the agent, so don't announce that its question closed.
    if (this.#question.askedBy === 'agent') this.#question.drop();
    if (this.#view.run.state !== 'stopping') this.#terminal.say(['Stopping.']);
    this.#view = withStopRequested(this.#view);
    this.#options.engine.submit({op: 'interrupt'});
  }

  #entered({text, meant}: EnteredLine): void {
    const line = text.trim();
    if (this.#attached.block !== undefined) {
      this.#attached.enter(text);
      return;
    }
    if (line.toLowerCase() === 'stop' && !this.#isIdle) {
      this.#stopAgent();
      return;
    }
    const command = parseCommand(line, this.#context.commands);
    if (command !== undefined && !(command.kind === 'unknown' && meant === 'answer')) {
      this.#command(command);
    } else if (meant === 'answer' && this.#question.askedBy !== 'none') {
      this.#perform(this.#question.answer(line));
    } else if (line !== '') {
      // A question appeared while the user typed this line, so it is unclear whether it is an answer or a prompt. Use it as neither.
      const isShort = this.#question.askedBy !== 'none' && /^\S+$/u.test(line);
      if (meant === 'answer') this.#terminal.say([`The question is closed, so nothing was sent: ${line}`]);
      else if (isShort)
        this.#terminal.say([
          `Not used as an answer, because you began it before the question or sent other lines with it: ${line}`,
        ]);
      else this.#enter(text);
    }
  }

  /** Handles an entered line that is neither a slash command nor an answer. */
  #enter(text: string): void {
    const meaning = parseDraft(text);
    switch (meaning.kind) {
      case 'prompt':
        if (exitCommands.has(text.trim())) return this.#leave({kind: 'left'});
        this.#options.engine.submit({op: 'remember-prompt', text});
        return this.#send(text, 'steering');
      case 'shell':
        if (meaning.command !== '') this.#composer.perform({kind: 'run-command', command: meaning.command});
        return undefined;
      case 'note':
        return this.#open(notePanel(text, meaning.note, 'steering'));
      default:
        return unreachable(meaning);
    }
  }

  /** Sends a prompt. If the agent is idle, the typed line stays right above the answer, so the prompt is not printed again. */
  #send(text: string, when: 'queued' | 'steering'): void {
    const {length} = this.#view.queued;
    const wasIdle = this.#isIdle;
    this.#composer.send(text, when);
    const prompt = this.#view.queued[length];
    if (wasIdle && prompt !== undefined) this.#typedPrompts.add(prompt.id);
    if (!wasIdle)
      this.#say(when === 'queued' ? 'Queued until the agent is done.' : 'The agent will read it at its next step.');
  }

  /** Applies and prints what composer effects changed: queued prompts, attached images, notices. */
  #show({ui = this.#ui, view = this.#view}: {readonly ui?: Ui; readonly view?: View}): void {
    const images = ui.images.slice(this.#ui.images.length);
    this.#ui = ui;
    const taken = this.#events?.take(view, []) ?? {view, lines: []};
    this.#view = taken.view;
    this.#say(...images.map(({name}) => `Image ${name} is attached to the next prompt.`), ...taken.lines);
  }

  readonly #inTerminal: CommandContext['inTerminal'] = async use => {
    this.#terminal.say(['Another program has the terminal.']);
    this.#terminal.print('now');
    this.#terminal.hold();
    const left = await this.#host.inTerminal(use);
    this.#terminal.release();
    return left;
  };

  async #edit(): Promise<void> {
    const work = {text: '', name: 'prompt.md', form: 'prose'} as const;
    const edited = await this.#inTerminal(({editor}, signal) => editor.edit(work, signal));
    if (this.#closing.signal.aborted) return;
    if (edited.tag === 'failed') this.#say(`Warning: ${edited.error}`);
    else if (edited.value.trim() === '') this.#say('The text is empty, so nothing was sent.');
    else {
      this.#say('Your text. Press Enter to send it:');
      this.#input.write(edited.value.trimEnd());
    }
  }

  async #beforeMarker<Answer>(answer: Promise<Answer>): Promise<Answer> {
    this.#answersAwaited += 1;
    try {
      return await answer;
    } finally {
      this.#answersAwaited -= 1;
      // Let the caller print the answer before the marker.
      setImmediate(() => this.#proceed());
    }
  }

  async #query(request: PanelQuery): Promise<void> {
    const next = await this.#beforeMarker(runPanelQuery(request, this.#options.engine, this.#closing.signal));
    if (next.step === 'notice') this.#context.notify(next.level, next.text);
    if (next.step === 'change' && next.text !== '') this.#context.notify('info', next.text);
    if (next.step === 'open') this.#open(next.panel);
    else this.#proceed();
  }

  #open(panel: Panel): void {
    // A question keeps its panel, so the panel gets what it searches before it is asked.
    if (panel.panel === 'sessions' && panel.loaded === 'newest') {
      void this.#beforeMarker(readAllSessions(this.#options.engine, this.#closing.signal)).then(all =>
        this.#open(all.tag === 'ok' ? withAllSessions(panel, all.value) : {...panel, loaded: 'requested'}),
      );
      return;
    }
    const empty = emptyListText(panel, this.#terminals.list());
    if (empty !== '') return this.#say(empty);
    this.#isQuitting = panel.panel === 'confirm' && panel.yes.do === 'quit';
    const context = (): PressContext => ({
      ...this.#context,
      blocks: this.#terminals.list(),
      workAfter: this.#options.workAfter,
      now: this.#options.clock.now(),
      batchPosition: 'first',
      width: this.#context.frame.width,
      rows: Number.POSITIVE_INFINITY,
      showsDecision: () => true,
      showsOption: () => true,
    });
    this.#question.ask('own', panelQuestion(panel, context));
    this.#proceed();
  }

  #command(line: CommandLine): void {
    if (line.kind === 'unknown') void this.#lookUp(line.text);
    else this.#context.commands.find(({name}) => name === line.name)?.run(line.argument, this.#context);
  }

  /** Sends the text if the engine knows the command. Unknown commands are never sent as prompts. */
  async #lookUp(text: string): Promise<void> {
    const found = await this.#context.runQuery({query: 'look-up-command', text});
    if (found?.kind === 'prompt') this.#enter(text);
    if (found?.kind === 'unknown') this.#terminal.say([found.text]);
  }

  /** Exits. Asks first if running work would stop with weft; asking to exit again counts as yes. */
  #leave(exit: TuiExit): void {
    const isAsked = this.#isQuitting && this.#question.askedBy === 'user';
    const question = exit.kind === 'demo' || isAsked ? 'asked' : 'unasked';
    const panel = quitPanel(this.#options, {question, shown: this.#view});
    if (panel !== 'none') return this.#open(panel);
    this.#leaving = 'leaves';
    this.#host.leave(exit);
  }

  #perform(effects: readonly Effect[]): void {
    // Text written by an effect goes to the line below the answer.
    this.#terminal.expect(this.#marker);
    for (const effect of effects) this.#performOne(effect);
  }

  /** Carries out an effect of an answer. Effects on the screen do nothing in screen-reader mode. */
  #performOne(effect: Effect): void {
    const {engine} = this.#options;
    switch (effect.do) {
      case 'op':
        engine.submit(effect.op);
        return;
      case 'query':
        void this.#query(effect.request);
        return;
      case 'attach':
        this.#attached.start(effect.block);
        return;
      case 'write':
        this.#input.write(effect.text);
        return;
      case 'command':
        this.#command(effect.line);
        return;
      case 'notify':
        this.#terminal.say([effect.text]);
        return;
      case 'leave':
      case 'quit':
        this.#leave({kind: 'left'});
        return;
      case 'change-rule':
        void changeRule(effect.rule, this.#context);
        return;
      case 'compose':
        this.#composer.perform(effect.work);
        return;
      case 'show-all':
      case 'print-approval':
      case 'edit-externally':
      case 'redraw':
      case 'suspend':
      case 'scroll':
      case 'expand':
      case 'next-verbosity':
      case 'choose-theme':
        return;
      default:
        unreachable(effect);
    }
  }

  #handleDetached(block: BlockId, end: AttachEnd): void {
    for (const op of opsAfterDetaching(this.#view, block, end)) this.#options.engine.submit(op);
    const command = this.#terminals.list().find(({id}) => id === block)?.command ?? '';
    this.#say(attachText(programName(command) || block, end));
  }

  #say(...lines: readonly string[]): void {
    if (this.#closing.signal.aborted || lines.length === 0) return;
    this.#terminal.say(lines);
    this.#proceed();
  }

  /** Prints the lines that are due now, or sets a timer for later ones. Must be called after every change. */
  #proceed(): void {
    if (this.#closing.signal.aborted) return;
    this.#terminal.expect(this.#marker);
    if (this.#input.isEmpty) this.#terminal.print('if-free');
    clearTimeout(this.#pause);
    if (!this.#isDue) return;
    const wait = Math.max(0, this.#lastKeyAt + typingPauseMs - this.#options.clock.now());
    // Read keys already waiting in stdin first: they postpone the question and belong to the draft.
    this.#pause = setTimeout(() => setImmediate(() => this.#sayDue()), wait);
  }

  get #isDue(): boolean {
    return this.#dueQuestion() !== undefined || (this.#printsAtPause && !this.#input.isEmpty);
  }

  #dueQuestion(): NextQuestion | undefined {
    return this.#attached.block === undefined ? this.#question.next(this.#view, this.#terminals) : undefined;
  }

  #sayDue(): void {
    if (this.#closing.signal.aborted || !this.#isDue) return;
    if (this.#lastKeyAt + typingPauseMs > this.#options.clock.now()) {
      this.#proceed();
      return;
    }
    const next = this.#dueQuestion();
    if (next !== undefined) {
      this.#question.ask(next.id, next.question);
      this.#bell(next.bell);
    }
    this.#printsAtPause = false;
    this.#terminal.expect(this.#marker);
    this.#terminal.print('now');
    this.#proceed();
  }

  get #marker(): string {
    if (this.#leaving === 'leaves') return '';
    if (this.#attached.block !== undefined) return `${this.#attached.block}> `;
    if (this.#question.askedBy !== 'none') return 'answer> ';
    return this.#isIdle && this.#answersAwaited === 0 ? '> ' : '';
  }

  #bell(event: BellEvent): void {
    if (this.#options.preferences.bellOn.includes(event)) this.#terminal.bell();
  }

  #completion(text: string): string {
    const {more, names} = completion(text, [...this.#context.commands, ...this.#promptCommands.all]);
    if (names.length > 0) {
      this.#terminal.say([names.map(name => `/${name}`).join(', ')]);
      this.#terminal.print('now');
    }
    return more;
  }
}
