import type {ReactNode} from 'react';
import {visibleLine} from '../../base/visible.ts';
import {type Picker as PickerState, typedIn} from '../state/panels/picker.ts';
import {cellWidth} from '../text/cell-width.ts';
import {Card, frameRows, titleColumn} from './card.tsx';
import {Caret} from './caret.tsx';
import {Picker} from './picker.tsx';

interface PickerCardProps {
  readonly title: string;
  readonly note?: string;
  readonly picker: PickerState<unknown>;
  /** What the keys do; the first ones that fit are shown. */
  readonly hints: readonly string[];
  readonly rows: number;
  readonly width: number;
  /** Below the list; `none` for nothing. Its rows are those the list leaves. */
  readonly below?: (rows: number, width: number) => ReactNode;
}

/** The most rows of a list: a small card leaves few rows to erase when it closes. */
const mostListed = 10;

/** A list in a frame, with what has been typed to filter it behind the title. */
export function PickerCard({title, note = '', picker, hints, rows, width, below}: PickerCardProps): ReactNode {
  const room = Math.max(1, Math.min(mostListed, rows - frameRows));
  const typed = typedIn(picker);
  const inside = width - 4;
  const left = rows - frameRows - Math.max(1, Math.min(room, picker.matching.length));
  const found = picker.matching.length > room ? [`${picker.matching.length} in all`] : [];
  const asked = typed === '' ? title : `${title}: ${visibleLine(typed)}`;
  const card = (
    <Card width={width} title={asked} note={note} hints={[...hints, ...found]}>
      <Picker picker={picker} rows={room} width={inside} />
      {below === undefined ? null : below(left, inside)}
    </Card>
  );
  if (picker.search.by === 'off') return card;
  // Input methods open at the terminal's cursor: it stands where what is typed appears.
  return <Caret at={{x: Math.min(width - 2, titleColumn + cellWidth(asked)), y: 0}}>{card}</Caret>;
}
