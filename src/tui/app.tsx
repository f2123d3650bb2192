import {Box, useInput, usePaste, useStdout, type DOMElement, measureElement} from 'ink';
import {type ReactNode, useLayoutEffect, useSyncExternalStore, useRef, useState} from 'react';
import type {Screen, Store} from './app/store.ts';
import {keyHint, keyOf, type RawKey} from './terminal/keymap.ts';
import {LiveRegion, maxLines} from './components/live-region.tsx';
import {openLines} from './scrollback/entries.ts';
import {linesAfterLost} from './scrollback/rest-of-block.ts';
import {ThemeContext} from './theme/styled.tsx';
import {pluralize} from '../base/clip.ts';
import type {ScrollbackBuffer, TranscriptBlock} from './scrollback/scrollback-buffer.ts';
import type {ScrollPosition} from './state/scroll-position.ts';
import {fit} from './text/cell-width.ts';
import {Lines} from './components/lines.tsx';

interface AppProps {
  readonly store: Store;
  /** Called with every key before it takes effect. */
  readonly onKey: (key: RawKey) => void;
}

/** The terminal UI: draws the store's screen, passes keys to the store, and writes finished entries above the live region. */
export function App({store, onKey}: AppProps): ReactNode {
  const screen = useSyncExternalStore(store.subscribe, store.screen);
  const {write} = useStdout();
  useInput((input, key) => {
    onKey(key);
    store.handleInput(input, key);
  });
  // Only enables bracketed paste: the paste reader takes pastes out of stdin before Ink sees them.
  usePaste(ignore);
  // Ink has drawn the new live region by now, so finished text moves as few rows as possible.
  useLayoutEffect(() => {
    const finished = store.takeFinished();
    if (finished !== '') write(finished);
  });
  return <AppScreen screen={screen} onRoom={store.setRoom} />;
}

const ignore = (): void => {};

interface AppScreenProps {
  readonly screen: Screen;
  readonly onRoom: (rows: number) => void;
}

/** The screen's content: a live region below the terminal's scrollback, or the whole alternate screen. */
export function AppScreen({screen, onRoom}: AppScreenProps): ReactNode {
  const {live, frame, size, lost, transcript} = screen;
  const {lexer, times} = live;
  const all: TranscriptBlock = at => openLines(live.view, {lexer, actions: times.actions}, at);
  const open = linesAfterLost(all, lost, frame);
  return (
    <ThemeContext value={frame.theme}>
      {transcript === 'none' ? (
        <LiveRegion state={live} open={open} rows={size.rows} frame={frame} />
      ) : (
        <Box flexDirection="column" width={frame.width} height={size.rows}>
          <TranscriptViewport
            kept={transcript.kept}
            open={open}
            place={transcript.position}
            width={frame.width}
            onRoom={onRoom}
          />
          <Box flexDirection="column" flexShrink={0} maxHeight={maxLines(size.rows)}>
            <LiveRegion state={live} open={[]} rows={size.rows} frame={frame} />
          </Box>
        </Box>
      )}
    </ThemeContext>
  );
}

interface TranscriptViewportProps {
  readonly kept: ScrollbackBuffer;
  /** The lines of unfinished entries, after the kept lines. */
  readonly open: readonly string[];
  readonly place: ScrollPosition;
  readonly width: number;
  /** Called with the number of rows that are left for the transcript. */
  readonly onRoom: (rows: number) => void;
}

/** The transcript on the alternate screen, which has no scrollback. Shows its end or the lines that the user scrolled to. */
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
  const shown = clampPosition(place, {start: kept.start, end, room});
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

/** Returns a valid position: the line may have been dropped, or a larger screen may show the end. */
function clampPosition(place: ScrollPosition, {start, end, room}: Extent): ScrollPosition {
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
  const keys = [keyOf('page-down'), keyHint('bottom', key => `${key} for the end`)].filter(hint => hint !== '');
  return fit(`── ${[text, ...keys].join(' · ')} ──`, width);
}
