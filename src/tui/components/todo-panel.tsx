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

/**
 * The todo panel: a progress bar, then a row for each todo. A list that is too long shows the part around the current todo. One line if all
 * are finished or `rows` is 1.
 */
export function TodoPanel({todos, times, width, rows}: TodoPanelProps): ReactNode {
  if (todos.length === 0 || rows <= 0) return null;
  const room = width - margin;
  const done = todos.filter(isFinishedTodo).length;
  const running = todos.findIndex(({status}) => status === 'in_progress');
  const at = running === -1 ? todos.findIndex(todo => !isFinishedTodo(todo)) : running;
  const current = todos[at];
  if (rows === 1 || current === undefined) {
    return (
      <Box paddingLeft={margin}>
        <Bar done={done} all={todos.length} />
        {current === undefined ? null : (
          <Text wrap="truncate">
            {fit(glyphs.separator + visibleLine(todoLabel(current)), Math.max(0, room - barCells))}
          </Text>
        )}
      </Box>
    );
  }
  // Then the bar alone says how many there are.
  const isSmall = rows < 4;
  const {from, to} = shownRange(todos.length, at, rows - 1);
  return (
    <Box flexDirection="column" paddingLeft={margin} width={width}>
      <Bar done={done} all={todos.length} />
      {from === 0 || isSmall ? null : <Styled as="dim">{`${glyphs.upArrow} ${from} more`}</Styled>}
      {todos.slice(from, to).map(todo => (
        <TodoRow key={todo.id} todo={todo} elapsedMs={times.get(todo.id) ?? 0} room={room} />
      ))}
      {to === todos.length || isSmall ? null : (
        <Styled as="dim">{`${glyphs.downArrow} ${todos.length - to} more`}</Styled>
      )}
    </Box>
  );
}

/** Returns the todos to show on `rows` rows, of which one counts the todos above and one those below, if there are any. */
function shownRange(all: number, current: number, rows: number): {readonly from: number; readonly to: number} {
  if (all <= rows) return {from: 0, to: all};
  if (rows < 3) return {from: current, to: current + 1};
  // One todo above the current one shows what was done last.
  const atStart = {from: 0, to: rows - 1};
  if (current < rows - 2) return atStart;
  const atEnd = {from: all - rows + 1, to: all};
  if (current - 1 >= atEnd.from) return atEnd;
  const from = rows > 3 ? current - 1 : current;
  return {from, to: from + rows - 2};
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

function TodoRow({todo, elapsedMs, room}: {readonly todo: Todo; readonly elapsedMs: number; readonly room: number}) {
  const time = todo.status !== 'in_progress' || elapsedMs < 1000 ? '' : glyphs.separator + wholeSeconds(elapsedMs);
  const [glyph, glyphStyle, textStyle] = looks[todo.status];
  return (
    <Box>
      <Styled as={glyphStyle}>{`${glyph} `}</Styled>
      <Styled as={textStyle}>{fit(visibleLine(todoLabel(todo)), Math.max(1, room - 2 - cellWidth(time)))}</Styled>
      <Styled as="dim">{time}</Styled>
    </Box>
  );
}

const looks = {
  completed: [glyphs.success, 'success', 'dim'],
  cancelled: [glyphs.cancelled, 'dim', ['dim', 'struck']],
  in_progress: [glyphs.running, 'running', 'bold'],
  pending: [glyphs.queued, 'dim', 'dim'],
} as const;

/** Returns the todo's label. A current todo uses its progressive form, the `activeForm` of TodoWrite. */
const todoLabel = ({title, status, description}: Todo): string =>
  status === 'in_progress' && description !== '' ? description : title;
