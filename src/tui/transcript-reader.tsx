import {Box, useInput, usePaste} from 'ink';
import {type ReactNode, useSyncExternalStore} from 'react';
import type {ScreenSize} from '../actions/ports.ts';
import {Lines} from './components/lines.tsx';
import type {TranscriptPanel} from './scrollback/transcript-panel.ts';
import {answerNeeded, type AttentionWatch, watchAttention} from './terminal/attached-terminal.ts';
import {nothingAbove, openInkTerminal, type UserTerminalStreams} from './terminal/ink-terminal.tsx';
import {type KeyPress, KeyReader, type RawKey} from './terminal/keymap.ts';
import {sizeOf} from './terminal/terminal-output.ts';
import {fit} from './text/cell-width.ts';
import type {Frame, Layout} from './text/wrap.ts';

interface ReaderOptions extends AttentionWatch {
  readonly terminal: UserTerminalStreams;
  readonly frame: (columns: number) => Frame;
  /** Called once the screen is open, with what gives the terminal to `use` and then shows the screen again. */
  readonly onOpen: (suspendFor: (use: () => Promise<() => void>) => Promise<void>) => void;
  readonly stopForShell: () => Promise<() => void>;
}

/** Shows the transcript on the alternate screen until it is closed or `signal` aborts. Afterwards the normal screen is back, unchanged. */
export async function readTranscript(
  panel: TranscriptPanel,
  options: ReaderOptions,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const {promise: closed, resolve: close} = Promise.withResolvers<undefined>();
  const keys = new KeyReader();
  let now = panel;
  let size = sizeOf(options.terminal.stdout);
  const listeners = new Set<() => void>();
  const room = (): ScreenSize => ({columns: size.columns, rows: size.rows - (options.awaitsAnswer() ? 1 : 0)});
  const layOut = (): Layout => {
    const {columns, rows} = room();
    const frame = options.frame(columns);
    const shown = now.lines({rows, frame});
    const asked = options.awaitsAnswer()
      ? [frame.theme.style(['warning'], fit(answerNeeded('q to go there'), frame.width))]
      : [];
    return {lines: [...shown.lines, ...asked], cursor: shown.cursor};
  };
  let drawn = {...layOut(), size};
  let isWaiting = false;
  const draw = (): void => {
    isWaiting = !ink.ready;
    if (isWaiting) return;
    ({size} = ink);
    drawn = {...layOut(), size};
    for (const listener of listeners) listener();
  };
  const press = (presses: readonly KeyPress[]): void => {
    const {columns, rows} = room();
    for (const key of presses) {
      if (key.kind === 'key' && key.name === 'interrupt') return close(undefined);
      if (key.kind === 'key' && key.name === 'suspend') return void ink.suspend('', options.stopForShell);
      const next = now.press(key, {rows, frame: options.frame(columns)});
      if (next === 'closed') return close(undefined);
      now = next;
    }
    draw();
  };
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const ink = openInkTerminal(options.terminal, {
    screen: 'alternate',
    root: () => (
      <Reader
        subscribe={subscribe}
        drawn={() => drawn}
        onInput={(input, key) => press(keys.read(input, key, 'list'))}
      />
    ),
    drawing: () => undefined,
    onPaste: (text, part) => press([{kind: 'paste', text, part}]),
    above: nothingAbove,
    onResize: draw,
    onDropped: () => {},
    onReady: () => isWaiting && draw(),
  });
  const onAbort = (): void => close(undefined);
  signal.addEventListener('abort', onAbort, {once: true});
  const unwatch = watchAttention(options, draw);
  options.onOpen(use => ink.suspend('', use));
  try {
    await Promise.race([closed, ink.failed]);
  } finally {
    unwatch();
    signal.removeEventListener('abort', onAbort);
    await ink.close('');
  }
}

interface Drawn extends Layout {
  readonly size: ScreenSize;
}

interface ReaderProps {
  readonly subscribe: (listener: () => void) => () => void;
  readonly drawn: () => Drawn;
  readonly onInput: (input: string, key: RawKey) => void;
}

function Reader({subscribe, drawn, onInput}: ReaderProps): ReactNode {
  const {lines, cursor, size} = useSyncExternalStore(subscribe, drawn);
  useInput(onInput);
  // Only enables bracketed paste, as in the app.
  usePaste(ignore);
  return (
    <Box flexDirection="column" width={size.columns - 1} height={size.rows} overflow="hidden">
      <Lines lines={lines} cursor={cursor} />
    </Box>
  );
}

const ignore = (): void => {};
