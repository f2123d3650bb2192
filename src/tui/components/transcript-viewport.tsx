import {pluralize} from '../../base/clip.ts';
import {Box, type DOMElement, measureElement} from 'ink';
import {type ReactNode, useLayoutEffect, useRef, useState} from 'react';
import type {ScrollbackBuffer} from '../scrollback/scrollback-buffer.ts';
import type {ScrollPosition} from '../state/scroll-position.ts';
import {fit} from '../text/cell-width.ts';
import {Lines} from './lines.tsx';

interface TranscriptViewportProps {
  readonly kept: ScrollbackBuffer;
  /** The lines of unfinished entries, which follow the kept ones. */
  readonly open: readonly string[];
  readonly place: ScrollPosition;
  readonly width: number;
  /** Called with the number of rows that what is below leaves for the transcript. */
  readonly onRoom: (rows: number) => void;
}

/** The transcript on the alternate screen, which has no scrollback: its end, or the lines that the user scrolled to. */
export function TranscriptViewport({kept, open, place, width, onRoom}: TranscriptViewportProps): ReactNode {
  const box = useRef<DOMElement>(null);
  const [room, setRoom] = useState(0);
  useLayoutEffect(() => {
    if (box.current === null) return;
    const {height} = measureElement(box.current);
    setRoom(height);
    onRoom(height);
  });
  const end = kept.end + open.length;
  const linesFrom = (first: number, count: number): readonly string[] => {
    const from = Math.max(kept.start, first);
    return [
      ...kept.lines(from, first + count),
      ...open.slice(Math.max(0, from - kept.end), Math.max(0, first + count - kept.end)),
    ];
  };
  const shown = shownPlace(place, {start: kept.start, end, room});
  const lines =
    shown.at === 'end'
      ? linesFrom(end - room, room)
      : [...linesFrom(shown.first, Math.max(0, room - 1)), marker(shown, {end, room, width})];
  return (
    <Box ref={box} flexDirection="column" flexGrow={1} flexShrink={1} flexBasis={0} overflow="hidden">
      <Lines lines={lines} />
    </Box>
  );
}

interface Extent {
  readonly start: number;
  readonly end: number;
  readonly room: number;
}

/** The position as it is valid now: its line may have been dropped, or a larger screen may show the end. */
function shownPlace(place: ScrollPosition, {start, end, room}: Extent): ScrollPosition {
  if (place.at === 'end') return place;
  const first = Math.max(start, place.first);
  return first >= Math.max(start, end - room) ? {at: 'end'} : {...place, first};
}

function marker(
  place: Extract<ScrollPosition, {readonly at: 'line'}>,
  {end, room, width}: {readonly end: number; readonly room: number; readonly width: number},
): string {
  const fresh = end - place.end;
  const below = Math.max(0, end - place.first - room + 1);
  const text = fresh > 0 ? `${pluralize(fresh, 'new line')} below` : `${pluralize(below, 'line')} below`;
  return fit(`── ${text} · PgDn, or Ctrl+End to the end ──`, width);
}
