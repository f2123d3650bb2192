import {answerOutcome, type Op, type Queries, type Query, type QueryName} from '../../agent/client.ts';
import {nearestName} from '../../base/nearest-name.ts';
import {faultText} from '../../domain/fault.ts';
import type {TranscriptPanel} from '../scrollback/transcript-panel.ts';
import {type ChoicePanel, placeholderPanel, type Panel} from '../state/panels/panel.ts';
import type {EditorRequest, TuiExit, TuiOptions} from '../options.ts';
import type {MarkdownLexer} from '../scrollback/render-markdown.ts';
import type {Appearance} from '../theme/theme.ts';
import type {ComposerRequest, PanelQuery} from '../state/effect.ts';
import type {RunTimes, View} from '../state/view.ts';
import type {TerminalSessions} from '../terminal/terminal-sessions.ts';
import type {EntryFrame} from '../text/wrap.ts';
import type {CommandInfo} from './command-line.ts';

export interface SlashCommand extends CommandInfo {
  /** Runs the command. `argument` is the trimmed text after the name; empty for none. */
  run(argument: string, context: CommandContext): void;
}

/** Defines a slash command. `aliases` and `choices` default to empty. */
export const slashCommand = (
  command: Omit<SlashCommand, 'aliases' | 'choices'> & Partial<Pick<SlashCommand, 'aliases' | 'choices'>>,
): SlashCommand => ({aliases: [], choices: [], ...command});

/** Everything a command can use, even after `run` has returned. */
export interface CommandContext {
  readonly options: TuiOptions;
  readonly commands: readonly SlashCommand[];
  readonly view: View;
  readonly frame: EntryFrame;
  readonly appearance: Appearance;
  readonly terminals: TerminalSessions;
  readonly signal: AbortSignal;
  times(): RunTimes;
  loadLexer(): Promise<MarkdownLexer>;
  notify(level: 'info' | 'warning', text: string): void;
  /** Writes complete lines to the scrollback. They are styled already and no wider than the frame. */
  print(lines: readonly string[]): void;
  submit(op: Op): void;
  /** Queues a prompt until the agent is done. */
  queue(text: string): void;
  /** Does what a draft of the composer would do. */
  compose(work: ComposerRequest): void;
  /** Adds a note to the workspace's instructions and confirms it in a notice. */
  addNote(note: string): void;
  /** Returns the answer to a query. If the query fails, notifies the user and returns `undefined`. */
  runQuery<Name extends QueryName>(request: Query<Name>): Promise<Queries[Name]['answer'] | undefined>;
  redraw(): void;
  /** Runs a query and shows its answer in a panel. */
  query(request: PanelQuery): void;
  open(panel: Panel): void;
  /** Opens a list at once. It shows `text` until its rows are loaded. */
  openLoading(title: string, text: string, filled: Promise<ChoicePanel>): void;
  /** Shows the transcript full screen until the user closes it. Scrollback lines are written afterwards. */
  openTranscript(panel: TranscriptPanel): void;
  writeDraft(text: string): void;
  /** Gives the terminal to the user's editor or to a command of weft. Resolves to what it leaves. */
  inTerminal<T>(use: (options: TuiOptions, signal: AbortSignal) => Promise<T>): Promise<T>;
  openEditor(): void;
  /** Toggles vim mode and returns the new state. */
  switchVim(): 'on' | 'off';
  leave(exit: TuiExit['kind']): void;
}

/** Returns the answer to a query. If the query fails, notifies the user, unless the UI has ended, and returns `undefined`. */
export async function queryOrNotify<Name extends QueryName>(
  request: Query<Name>,
  {options, signal, notify}: Pick<CommandContext, 'options' | 'signal' | 'notify'>,
): Promise<Queries[Name]['answer'] | undefined> {
  const answer = answerOutcome(await options.engine.query(request, signal));
  if (answer.tag === 'ok') return answer.value;
  if (!signal.aborted) notify('warning', faultText(answer.error));
  return undefined;
}

/** Opens a list at once. The answer to the query fills it. If the query fails, the list shows the reason. */
export function openList<Name extends QueryName>(
  {title, loading, request}: {readonly title: string; readonly loading: string; readonly request: Query<Name>},
  panelOf: (answer: Queries[Name]['answer']) => ChoicePanel | Promise<ChoicePanel>,
  context: CommandContext,
): void {
  const fill = async (): Promise<ChoicePanel> => {
    const answer = await context.options.engine.query(request, context.signal);
    if (answer.tag === 'ok') return panelOf(answer.value);
    return placeholderPanel(title, 'failed', answer.tag === 'failed' ? faultText(answer.error) : 'Canceled');
  };
  context.openLoading(title, loading, fill());
}

/** Opens a text in the user's editor and returns the new text. If it is unchanged or the editor failed, notifies the user and returns `undefined`. */
export async function editInEditor(
  work: Omit<EditorRequest, 'form'>,
  context: CommandContext,
): Promise<string | undefined> {
  const edited = await context.inTerminal(({editor}, signal) => editor.edit({...work, form: 'prose'}, signal));
  if (context.signal.aborted) return undefined;
  if (edited.tag === 'failed') context.notify('warning', edited.error);
  else if (edited.value.trimEnd() !== work.text.trimEnd()) return edited.value;
  else context.notify('info', 'No changes');
  return undefined;
}

/** Gives the terminal to a command of weft until it ends. If it fails, notifies the user. */
export async function runInTerminal(args: readonly string[], context: CommandContext): Promise<void> {
  const trouble = await context.inTerminal((options, signal) => options.runWeft(args, signal));
  if (trouble !== '') context.notify('warning', trouble);
}

/** Returns the sentence that follows "Unknown theme xyz.": the closest name, or all names. */
export function nameHint(word: string, names: readonly string[]): string {
  const near = nearestName(word, names);
  return near === undefined ? `Choose from ${names.join(', ')}.` : `Did you mean ${near}?`;
}
