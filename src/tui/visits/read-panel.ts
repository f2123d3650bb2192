import {readKeys, type KeyPress} from '../input/keymap.ts';
import type {PressContext} from '../input/effect.ts';
import type {openFullscreen} from '../fullscreen/open-fullscreen.tsx';
import {openKeptLines} from '../fullscreen/kept-lines.ts';
import type {Panel} from '../panels/panel.ts';
import type {SurfaceTerminal} from '../terminal/surface.ts';
import {fit} from '../text/cell-width.ts';
import {watchAsks, type AskWatch} from './watch-asks.ts';

export interface ReadOptions extends AskWatch {
  readonly terminal: SurfaceTerminal;
  readonly open: typeof openFullscreen;
  readonly context: (
    place: PressContext['place'],
    size: {readonly columns: number; readonly rows: number},
  ) => PressContext;
}

/**
 * Gives the whole screen, the alternate one, to a panel until it is closed or `signal` aborts; what was on the terminal comes
 * back untouched. What the panel asks of the world besides is nothing: such panels only show.
 */
export async function readPanel(panel: Panel, options: ReadOptions, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const {promise: closed, resolve: close} = Promise.withResolvers<undefined>();
  let now = panel;
  const room = () => ({columns: surface.size.columns, rows: surface.size.rows - (options.asks() ? 1 : 0)});
  const draw = (): void => {
    const size = room();
    const {frame, view, blocks} = options.context('first', size);
    const shown = now.lines({rows: size.rows, frame, view, blocks});
    const asked = frame.theme.paint(['warning'], fit(waits, frame.width));
    const lines = options.asks() ? [...shown.lines, asked] : shown.lines;
    // The surface keeps a row for text above, which the panel wants too.
    surface.show('', {lines, cursor: shown.cursor, open: {lines: lines.slice(0, 1), shown: 1}});
  };
  const press = (presses: readonly KeyPress[]): void => {
    for (const [at, key] of presses.entries()) {
      if (key.kind === 'key' && key.name === 'interrupt') return close(undefined);
      const size = room();
      const context = {...options.context(at === 0 ? 'first' : 'later', size), rows: size.rows};
      const step = now.press(key, context);
      if (step.panel === 'closed') return close(undefined);
      now = step.panel;
    }
    draw();
  };
  const surface = options.open(
    options.terminal,
    {
      onInput: (input, key) => press(readKeys(input, key)),
      onPaste: (text, part) => press([{kind: 'paste', text, part}]),
      onResize: draw,
    },
    openKeptLines(),
  );
  const onAbort = (): void => close(undefined);
  signal.addEventListener('abort', onAbort, {once: true});
  const unwatch = watchAsks(options, draw);
  draw();
  try {
    await closed;
  } finally {
    unwatch();
    signal.removeEventListener('abort', onAbort);
    await surface.close('', 'for-a-visit');
  }
}

const waits = 'weft waits for your answer: q goes there';
