import {visible, visibleLine} from '../../base/visible.ts';
import {groupDigits} from '../../domain/compaction.ts';
import type {MemoryNotes} from '../../domain/memory-notes.ts';
import {type CommandContext, editInEditor, slashCommand} from './command.ts';

/** Shows and edits the user's own notes for this project. They are stored outside the project. */
export const memoryCommand = slashCommand({
  name: 'memory',
  usage: '/memory [add TEXT | edit]',
  summary: 'View and edit your private notes for this project',
  choices: [
    {value: 'add', summary: 'Add a line'},
    {value: 'edit', summary: 'Edit the notes in your editor'},
  ],
  run: (argument, context) => void runMemory(argument, context),
});

async function runMemory(argument: string, context: CommandContext): Promise<void> {
  const [, word = '', rest = ''] = /^(\S*)\s*([^]*)$/u.exec(argument) ?? [];
  switch (word) {
    case '': {
      const notes = await context.runQuery({query: 'memory'});
      if (notes !== undefined) context.notify('info', notesText(notes));
      return;
    }
    case 'add':
      if (rest === '') context.notify('info', 'Add the note after the command: /memory add the tests need Docker');
      else await add(rest, context);
      return;
    case 'edit':
      await edit(context);
      return;
    default:
      context.notify(
        'warning',
        `Unknown command /memory ${visibleLine(word)}. Try /memory, /memory add TEXT, or /memory edit.`,
      );
  }
}

async function add(note: string, context: CommandContext): Promise<void> {
  const notes = await context.runQuery({query: 'add-to-memory', note});
  if (notes === undefined) return;
  context.submit({op: 'add-context', text: `The user added this to their notes for this project: ${note}`});
  context.notify('info', `Added to your project notes: ${visibleLine(notes.path)}`);
}

async function edit(context: CommandContext): Promise<void> {
  const before = await context.runQuery({query: 'memory'});
  if (before === undefined) return;
  const edited = await editInEditor({text: before.text, name: 'MEMORY.md'}, context);
  if (edited === undefined) return;
  const notes = await context.runQuery({query: 'write-memory', before: before.text, text: edited});
  if (notes === undefined) return;
  context.submit({
    op: 'add-context',
    text: `The user changed their notes for this project. From now on they are:\n${notes.text.slice(0, notes.limit)}`,
  });
  context.notify('info', `Saved your project notes: ${visibleLine(notes.path)}${truncationWarning(notes)}`);
}

function notesText(notes: MemoryNotes): string {
  const {path, text} = notes;
  if (text.trim() === '') {
    return 'No project notes yet. Add a private note: /memory add TEXT. Share a note in AGENTS.md: #TEXT';
  }
  return `Your project notes (${visibleLine(path)})${truncationWarning(notes)}\n\n${visible(text)}`.trimEnd();
}

const truncationWarning = ({text, limit}: MemoryNotes): string =>
  text.length <= limit ? '' : `\nweft reads only the first ${groupDigits(limit)} characters.`;
