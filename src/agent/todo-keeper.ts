import type {TodoEntry, TodoPort} from '../actions/ports.ts';
import type {TodoId} from '../domain/ids.ts';
import type {TodoList} from '../domain/todo.ts';

/**
 * The todo list of a session as host state. A change becomes task-protocol payloads; `keep` journals and publishes them, and
 * every view is decoded from those. The codec is loaded on first use: most runs have no list.
 */
export function makeTodoKeeper(options: {
  /** The payloads the session already holds. */
  readonly frames: readonly Uint8Array[];
  readonly newId: () => TodoId;
  readonly keep: (frames: readonly Uint8Array[]) => void;
}): TodoPort {
  let current: TodoList | undefined;
  return {
    async replace(entries: readonly TodoEntry[]) {
      const [{framesFor, replaceTodos}, {applyTaskFrames, emptyTaskView, todosOf}] = await Promise.all([
        import('../tasks/update-list.ts'),
        import('../tasks/task-view.ts'),
      ]);
      const before = current ?? todosOf(applyTaskFrames(emptyTaskView, options.frames));
      const after = replaceTodos(before, entries, options.newId);
      const frames = framesFor(before, after);
      if (frames.length > 0) options.keep(frames);
      current = after;
      return after;
    },
  };
}
