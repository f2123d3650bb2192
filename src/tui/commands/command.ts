import {answerOutcome, type Op, type Queries, type Query, type QueryName} from '../../agent/client.ts';
import {nearestName} from '../../base/nearest-name.ts';
import type {Outcome} from '../../base/outcome.ts';
import {faultText} from '../../domain/fault.ts';
import type {TranscriptPanel} from '../scrollback/transcript-panel.ts';
import {type ChoicePanel, choicesMissing, type Panel} from '../state/panels/panel.ts';
import type {EditorRequest, TuiExit, TuiOptions} from '../options.ts';
import type {MarkdownLexer} from '../scrollback/render-markdown.ts';
import type {Appearance} from '../theme/theme.ts';
import type {StepQuery} from '../state/effect.ts';
import type {RunTimes, View} from '../state/view.ts';
import type {TerminalSessions} from '../terminal/terminal-sessions.ts';
import type {EntryFrame} from '../text/wrap.ts';
import type {CommandInfo} from './command-line.ts';

export interface SlashCommand extends CommandInfo {
  /** `argument` is what follows the name, trimmed; empty for none. */
  run(argument: string, context: CommandContext): void;
}

/** A command; without `aliases` it has no other names, without `choices` nothing completes its argument. */
export const slashCommand = (
  command: Omit<SlashCommand, 'aliases' | 'choices'> & Partial<Pick<SlashCommand, 'aliases' | 'choices'>>,
): SlashCommand => ({aliases: [], choices: [], ...command});

/** What a command can use, also after `run` has returned. */
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
  /** Writes whole lines, styled and no wider than the frame, to the scrollback. */
  print(lines: readonly string[]): void;
  submit(op: Op): void;
  /** Adds a note to the workspace's instructions, and says so. */
  addNote(note: string): void;
  /** The answer to a query; `undefined` if it failed, after the user has been notified of the reason. */
  answerTo<Name extends QueryName>(request: Query<Name>): Promise<Queries[Name]['answer'] | undefined>;
  redraw(): void;
  query(request: StepQuery): void;
  open(panel: Panel): void;
  /** Opens a list at once, which says that its rows are being read until they are. */
  openLoading(title: string, text: string, filled: Promise<ChoicePanel>): void;
  /** Shows the transcript on the whole screen until it is closed; scrollback lines are written afterwards. */
  openTranscript(panel: TranscriptPanel): void;
  writeDraft(text: string): void;
  /** Opens a text in the user's editor; resolves to the text as it was left, or to why there is none. */
  editText(work: Omit<EditorRequest, 'form'>): Promise<Outcome<string, string>>;
  openEditor(): void;
  /** Switches vim mode on or off and returns the new state. */
  switchVim(): 'on' | 'off';
  leave(exit: TuiExit['kind']): void;
}

/** The answer to a query; `undefined` if it failed, after the user has been notified of the reason, unless the UI has ended. */
export async function answerOrNotify<Name extends QueryName>(
  request: Query<Name>,
  {options, signal, notify}: Pick<CommandContext, 'options' | 'signal' | 'notify'>,
): Promise<Queries[Name]['answer'] | undefined> {
  const answer = answerOutcome(await options.engine.query(request, signal));
  if (answer.tag === 'ok') return answer.value;
  if (!signal.aborted) notify('warning', faultText(answer.error));
  return undefined;
}

/** Opens a list at once. The answer to the query fills it; where there is none, the list says why. */
export function openList<Name extends QueryName>(
  {title, loading, request}: {readonly title: string; readonly loading: string; readonly request: Query<Name>},
  panelOf: (answer: Queries[Name]['answer']) => ChoicePanel | Promise<ChoicePanel>,
  context: CommandContext,
): void {
  const fill = async (): Promise<ChoicePanel> => {
    const answer = await context.options.engine.query(request, context.signal);
    if (answer.tag === 'ok') return panelOf(answer.value);
    return choicesMissing(title, 'failed', answer.tag === 'failed' ? faultText(answer.error) : 'It was cancelled');
  };
  context.openLoading(title, loading, fill());
}

/** A text after the user has edited it in their editor; `undefined` if they left it as it was, or were told that it failed. */
export async function editedText(
  work: Omit<EditorRequest, 'form'>,
  context: CommandContext,
): Promise<string | undefined> {
  const edited = await context.editText(work);
  if (context.signal.aborted) return undefined;
  if (edited.tag === 'failed') context.notify('warning', edited.error);
  else if (edited.value.trimEnd() !== work.text.trimEnd()) return edited.value;
  else context.notify('info', 'Nothing was changed.');
  return undefined;
}

/** Follows a sentence that says there is no such name: the name that is meant, or all there are. */
export function nameHint(word: string, names: readonly string[], all: string): string {
  const near = nearestName(word, names);
  return near === undefined ? `${all} ${names.join(', ')}.` : `Did you mean ${near}?`;
}
