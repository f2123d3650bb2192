import {Box, render, Text, useCursor, useInput, usePaste} from 'ink';
import type {RawKey} from './input/keymap.ts';
import {erasingByLine} from './text/erase.ts';
import {rowsAfterReflow} from './text/reflow.ts';
import type {Placed} from './views/composer-view.ts';

/** The terminal as the session uses it. */
export interface Surface {
  readonly size: {readonly columns: number; readonly rows: number};
  /** Writes `finished` (whole lines) into the scrollback, once and for all, and makes `live` the live region below it. */
  show(finished: string, live: Placed): void;
  /** Takes the live region away, leaves `last` in its place, and gives the terminal back as it was. */
  close(last: string): Promise<void>;
}

export interface SurfaceListener {
  onInput(input: string, key: RawKey): void;
  onPaste(text: string): void;
  onResize(): void;
}

/** A listener without a keyboard: stdin is left alone. */
export type Watcher = Pick<SurfaceListener, 'onResize'>;

/**
 * The live region is drawn by Ink; finished text goes around it. Measured on 300 kB of markdown: as one `<Static>` item a
 * frame, finished text is laid out, tokenized cell by cell and joined again; written directly between Ink's `clear()` and
 * the next frame it costs nothing but the write, and Ink keeps no copy of it. So that is the way, inside one synchronized
 * update, which keeps the moment without a live region off the screen.
 */
export function openSurface(
  streams: {readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream},
  listener: SurfaceListener | Watcher,
): Surface {
  const {stdin} = streams;
  const stdout = erasedByLine(streams.stdout);
  let live: Placed = {lines: [''], cursor: {x: 0, y: 0}};
  let columns = stdout.columns;
  // Registered before Ink's own listener: it mends what the terminal's reflow did before Ink erases by its own count.
  const beforeInk = (): void => {
    if (stdout.columns < columns) stdout.write(rowsAfterReflow(live, stdout.columns));
    columns = stdout.columns;
  };
  stdout.on('resize', beforeInk);
  const tree = (): React.ReactElement => <Live placed={live} listener={listener} />;
  const ink = render(tree(), {
    stdin,
    stdout,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
    incrementalRendering: true,
    // The session paces the frames; Ink must not hold back the echo of a key.
    maxFps: 1000,
    ...('onInput' in listener ? {kittyKeyboard: {mode: 'auto', flags: ['disambiguateEscapeCodes']}} : {}),
  });
  const afterInk = (): void => listener.onResize();
  stdout.on('resize', afterInk);
  return {
    get size() {
      return {columns: stdout.columns, rows: stdout.rows};
    },
    show(finished, next) {
      live = next;
      if (finished === '') {
        ink.rerender(tree());
        return;
      }
      stdout.write(beginUpdate);
      ink.clear();
      stdout.write(finished);
      ink.rerender(tree());
      stdout.write(endUpdate);
    },
    async close(last) {
      stdout.off('resize', beforeInk);
      stdout.off('resize', afterInk);
      // A frame still to come would be drawn below what is cleared.
      await ink.waitUntilRenderFlush();
      ink.clear();
      if (last !== '') stdout.write(last);
      ink.unmount();
      await ink.waitUntilExit();
    },
  };
}

/** The same stream, but for what is erased on it. */
const erasedByLine = (stdout: NodeJS.WriteStream): NodeJS.WriteStream => {
  const write = (chunk: string | Uint8Array, after?: (error?: Error | null) => void): boolean =>
    stdout.write(typeof chunk === 'string' ? erasingByLine(chunk, stdout.rows) : chunk, after);
  return new Proxy(stdout, {
    get(target, key) {
      if (key === 'write') return write;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
};

/** Synchronized update (DEC mode 2026); terminals without it ignore both. */
const beginUpdate = '\u001B[?2026h';
const endUpdate = '\u001B[?2026l';

interface LiveProps {
  readonly placed: Placed;
  readonly listener: SurfaceListener | Watcher;
}

function Live({placed, listener}: LiveProps): React.ReactElement {
  const keys = 'onInput' in listener ? listener : undefined;
  useInput((input, key) => keys?.onInput(input, key), {isActive: keys !== undefined});
  usePaste(text => keys?.onPaste(text), {isActive: keys !== undefined});
  const {setCursorPosition} = useCursor();
  setCursorPosition(placed.cursor);
  return (
    <Box flexDirection="column">
      {placed.lines.map((line, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a line has no identity but its place on the screen
        <Text key={at} wrap="truncate">
          {line === '' ? ' ' : line}
        </Text>
      ))}
    </Box>
  );
}
