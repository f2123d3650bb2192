import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import {visibleLine} from '../../base/visible.ts';
import {type Picker as PickerState, type PickerItem, filterTextOf} from '../state/panels/picker.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled} from '../theme/styled.tsx';
import {Card, frameRows, titleColumn} from './card.tsx';
import {Caret} from './caret.tsx';

interface PickerCardProps {
  readonly title: string;
  readonly note?: string;
  readonly picker: PickerState<unknown>;
  /** Key hints. The card shows the first ones that fit. */
  readonly hints: readonly string[];
  readonly rows: number;
  readonly width: number;
  /** Renders content below the list, in the rows that the list leaves. */
  readonly below?: (rows: number, width: number) => ReactNode;
}

/** The maximum number of rows of a list. A small card leaves few rows to erase when it closes. */
const maxListed = 10;

/** A framed list, with the filter text after the title. */
export function PickerCard({title, note = '', picker, hints, rows, width, below}: PickerCardProps): ReactNode {
  const room = Math.max(1, Math.min(maxListed, rows - frameRows));
  const typed = filterTextOf(picker);
  const inside = width - 4;
  const left = rows - frameRows - Math.max(1, Math.min(room, picker.matching.length));
  const found = picker.matching.length > room ? [`${picker.matching.length} total`] : [];
  const asked = typed === '' ? title : `${title}: ${visibleLine(typed)}`;
  const card = (
    <Card width={width} title={asked} note={note} hints={[...hints, ...found]}>
      <Picker picker={picker} rows={room} width={inside} />
      {below === undefined ? null : below(left, inside)}
    </Card>
  );
  if (picker.search.by === 'off') return card;
  // Input methods open at the terminal's cursor, so the cursor is where typed text appears.
  return <Caret at={{x: Math.min(width - 2, titleColumn + cellWidth(asked)), y: 0}}>{card}</Caret>;
}

interface PickerProps {
  readonly picker: PickerState<unknown>;
  readonly rows: number;
  readonly width: number;
}

/** The rows of a list around the selected one. Columns: pointer, digit, label, details, letter. */
function Picker({picker, rows, width}: PickerProps): ReactNode {
  const {matching, row, status, items} = picker;
  if (status.kind !== 'ready') {
    return (
      <Styled as={status.kind === 'failed' ? 'error' : 'dim'}>{fit(`  ${visibleLine(status.text)}`, width)}</Styled>
    );
  }
  if (matching.length === 0) {
    return <Styled as="dim">{fit(`  ${items.length === 0 ? status.text : 'No matches'}`, width)}</Styled>;
  }
  const room = Math.max(1, rows);
  const selected = row === 'none' ? 0 : row;
  const top = firstShown({row: selected, count: matching.length, room});
  const shown = matching.slice(top, top + room);
  const columns = columnsOf(shown, width);
  return (
    <Box flexDirection="column">
      {shown.map((item, at) => (
        <PickerRow key={top + at} item={item} number={top + at + 1} isSelected={top + at === row} columns={columns} />
      ))}
    </Box>
  );
}

export const firstShown = ({row, count, room}: {readonly row: number; readonly count: number; readonly room: number}) =>
  Math.max(0, Math.min(row - Math.floor(room / 2), count - room));

interface Columns {
  readonly label: number;
  readonly details: readonly number[];
  readonly letter: number;
}

/** Detail columns are dropped until the label has this many cells, or its full width. */
const minLabel = 24;
/** A detail column that would be narrower than this is dropped. */
const minDetail = 10;
/** Cells of the pointer, the digit, and the spaces after them. */
const leadWidth = 5;
const gap = 2;

/** Returns the width of each column. If the label has too little room, the last detail columns are dropped or cut. */
function columnsOf(items: readonly PickerItem<unknown>[], width: number): Columns {
  const letter = items.some(item => item.letter !== '') ? 2 : 0;
  const widest = Math.max(...items.map(item => cellWidth(labelOf(item))));
  const all = Array.from({length: Math.max(...items.map(item => item.details.length))}, (_, at) =>
    Math.max(...items.map(item => cellWidth(visibleLine(item.details[at] ?? '')))),
  );
  let details = all;
  const room = (): number =>
    Math.max(1, width - leadWidth - letter - details.reduce((sum, one) => sum + (one === 0 ? 0 : one + gap), 0));
  while (details.length > 1 && room() < Math.min(widest, minLabel)) details = details.slice(0, -1);
  const [only] = details;
  if (only !== undefined && room() < Math.min(widest, minLabel)) {
    const left = width - leadWidth - letter - gap - Math.min(widest, minLabel);
    details = left < minDetail ? [] : [Math.min(only, left), ...details.slice(1)];
  }
  return {label: Math.min(widest, room()), details, letter};
}

export function showsFirstDetail({matching}: PickerState<unknown>, width: number): boolean {
  if (matching.length === 0) return true;
  const whole = Math.max(...matching.map(item => cellWidth(visibleLine(item.details[0] ?? ''))));
  const [cells = 0] = columnsOf(matching, width).details;
  return cells >= whole;
}

const labelOf = ({label, mark}: PickerItem<unknown>): string =>
  `${visibleLine(label)}${mark === 'current' ? ` ${glyphs.success}` : ''}`;

interface PickerRowProps {
  readonly item: PickerItem<unknown>;
  readonly number: number;
  readonly isSelected: boolean;
  readonly columns: Columns;
}

function PickerRow({item, number, isSelected, columns}: PickerRowProps): ReactNode {
  const digit = number <= 9 ? String(number) : ' ';
  const details = columns.details.map((cells, at) =>
    cells === 0 ? '' : ' '.repeat(gap) + padToWidth(visibleLine(item.details[at] ?? ''), cells),
  );
  const label = padToWidth(labelOf(item), columns.label);
  return (
    <Text wrap="truncate">
      <Styled as={isSelected ? ['bold', 'accent'] : 'dim'}>{`${isSelected ? glyphs.pointer : ' '} ${digit}  `}</Styled>
      {isSelected ? <Styled as={['bold', 'accent']}>{label}</Styled> : label}
      <Styled as="dim">{details.join('')}</Styled>
      {item.letter === '' ? '' : <Styled as="accent">{` ${item.letter}`}</Styled>}
    </Text>
  );
}

function padToWidth(text: string, cells: number): string {
  const cut = fit(text, cells);
  return cut + ' '.repeat(Math.max(0, cells - cellWidth(cut)));
}
