import {openKeyReader} from '../terminal/key-reader.tsx';
import type {LiveRegion, Surface, SurfaceListener, SurfaceTerminal} from '../terminal/surface.ts';
import {openOutput, type TerminalSize} from '../terminal/terminal-output.ts';
import {atEnd, compose, scrolled, type Place} from './compose.ts';
import {blank, paint, type Painted} from './paint.ts';
import type {KeptLines} from './kept-lines.ts';

/**
 * The whole screen is weft's: the alternate one, so that what was on the terminal comes back at the end. Ink reads the keys; the
 * screen is painted row by row, only what differs. A resize paints it all anew; lines from before it stay as they were laid out.
 */
export function openFullscreen(terminal: SurfaceTerminal, listener: SurfaceListener, kept: KeptLines): Surface {
  let live: LiveRegion = {lines: [''], cursor: {x: 0, y: 0}, open: {lines: [], shown: 0}};
  let place: Place = atEnd;
  let isWaiting = false;
  const output = openOutput(terminal, {
    onResize() {
      // The listener has the lines for the new size; one frame holds both.
      painted = cleared(output.size);
      listener.onResize();
      drawWaiting();
    },
    onReady: () => drawWaiting(),
  });
  const write = (text: string): void => void output.stdout.write(text);
  const cleared = (size: TerminalSize): Painted => {
    write('\u001B[0m\u001B[2J\u001B[H');
    return blank(size.rows);
  };
  let painted = blank(output.size.rows);
  output.frame(() => {
    // A wheel must not leaf through earlier prompts, which is what the arrow keys would do that some terminals make of it.
    write('\u001B[?1049h\u001B[?1007s\u001B[?1007l');
    painted = cleared(output.size);
  });
  const keys = openKeyReader(terminal, listener, output.stdout);
  keys.take();

  const shown = () => ({kept, live, place, size: output.size});
  const draw = (): void => {
    if (!output.ready) {
      isWaiting = true;
      return;
    }
    isWaiting = false;
    const next = compose(shown());
    output.frame(() => {
      const bytes = paint(painted, next, next.scrolling);
      if (bytes !== '') write(bytes);
    });
    painted = next;
  };
  const drawWaiting = (): void => {
    if (isWaiting) draw();
  };
  return {
    get size() {
      return output.size;
    },
    show(finished, next) {
      kept.add(finished);
      live = next;
      draw();
      return isWaiting ? 'waits' : 'shown';
    },
    redraw() {
      output.frame(() => {
        painted = cleared(output.size);
        draw();
      });
    },
    takeKeyboard: () => keys.take(),
    scroll(step) {
      place = scrolled(shown(), step);
      draw();
    },
    async close(last, leaving) {
      kept.add(last);
      output.close();
      await keys.close();
      output.frame(() => {
        keys.giveBack();
        write('\u001B[0m\u001B[?1007r\u001B[?1049l');
        if (leaving === 'for-good')
          output.writeLines(
            kept
              .answer()
              .map(line => `${line}\n`)
              .join(''),
          );
      });
      output.release();
    },
  };
}
