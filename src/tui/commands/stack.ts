import {pluralize} from '../../base/clip.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {stackTaskId} from '../../domain/ids.ts';
import type {StackBoard, StackChange, StackRow} from '../../tasks/stack/stack-board.ts';
import {commandEffect} from '../state/effect.ts';
import {choicePanel, type ChoicePanel, choiceOfEffects} from '../state/panels/panel.ts';
import {glyphs} from '../theme/glyphs.ts';
import {type CommandContext, editInEditor, openList, runInTerminal} from './command.ts';

const usage =
  'Choose from /stack, /stack add TEXT, /stack edit ID, /stack up ID, /stack down ID, /stack delete ID, /stack run.';

/** Lists the user's task stack, or changes or runs it. */
export async function runStack(argument: string, context: CommandContext): Promise<void> {
  const [, word = '', rest = ''] = /^(\S*)\s*([^]*)$/u.exec(argument) ?? [];
  const task = stackTaskId(rest);
  switch (word) {
    case '':
      list(context);
      return;
    case 'add':
      if (rest === '') context.notify('info', 'Add the task after the command: /stack add Update the docs');
      else change({kind: 'create', text: rest}, '', context);
      return;
    case 'up':
    case 'down':
      change({kind: 'move', task, by: word === 'up' ? -1 : 1}, rest, context);
      return;
    case 'delete':
      change({kind: 'delete', task}, '', context);
      return;
    case 'show':
    case 'edit': {
      const board = await context.runQuery({query: 'stack'});
      const row = board?.rows.find(({id}) => id === task);
      if (board === undefined) return;
      if (row === undefined) context.notify('warning', `No task ${visibleLine(rest)}. Type /stack for the list.`);
      else if (word === 'show') context.notify('info', `${row.id}: ${stateText(row)}\n\n${visible(row.text)}`);
      else await edit(row, context);
      return;
    }
    case 'run': {
      const board = await context.runQuery({query: 'stack'});
      if (board === undefined) return;
      if (board.rows.some(({place}) => place === 'next') || board.hooks > 0)
        await runInTerminal(['stack', 'run'], context);
      else context.notify('info', 'Nothing is left to run');
      list(context);
      return;
    }
    default:
      context.notify('warning', `Unknown command /stack ${visibleLine(word)}. ${usage}`);
  }
}

const title = 'Task stack';

const list = (context: CommandContext): void =>
  openList(
    {title, loading: 'Loading tasks…', request: {query: 'stack'}},
    board => stackPanel(board, '', context),
    context,
  );

/** Changes the stack and lists it again, with the task `selected`. */
const change = (request: StackChange, selected: string, context: CommandContext): void =>
  openList(
    {title, loading: 'Saving…', request: {query: 'change-stack', change: request}},
    board => stackPanel(board, selected, context),
    context,
  );

async function edit({id, text}: StackRow, context: CommandContext): Promise<void> {
  const edited = await editInEditor({text, name: 'task.md'}, context);
  if (edited === undefined) return;
  if (edited.trim() === '')
    context.notify('warning', "Can't save a task without a description. Delete it: /stack delete ID");
  else change({kind: 'describe', task: id, text: edited.trim()}, id, context);
}

function stackPanel({rows, hooks}: StackBoard, selected: string, {frame}: CommandContext): ChoicePanel {
  const done = rows.filter(({status}) => status === 'COMPLETED').length;
  const notes =
    rows.length === 0 ? [] : [`${done} of ${rows.length} done`, ...(hooks === 0 ? [] : [pluralize(hooks, 'hook')])];
  return choicePanel({
    title,
    note: notes.join(glyphs.separator),
    does: 'open',
    empty: 'No tasks yet. Add one: /stack add TEXT',
    selected: Math.max(
      0,
      rows.findIndex(({id}) => id === selected),
    ),
    rows: rows.map(row => ({
      // On a narrow screen, the details have no room.
      label: visibleLine(frame.width < narrow ? `${stateSigns[row.status]} ${row.text}` : row.text),
      details: [stateText(row), row.layer === 'none' ? 'in no layer' : `layer ${row.layer}`],
      mark: 'none',
      choice: {effects: [], next: taskPanel(row)},
    })),
  });
}

function taskPanel(row: StackRow): ChoicePanel {
  const isOpen = row.status === 'PENDING';
  const actions: readonly (readonly [label: string, detail: string, argument: string, shown: boolean])[] = [
    ['Run the stack', 'in this terminal, until it ends', 'run', row.place === 'next'],
    ['Edit', 'in your editor', `edit ${row.id}`, isOpen],
    ['Move up', '', `up ${row.id}`, isOpen],
    ['Move down', '', `down ${row.id}`, isOpen],
    ['Delete', '', `delete ${row.id}`, isOpen],
    ['Show', 'the whole description', `show ${row.id}`, true],
  ];
  return choicePanel({
    title: visibleLine(row.text),
    note: stateText(row),
    does: 'select',
    rows: actions
      .filter(([, , , shown]) => shown)
      .map(([label, detail, argument]) => ({
        label,
        details: [detail],
        mark: 'none',
        choice: choiceOfEffects(commandEffect('stack', argument)),
      })),
  });
}

const stateNames: Readonly<Record<StackRow['status'], string>> = {
  PENDING: 'waits',
  IN_PROGRESS: 'running',
  COMPLETED: 'done',
  FAILED: 'failed',
  CANCELLED: 'canceled',
};

/** Below this width, in cells, a sign before a task tells its state. */
const narrow = 60;

const stateSigns: Readonly<Record<StackRow['status'], string>> = {
  PENDING: glyphs.queued,
  IN_PROGRESS: glyphs.running,
  COMPLETED: glyphs.success,
  FAILED: glyphs.error,
  CANCELLED: glyphs.cancelled,
};

const stateText = ({status, place}: StackRow): string =>
  status === 'PENDING' && place === 'next' ? 'next' : stateNames[status];
