import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import {cellWidth, fit} from '../text/cell-width.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled, useTheme} from '../theme/styled.tsx';
import {themeOf} from '../theme/theme.ts';
import {wrapText} from '../text/wrap.ts';

interface CardProps {
  readonly width: number;
  /** The title in the top border. The card clips its end, so the caller shortens a title whose end matters. */
  readonly title: string;
  /** A note at the right of the top border, or on the first line inside if there is no room. Empty if there is none. */
  readonly note?: string;
  /** Key hints for the bottom border. The card shows the first ones that fit. The hint of an action without a key is empty. */
  readonly hints: readonly string[];
  /** The rows for the hints. All but the last are above the border. */
  readonly hintRows?: number;
  readonly tone?: 'calm' | 'danger';
  /** Columns between the frame and the content. 0 for rows whose background reaches the frame. */
  readonly inset?: 0 | 1;
  readonly children: ReactNode;
}

/** A framed card on which the user makes a decision. */
export function Card({
  width,
  title,
  note = '',
  hints,
  hintRows = 1,
  tone = 'calm',
  inset = 1,
  children,
}: CardProps): ReactNode {
  const theme = useTheme();
  const frame = tone === 'danger' ? 'error' : 'accent';
  const inside = Math.max(1, width - 6);
  const shownTitle = fit(title, inside);
  const isNoteAbove = note !== '' && cellWidth(shownTitle) + 3 + cellWidth(note) <= inside;
  const line = (count: number): string => theme.style([frame], '─'.repeat(Math.max(0, count)));
  const noteCells = isNoteAbove ? cellWidth(note) + 2 : 0;
  const above = hintLines(hints, width).slice(0, hintRows);
  const hint = above.pop() ?? '';
  const noteRole = tone === 'danger' ? 'error' : 'warning';
  return (
    <Box flexDirection="column" width={width}>
      <Text wrap="truncate">
        {theme.style([frame], '╭ ')}
        {theme.style(['bold'], shownTitle)} {line(width - 4 - cellWidth(shownTitle) - noteCells)}
        {isNoteAbove ? ` ${theme.style([noteRole], note)} ` : ''}
        {theme.style([frame], '╮')}
      </Text>
      <Box
        flexDirection="column"
        width={width}
        paddingX={inset}
        borderStyle="round"
        borderTop={false}
        borderBottom={false}
        borderColor={theme.color(frame)}
      >
        {note === '' || isNoteAbove ? null : (
          <Box paddingX={1 - inset}>
            <Styled as={noteRole}>{fit(note, Math.max(1, width - 4))}</Styled>
          </Box>
        )}
        {children}
        {above.map(text => (
          <Box key={text} paddingX={1 - inset}>
            <Styled as="dim">{text}</Styled>
          </Box>
        ))}
      </Box>
      <Text wrap="truncate">
        {theme.style([frame], '╰')}
        {hint === '' ? '' : ` ${theme.style(['dim'], hint)} `}
        {line(width - 2 - (hint === '' ? 0 : cellWidth(hint) + 2))}
        {theme.style([frame], '╯')}
      </Text>
    </Box>
  );
}

export const titleColumn = 2;

export const frameRows = 2;

/** Returns the hints in rows, for a card of this width. A hint that is longer than a row goes on in the next. */
export function hintLines(hints: readonly string[], width: number): string[] {
  const cells = Math.max(1, width - 6);
  const lines: string[] = [];
  for (const hint of hints.filter(text => text !== '')) {
    const longer = `${lines.at(-1) ?? ''}${glyphs.separator}${hint}`;
    if (lines.length > 0 && cellWidth(longer) <= cells) lines.splice(-1, 1, longer);
    else lines.push(...wrapText(hint, [], {theme: themeOf('plain'), width: cells}));
  }
  return lines;
}
