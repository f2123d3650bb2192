import type {AgentEvent} from '../../actions/agent-event.ts';
import type {Outcome} from '../../base/outcome.ts';
import type {BlockId} from '../../domain/ids.ts';
import type {BellEvent} from '../../domain/preferences.ts';
import {attachText, handOverAnswers, type AttachEnd} from '../visits/attached-terminal.ts';
import {readCommand, unknownText, type CommandLine} from '../input/commands.ts';
import type {Effect} from '../input/effect.ts';
import {typingPauseMs} from '../input/ui.ts';
import type {MarkdownLexer} from '../markdown/render-markdown.ts';
import type {TuiExit, TuiOptions} from '../options.ts';
import {promptQueued, stopAsked} from '../state/reduce.ts';
import {emptyView, type View} from '../state/view.ts';
import {Asking} from './asking.ts';
import {EventLines} from './event-lines.ts';
import {LineInput, type EnteredLine} from './line-input.ts';
import type {LineKey} from './line-keys.ts';
import type {NextQuestion} from './next-question.ts';
import {Outbox} from './outbox.ts';
import {ownQuestion} from './own-question.ts';
import {Paper, type PaperOptions} from './paper.ts';
import {performEffect} from './perform-effect.ts';
import {spokenPrompt} from './plain-markdown.ts';
import {resume, type SpokenDesk} from './spoken-commands.ts';
import {completion, openSpokenDesk} from './spoken-desk.ts';
import {Talking} from './talking.ts';

export interface ConversationHost {
  readonly paper: PaperOptions;
  leave(exit: TuiExit): void;
  loadLexer(): Promise<MarkdownLexer>;
  /** Stops weft, with the terminal given back, until the user's shell goes on with it. */
  suspend(): void;
  /** Lends the terminal to the user's editor; answers with the text, or why there is none. */
  edit(text: string): Promise<Outcome<string, string>>;
}

/**
 * Joins the parts of the line-based conversation: events become lines, lines become operations. A question is said once nothing has
 * been typed for a while, and only a line begun after that answers it; no other time is measured, and nothing runs at rest.
 */
export class Conversation {
  readonly #options: TuiOptions;
  readonly #host: ConversationHost;
  readonly #closing = new AbortController();
  readonly #paper: Paper;
  readonly #input: LineInput;
  readonly #outbox: Outbox;
  readonly #talking: Talking;
  readonly #desk: SpokenDesk;
  readonly #asking: Asking;
  #view: View = emptyView;
  #events: EventLines | undefined;
  #early: (readonly AgentEvent[])[] = [];
  /** What was said last should not wait for the end of a line. */
  #isUrgent = false;
  #lastKey = Number.NEGATIVE_INFINITY;
  #leaving: 'no' | 'asked' | 'leaves' = 'no';
  #pause: NodeJS.Timeout | undefined;

  constructor(options: TuiOptions, host: ConversationHost) {
    this.#options = options;
    this.#host = host;
    this.#paper = new Paper(host.paper);
    this.#asking = new Asking(lines => this.#paper.say(lines));
    this.#input = new LineInput(this.#paper, {
      answers: () => this.#asking.of !== 'nobody',
      hides: () => this.#talking.hides,
      completion: text => this.#completion(text),
    });
    const say = (...lines: readonly string[]): void => this.#say(...lines);
    this.#outbox = new Outbox({
      options,
      say,
      signal: this.#closing.signal,
      idle: () => this.#isIdle,
      queued: prompt => {
        this.#view = promptQueued(this.#view, prompt);
      },
      typed: id => this.#events?.typed(id),
    });
    this.#talking = new Talking({
      say,
      desk: options.blocks,
      columns: () => host.paper.columns(),
      left: (block, end) => this.#blockLeft(block, end),
    });
    this.#desk = openSpokenDesk({
      options,
      say,
      view: () => this.#view,
      loadLexer: () => host.loadLexer(),
      ask: dialogue => {
        this.#asking.ask('own', dialogue);
        this.#proceed();
      },
      repeat: () => this.#asking.repeat(),
      stop: () => this.#stopAgent(),
      queue: text => this.#outbox.send(text, 'queued'),
      attach: path => void this.#outbox.attach(path),
      edit: () => void this.#edit(),
      leave: exit => this.#leave(exit),
    });
  }

  /** The first lines, and the prompt that weft was started with. */
  start(): void {
    const {version, directory, notices, firstPrompt} = this.#options;
    const how = 'Type a prompt and Enter. /help names the commands, Ctrl+D leaves.';
    this.#paper.say([`weft ${version} in ${directory}`, ...notices, how]);
    if (firstPrompt !== '') {
      this.#paper.say(spokenPrompt(firstPrompt));
      this.#outbox.send(firstPrompt, 'queued');
    }
    this.#proceed();
  }

  remember(prompts: readonly string[]): void {
    this.#input.remember(prompts);
  }

  warn(notices: readonly string[]): void {
    this.#say(...notices.map(notice => `Warning: ${notice}`));
  }

  /** The user's shell has the terminal until `use` returns. */
  lend(use: () => void): void {
    this.#paper.lend(use, this.#talking.hides ? 'hidden' : 'shown');
  }

  offerSessions(): void {
    resume(this.#desk);
    this.#proceed();
  }

  handleEvents(events: readonly AgentEvent[]): void {
    if (this.#events === undefined) {
      // Nothing may be said ahead of what came before it.
      this.#early.push(events);
      if (this.#early.length === 1) void this.#readMarkdown();
      return;
    }
    const isOther = this.#view.session.tag === 'open' && events.some(({event}) => event === 'session-opened');
    if (isOther && this.#asking.of === 'user') this.#asking.drop();
    const {view, lines} = this.#events.take(this.#view, events);
    this.#view = view;
    this.#paper.say(lines);
    for (const event of events) this.#follow(event);
    this.#asking.follow(events, view);
    this.#proceed();
  }

  press(keys: readonly LineKey[]): void {
    if (keys.length > 0) this.#lastKey = this.#options.clock.now();
    for (const key of keys) this.#key(key);
    this.#proceed();
  }

  /** Says what is left, and ends what was begun. */
  stop(): void {
    this.#closing.abort();
    clearTimeout(this.#pause);
    this.#talking.close();
    const open = this.#view.entries.map(entry =>
      entry.kind === 'text' || entry.kind === 'thinking' ? {...entry, state: 'done' as const} : entry,
    );
    this.#paper.say(this.#events?.take({...this.#view, entries: open}, []).lines ?? []);
    this.#paper.close();
  }

  async #readMarkdown(): Promise<void> {
    this.#events = new EventLines(await this.#host.loadLexer());
    const early = this.#early;
    this.#early = [];
    if (!this.#closing.signal.aborted) for (const events of early) this.handleEvents(events);
  }

  get #isIdle(): boolean {
    return this.#view.run.state === 'idle' && this.#view.queued.length === 0;
  }

  #follow(event: AgentEvent): void {
    const own = ownQuestion(event, this.#view);
    if (own !== undefined) this.#asking.ask('own', own);
    switch (event.event) {
      case 'rewound': {
        const {kind, prompts, prompt} = event.report;
        if (kind === 'rewind' && prompts > 0) this.#paper.say([`The prompt was: ${prompt}`]);
        return;
      }
      case 'prompt-finished':
        this.#isUrgent = true;
        this.#bell('done');
        return;
      default:
    }
  }

  #key(key: LineKey): void {
    if (key.key === 'interrupt') {
      this.#interrupt();
      return;
    }
    this.#leaving = 'no';
    switch (key.key) {
      case 'suspend':
        if (this.#talking.block === undefined) this.#host.suspend();
        else this.#talking.press('\u001A');
        return;
      case 'end-of-input':
        if (this.#talking.block !== undefined) this.#talking.press('\u0004');
        else if (this.#input.isEmpty) this.#leave({kind: 'left'});
        return;
      case 'escape':
        if (this.#talking.block === undefined) this.#back();
        return;
      default: {
        const entered = this.#input.press(key);
        if (entered !== undefined) this.#entered(entered);
      }
    }
  }

  #interrupt(): void {
    const leaving = this.#leaving === 'asked';
    this.#leaving = 'no';
    if (this.#talking.block !== undefined) {
      this.#talking.press('\u0003');
    } else if (!this.#input.isEmpty) {
      this.#input.clear();
    } else if (!this.#back()) {
      if (leaving) this.#leave({kind: 'left'});
      this.#leaving = 'asked';
      this.#paper.say(['Ctrl+C again leaves.']);
    }
  }

  /** Closes what the user has opened, or stops what runs. */
  #back(): boolean {
    if (this.#asking.of === 'user') {
      this.#asking.drop();
      this.#paper.say(['Nothing was chosen.']);
      return true;
    }
    if (this.#isIdle) return false;
    this.#stopAgent();
    return true;
  }

  #stopAgent(): void {
    if (this.#isIdle) {
      this.#say('Nothing runs.');
      return;
    }
    // That the question is gone is no news then.
    if (this.#asking.of === 'agent') this.#asking.drop();
    if (this.#view.run.state !== 'stopping') this.#paper.say(['Stopping.']);
    this.#view = stopAsked(this.#view);
    this.#options.engine.submit({op: 'interrupt'});
  }

  #entered({text, meant}: EnteredLine): void {
    const line = text.trim();
    if (this.#talking.block !== undefined) {
      this.#talking.enter(text);
      return;
    }
    if (line.toLowerCase() === 'stop' && !this.#isIdle) {
      this.#stopAgent();
      return;
    }
    const command = readCommand(line, this.#desk.commands);
    if (command !== undefined && !(command.kind === 'unknown' && meant === 'answer')) {
      this.#command(command);
    } else if (meant === 'answer' && this.#asking.of !== 'nobody') {
      this.#perform(this.#asking.answer(line));
    } else if (line !== '') {
      // It may have been meant for what was said while it was typed: neither is done.
      const isShort = this.#asking.of !== 'nobody' && /^\S+$/u.test(line);
      if (meant === 'answer') this.#paper.say([`The question is closed, so nothing was sent: ${line}`]);
      else if (isShort)
        this.#paper.say([
          `That did not answer the question, since it was begun before it or came with other lines: ${line}`,
        ]);
      else this.#outbox.enter(text);
    }
  }

  async #edit(): Promise<void> {
    this.#paper.say(['Your editor has the terminal.']);
    this.#paper.print('now');
    this.#paper.hold();
    const edited = await this.#host.edit('');
    this.#paper.release();
    if (this.#closing.signal.aborted) return;
    if (edited.tag === 'failed') this.#say(`Warning: ${edited.error}`);
    else if (edited.value.trim() === '') this.#say('The text is empty, so nothing was sent.');
    else {
      this.#say('Your text, which Enter sends:');
      this.#input.write(edited.value.trimEnd());
    }
  }

  #command(line: CommandLine): void {
    if (line.kind === 'unknown') this.#paper.say([unknownText(line)]);
    else this.#desk.commands.find(({name}) => name === line.name)?.run(line.argument, this.#desk);
  }

  #leave(exit: TuiExit): void {
    this.#leaving = 'leaves';
    this.#host.leave(exit);
  }

  #perform(effects: readonly Effect[]): void {
    for (const effect of effects) {
      performEffect(effect, {
        options: this.#options,
        input: this.#input,
        talking: this.#talking,
        say: lines => this.#paper.say(lines),
        run: line => this.#command(line),
        leave: exit => this.#leave(exit),
      });
    }
  }

  #blockLeft(block: BlockId, end: AttachEnd): void {
    for (const op of handOverAnswers(this.#view.handOvers, block, end)) this.#options.engine.submit(op);
    this.#say(attachText(block, end));
  }

  #say(...lines: readonly string[]): void {
    if (this.#closing.signal.aborted || lines.length === 0) return;
    this.#paper.say(lines);
    this.#proceed();
  }

  /** To be called after every change: says what is due now, or sets the time at which it is. */
  #proceed(): void {
    if (this.#closing.signal.aborted) return;
    this.#paper.expect(this.#marker);
    if (this.#input.isEmpty) this.#paper.print('if-free');
    clearTimeout(this.#pause);
    if (!this.#isDue) return;
    const wait = Math.max(0, this.#lastKey + typingPauseMs - this.#options.clock.now());
    // Keys that were pressed while nothing could be read are read first: they move the time, and go to the draft.
    this.#pause = setTimeout(() => setImmediate(() => this.#sayDue()), wait);
  }

  get #isDue(): boolean {
    return this.#dueQuestion() !== undefined || (this.#isUrgent && !this.#input.isEmpty);
  }

  #dueQuestion(): NextQuestion | undefined {
    return this.#talking.block === undefined ? this.#asking.next(this.#view, this.#options.blocks) : undefined;
  }

  #sayDue(): void {
    if (this.#closing.signal.aborted || !this.#isDue) return;
    if (this.#lastKey + typingPauseMs > this.#options.clock.now()) {
      this.#proceed();
      return;
    }
    const next = this.#dueQuestion();
    if (next !== undefined) {
      this.#asking.ask(next.id, next.dialogue);
      this.#bell(next.bell);
    }
    this.#isUrgent = false;
    this.#paper.expect(this.#marker);
    this.#paper.print('now');
    this.#proceed();
  }

  get #marker(): string {
    if (this.#leaving === 'leaves') return '';
    if (this.#talking.block !== undefined) return `${this.#talking.block}> `;
    if (this.#asking.of !== 'nobody') return 'answer> ';
    return this.#isIdle ? '> ' : '';
  }

  #bell(event: BellEvent): void {
    if (this.#options.preferences.bellOn.includes(event)) this.#paper.bell();
  }

  #completion(text: string): string {
    const {more, names} = completion(text, this.#desk);
    if (names.length > 0) {
      this.#paper.say([names.map(name => `/${name}`).join(', ')]);
      this.#paper.print('now');
    }
    return more;
  }
}
