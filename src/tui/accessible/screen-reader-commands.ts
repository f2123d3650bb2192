import {pluralize} from '../../base/clip.ts';
import {todosOf} from '../../tasks/task-view.ts';
import {type CommandInfo, completions} from '../commands/command-line.ts';
import {commandsFor} from '../commands/command-list.ts';
import {asideCommandWith} from '../commands/aside.ts';
import {blameCommandWith} from '../commands/blame.ts';
import {checksCommandWith} from '../commands/checks.ts';
import {diffCommandWith, printDiff} from '../commands/diff.ts';
import {printReview, reviewCommandWith} from '../commands/review.ts';
import {visibleLine} from '../../base/visible.ts';
import {cachedRequestText} from '../../domain/cached-request.ts';
import type {CommandContext, SlashCommand} from '../commands/command.ts';
import {foregroundCommand, sandboxText, statusOf} from '../state/selectors.ts';
import {sentences, todoLines} from './plain-entry.ts';

/** The context of a slash command in screen-reader mode. It extends the context of the screen UI. */
export interface ScreenReaderContext extends CommandContext {
  /** Prints the open question again. */
  repeat(): void;
  stop(): void;
}

/** Returns the screen UI's commands, with numbered lists instead of panels, and commands that replace its keys. */
export function screenReaderCommands(
  demo: 'none' | 'offered',
  context: () => ScreenReaderContext,
): readonly SlashCommand[] {
  const own = ownCommands(context);
  const names = new Set(own.map(({name}) => name));
  return [...own, ...commandsFor(demo).filter(({name}) => !names.has(name) && !excludedCommands.has(name))];
}

/** Screen UI commands that screen-reader mode lacks: it has no colors or editing keys, and no hidden field for typing an API key. */
const excludedCommands: ReadonlySet<string> = new Set(['vim', 'theme', 'verbosity', 'login']);

function ownCommands(context: () => ScreenReaderContext): readonly SlashCommand[] {
  return [
    command('/help', 'Show commands and keys', () => void printHelp(context())),
    command('/stop', 'Stop the agent; the word stop alone does the same', () => context().stop()),
    command('/again', 'Repeat the open question', () => context().repeat()),
    command('/later TEXT', 'Send a prompt when the agent is done', text => {
      if (text === '') context().notify('info', 'Add the prompt: /later TEXT');
      else context().queue(text);
    }),
    reviewCommandWith(printReview),
    diffCommandWith(printDiff),
    blameCommandWith('sentences'),
    asideCommandWith(async ({answer}, at) => {
      const [{answerText}, lexer] = await Promise.all([import('./transcript-text.ts'), at.loadLexer()]);
      at.print(['Answer beside the conversation:', ...answerText(answer, lexer), 'End of the answer.']);
    }),
    checksCommandWith('sentences'),
    command('/status', 'Show model, mode, tokens and cost', () => context().print([statusLine(context())])),
    command('/context', "Show what fills the model's context", () => void showContext(context())),
    command('/image [PATH]', 'Attach an image from a file or the clipboard to the next prompt', path => {
      const press = {kind: 'paste', text: path, part: 'first'} as const;
      context().compose(path === '' ? {kind: 'clipboard'} : {kind: 'images', paths: [path], press});
    }),
    command('/background', 'Move the running command to the background', () => {
      const running = foregroundCommand(context().view);
      if (running === undefined) context().notify('info', 'No command is running.');
      else context().submit({op: 'move-to-background', id: running});
    }),
    command('/todo', 'Show the whole todo list', () => {
      const todos = todosOf(context().view.tasks);
      if (todos.length === 0) context().notify('info', 'No todos yet. The agent adds them for longer tasks.');
      else context().print(todoLines(todos));
    }),
    command(
      '/transcript [all | WORDS]',
      'Show the end of the transcript, all of it, or the parts with WORDS',
      wanted => void printTranscript(wanted, context()),
    ),
  ];
}

const command = (usage: string, summary: string, run: (argument: string) => void): SlashCommand => ({
  name: (usage.split(' ')[0] ?? '').slice(1),
  aliases: [],
  usage,
  summary,
  choices: [],
  run,
});

async function showContext(context: ScreenReaderContext): Promise<void> {
  const {cachedRequests, contextSentences, maxRequests} = await import('../commands/context.ts');
  const [usage, requests] = await Promise.all([
    context.runQuery({query: 'context-usage'}),
    cachedRequests(context, maxRequests),
  ]);
  if (usage !== undefined)
    context.print([...contextSentences(usage), ...requests.map(each => `${visibleLine(cachedRequestText(each))}.`)]);
}

/** Prints the transcript. Its code is loaded on first use. */
async function printTranscript(wanted: string, context: ScreenReaderContext): Promise<void> {
  const [{transcriptText}, lexer, records] = await Promise.all([
    import('./transcript-text.ts'),
    context.loadLexer(),
    context.runQuery({query: 'records', from: 0}),
  ]);
  if (records !== undefined) context.print(transcriptText(wanted, {records, lexer}));
}

function statusLine({view, terminals}: ScreenReaderContext): string {
  const {model, mode, tokens, cost, context} = statusOf(view);
  const running = terminals.list().filter(({state}) => state.kind === 'running' || state.kind === 'waiting').length;
  return sentences([
    model === '' ? 'No model is configured' : `The model is ${model}`,
    `The mode is ${view.mode}: ${mode}`,
    tokens === '' ? '' : `Tokens: ${tokens}`,
    context,
    cost,
    sandboxText(view),
    running === 0 ? '' : `${pluralize(running, 'command')} in the background`,
    view.run.state === 'idle' ? 'The agent is idle' : 'The agent is working',
  ]);
}

/** Prints the commands by group, and the keys. */
async function printHelp(context: ScreenReaderContext): Promise<void> {
  const {groupCommands} = await import('../commands/help.ts');
  const lines = groupCommands(context.commands).flatMap(({title, rows}) => [
    `${title} commands:`,
    ...rows.map(({usage, summary}) => `${usage}: ${summary.replace(screenKey, '')}.`),
  ]);
  context.print([...lines, 'Keys and input:', ...keys]);
}

/** A key of the screen UI in the summary of a command. */
const screenKey = / \((?:Ctrl|Alt|Shift)\+\w+\)$/u;

const keys = [
  'Enter sends the line. End a line with a backslash to continue on the next one.',
  'Answer a question with a number or one of its words, then press Enter. Enter alone is not an answer.',
  'A line you began before the question is not an answer either.',
  'While the agent works, it reads your line at its next step. /later TEXT sends it when the agent is done.',
  'Type stop or press Escape or Ctrl+C to stop the agent. Ctrl+U clears the line, Ctrl+W its last word.',
  'Up and Down bring back earlier prompts. Tab completes the name of a command.',
  '@ attaches a file or folder: @src/a.ts:10-20, @"my file.txt".',
  '! runs your own command, and the agent sees its output; # adds a note to AGENTS.md, and asks first.',
  'To exit, type /exit, or press Ctrl+D on an empty line, or Ctrl+C twice when nothing is running.',
];

/** Completes a command name. If only one name matches, `more` is the rest of it; otherwise `names` lists all matches. */
export function completion(
  text: string,
  commands: readonly CommandInfo[],
): {readonly more: string; readonly names: readonly string[]} {
  const begun = text.slice(1).toLowerCase();
  const names = completions(text, commands)
    .map(({name}) => name)
    .filter(name => name.startsWith(begun));
  const [only] = names;
  return names.length === 1 && only !== undefined ? {more: only.slice(begun.length), names: []} : {more: '', names};
}
