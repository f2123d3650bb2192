import type {SettledCall} from '../actions/agent-event.ts';
import type {TodoEntry, TodoUpdate} from '../actions/ports.ts';
import {clip} from '../base/clip.ts';
import type {TodoId} from '../domain/ids.ts';
import type {Todo, TodoList} from '../domain/todo.ts';

export interface TodoStore {
  /** Replaces the list. `admit` may keep todos in progress that the new list completes. */
  replace(entries: readonly TodoEntry[], admit?: (todos: TodoList) => Promise<AdmittedTodos>): Promise<TodoUpdate>;
  /** Returns the unfinished todos, in order. */
  open(): Promise<TodoList>;
  /** Called when a prompt begins: the model's next list may be for a new task. */
  beginPrompt(): void;
  /**
   * Counts a settled call. Returns a reminder to append to its result, usually empty. The model is reminded once, after
   * several calls without an update of a list that has open todos.
   */
  afterCall(settled: SettledCall): Promise<string>;
}

/** The todos that the list gets, and why some of them are not completed. */
export type AdmittedTodos = Pick<TodoUpdate, 'todos' | 'unmet'>;

/** Calls without an update of the list before the model is reminded. */
const callsUntilReminder = 8;

/**
 * The todo list of a session. A change becomes task-protocol payloads, which `keep` journals and publishes. Every view
 * of the list is decoded from them. The codec is loaded on first use, because most runs have no list.
 */
export function makeTodoStore(options: {
  /** The payloads the session already holds. */
  readonly frames: readonly Uint8Array[];
  readonly newId: () => TodoId;
  readonly keep: (frames: readonly Uint8Array[]) => void;
}): TodoStore {
  let current: TodoList | undefined;
  let moment: 'first-of-prompt' | 'later' = 'first-of-prompt';
  let calls = 0;
  /** True if the latest call set the list, so that it isn't counted. */
  let wasJustUpdated = false;

  async function list(): Promise<TodoList> {
    if (current !== undefined) return current;
    if (options.frames.length === 0) return [];
    const {applyTaskFrames, emptyTaskView, todosOf} = await import('../tasks/task-view.ts');
    return todosOf(applyTaskFrames(emptyTaskView, options.frames));
  }

  return {
    open: async () => (await list()).filter(isOpen),
    beginPrompt() {
      moment = 'first-of-prompt';
    },
    async replace(entries, admit = async todos => ({todos, unmet: []})) {
      const [{framesOfUpdate, updateList}, before] = await Promise.all([import('../tasks/update-list.ts'), list()]);
      const listed = updateList(before, {entries, moment}, options.newId);
      const {todos, unmet} = await admit(listed.todos);
      const update = {...listed, todos};
      const frames = framesOfUpdate(before, update);
      if (frames.length > 0) options.keep(frames);
      current = todos;
      moment = 'later';
      calls = 0;
      wasJustUpdated = true;
      return {todos, keptOpen: update.keptOpen, unmet};
    },
    async afterCall(settled) {
      const hasSet = wasJustUpdated;
      wasJustUpdated = false;
      if (hasSet || !isWork(settled)) return '';
      calls += 1;
      return calls === callsUntilReminder ? reminderText(await list()) : '';
    },
  };
}

/** Refused and interrupted calls don't count as work. */
const isWork = (settled: SettledCall): boolean =>
  settled.tag === 'undecodable' || settled.result.settled.state !== 'cancelled';

const isOpen = ({status}: Todo): boolean => status === 'pending' || status === 'in_progress';

function reminderText(list: TodoList): string {
  const open = list.filter(isOpen);
  const next = open.find(({status}) => status === 'in_progress') ?? open[0];
  if (next === undefined) return '';
  const count = open.length === 1 ? '1 todo is open' : `${open.length} todos are open`;
  return (
    `The todo list was last updated ${callsUntilReminder} tool calls ago; ${count}, now at "${clip(next.title, 80)}". ` +
    'If that is out of date, update the list. This is a note from weft, not from the user.'
  );
}
