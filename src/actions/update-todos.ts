import * as z from 'zod/mini';
import {clip} from '../base/clip.ts';
import {todoId} from '../domain/ids.ts';
import type {TodoList} from '../domain/todo.ts';
import {defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';
import type {TodoEntry, TodoUpdate} from './ports.ts';

export const updateTodos = defineAction<
  {readonly entries: readonly TodoEntry[]},
  TodoUpdate,
  {readonly entries: number}
>({
  summary: 'Keep the todo list that the user watches.',
  ...needsNoPermission,
  offered: 'always',
  tools: [
    toolForm({
      name: 'TodoWrite',
      description:
        'Set the todo list the user watches; send the whole list each time. Use it for work of three steps or more, with ' +
        'one entry in_progress, and mark entries completed as soon as they are. Keep the wording of entries. An open entry ' +
        'that is left out stays; send it as cancelled to drop it.',
      // Codex and Gemini name an entry's text and the list differently.
      aliases: {description: 'content', step: 'content', plan: 'todos'},
      ignoredFields: {priority: 'any', dependencies: 'any', merge: 'any', explanation: 'any'},
      schema: () =>
        z.object({
          todos: z.array(
            z.object({
              content: z.string().check(z.minLength(1)),
              status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']),
              activeForm: z.optional(z.string().check(z.describe('e.g. "Running tests"'))),
              id: z.optional(z.string()),
            }),
          ),
        }),
      toInput: raw => ({
        entries: raw.todos.map(({content, status, activeForm, id}) => ({
          id: id === undefined || id === '' ? undefined : todoId(id),
          title: content,
          description: activeForm ?? '',
          status,
        })),
      }),
    }),
  ],
  label: input => `Update todos (${input.entries.length})`,
  cancelled: input => ({entries: input.entries.length}),
  modelContent: output =>
    textContent(
      [`The todo list now has ${countText(output.todos)}.${keptText(output.keptOpen)}`, ...output.unmet].join(' '),
    ),
  reported: 'by-own-events',
  run: async (input, {ports, signal}) => ({
    state: 'success',
    output: await ports.todos.replace(input.entries, signal),
  }),
});

function countText(todos: TodoList): string {
  const count = (status: string): number => todos.filter(todo => todo.status === status).length;
  return `${count('completed')} completed, ${count('in_progress')} in progress, ${count('pending')} pending`;
}

/** The maximum number of titles to list. The model knows what it sent. */
const maxNamed = 10;
/** The maximum number of characters of each title. */
const titleLength = 80;

function keptText(kept: TodoList): string {
  if (kept.length === 0) return '';
  const named = kept.slice(0, maxNamed).map(({title}) => JSON.stringify(clip(title, titleLength)));
  const more = kept.length > maxNamed ? ` and ${kept.length - maxNamed} more` : '';
  return ` Still open, though missing from your list: ${named.join(', ')}${more}. To drop one, send it with status cancelled.`;
}
