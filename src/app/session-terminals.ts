import type {TerminalControl} from '../actions/ports.ts';
import type {BlockId} from '../domain/ids.ts';

/** The background commands of a session as one list: its own, and those of sub-agents in folders of their own. No two have the same id. */
export interface SessionTerminals extends TerminalControl {
  /** Those of a sub-agent are in the list, until the result is called. */
  add(others: TerminalControl): () => void;
}

export function sessionTerminals(own: TerminalControl): SessionTerminals {
  const all = new Set([own]);
  /** How each listener is taken from those that it hears. */
  const listeners = new Map<() => void, Map<TerminalControl, () => void>>();
  /** Of the session's own some are in no list: what the user runs and waits for. */
  const holderOf = (id: BlockId): TerminalControl =>
    [...all].find(each => each.list().some(block => block.id === id)) ?? own;
  return {
    list() {
      const blocks = [...all].flatMap(each => each.list());
      const isRunning = ({state}: (typeof blocks)[number]): boolean =>
        state.kind === 'running' || state.kind === 'waiting';
      return [...blocks.filter(isRunning), ...blocks.filter(block => !isRunning(block))];
    },
    watch(listener) {
      listeners.set(listener, new Map([...all].map(each => [each, each.watch(listener)])));
      return () => {
        for (const end of listeners.get(listener)?.values() ?? []) end();
        listeners.delete(listener);
      };
    },
    stop: async id => holderOf(id).stop(id),
    keep: id => holderOf(id).keep(id),
    attach: (id, terminal) => holderOf(id).attach(id, terminal),
    add(others) {
      all.add(others);
      for (const [listener, heard] of listeners) heard.set(others, others.watch(listener));
      return () => {
        all.delete(others);
        for (const [listener, heard] of listeners) {
          heard.get(others)?.();
          heard.delete(others);
          listener();
        }
      };
    },
  };
}
