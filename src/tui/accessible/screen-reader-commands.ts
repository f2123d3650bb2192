import {pluralize} from '../../base/clip.ts';
import {todosOf} from '../../tasks/task-view.ts';
import {type CommandInfo, completions} from '../commands/command-line.ts';
import {commandsFor} from '../commands/command-list.ts';
import {printReview, reviewCommandWith} from '../commands/review.ts';
import {contextSentences} from '../commands/context.ts';
import type {CommandContext, SlashCommand} from '../commands/command.ts';
import type {ComposerRequest} from '../state/effect.ts';
import {foregroundCommand, sandboxText, statusOf} from '../state/selectors.ts';
import {sentences, todoLines} from './spoken-entry.ts';

/** What a slash command can use in screen-reader mode: everything that it can use on the screen, and the following. */
export interface ScreenReaderContext extends CommandContext {
  /** Prints the open question again. */
  repeat(): void;
  stop(): void;
  /** Submits a prompt that waits until the agent is done. */
  queue(text: string): void;
  compose(work: ComposerRequest): void;
}

/** The commands of the screen UI, with numbered lists in place of panels, and a few more for what is a key in the screen UI. */
export function screenReaderCommands(
  demo: 'none' | 'offered',
  context: () => ScreenReaderContext,
): readonly SlashCommand[] {
  const own = ownCommands(context);
  const names = new Set(own.map(({name}) => name));
  return [...own, ...commandsFor(demo).filter(({name}) => !names.has(name) && !absent.has(name))];
}

/** Commands of the screen UI that screen-reader mode does not offer, because it has no colours, no editing keys and no hidden field for a key, and what is typed is seen. */
const absent: ReadonlySet<string> = new Set(['vim', 'theme', 'verbosity', 'login']);

function ownCommands(context: () => ScreenReaderContext): readonly SlashCommand[] {
  return [
    command('/help', 'show commands and keys', () => context().print(helpLines(context().commands))),
    command('/stop', 'stop the agent; the word stop alone does the same', () => context().stop()),
    command('/again', 'repeat the open question', () => context().repeat()),
    command('/later TEXT', 'send a prompt when the agent is done', text => {
      if (text === '') context().notify('info', 'Add the prompt: /later TEXT');
      else context().queue(text);
    }),
    reviewCommandWith(printReview),
    command('/status', 'show model, mode, tokens and cost', () => context().print([statusLine(context())])),
    command('/context', "show what fills the model's context", () => void showContext(context())),
    command('/image [PATH]', 'attach an image from a file or the clipboard to the next prompt', path => {
      const press = {kind: 'paste', text: path, part: 'first'} as const;
      context().compose(path === '' ? {kind: 'clipboard'} : {kind: 'images', paths: [path], press});
    }),
    command('/background', 'move the running command to the background', () => {
      const running = foregroundCommand(context().view);
      if (running === undefined) context().notify('info', 'No command is running.');
      else context().submit({op: 'move-to-background', id: running});
    }),
    command('/todo', 'show the whole todo list', () => {
      const todos = todosOf(context().view.tasks);
      if (todos.length === 0) context().notify('info', 'There is no todo list: the agent makes one for longer work.');
      else context().print(todoLines(todos));
    }),
    command(
      '/transcript [all | WORDS]',
      'show the latest of this session in full, all of it, or what contains WORDS',
      wanted => void transcript(wanted, context()),
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
  const usage = await context.runQuery({query: 'context-usage'});
  if (usage !== undefined) context.print(contextSentences(usage));
}

/** Prints the transcript; the code for it is loaded with its first use. */
async function transcript(wanted: string, context: ScreenReaderContext): Promise<void> {
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

const helpLines = (commands: readonly SlashCommand[]): readonly string[] => [
  'Commands:',
  ...commands.map(({usage, summary}) => `${usage}: ${summary.replace(keyNamed, '')}.`),
  'Keys and words:',
  ...keys,
];

/** The key of the screen UI that the summary of a command names. */
const keyNamed = / \((?:Ctrl|Alt|Shift)\+\w+\)$/u;

const keys = [
  'Enter sends the line. End a line with a backslash to continue on the next one.',
  'A question is answered with a number or one of its words, and Enter. Enter alone answers nothing.',
  'A line begun before the question does not answer it.',
  'While the agent works, a line reaches it at its next step; /later sends it when the agent is done.',
  'The word stop, Escape or Ctrl+C stops the agent. Ctrl+U clears the line, Ctrl+W its last word.',
  'Up and Down bring back earlier prompts. Tab completes the name of a command.',
  '@ attaches a file or folder: @src/a.ts:10-20, @"my file.txt".',
  '! runs your own command, and the agent sees its output; # adds a note to AGENTS.md, and asks first.',
  'Ctrl+D on an empty line leaves; so does Ctrl+C twice when nothing runs, and /exit.',
];

/** Completes the name of a command that is being typed: `more` is the rest of the only name that fits; otherwise `names` lists all that fit. */
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
