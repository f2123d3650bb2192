import type {ScrollStep} from '../fullscreen/kept-lines.ts';
import {clipStyled} from '../text/clip-styled.ts';
import {rowsUp, type Reflow} from '../text/reflow.ts';
import {openKeyReader, type KeyListener, type KeyTerminal} from './key-reader.tsx';
import {eraseLive, noRegion, paintLive} from './paint-live.ts';
import {openOutput, type OutputTerminal} from './terminal-output.ts';
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

export interface SurfaceListener extends KeyListener {
  onResize(): void;
}

/** A listener without a keyboard: stdin is left alone. */
export type Watcher = Pick<SurfaceListener, 'onResize'>;

export interface SurfaceTerminal extends OutputTerminal, KeyTerminal {
  reflow(): Reflow;
}

/**
 * The live region is painted by what differs; finished text goes above it, in the same frame. When the terminal has another size the
 * region is drawn anew as a whole, whatever has become of its rows.
 */
export function openSurface(terminal: SurfaceTerminal, listener: SurfaceListener | Watcher): InlineSurface {
  /** What stands on the terminal. */
  let painted = noRegion;
  let live = noRegion;
  /** What could not be drawn yet. */
  let waiting: {readonly finished: string; readonly live: Placed} | undefined;
  const output = openOutput(terminal, {
    onResize({before, fewestRows}) {
      const below = fewestRows < before.rows ? 'perhaps-gone' : 'there';
      const narrower = output.size.columns < before.columns;
      const up = narrower ? rowsUp(painted, output.size.columns, {reflow: terminal.reflow(), below}) : painted.cursor.y;
      write(eraseLive(painted, up));
      painted = noRegion;
      listener.onResize();
      drawWaiting();
    },
    onReady: () => drawWaiting(),
  });
  const write = (text: string): void => {
    if (text !== '') output.stdout.write(text);
  };
  const keys = 'onInput' in listener ? openKeyReader(terminal, listener, output.stdout) : undefined;
  keys?.take();

  const draw = (finished: string, next: Placed): void => {
    live = next;
    // One column stays free, as everywhere: not all terminals wrap after their last one alike.
    const width = Math.max(1, output.size.columns - 1);
    const region = {
      lines: next.lines.map(line => clipStyled(line, width).trimEnd()),
      cursor: {x: Math.min(next.cursor.x, width), y: next.cursor.y},
    };
    output.frame(() => {
      if (finished !== '') {
        erase();
        output.writeLines(finished);
      }
      write(paintLive(painted, region));
    });
    painted = region;
  };
  const erase = (): void => {
    write(eraseLive(painted));
    painted = noRegion;
  };
  const drawWaiting = (): void => {
    if (waiting === undefined) return;
    const {finished, live: next} = waiting;
    waiting = undefined;
    draw(finished, next);
  };
  return {
    get size() {
      return output.size;
    },
    show(finished, next) {
      if (output.ready && waiting === undefined) {
        draw(finished, next);
        return 'shown';
      }
      waiting = {finished: (waiting?.finished ?? '') + finished, live: next};
      return 'waits';
    },
    redraw() {
      output.frame(() => {
        erase();
        draw('', live);
      });
    },
    takeKeyboard: () => keys?.take(),
    scroll() {},
    async close(last) {
      const unwritten = waiting?.finished ?? '';
      waiting = undefined;
      output.close();
      await keys?.close();
      output.frame(() => {
        erase();
        output.writeLines(unwritten + last);
        keys?.giveBack();
      });
      output.release();
    },
  };
}
