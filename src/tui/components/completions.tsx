import {Box} from 'ink';
import type {ReactNode} from 'react';
import {visibleLine} from '../../base/visible.ts';
import type {CommandInfo} from '../commands/command-line.ts';
import type {MentionList} from '../state/mention-list.ts';
import {fit} from '../text/cell-width.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled} from '../theme/styled.tsx';
import {firstShown} from './picker.tsx';

interface ListProps {
  readonly width: number;
  readonly rows: number;
}

export function CommandList({offered, row, width, rows}: ListProps & CommandListProps): ReactNode {
  const widest = Math.min(24, Math.floor(width / 3));
  // A longer name is not aligned, so that the other rows keep their room.
  const names = Math.max(8, ...offered.map(({usage}) => (usage.length <= widest ? usage.length : 0)));
  const lines = offered.map(({usage, summary}) => `${usage.padEnd(names)}  ${summary}`);
  return <Rows lines={lines} row={row} width={width} rows={rows} />;
}

interface CommandListProps {
  readonly offered: readonly Pick<CommandInfo, 'usage' | 'summary'>[];
  readonly row: number;
}

export function MentionRows({list, width, rows}: ListProps & {readonly list: MentionList}): ReactNode {
  if (list.kind !== 'open' || rows <= 0) return null;
  const {paths, state} = list.found;
  if (paths.length === 0) {
    return <Styled as="dim">{fit(state === 'looking' ? '  looking for files' : '  no file matches', width)}</Styled>;
  }
  return <Rows lines={paths.map(visibleLine)} row={list.row} width={width} rows={rows} />;
}

const mostRows = 8;

interface RowsProps extends ListProps {
  readonly lines: readonly string[];
  readonly row: number;
}

/** Some rows of a list around the chosen one; where they are not all shown the last line says which they are. */
function Rows({lines, row, width, rows}: RowsProps): ReactNode {
  if (lines.length === 0 || rows <= 0) return null;
  const isWhole = lines.length <= Math.min(mostRows, rows);
  const room = isWhole || rows < 2 ? rows : Math.min(mostRows, rows - 1);
  const top = firstShown({row, count: lines.length, room});
  const shown = lines.slice(top, top + room);
  return (
    <Box flexDirection="column">
      {shown.map((line, at) =>
        top + at === row ? (
          <Styled key={line} as={['bold', 'accent']}>{`${glyphs.pointer} ${fit(line, width - 2)}`}</Styled>
        ) : (
          <Styled key={line} as="dim">{`  ${fit(line, width - 2)}`}</Styled>
        ),
      )}
      {isWhole || rows < 2 ? null : <Styled as="dim">{`  ${top + 1}–${top + shown.length} of ${lines.length}`}</Styled>}
    </Box>
  );
}
