import {visible, visibleLine} from '../../base/visible.ts';
import {groupDigits} from '../../domain/compaction.ts';
import type {MemoryNotes} from '../../domain/memory-notes.ts';
import {type CommandContext, editedText, slashCommand} from './command.ts';

/** The user's own notes for this project, which lie outside of it. */
export const memoryCommand = slashCommand({
  name: 'memory',
  usage: '/memory [add TEXT | edit]',
  summary: 'your own notes for this project, which every session reads: show, add, edit',
  choices: [
    {value: 'add', summary: 'add a line'},
    {value: 'edit', summary: 'change them in your editor'},
  ],
  run: (argument, context) => void runMemory(argument, context),
});

async function runMemory(argument: string, context: CommandContext): Promise<void> {
  const [, word = '', rest = ''] = /^(\S*)\s*([^]*)$/u.exec(argument) ?? [];
  switch (word) {
    case '': {
      const notes = await context.answerTo({query: 'memory'});
      if (notes !== undefined) context.notify('info', shown(notes));
      return;
    }
    case 'add':
      if (rest === '') context.notify('info', 'Write the note behind it: /memory add the tests need Docker');
      else await add(rest, context);
      return;
    case 'edit':
      await edit(context);
      return;
    default:
      context.notify('warning', `There is no /memory ${visibleLine(word)}. Write add TEXT or edit, or /memory alone.`);
  }
}

async function add(note: string, context: CommandContext): Promise<void> {
  const notes = await context.answerTo({query: 'add-to-memory', note});
  if (notes === undefined) return;
  context.submit({op: 'add-context', text: `The user added this to their notes for this project: ${note}`});
  context.notify('info', `Added to your notes for this project: ${visibleLine(notes.path)}`);
}

async function edit(context: CommandContext): Promise<void> {
  const before = await context.answerTo({query: 'memory'});
  if (before === undefined) return;
  const edited = await editedText({text: before.text, name: 'MEMORY.md'}, context);
  if (edited === undefined) return;
  const notes = await context.answerTo({query: 'write-memory', before: before.text, text: edited});
  if (notes === undefined) return;
  context.submit({
    op: 'add-context',
    text: `The user changed their notes for this project. From now on they are:\n${notes.text.slice(0, notes.limit)}`,
  });
  context.notify('info', `Your notes for this project are kept: ${visibleLine(notes.path)}${tooLong(notes)}`);
}

function shown(notes: MemoryNotes): string {
  const {path, text} = notes;
  if (text.trim() === '') {
    return 'There are no notes of yours for this project. /memory add TEXT writes one; #TEXT writes into AGENTS.md, for all who work on it.';
  }
  return `Your notes for this project (${visibleLine(path)})${tooLong(notes)}\n\n${visible(text)}`.trimEnd();
}

const tooLong = ({text, limit}: MemoryNotes): string =>
  text.length <= limit ? '' : `\nOnly the first ${groupDigits(limit)} characters are read.`;
