import {visibleLine} from '../../base/visible.ts';
import type {Todo} from '../../domain/todo.ts';
import {todosOf} from '../../tasks/task-view.ts';
import {type EntryFrame, wrapSpans} from '../text/wrap.ts';
import {slashCommand} from './command.ts';

export const todoCommand = slashCommand({
  name: 'todo',
  aliases: ['todos'],
  usage: '/todo',
  summary: 'show the whole todo list',
  run(_, context) {
    const todos = todosOf(context.view.tasks);
    if (todos.length === 0) context.notify('info', 'There is no todo list: the agent makes one for longer work.');
    else context.print(['', ...todos.flatMap(todo => todoLines(todo, context.frame))]);
  },
});

const states = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
  cancelled: '[-]',
} as const satisfies Record<Todo['status'], string>;

export const todoWords = {
  pending: 'to do',
  in_progress: 'in progress',
  completed: 'done',
  cancelled: 'dropped',
} as const satisfies Record<Todo['status'], string>;

const todoLines = ({title, status}: Todo, frame: EntryFrame): readonly string[] =>
  wrapSpans(
    [
      {text: visibleLine(title), roles: status === 'in_progress' ? ['bold'] : []},
      {text: ` (${todoWords[status]})`, roles: ['dim']},
    ],
    frame,
    {first: `${states[status]} `, rest: '    ', roles: []},
  );
