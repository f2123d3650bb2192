import type {Approval} from '../../actions/agent-event.ts';
import type {RequestedRuleChange} from '../../agent/client.ts';
import type {CommandInfo, CommandLine} from '../commands/command-line.ts';
import {commandsFor} from '../commands/command-list.ts';
import {answerOrNotify, type CommandContext, type SlashCommand} from '../commands/command.ts';
import {changeRule} from '../commands/permissions.ts';
import {resumeCommand} from '../commands/resume.ts';
import {openReview, showOnScreen} from '../commands/review.ts';
import type {TranscriptPanel} from '../scrollback/transcript-panel.ts';
import {draftFromText, draftText} from '../editor/draft.ts';
import {toggleVim} from '../editor/text-field.ts';
import type {TuiExit} from '../options.ts';
import {commandLines} from '../scrollback/entries.ts';
import type {MarkdownLexer} from '../scrollback/render-markdown.ts';
import {type ChoicePanel, choicesMissing, type Panel} from '../state/panels/panel.ts';
import {withCommandAnswer, withNotice} from '../state/reduce.ts';
import type {Ui} from '../state/ui.ts';
import type {View} from '../state/view.ts';
import {commandPrefix} from '../terminal/keymap.ts';
import type {TerminalSessions} from '../terminal/terminal-sessions.ts';
import type {EntryFrame} from '../text/wrap.ts';
import {KnownCommands} from './known-commands.ts';

/** Runs the editor; resolves to what is done once the UI is back. */
export type EditorWork = (signal: AbortSignal) => Promise<() => void>;

/** What slash commands need from `runTui`, which has the terminal. */
export interface CommandHost {
  leave(exit: TuiExit): void;
  readonly terminals: TerminalSessions;
  read(panel: TranscriptPanel): void;
  /** Called once, when there is something to write to the scrollback. */
  loadLexer(): Promise<MarkdownLexer>;
  /** Lends the terminal to the user's editor. */
  edit(work: EditorWork): void;
}

/** What they need from the store. */
interface SlashCommandParts extends Pick<CommandContext, 'options' | 'appearance' | 'signal'> {
  readonly host: CommandHost;
  /** Leaves, and asks before that where it has to. */
  readonly leave: () => void;
  readonly editDraft: () => void;
  readonly times: CommandContext['times'];
  readonly addNote: CommandContext['addNote'];
  readonly query: CommandContext['query'];
  readonly print: CommandContext['print'];
  readonly send: (text: string) => void;
  readonly ui: () => Ui;
  readonly view: () => View;
  readonly frame: () => EntryFrame;
  readonly show: (changed: {readonly ui?: Ui; readonly view?: View}) => void;
}

/** Runs slash commands. What a command answers stands below the command. */
export class SlashCommands {
  readonly #parts: SlashCommandParts;
  readonly #commands: readonly SlashCommand[];
  readonly #known: KnownCommands;
  readonly #context: CommandContext;
  /** The command that has not been answered yet; empty for none. */
  #unanswered = '';

  constructor(parts: SlashCommandParts) {
    const {options, signal} = parts;
    this.#parts = parts;
    this.#commands = commandsFor(options.demo);
    this.#known = new KnownCommands(this.#commands, options, () => parts.show({}), signal);
    this.#context = this.#contextOf(parts);
  }

  get known(): readonly CommandInfo[] {
    return this.#known.all;
  }

  followDraft(): void {
    this.#known.follow(this.#parts.ui().draft.buffer.text);
  }

  run(line: CommandLine): void {
    if (line.kind === 'unknown') {
      void this.#lookUp(line.text);
      return;
    }
    this.#unanswered = `${commandPrefix}${line.name} ${line.argument}`.trimEnd();
    this.#commands.find(({name}) => name === line.name)?.run(line.argument, this.#context);
  }

  /** Sends what the engine knows as a command; what it does not know is no prompt. */
  async #lookUp(text: string): Promise<void> {
    const {send} = this.#parts;
    const found = await this.#context.answerTo({query: 'look-up-command', text});
    if (found?.kind === 'prompt') send(text);
    if (found?.kind !== 'unknown') return;
    this.#unanswered = text;
    this.#answer('warning', found.text);
  }

  nextVerbosity(): void {
    this.#commands.find(({name}) => name === 'verbosity')?.run('next', this.#context);
  }

  changeRule(rule: RequestedRuleChange): void {
    void changeRule(rule, this.#context);
  }

  /** Shows what a card asks on a screen of its own, whose code is loaded with its first use. */
  async showWhole(approval: Approval): Promise<void> {
    const context = this.#context;
    const [{approvalPanel}, lexer] = await Promise.all([
      import('../scrollback/transcript-panel.ts'),
      context.loadLexer(),
    ]);
    if (!context.signal.aborted) context.openTranscript(approvalPanel(approval, lexer));
  }

  /** Shows the code review that the user has agreed to look at. */
  openReview(range: string): void {
    void openReview(range, this.#context, showOnScreen);
  }

  offerSessions(): void {
    resumeCommand.run('', this.#context);
  }

  #contextOf(parts: SlashCommandParts): CommandContext {
    const {host, options, ui, view, frame, show} = parts;
    const notify = (level: 'info' | 'warning', text: string): void => this.#answer(level, text);
    return {
      options,
      notify,
      appearance: parts.appearance,
      signal: parts.signal,
      times: parts.times,
      addNote: parts.addNote,
      query: parts.query,
      commands: this.#commands,
      get view() {
        return view();
      },
      get frame() {
        return frame();
      },
      terminals: host.terminals,
      loadLexer: () => host.loadLexer(),
      submit: op => options.engine.submit(op),
      answerTo: request => answerOrNotify(request, {options, signal: parts.signal, notify}),
      print: lines => {
        const command = this.#takeUnanswered();
        parts.print(command === '' ? lines : [...commandLines(command, frame()), ...lines]);
      },
      redraw: () => show({}),
      open: panel => this.open(panel),
      openLoading: (title, text, filled) => void this.#openLoading(choicesMissing(title, 'loading', text), filled),
      openTranscript: panel => host.read(panel),
      writeDraft: text => show({ui: {...ui(), draft: draftFromText(text)}}),
      editText: work =>
        new Promise(done => {
          host.edit(async closing => {
            const edited = await options.editor.edit({...work, form: 'prose'}, closing);
            return () => done(edited);
          });
        }),
      openEditor: parts.editDraft,
      switchVim: () => {
        const switched = toggleVim(ui());
        show({ui: switched});
        return switched.editing.vim === 'off' ? 'off' : 'on';
      },
      leave: kind => (kind === 'demo' ? host.leave({kind, draft: draftText(ui().draft)}) : parts.leave()),
    };
  }

  open(panel: Panel): void {
    this.#unanswered = '';
    this.#parts.show({ui: {...this.#parts.ui(), panel}});
  }

  /** The rows fill the panel, unless it was closed meanwhile. */
  async #openLoading(loading: ChoicePanel, filled: Promise<ChoicePanel>): Promise<void> {
    const {ui, show} = this.#parts;
    show({ui: {...ui(), panel: loading}});
    const panel = await filled;
    if (ui().panel === loading) show({ui: {...ui(), panel}});
  }

  #answer(level: 'info' | 'warning', text: string): void {
    const command = this.#takeUnanswered();
    const view = this.#parts.view();
    this.#parts.show({
      view: command === '' ? withNotice(view, level, text) : withCommandAnswer(view, command, level, text),
    });
  }

  #takeUnanswered(): string {
    const command = this.#unanswered;
    this.#unanswered = '';
    return command;
  }
}
