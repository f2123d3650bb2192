import {Box, useInput, usePaste, useStdout} from 'ink';
import {type ReactNode, useLayoutEffect, useSyncExternalStore} from 'react';
import type {Screen, Store} from './app/store.ts';
import type {RawKey} from './terminal/keymap.ts';
import {LiveRegion} from './components/live-region.tsx';
import {mostLines} from './components/live-region.tsx';
import {TranscriptViewport} from './components/transcript-viewport.tsx';
import {openLines} from './scrollback/entries.ts';
import {withoutLost} from './scrollback/lost-rows.ts';
import {ThemeContext} from './theme/styled.tsx';

interface AppProps {
  readonly store: Store;
  /** Hears of every key before it has an effect. */
  readonly onKey: (key: RawKey) => void;
}

/** The terminal UI: draws what the store publishes, hands it the keys, and writes what is finished above the live region. */
export function App({store, onKey}: AppProps): ReactNode {
  const screen = useSyncExternalStore(store.subscribe, store.screen);
  const {write} = useStdout();
  useInput((input, key) => {
    onKey(key);
    store.handleInput(input, key);
  });
  // Only switches bracketed paste on: the paste reader takes pastes out of stdin before Ink sees them.
  usePaste(ignore);
  // Ink has drawn the new live region by now, so finished text cannot move more rows than it has to.
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

/** What is drawn: below the terminal's own scrollback, or on the whole alternate screen. */
export function AppScreen({screen, onRoom}: AppScreenProps): ReactNode {
  const {live, frame, size, lost, transcript} = screen;
  const {lexer, times} = live;
  const all = openLines(live.view, {lexer, actions: times.actions}, frame);
  const open = withoutLost(all, lost).lines;
  return (
    <ThemeContext value={frame.theme}>
      {transcript === 'none' ? (
        <LiveRegion state={live} open={open} rows={size.rows} frame={frame} />
      ) : (
        <Box flexDirection="column" width={frame.width} height={size.rows}>
          <TranscriptViewport
            kept={transcript.kept}
            open={open}
            place={transcript.place}
            width={frame.width}
            onRoom={onRoom}
          />
          <Box flexDirection="column" flexShrink={0} maxHeight={mostLines(size.rows)}>
            <LiveRegion state={live} open={[]} rows={size.rows} frame={frame} />
          </Box>
        </Box>
      )}
    </ThemeContext>
  );
}
