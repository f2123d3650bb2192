import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import {cellWidth, fit} from '../text/cell-width.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled, useTheme} from '../theme/styled.tsx';

interface CardProps {
  readonly width: number;
  /** The title in the top border. The card clips its end, so the caller shortens a title whose end matters. */
  readonly title: string;
  /** A note at the right of the top border, or on the first line inside if there is no room. Empty if there is none. */
  readonly note?: string;
  /** Key hints for the bottom border. The card shows the first ones that fit. */
  readonly hints: readonly string[];
  readonly tone?: 'calm' | 'danger';
  /** Columns between the frame and the content. 0 for rows whose background reaches the frame. */
  readonly inset?: 0 | 1;
  readonly children: ReactNode;
}

/** A framed card on which the user makes a decision. */
export function Card({width, title, note = '', hints, tone = 'calm', inset = 1, children}: CardProps): ReactNode {
  const theme = useTheme();
  const frame = tone === 'danger' ? 'error' : 'accent';
  const inside = Math.max(1, width - 6);
  const shownTitle = fit(title, inside);
  const isNoteAbove = note !== '' && cellWidth(shownTitle) + 3 + cellWidth(note) <= inside;
  const line = (count: number): string => theme.style([frame], '─'.repeat(Math.max(0, count)));
  const noteCells = isNoteAbove ? cellWidth(note) + 2 : 0;
  const hint = hintsThatFit(hints, inside);
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

function hintsThatFit(hints: readonly string[], cells: number): string {
  let shown = '';
  for (const hint of hints) {
    const longer = shown === '' ? hint : `${shown}${glyphs.separator}${hint}`;
    if (cellWidth(longer) > cells) break;
    shown = longer;
  }
  return shown;
}
