import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import {visibleLine} from '../../base/visible.ts';
import type {TodoId} from '../../domain/ids.ts';
import type {Todo, TodoList} from '../../domain/todo.ts';
import {wholeSeconds} from '../text/duration.ts';
import {isFinishedTodo} from '../state/selectors.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled} from '../theme/styled.tsx';

interface TodoPanelProps {
  readonly todos: TodoList;
  /** How long each current todo has been in progress, in milliseconds. */
  readonly times: ReadonlyMap<TodoId, number>;
  readonly width: number;
  /** The maximum number of rows of the panel. With one row, the list is folded to its bar and the current todo. */
  readonly rows: number;
}

/** The todo panel: a progress bar, then finished, current, and next todos. One line if all are finished or `rows` is 1. */
export function TodoPanel({todos, times, width, rows}: TodoPanelProps): ReactNode {
  if (todos.length === 0 || rows <= 0) return null;
  const room = width - margin;
  const done = todos.filter(isFinishedTodo);
  const open = todos.filter(todo => !isFinishedTodo(todo));
  const running = open.filter(({status}) => status === 'in_progress');
  const next = open.filter(({status}) => status === 'pending');
  const [first] = running.length > 0 ? running : next;
  const isFolded = rows === 1 || first === undefined;
  if (isFolded) {
    return (
      <Box paddingLeft={margin}>
        <Bar done={done.length} all={todos.length} />
        {first === undefined ? null : (
          <Text wrap="truncate">
            {fit(glyphs.separator + visibleLine(todoLabel(first)), Math.max(0, room - barCells))}
          </Text>
        )}
      </Box>
    );
  }
  // Current todos get their rows first, then finished ones, then the next ones.
  const runningRows = running.slice(0, rows - 1);
  const doneRows = done.length > 0 && rows - 1 - runningRows.length > 0 ? 1 : 0;
  const nextRows = Math.max(0, rows - 1 - runningRows.length - doneRows);
  // Each next todo gets its own row. The last row lists all the others.
  const own = next.length <= nextRows ? next : next.slice(0, Math.max(0, nextRows - 1));
  const left = next.slice(own.length);
  return (
    <Box flexDirection="column" paddingLeft={margin} width={width}>
      <Bar done={done.length} all={todos.length} />
      {doneRows === 0 ? null : <DoneRow done={done} room={room} />}
      {runningRows.map(todo => (
        <RunningRow key={todo.id} todo={todo} elapsedMs={times.get(todo.id) ?? 0} room={room} />
      ))}
      {own.map(todo => (
        <NextRow key={todo.id} next={[todo]} room={room} />
      ))}
      {left.length > 0 && nextRows > 0 ? <NextRow next={left} room={room} /> : null}
    </Box>
  );
}

const margin = 2;
const bars = 10;

function Bar({done, all}: {readonly done: number; readonly all: number}): ReactNode {
  // The bar is full only if all todos are finished, and empty only if none is.
  const full = done === all ? bars : Math.min(bars - 1, Math.max(done === 0 ? 0 : 1, Math.floor((bars * done) / all)));
  return (
    <Box flexShrink={0}>
      <Styled as="bold">Todos </Styled>
      <Styled as="accent">{glyphs.barDone.repeat(full)}</Styled>
      <Styled as="dim">{glyphs.barOpen.repeat(bars - full)}</Styled>
      <Text>{` ${done}/${all}`}</Text>
    </Box>
  );
}

const barCells = 'Todos  10/10'.length + bars;

/** The finished todos on one row: the last ones that fit, and how many came before. */
function DoneRow({done, room}: {readonly done: TodoList; readonly room: number}): ReactNode {
  const {shown, hidden} = fitTodos(done.toReversed(), room - earlierCells);
  const earlier = hidden === 0 ? [] : [`${glyphs.success} ${hidden} more`];
  return (
    <Text wrap="truncate">
      {earlier.map(text => (
        <Styled key={text} as="dim">{`${text}${separator}`}</Styled>
      ))}
      {shown.toReversed().map(({todo, words}, at) => (
        <Text key={todo.id}>
          {at === 0 ? '' : separator}
          <Styled as={todo.status === 'completed' ? 'success' : 'dim'}>
            {todo.status === 'completed' ? glyphs.success : glyphs.cancelled}
          </Styled>
          <Styled as={todo.status === 'completed' ? 'dim' : ['dim', 'struck']}>{` ${words}`}</Styled>
        </Text>
      ))}
    </Text>
  );
}

function RunningRow({todo, elapsedMs, room}: {readonly todo: Todo; readonly elapsedMs: number; readonly room: number}) {
  const time = elapsedMs < 1000 ? '' : glyphs.separator + wholeSeconds(elapsedMs);
  return (
    <Box>
      <Styled as="running">{`${glyphs.running} `}</Styled>
      <Styled as="bold">{fit(visibleLine(todoLabel(todo)), Math.max(1, room - 2 - cellWidth(time)))}</Styled>
      <Styled as="dim">{time}</Styled>
    </Box>
  );
}

/** The next todos on one row: the first ones that fit, and how many come after. */
function NextRow({next, room}: {readonly next: TodoList; readonly room: number}): ReactNode {
  const {shown, hidden} = fitTodos(next, room - earlierCells);
  const texts = shown.map(({words}) => `${glyphs.queued} ${words}`);
  const rest = hidden === 0 ? '' : `${separator}${hidden} more`;
  return <Styled as="dim">{texts.join(separator) + rest}</Styled>;
}

/** Returns the todos that fit on a row of `cells` cells. The first one is always included. */
function fitTodos(todos: TodoList, cells: number) {
  const shown: {readonly todo: Todo; readonly words: string}[] = [];
  let used = 0;
  for (const todo of todos) {
    const words = fit(visibleLine(todo.title), Math.max(1, cells - 2));
    used += cellWidth(words) + 2 + (shown.length === 0 ? 0 : separator.length);
    if (used > cells && shown.length > 0) break;
    shown.push({todo, words});
  }
  return {shown, hidden: todos.length - shown.length};
}

const separator = '   ';

/** Cells reserved for the number of hidden todos. */
const earlierCells = `✓ 99 more${separator}`.length;

/** Returns the todo's label. A current todo uses its progressive form, the `activeForm` of TodoWrite. */
const todoLabel = ({title, status, description}: Todo): string =>
  status === 'in_progress' && description !== '' ? description : title;
