import {Box, render, type RenderOptions, Text, useCursor, useInput, usePaste} from 'ink';
import type {ScrollStep} from '../fullscreen/kept-lines.ts';
import type {RawKey} from '../input/keymap.ts';
import {openPasteReader} from './paste-reader.ts';
import {openOutput, type OutputTerminal} from './terminal-output.ts';
import {rowsAfterReflow, type Reflow} from '../text/reflow.ts';
import type {Placed} from '../views/composer-view.ts';

/** The terminal as the session uses it. */
export interface Surface {
  readonly size: {readonly columns: number; readonly rows: number};
  /** Writes `finished` (whole lines) above, once and for all, and makes `live` the live region below it: now, or when the terminal can take it. */
  show(finished: string, live: LiveRegion): Showing;
  /** Draws the live region anew, whatever has become of it. */
  redraw(): void;
  /** Has the keyboard tell keys apart that are the same bytes otherwise, once the terminal has said that it can. */
  takeKeyboard(): void;
  /** Moves over what was written above, where that is not the terminal's own affair. */
  scroll(step: ScrollStep): void;
  /** Takes the live region away, leaves `last` in its place, and gives the terminal back as it was. */
  close(last: string, leaving: Leaving): Promise<void>;
}

/** What waits may never be seen: another one may take its place first. */
export type Showing = 'shown' | 'waits';

/** Whether weft will take the terminal back soon. */
type Leaving = 'for-a-visit' | 'for-good';

/** The live region, and of the lines in it how many, from the first, are the last of all that is `open`. */
export interface LiveRegion extends Placed {
  readonly open: {readonly lines: readonly string[]; readonly shown: number};
}

/** The terminal's own scrollback has what was written above. */
export interface InlineSurface extends Omit<Surface, 'show' | 'scroll' | 'close'> {
  show(finished: string, live: Placed): Showing;
  scroll(): void;
  close(last: string): Promise<void>;
}

export interface SurfaceListener {
  onInput(input: string, key: RawKey): void;
  /** `more` goes on with the paste before it. */
  onPaste(text: string, part: 'first' | 'more'): void;
  onResize(): void;
}

/** A listener without a keyboard: stdin is left alone. */
export type Watcher = Pick<SurfaceListener, 'onResize'>;

export interface SurfaceTerminal extends OutputTerminal {
  readonly stdin: NodeJS.ReadStream;
  reflow(): Reflow;
  /** Whether the terminal has said that it knows the kitty keyboard protocol. */
  kittyKeyboard(): 'yes' | 'no';
}

/**
 * The live region is drawn by Ink; finished text goes around it. Measured on 300 kB of markdown: as one `<Static>` item a
 * frame, finished text is laid out, tokenized cell by cell and joined again; written directly between Ink's `clear()` and
 * the next frame it costs nothing but the write, and Ink keeps no copy of it. So that is the way, inside one frame, which keeps
 * the moment without a live region off the screen.
 */
export function openSurface(terminal: SurfaceTerminal, listener: SurfaceListener | Watcher): InlineSurface {
  let drawn: Placed = {lines: [''], cursor: {x: 0, y: 0}};
  /** What could not be drawn yet. */
  let waiting: {readonly finished: string; readonly live: Placed} | undefined;
  const tree = (): React.ReactElement => <Live placed={drawn} listener={listener} />;
  const output = openOutput(terminal, {
    onResize({before, fewestRows}, informInk) {
      // What the terminal's reflow did is mended before Ink erases by its own count.
      if (output.size.columns < before.columns) {
        const below = fewestRows < before.rows ? 'perhaps-gone' : 'there';
        output.stdout.write(rowsAfterReflow(drawn, output.size.columns, {reflow: terminal.reflow(), below}));
      }
      informInk();
      listener.onResize();
      drawWaiting();
    },
    onReady: () => drawWaiting(),
  });
  const pastes =
    'onInput' in listener ? openPasteReader(terminal.stdin, (text, part) => listener.onPaste(text, part)) : undefined;
  const ink = render(tree(), {
    ...inkOptions,
    stdin: pastes?.stdin ?? terminal.stdin,
    stdout: output.stdout,
  });

  const keys = kittyKeys(terminal, text => void output.stdout.write(text));
  const takeKeyboard = (): void => {
    if ('onInput' in listener) keys.take();
  };
  takeKeyboard();

  const draw = (finished: string, live: Placed): void => {
    drawn = live;
    output.frame(() => {
      if (finished !== '') {
        ink.clear();
        output.writeLines(finished);
      }
      ink.rerender(tree());
    });
  };
  const drawWaiting = (): void => {
    if (waiting === undefined) return;
    const {finished, live} = waiting;
    waiting = undefined;
    draw(finished, live);
  };
  return {
    get size() {
      return output.size;
    },
    show(finished, live) {
      if (output.ready && waiting === undefined) {
        draw(finished, live);
        return 'shown';
      }
      waiting = {finished: (waiting?.finished ?? '') + finished, live};
      return 'waits';
    },
    redraw() {
      output.frame(() => {
        ink.clear();
        ink.rerender(tree());
      });
    },
    takeKeyboard,
    scroll() {},
    async close(last) {
      // A frame still to come would be drawn below what is cleared.
      await ink.waitUntilRenderFlush();
      const unwritten = waiting?.finished ?? '';
      waiting = undefined;
      output.close();
      pastes?.close();
      output.frame(() => {
        ink.clear();
        output.writeLines(unwritten + last);
        keys.giveBack();
      });
      ink.unmount();
      await ink.waitUntilExit();
      output.release();
    },
  };
}

export const inkOptions = {
  exitOnCtrlC: false,
  patchConsole: false,
  interactive: true,
  incrementalRendering: true,
  // The session paces the frames; Ink must not hold back the echo of a key.
  maxFps: 1000,
} as const satisfies RenderOptions;

/**
 * The kitty keyboard protocol ("disambiguate escape codes"), switched on and off. Ink asks for it too, but takes a terminal that
 * answers after 200 ms for one that knows nothing of it.
 */
export function kittyKeys({kittyKeyboard}: Pick<SurfaceTerminal, 'kittyKeyboard'>, write: (text: string) => void) {
  let state: 'off' | 'on' | 'given-back' = 'off';
  return {
    take(): void {
      if (state !== 'off' || kittyKeyboard() === 'no') return;
      state = 'on';
      write('\u001B[>1u');
    },
    giveBack(): void {
      if (state === 'on') write('\u001B[<u');
      state = 'given-back';
    },
  };
}

const ignore = (): void => {};

interface LiveProps {
  readonly placed: Placed;
  readonly listener: SurfaceListener | Watcher;
}

function useKeys(listener: SurfaceListener | Watcher): void {
  const keys = 'onInput' in listener ? listener : undefined;
  useInput((input, key) => keys?.onInput(input, key), {isActive: keys !== undefined});
  // Only switches the marks on: what is between them does not get here.
  usePaste(ignore, {isActive: keys !== undefined});
}

/** The keyboard without a picture. */
export function Keys({listener}: {readonly listener: SurfaceListener}): React.ReactNode {
  useKeys(listener);
  return undefined;
}

function Live({placed, listener}: LiveProps): React.ReactElement {
  useKeys(listener);
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
