import {commandsFor} from '../commands/command-list.ts';
import type {CommandDesk, SlashCommand} from '../commands/command.ts';
import {otherSessions} from '../commands/resume.ts';
import {statusOf} from '../state/select.ts';
import {todosOf} from '../../tasks/task-view.ts';
import {countOf, sentences} from './action-words.ts';
import type {Dialogue} from './dialogue.ts';
import {blockDialogue, sessionDialogue} from './list-dialogues.ts';
import {todoLines} from './todo-words.ts';

/** What the commands of the line-based conversation can do beside what all commands can. */
export interface SpokenDesk extends CommandDesk {
  ask(dialogue: Dialogue): void;
  /** Says the open question again. */
  repeat(): void;
  stop(): void;
  /** Hands a prompt over that waits until the agent is done. */
  queue(text: string): void;
  attach(path: string): void;
}

/** The same commands as in the screen UI, those that open a list there as numbered lists, and some for what has a key there. */
export function spokenCommands(demo: 'none' | 'offered', desk: () => SpokenDesk): readonly SlashCommand[] {
  const own = ownCommands(desk);
  const names = new Set(own.map(({name}) => name));
  return [...own, ...commandsFor(demo).filter(({name}) => !names.has(name) && !absent.has(name))];
}

/** What is about keys and colours that are not there. */
const absent: ReadonlySet<string> = new Set(['vim', 'theme', 'verbosity']);

function ownCommands(desk: () => SpokenDesk): readonly SlashCommand[] {
  return [
    command('/help', 'commands and keys', () => desk().print(helpLines(desk().commands))),
    command('/stop', 'stop the agent; the word stop alone does the same', () => desk().stop()),
    command('/again', 'say the open question again', () => desk().repeat()),
    command('/later TEXT', 'a prompt that waits until the agent is done', text => {
      if (text === '') desk().tell('info', 'Write the prompt behind it: /later TEXT');
      else desk().queue(text);
    }),
    command('/status', 'model, mode, tokens and cost', () => desk().print([statusLine(desk())])),
    command('/image PATH', 'an image for the next prompt', path => {
      if (path === '') desk().tell('info', 'Name the file: /image PATH');
      else desk().attach(path);
    }),
    command('/resume', 'go on with an earlier session', () => resume(desk())),
    command('/todo', 'the whole todo list', () => {
      const todos = todosOf(desk().view.tasks);
      if (todos.length === 0) desk().tell('info', 'There is no todo list: the agent makes one for longer work.');
      else desk().print(todoLines(todos));
    }),
    command(
      '/transcript [all | WORDS]',
      'the latest of this session in full, all of it, or what holds some words',
      wanted => void transcript(wanted, desk()),
    ),
    command('/ps', 'commands that run beside the conversation', () => {
      const blocks = desk().options.blocks.list();
      if (blocks.length === 0) desk().tell('info', 'No command runs beside the conversation.');
      else desk().ask(blockDialogue(blocks));
    }),
  ];
}

const command = (usage: string, summary: string, run: (argument: string) => void): SlashCommand => ({
  name: (usage.split(' ')[0] ?? '').slice(1),
  aliases: [],
  usage,
  summary,
  run,
});

export function resume(desk: SpokenDesk): void {
  const sessions = otherSessions(desk);
  if (sessions.length > 0) desk.ask(sessionDialogue(sessions));
}

/** Loaded when it is first wanted. */
async function transcript(wanted: string, desk: SpokenDesk): Promise<void> {
  const [{spokenTranscript}, lexer] = await Promise.all([import('./spoken-transcript.ts'), desk.loadLexer()]);
  desk.print(spokenTranscript(wanted, {records: desk.options.outside.records(), lexer}));
}

function statusLine({view, options}: SpokenDesk): string {
  const {model, mode, tokens, cost, context} = statusOf(view);
  const running = options.blocks
    .list()
    .filter(({state}) => state.kind === 'running' || state.kind === 'waiting').length;
  return sentences([
    model === '' ? 'No model is configured' : `The model is ${model}`,
    `The mode is ${view.mode}: ${mode}`,
    tokens === '' ? '' : `Tokens: ${tokens}`,
    context,
    cost,
    running === 0 ? '' : `${countOf(running, 'command')} beside the conversation`,
    view.run.state === 'idle' ? 'The agent is idle' : 'The agent is working',
  ]);
}

const helpLines = (commands: readonly SlashCommand[]): readonly string[] => [
  'Commands:',
  ...commands.map(({usage, summary}) => `${usage}: ${summary.replace(keyNamed, '')}.`),
  'Keys and words:',
  ...keys,
];

/** Keys of the screen UI that a summary names. */
const keyNamed = / \((?:Ctrl|Alt|Shift)\+\w+\)$/u;

const keys = [
  'Enter sends the line. A line that ends with a backslash goes on in the next one.',
  'A question is answered by a number, or by a word that it names, and Enter. Enter alone answers nothing.',
  'A line begun before a question was said does not answer it.',
  'While the agent works, a line reaches it at its next step; /later makes it wait until it is done.',
  'The word stop, Escape or Ctrl+C stops the agent. Ctrl+U clears the line, Ctrl+W its last word.',
  'Up and Down bring back earlier prompts. Tab completes the name of a command.',
  '@ names a file or folder, whose content goes with the prompt: @src/a.ts:10-20, @"my file.txt".',
  '! runs a command of your own, whose output the agent sees; # remembers a note in AGENTS.md.',
  'Ctrl+D on an empty line leaves; so does Ctrl+C twice when nothing runs, and /exit.',
];
