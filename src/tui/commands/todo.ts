import {visibleLine} from '../../base/visible.ts';
import type {Todo} from '../../domain/todo.ts';
import {todosOf} from '../../tasks/task-view.ts';
import {type EntryFrame, wrapSpans} from '../text/wrap.ts';
import {slashCommand} from './command.ts';

export const todoCommand = slashCommand({
  name: 'todo',
  aliases: ['todos'],
  usage: '/todo',
  summary: 'Show the full todo list',
  run(_, context) {
    const todos = todosOf(context.view.tasks);
    if (todos.length === 0) context.notify('info', 'No todos yet. The agent adds them for longer tasks.');
    else context.print(['', ...todos.flatMap(todo => todoLines(todo, context.frame))]);
  },
});

const checkboxes = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
  cancelled: '[-]',
} as const satisfies Record<Todo['status'], string>;

export const todoStateTexts = {
  pending: 'to do',
  in_progress: 'in progress',
  completed: 'done',
  cancelled: 'dropped',
} as const satisfies Record<Todo['status'], string>;

const todoLines = ({title, status}: Todo, frame: EntryFrame): readonly string[] =>
  wrapSpans(
    [
      {text: visibleLine(title), roles: status === 'in_progress' ? ['bold'] : []},
      {text: ` (${todoStateTexts[status]})`, roles: ['dim']},
    ],
    frame,
    {first: `${checkboxes[status]} `, rest: '    ', roles: []},
  );
