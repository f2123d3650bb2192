import type {TodoList} from '../domain/todo.ts';
import {isOver, type TodoRows} from './state/select.ts';
import {openSurface} from './terminal/surface.ts';
import {themeOf, type Look} from './theme/theme.ts';
import type {Placed} from './views/composer-view.ts';
import type {Frame} from './text/wrap.ts';
import {todoLine, todoTitle} from './views/todo-panel.ts';

/** A todo list on the screen that is drawn anew as it changes. */
export interface TodoWatch {
  /** The list from now on; drawn with the next frame. */
  show(list: TodoList): void;
  /** Leaves the whole list as it stands, and gives the terminal back. */
  close(): Promise<void>;
}

/** Least time between two frames. */
const frameMs = 50;

/** Opens the live panel of `weft tasks watch`. The keyboard is left alone: stdin may be what is watched. */
export function watchTodos(options: {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly look: Look;
}): TodoWatch {
  const theme = themeOf(options.look);
  let list: TodoList = [];
  let timer: NodeJS.Timeout | undefined;
  const surface = openSurface(
    {
      ...options,
      synchronized: () => false,
      reflow: () => 'wrapped',
      erasing: () => 'keeping',
      kittyKeyboard: () => 'no',
      width: async () => undefined,
      wrote: () => {},
    },
    {onResize: () => draw()},
  );
  // One column stays free, as everywhere: not all terminals wrap after their last one alike.
  const frame = (): Frame => ({theme, width: Math.max(12, surface.size.columns - 1)});
  const draw = (): void => {
    clearTimeout(timer);
    timer = undefined;
    surface.show('', placed(panel(list, Math.max(1, surface.size.rows - 3), frame())));
  };
  draw();
  return {
    show(next) {
      list = next;
      timer ??= setTimeout(draw, frameMs);
    },
    async close() {
      clearTimeout(timer);
      await surface.close(
        panel(list, list.length, frame())
          .map(line => `${line}\n`)
          .join(''),
      );
    },
  };
}

/** The list in at most `rows` rows and a title: from one before what is active, so that its end is filled first. */
function panel(list: TodoList, rows: number, frame: Frame): readonly string[] {
  if (list.length === 0) return [frame.theme.paint(['dim'], 'No todos.')];
  const running = list.findIndex(({status}) => status === 'in_progress');
  const active = running < 0 ? list.findIndex(todo => !isOver(todo)) : running;
  const first = Math.max(0, Math.min((active < 0 ? list.length : active) - 1, list.length - rows));
  const counted: TodoRows = {
    shown: list.slice(first, first + rows),
    done: list.filter(isOver).length,
    all: list.length,
  };
  return [todoTitle(counted, frame), ...counted.shown.map(todo => todoLine(todo, todo.title, frame))];
}

/** The cursor waits on the line below. */
const placed = (lines: readonly string[]): Placed => ({lines: [...lines, ''], cursor: {x: 0, y: lines.length}});
