import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import {shortcuts} from '../terminal/keymap.ts';
import type {NewlineKey} from '../terminal/terminal-modes.ts';
import {Styled} from '../theme/styled.tsx';

interface ShortcutsProps {
  readonly newlineKey: NewlineKey;
  readonly width: number;
  readonly rows: number;
}

/** The keys one needs most, below the composer; `?` opens and closes it. */
export function Shortcuts({newlineKey, width, rows}: ShortcutsProps): ReactNode {
  const shown = shortcuts.map(one => (one.does === 'new line' ? {...one, keys: newlineKey} : one));
  const keyCells = Math.max(...shown.map(({keys}) => keys.length)) + 2;
  const textCells = Math.max(...shown.map(({does}) => does.length)) + 2;
  const columns = Math.max(1, Math.min(3, Math.floor((width - margin) / (keyCells + textCells))));
  const height = Math.min(rows, Math.ceil(shown.length / columns));
  return (
    <Box width={width} paddingLeft={margin}>
      {Array.from({length: columns}, (_, column) => (
        <Box key={column} flexDirection="column" width={Math.floor((width - margin) / columns)}>
          {shown.slice(column * height, (column + 1) * height).map(({keys, does}) => (
            <Text key={keys} wrap="truncate">
              <Styled as="accent">{keys.padEnd(keyCells)}</Styled>
              <Styled as="dim">{does}</Styled>
            </Text>
          ))}
        </Box>
      ))}
    </Box>
  );
}

const margin = 2;
