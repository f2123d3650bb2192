import type {Approval} from '../../actions/agent-event.ts';
import type {RequestedRuleChange} from '../../agent/client.ts';
import type {CommandInfo, CommandLine} from '../commands/command-line.ts';
import {commandsFor} from '../commands/command-list.ts';
import {queryOrNotify, type CommandContext, type SlashCommand} from '../commands/command.ts';
import {changeRule} from '../commands/permissions.ts';
import {resumeCommand} from '../commands/resume.ts';
import {openReview, showOnScreen} from '../commands/review.ts';
import type {TranscriptPanel} from '../scrollback/transcript-panel.ts';
import {draftFromText, draftText} from '../editor/draft.ts';
import {toggleVim} from '../editor/text-field.ts';
import type {TuiExit} from '../options.ts';
import {commandLines} from '../scrollback/entries.ts';
import type {MarkdownLexer} from '../scrollback/render-markdown.ts';
import {type ChoicePanel, placeholderPanel, type Panel} from '../state/panels/panel.ts';
import {withCommandAnswer, withNotice} from '../state/reduce.ts';
import type {Ui} from '../state/ui.ts';
import type {View} from '../state/view.ts';
import {commandPrefix} from '../terminal/keymap.ts';
import type {TerminalSessions} from '../terminal/terminal-sessions.ts';
import type {EntryFrame} from '../text/wrap.ts';
import {KnownCommands} from './known-commands.ts';

/** Runs the editor. Resolves to a function to call once the UI is back. */
export type EditorWork = (signal: AbortSignal) => Promise<() => void>;

/** The port of slash commands to `runTui`, which controls the terminal. */
export interface CommandHost {
  leave(exit: TuiExit): void;
  readonly terminals: TerminalSessions;
  read(panel: TranscriptPanel): void;
  /** Loads the Markdown lexer. Called once, before the first write to the scrollback. */
  loadLexer(): Promise<MarkdownLexer>;
  /** Suspends the terminal while the user's editor runs. */
  edit(work: EditorWork): void;
}

/** The dependencies of slash commands, passed by the store. */
interface SlashCommandDeps extends Pick<CommandContext, 'options' | 'appearance' | 'signal'> {
  readonly host: CommandHost;
  /** Exits, after a question if needed. */
  readonly leave: () => void;
  readonly editDraft: () => void;
  readonly times: CommandContext['times'];
  readonly addNote: CommandContext['addNote'];
  readonly query: CommandContext['query'];
  readonly print: CommandContext['print'];
  readonly send: (text: string) => void;
  readonly queue: CommandContext['queue'];
  readonly compose: CommandContext['compose'];
  readonly ui: () => Ui;
  readonly view: () => View;
  readonly frame: () => EntryFrame;
  readonly show: (changed: {readonly ui?: Ui; readonly view?: View}) => void;
}

/** Runs slash commands. A command's answer appears below the command. */
export class SlashCommands {
  readonly #deps: SlashCommandDeps;
  readonly #commands: readonly SlashCommand[];
  readonly #known: KnownCommands;
  readonly #context: CommandContext;
  /** The text of the command that waits for an answer. Empty if no command waits. */
  #unanswered = '';

  constructor(deps: SlashCommandDeps) {
    const {options, signal} = deps;
    this.#deps = deps;
    this.#commands = commandsFor(options.demo);
    this.#known = new KnownCommands(this.#commands, options, () => deps.show({}), signal);
    this.#context = this.#contextOf(deps);
  }

  get known(): readonly CommandInfo[] {
    return this.#known.all;
  }

  /** Loads completions for the draft. Must be called whenever the draft may have changed. */
  loadCompletions(): void {
    this.#known.loadFor(this.#deps.ui().draft.buffer.text);
  }

  run(line: CommandLine): void {
    if (line.kind === 'unknown') {
      void this.#lookUp(line.text);
      return;
    }
    this.#unanswered = `${commandPrefix}${line.name} ${line.argument}`.trimEnd();
    this.#commands.find(({name}) => name === line.name)?.run(line.argument, this.#context);
  }

  /** Sends a command that the engine knows. An unknown command isn't sent as a prompt. */
  async #lookUp(text: string): Promise<void> {
    const {send} = this.#deps;
    const found = await this.#context.runQuery({query: 'look-up-command', text});
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

  /** Shows an approval on a separate screen. Its code is loaded on first use. */
  async showWhole(approval: Approval): Promise<void> {
    const context = this.#context;
    const [{itemsPanel}, lexer] = await Promise.all([import('../scrollback/transcript-panel.ts'), context.loadLexer()]);
    if (!context.signal.aborted) context.openTranscript(itemsPanel([{kind: 'approval', approval}], lexer));
  }

  /** Shows the code review that the user agreed to open. */
  openReview(range: string): void {
    void openReview(range, this.#context, showOnScreen);
  }

  offerSessions(): void {
    resumeCommand.run('', this.#context);
  }

  #contextOf(deps: SlashCommandDeps): CommandContext {
    const {host, options, ui, view, frame, show} = deps;
    const notify = (level: 'info' | 'warning', text: string): void => this.#answer(level, text);
    return {
      options,
      notify,
      appearance: deps.appearance,
      signal: deps.signal,
      times: deps.times,
      addNote: deps.addNote,
      queue: deps.queue,
      compose: deps.compose,
      query: deps.query,
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
      runQuery: request => queryOrNotify(request, {options, signal: deps.signal, notify}),
      print: lines => {
        const command = this.#takeUnanswered();
        deps.print(command === '' ? lines : [...commandLines(command, frame()), ...lines]);
      },
      redraw: () => show({}),
      open: panel => this.open(panel),
      openLoading: (title, text, filled) => void this.#openLoading(placeholderPanel(title, 'loading', text), filled),
      openTranscript: panel => host.read(panel),
      writeDraft: text => show({ui: {...ui(), draft: draftFromText(text)}}),
      inTerminal: use =>
        new Promise(done => {
          host.edit(async closing => {
            const left = await use(options, closing);
            return () => done(left);
          });
        }),
      openEditor: deps.editDraft,
      switchVim: () => {
        const switched = toggleVim(ui());
        show({ui: switched});
        return switched.editing.vim === 'off' ? 'off' : 'on';
      },
      leave: kind => (kind === 'demo' ? host.leave({kind, draft: draftText(ui().draft)}) : deps.leave()),
    };
  }

  open(panel: Panel): void {
    this.#unanswered = '';
    this.#deps.show({ui: {...this.#deps.ui(), panel}});
  }

  /** Shows `loading` until the rows arrive. Drops the rows if the panel was closed in the meantime. */
  async #openLoading(loading: ChoicePanel, filled: Promise<ChoicePanel>): Promise<void> {
    const {ui, show} = this.#deps;
    show({ui: {...ui(), panel: loading}});
    const panel = await filled;
    if (ui().panel === loading) show({ui: {...ui(), panel}});
  }

  #answer(level: 'info' | 'warning', text: string): void {
    const command = this.#takeUnanswered();
    const view = this.#deps.view();
    this.#deps.show({
      view: command === '' ? withNotice(view, level, text) : withCommandAnswer(view, command, level, text),
    });
  }

  #takeUnanswered(): string {
    const command = this.#unanswered;
    this.#unanswered = '';
    return command;
  }
}
