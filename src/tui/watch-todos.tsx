import {type ReactNode, useSyncExternalStore} from 'react';
import {Lines} from './components/lines.tsx';
import type {Frame} from './text/wrap.ts';
import type {Todo, TodoList} from '../domain/todo.ts';
import {unreachable} from '../base/unreachable.ts';
import {visibleLine} from '../base/visible.ts';
import {isFinishedTodo} from './state/selectors.ts';
import {fit} from './text/cell-width.ts';
import {glyphs} from './theme/glyphs.ts';
import {nothingAbove, openInkTerminal} from './terminal/ink-terminal.tsx';
import {themeOf, type Look} from './theme/theme.ts';

export interface TodoWatch {
  show(list: TodoList): void;
  /** Prints the whole list below the scrollback and stops drawing. */
  close(): Promise<void>;
}

/** The minimum time between two frames, in milliseconds. */
const frameMs = 50;

/** Opens the live panel of `weft tasks watch`. Keys are not handled, because stdin may carry the watched events. */
export function watchTodos(options: {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly look: Look;
}): TodoWatch {
  const theme = themeOf(options.look);
  let list: TodoList = [];
  let timer: NodeJS.Timeout | undefined;
  let isWaiting = false;
  let drawn: readonly string[] = [];
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const drawing = (): ReactNode => {
    const rows = drawn;
    return <Watched subscribe={subscribe} drawn={() => rows} />;
  };
  const terminal = openInkTerminal(
    {
      ...options,
      synchronized: () => false,
      reflow: () => 'wrapped',
      erasing: () => 'keeping',
      resizeSignals: () => 'at-once',
      kittyKeyboard: () => 'no',
      positions: async () => undefined,
      wrote: () => {},
    },
    {
      screen: 'inline',
      root: () => <Watched subscribe={subscribe} drawn={() => drawn} />,
      drawing,
      onPaste: () => {},
      above: nothingAbove,
      onResize: () => draw(),
      onDropped: () => {},
      onReady: () => isWaiting && draw(),
    },
  );
  // Leave the last column free, as everywhere: terminals differ in how they wrap there.
  const frame = (): Frame => ({theme, width: Math.max(12, terminal.size.columns - 1)});
  const draw = (): void => {
    clearTimeout(timer);
    timer = undefined;
    isWaiting = !terminal.ready;
    if (isWaiting) return;
    drawn = panel(list, Math.max(1, terminal.size.rows - 3), frame());
    for (const listener of listeners) listener();
  };
  draw();
  return {
    show(next) {
      list = next;
      timer ??= setTimeout(draw, frameMs);
    },
    async close() {
      clearTimeout(timer);
      await terminal.close(
        panel(list, list.length, frame())
          .map(line => `${line}\n`)
          .join(''),
      );
    },
  };
}

interface WatchedProps {
  readonly subscribe: (listener: () => void) => () => void;
  readonly drawn: () => readonly string[];
}

/** The list, with the cursor on the line below it. */
function Watched({subscribe, drawn}: WatchedProps): ReactNode {
  const lines = useSyncExternalStore(subscribe, drawn);
  return <Lines lines={[...lines, '']} cursor={{x: 0, y: lines.length}} />;
}

/** Returns a title and at most `rows` todos, beginning with the one before the active todo. */
function panel(list: TodoList, rows: number, frame: Frame): readonly string[] {
  if (list.length === 0) return [frame.theme.style(['dim'], 'No todos.')];
  const running = list.findIndex(({status}) => status === 'in_progress');
  const active = running < 0 ? list.findIndex(todo => !isFinishedTodo(todo)) : running;
  const first = Math.max(0, Math.min((active < 0 ? list.length : active) - 1, list.length - rows));
  const shown = list.slice(first, first + rows);
  const done = list.filter(isFinishedTodo).length;
  const hidden = list.length - shown.length;
  const rest = hidden === 0 || done === list.length ? '' : `, ${hidden} not shown`;
  const title = `Todos ${done} of ${list.length} done${rest}`;
  return [frame.theme.style(['bold'], fit(title, frame.width)), ...shown.map(todo => todoLine(todo, frame))];
}

function todoLine(todo: Todo, frame: Frame): string {
  const {theme} = frame;
  const title = fit(visibleLine(todo.title), frame.width - 4);
  switch (todo.status) {
    case 'completed':
      return `  ${theme.style(['success'], glyphs.success)} ${theme.style(['dim'], title)}`;
    case 'cancelled':
      return `  ${theme.style(['dim'], `${glyphs.cancelled} ${title}`)}`;
    case 'in_progress':
      return `  ${theme.style(['running'], glyphs.running)} ${theme.style(['bold'], title)}`;
    case 'pending':
      return `  ${theme.style(['dim'], glyphs.queued)} ${title}`;
    default:
      return unreachable(todo.status);
  }
}
