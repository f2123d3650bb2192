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
  /** How long each todo in progress has been so, in milliseconds. */
  readonly times: ReadonlyMap<TodoId, number>;
  readonly width: number;
  /** The most rows it may take; with one the list is folded to its bar and what is being done. */
  readonly rows: number;
}

/** A bar, what is done, what is being done, what comes next. Once all is done, or with one row, it is one line. */
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
          <Text wrap="truncate">{fit(glyphs.between + visibleLine(wordsOf(first)), Math.max(0, room - barCells))}</Text>
        )}
      </Box>
    );
  }
  // What is being done comes first, then what is done, then what comes next.
  const runningRows = running.slice(0, rows - 1);
  const doneRows = done.length > 0 && rows - 1 - runningRows.length > 0 ? 1 : 0;
  const nextRows = Math.max(0, rows - 1 - runningRows.length - doneRows);
  // Each on a row of its own, as far as there are rows; the last row takes what is left.
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
  // A bar is full only when all is done, and empty only as long as nothing is.
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

/** What is done, on one row: the last ones that fit, and how many came before. */
function DoneRow({done, room}: {readonly done: TodoList; readonly room: number}): ReactNode {
  const {shown, hidden} = fitting(done.toReversed(), room - earlierCells);
  const earlier = hidden === 0 ? [] : [`${glyphs.success} ${hidden} more`];
  return (
    <Text wrap="truncate">
      {earlier.map(text => (
        <Styled key={text} as="dim">{`${text}${apart}`}</Styled>
      ))}
      {shown.toReversed().map(({todo, words}, at) => (
        <Text key={todo.id}>
          {at === 0 ? '' : apart}
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
  const time = elapsedMs < 1000 ? '' : glyphs.between + wholeSeconds(elapsedMs);
  return (
    <Box>
      <Styled as="running">{`${glyphs.running} `}</Styled>
      <Styled as="bold">{fit(visibleLine(wordsOf(todo)), Math.max(1, room - 2 - cellWidth(time)))}</Styled>
      <Styled as="dim">{time}</Styled>
    </Box>
  );
}

/** What comes next, on a row: the first ones that fit, and how many come after. */
function NextRow({next, room}: {readonly next: TodoList; readonly room: number}): ReactNode {
  const {shown, hidden} = fitting(next, room - earlierCells);
  const texts = shown.map(({words}) => `${glyphs.queued} ${words}`);
  const rest = hidden === 0 ? '' : `${apart}${hidden} more`;
  return <Styled as="dim">{texts.join(apart) + rest}</Styled>;
}

/** The todos that fit in so many cells one after the other, the first one in any case. */
function fitting(todos: TodoList, cells: number) {
  const shown: {readonly todo: Todo; readonly words: string}[] = [];
  let used = 0;
  for (const todo of todos) {
    const words = fit(visibleLine(todo.title), Math.max(1, cells - 2));
    used += cellWidth(words) + 2 + (shown.length === 0 ? 0 : apart.length);
    if (used > cells && shown.length > 0) break;
    shown.push({todo, words});
  }
  return {shown, hidden: todos.length - shown.length};
}

const apart = '   ';

/** Cells that are kept for how many are not shown. */
const earlierCells = `✓ 99 more${apart}`.length;

/** What is being done in its running form: the `activeForm` of TodoWrite. */
const wordsOf = ({title, status, description}: Todo): string =>
  status === 'in_progress' && description !== '' ? description : title;
