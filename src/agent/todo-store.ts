import type {SettledCall} from '../actions/agent-event.ts';
import type {TodoEntry, TodoPort} from '../actions/ports.ts';
import {clip} from '../base/clip.ts';
import type {TodoId} from '../domain/ids.ts';
import type {Todo, TodoList} from '../domain/todo.ts';

export interface TodoStore extends TodoPort {
  /** The todos that are not done yet, in order. */
  open(): Promise<TodoList>;
  /** To be called when a prompt begins: the next list that the model writes may be for a new task. */
  beginPrompt(): void;
  /**
   * Counts a call that has settled. Answers with a reminder to put behind its result, mostly empty: the model is reminded once,
   * after a number of calls in which it did not update a list that has open todos.
   */
  afterCall(settled: SettledCall): Promise<string>;
}

/** Calls without an update of the list after which the model is reminded of it. */
const callsUntilReminder = 8;

/**
 * The todo list of a session. A change becomes task-protocol payloads; `keep` journals and publishes them, and every view of the
 * list is decoded from those. The codec is loaded on first use: most runs have no list.
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
  /** The call that has just ended has set the list, so it is not counted. */
  let isJustSet = false;

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
    async replace(entries: readonly TodoEntry[]) {
      const [{framesOfUpdate, updateList}, before] = await Promise.all([import('../tasks/update-list.ts'), list()]);
      const update = updateList(before, {entries, moment}, options.newId);
      const frames = framesOfUpdate(before, update);
      if (frames.length > 0) options.keep(frames);
      current = update.todos;
      moment = 'later';
      calls = 0;
      isJustSet = true;
      return {todos: update.todos, keptOpen: update.keptOpen};
    },
    async afterCall(settled) {
      const hasSet = isJustSet;
      isJustSet = false;
      if (hasSet || !isWork(settled)) return '';
      calls += 1;
      return calls === callsUntilReminder ? reminderText(await list()) : '';
    },
  };
}

/** A call that was refused or interrupted is no work done. */
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
    'If that is out of date, bring it up to date with TodoWrite. This is a note of weft, not of the user.'
  );
}
