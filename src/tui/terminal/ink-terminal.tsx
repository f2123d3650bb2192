import {render, renderToString, type SuspendTerminal, useApp} from 'ink';
import {PureComponent, type ReactNode, type RefObject, useLayoutEffect} from 'react';
import type {ScreenSize} from '../../actions/ports.ts';
import {CaretContext, type Cell} from '../components/caret.tsx';
import {openPasteReader} from './paste-splitter.ts';
import type {TerminalPosition} from './cursor-position.ts';
import {cellAbove, linesOfRows, type Reflow, rowsOf, rowsUp, sumOf} from './reflow.ts';
import type {Layout} from '../text/wrap.ts';
import {
  clearScreen,
  openOutput,
  type OutputListener,
  type OutputTerminal,
  type RowsErasing,
  type SizeChange,
} from './terminal-output.ts';

/** The user's terminal and its reported capabilities. */
export interface UserTerminalStreams extends OutputTerminal {
  readonly stdin: NodeJS.ReadStream;
  reflow(): Reflow;
  /** Whether the terminal has reported support for the kitty keyboard protocol. */
  kittyKeyboard(): 'yes' | 'no';
}

/** The known lines that stand directly above the live region, oldest first. */
export interface LinesAbove {
  /** True while the agent writes, which moves the rows. */
  readonly isMoving: () => boolean;
  lines(): readonly string[];
  /** Returns how many of the last lines are rests of earlier live regions, which are erased with the next one. */
  stale(): number;
  /** Called after a change of the width, where `rows` rows are above the live region. Returns how many of them to write again. */
  rowsToRewrite(rows: number, into: {readonly columns: number; readonly reflow: Reflow}): number;
  /**
   * Called after the terminal has erased rows. `lines` are those that stand above the cursor now. Lines after the known ones are the
   * beginning of the live region.
   */
  handleErased(lines: readonly string[]): void;
}

export const nothingAbove: LinesAbove = {
  isMoving: () => false,
  lines: () => [],
  stale: () => 0,
  rowsToRewrite: () => 0,
  handleErased: () => {},
};

interface InkApp {
  /** `inline`: below the terminal's scrollback. `alternate`: on the alternate screen. */
  readonly screen: 'inline' | 'alternate';
  readonly root: () => ReactNode;
  /** Returns the drawing part of the tree in its current state. It is laid out again to find what was drawn before a resize. */
  readonly drawing: () => ReactNode;
  /** `more` continues the previous paste. */
  onPaste(text: string, part: 'first' | 'more'): void;
  readonly above: LinesAbove;
  /** Called after a resize, when nothing is drawn. */
  onResize(): void;
  /** Called if the last frame, with the text above it, was not sent to the terminal. Another frame follows. */
  onDropped(): void;
  onReady(): void;
}

interface DrawnFrame {
  readonly tree: ReactNode;
  readonly caret: Cell | undefined;
}

/** Hides the cursor, moves `up` rows up, and erases from there to the end of the screen. */
const eraseFrom = (up: number): string => `\u001B[?25l${up > 0 ? `\u001B[${up}A` : ''}\r\u001B[J`;

export interface InkTerminal {
  readonly size: ScreenSize;
  /** True if the terminal can take a frame. Otherwise `onReady` is called when it can. */
  readonly ready: boolean;
  redraw(): void;
  /** Enables the kitty keyboard protocol if the terminal supports it. It distinguishes keys that otherwise send the same bytes. */
  enableKittyKeyboard(): void;
  /** Erases the live region, writes `last` in its place, and gives the terminal to `use` until it resolves to a callback, which runs at the new size. */
  suspend(last: string, use: () => Promise<() => void>): Promise<void>;
  /** Erases the live region, writes `last` in its place, and restores the terminal. */
  close(last: string): Promise<void>;
  readonly failed: Promise<never>;
}

export function openInkTerminal(terminal: UserTerminalStreams, app: InkApp): InkTerminal {
  const caret: {current: Cell | undefined} = {current: undefined};
  let suspendTerminal: SuspendTerminal | undefined;
  let drawn: DrawnFrame | 'nothing' = 'nothing';
  /** True if Ink's last frame was not sent. */
  let isInkAhead = false;
  const {promise: failed, reject: fail} = Promise.withResolvers<never>();
  // No code awaits a failure after closing, so mark the rejection as handled.
  failed.catch(() => {});
  const output = openOutput(terminal, {
    onErase: eraseResized,
    onEraseLines: forgetLines,
    onSettled: eraseForRewriting,
    isMoving: () => app.above.isMoving(),
    onResize: () => app.onResize(),
    onSent() {
      isInkAhead = false;
      pastes.started();
      const {current} = caret;
      drawn = {tree: app.drawing(), caret: current === undefined ? undefined : {x: current.x, y: current.y}};
    },
    onWrapped(columns) {
      if (drawn === 'nothing' || app.screen === 'alternate') return;
      const lines = linesDrawn(drawn, output.size.columns);
      const {x, y} = caretOf(drawn, () => lines);
      const rowsBelow = lines.length - y;
      drawn = {...drawn, caret: cellAbove({lines, cursor: {x, y: lines.length}}, rowsBelow, columns)};
    },
    onDropped() {
      if (drawn === 'nothing') forgetDrawn();
      else isInkAhead = true;
      app.onDropped();
    },
    erasing: () => (terminal.reflow() === 'adrift' && app.screen === 'inline' ? 'by-lines' : 'by-rows'),
    onReady: () => app.onReady(),
  });
  const pastes = openPasteReader(terminal.stdin, (text, part) => app.onPaste(text, part));
  const ink = render(
    <Root
      caret={caret}
      onMount={suspend => {
        suspendTerminal = suspend;
      }}
    >
      <FailureBoundary onFailure={fail}>{app.root()}</FailureBoundary>
    </Root>,
    {
      stdin: pastes.stdin,
      stdout: output.stdout,
      alternateScreen: app.screen === 'alternate',
      exitOnCtrlC: false,
      patchConsole: false,
      interactive: true,
      incrementalRendering: true,
      // Draw every commit at once: the state is published only when a frame is due.
      maxFps: 0,
    },
  );

  const linesDrawn = ({tree}: DrawnFrame, columns: number): readonly string[] =>
    renderToString(tree, {columns}).split('\n');
  /** Returns the frame's cursor position. Without one, the cursor is below the last line. */
  const caretOf = ({caret: cell}: DrawnFrame, lines: () => readonly string[]): Cell =>
    cell ?? {x: 0, y: lines().length};

  function forgetDrawn(): void {
    output.drop(() => ink.clear());
    drawn = 'nothing';
    isInkAhead = false;
  }
  function eraseBy(erasing: string): void {
    forgetDrawn();
    output.writeSurely(erasing);
  }

  function eraseDrawn(): void {
    if (app.screen === 'alternate') eraseBy(clearScreen);
    else if (drawn === 'nothing') forgetDrawn();
    else if (isInkAhead) {
      const frame = drawn;
      eraseBy(eraseFrom(caretOf(frame, () => linesDrawn(frame, output.size.columns)).y));
    } else {
      drawn = 'nothing';
      ink.clear();
    }
  }

  /** Returns the known lines in the terminal, those above the live region first, and the cursor among them. */
  function standing(columns: number): Layout {
    const above = app.above.lines();
    const live = drawn === 'nothing' ? [] : linesDrawn(drawn, columns);
    const {x, y} = drawn === 'nothing' ? {x: 0, y: 0} : caretOf(drawn, () => live);
    return {lines: [...above, ...live], cursor: {x, y: above.length + y}};
  }

  /** Forgets the drawn frame, and erases `up` rows above the cursor. `expected` is where the cursor is if the terminal does not say it. */
  function erasingRows(all: Layout, up: number, expected: TerminalPosition): RowsErasing {
    const reflow = terminal.reflow();
    forgetDrawn();
    return {
      text: eraseFrom(up),
      erased({row, column} = expected) {
        const kept = rowsUp(all, column, reflow) - Math.min(up, row - 1);
        app.above.handleErased(linesOfRows(all.lines, kept, column, reflow));
      },
    };
  }

  /** Erases the live region and the rests of earlier ones, wherever the terminal's reflow moved them. */
  function eraseResized({before, now, cursorRow}: SizeChange): RowsErasing | 'nothing' {
    if (app.screen === 'alternate') {
      eraseDrawn();
      return 'nothing';
    }
    const all = standing(before.columns);
    const reflow = terminal.reflow();
    // Only the drawn frame is known to be next to the cursor if the terminal moves it, or does not say where it is.
    const isKnown = reflow !== 'adrift' && cursorRow !== 'unknown';
    const first = app.above.lines().length - (isKnown ? app.above.stale() : 0);
    const {x, y} = all.cursor;
    const region = {lines: all.lines.slice(first), cursor: {x, y: y - first}};
    if (region.lines.length === 0) return 'nothing';
    const row = cursorRow === 'unknown' ? now.rows : cursorRow + 1;
    return erasingRows(all, rowsUp(region, now.columns, reflow), {row, column: now.columns});
  }

  /** Erases the drawn frame and the text above it that is written again. */
  function eraseForRewriting(cursorRow: number): RowsErasing | 'nothing' {
    if (app.screen === 'alternate' || drawn === 'nothing' || isInkAhead) return 'nothing';
    const {columns} = output.size;
    const reflow = terminal.reflow();
    const all = standing(columns);
    const live = all.cursor.y - app.above.lines().length;
    const rows = app.above.rowsToRewrite(cursorRow - live, {columns, reflow});
    return rows === 0 ? 'nothing' : erasingRows(all, live + rows, {row: cursorRow + 1, column: columns});
  }

  /** Forgets the drawn frame, and returns its lines, with the rests of earlier ones, for erasing line by line. */
  function forgetLines(before: ScreenSize): ReturnType<OutputListener['onEraseLines']> {
    const {lines, cursor} = standing(before.columns);
    const kept = app.above.lines().length - app.above.stale();
    forgetDrawn();
    return {
      drawn: {lines: lines.length - kept, rowsBelow: lines.length - cursor.y},
      erased(found) {
        if (found === undefined) return;
        const {columns, above, visible} = found;
        const rows = lines.map(line => rowsOf(line, columns));
        const live = rows.slice(kept);
        const at = above - 1;
        // The terminal wraps all lines but one, in which its cursor is or comes to be while it wraps those above.
        const isWhole =
          visible === 1 &&
          kept + at >= cursor.y &&
          found.rows.every((count, below) => count >= (live[above + below] ?? 0));
        const hidden = above === 0 || isWhole ? 0 : Math.max(0, (live[at] ?? 0) - visible);
        const standingRows = sumOf(rows.slice(0, kept + Math.max(0, at))) + hidden;
        app.above.handleErased(linesOfRows(lines, standingRows, columns, 'adrift'));
      },
    };
  }

  let kitty: 'off' | 'on' = 'off';
  /** Ink also queries the protocol, but assumes no support if the terminal takes more than 200 ms to answer. */
  const enableKitty = (): void => {
    if (kitty === 'on' || terminal.kittyKeyboard() === 'no') return;
    kitty = 'on';
    output.stdout.write('\u001B[>1u');
  };
  const disableKitty = (): void => {
    if (kitty === 'on') output.stdout.write('\u001B[<u');
    kitty = 'off';
  };
  const leave = (last: string): void => {
    if (app.screen === 'inline') eraseDrawn();
    output.stdout.write(last);
    disableKitty();
  };
  enableKitty();
  return {
    get size() {
      return output.size;
    },
    get ready() {
      return output.ready;
    },
    redraw: eraseDrawn,
    enableKittyKeyboard: enableKitty,
    async suspend(last, use) {
      leave(last);
      await suspendTerminal?.(async () => {
        output.pause();
        let afterwards: (() => void) | undefined;
        try {
          afterwards = await use();
        } finally {
          output.resume();
        }
        afterwards?.();
      });
      enableKitty();
    },
    async close(last) {
      leave(last);
      pastes.close();
      ink.unmount();
      await ink.waitUntilExit();
      output.pause();
    },
    failed,
  };
}

interface FailureBoundaryProps {
  readonly onFailure: (cause: unknown) => void;
  readonly children: ReactNode;
}

/**
 * Draws nothing once a component has failed. Ink's own boundary would print pages of minified source code, and end Ink before
 * the terminal is restored. Only a class can be a React error boundary.
 */
class FailureBoundary extends PureComponent<FailureBoundaryProps, {readonly drawn: 'children' | 'nothing'}> {
  static getDerivedStateFromError(): {readonly drawn: 'nothing'} {
    return {drawn: 'nothing'};
  }

  override state = {drawn: 'children'} as const;

  override componentDidCatch(cause: unknown): void {
    this.props.onFailure(cause);
  }

  override render(): ReactNode {
    return this.state.drawn === 'children' ? this.props.children : null;
  }
}

interface RootProps {
  readonly caret: RefObject<Cell | undefined>;
  readonly onMount: (suspendTerminal: SuspendTerminal) => void;
  readonly children: ReactNode;
}

function Root({caret, onMount, children}: RootProps): ReactNode {
  const {suspendTerminal} = useApp();
  useLayoutEffect(() => onMount(suspendTerminal), [onMount, suspendTerminal]);
  return <CaretContext value={caret}>{children}</CaretContext>;
}
