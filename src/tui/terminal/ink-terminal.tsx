import {render, renderToString, type SuspendTerminal, useApp} from 'ink';
import {PureComponent, type ReactNode, type RefObject, useLayoutEffect} from 'react';
import type {ScreenSize} from '../../actions/ports.ts';
import {CaretContext, type Cell} from '../components/caret.tsx';
import {openPasteReader} from './paste-splitter.ts';
import {linesAbove, type Reflow, rowsOf, rowsUp} from './reflow.ts';
import {clearScreen, openOutput, type OutputListener, type OutputTerminal, type SizeChange} from './terminal-output.ts';

/** The user's terminal and its reported capabilities. */
export interface UserTerminalStreams extends OutputTerminal {
  readonly stdin: NodeJS.ReadStream;
  reflow(): Reflow;
  /** Whether the terminal has reported support for the kitty keyboard protocol. */
  kittyKeyboard(): 'yes' | 'no';
}

interface InkApp {
  /** `inline`: below the terminal's scrollback. `alternate`: on the alternate screen. */
  readonly screen: 'inline' | 'alternate';
  readonly root: () => ReactNode;
  /** Returns the drawing part of the tree in its current state. It is laid out again to find what was drawn before a resize. */
  readonly drawing: () => ReactNode;
  /** `more` continues the previous paste. */
  onPaste(text: string, part: 'first' | 'more'): void;
  /**
   * Called after a change of the width, where `rows` rows are above the first drawn row. Returns how many of them to erase, because their
   * text will be written again.
   */
  takeBack(rows: number, into: {readonly columns: number; readonly reflow: Reflow}): number;
  /** Called after a resize, when nothing is on the screen. `lost` are the first lines if the terminal scrolled them away. */
  onResize(lost: readonly string[]): void;
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
  /** Erases the live region, writes `last` in its place, and gives the terminal to `use` until it resolves. */
  suspend(last: string, use: () => Promise<void>): Promise<void>;
  /** Erases the live region, writes `last` in its place, and restores the terminal. */
  close(last: string): Promise<void>;
  readonly failed: Promise<never>;
}

export function openInkTerminal(terminal: UserTerminalStreams, app: InkApp): InkTerminal {
  const caret: {current: Cell | undefined} = {current: undefined};
  let suspendTerminal: SuspendTerminal | undefined;
  let lost: readonly string[] = [];
  let drawn: DrawnFrame | 'nothing' = 'nothing';
  /** True if Ink's last frame was not sent. */
  let isInkAhead = false;
  const {promise: failed, reject: fail} = Promise.withResolvers<never>();
  // No code awaits a failure after closing, so mark the rejection as handled.
  failed.catch(() => {});
  const output = openOutput(terminal, {
    onErase(change) {
      lost = eraseFromCursor(change);
    },
    onEraseLines: forgetLines,
    onSettled: takeBack,
    onResize: () => app.onResize(lost),
    onSent() {
      isInkAhead = false;
      pastes.started();
      const {current} = caret;
      drawn = {tree: app.drawing(), caret: current === undefined ? undefined : {x: current.x, y: current.y}};
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

  /** Erases from the first drawn row, wherever the terminal's reflow moved it. Returns the lines that are now in the scrollback. */
  function eraseFromCursor({before, now, cursorRow}: SizeChange): readonly string[] {
    const isReflowed = now.columns < before.columns && terminal.reflow() === 'wrapped';
    if (app.screen === 'alternate' || drawn === 'nothing' || (!isReflowed && now.rows >= before.rows)) {
      eraseDrawn();
      return [];
    }
    const lines = linesDrawn(drawn, before.columns);
    const cursor = caretOf(drawn, () => lines);
    const up = isReflowed ? rowsUp({lines, cursor}, now.columns) : cursor.y;
    eraseBy(eraseFrom(up));
    const rowsAbove = up - (cursorRow === 'unknown' ? now.rows - 1 : cursorRow);
    return rowsAbove > 0 ? linesAbove(lines, rowsAbove, isReflowed ? now.columns : before.columns) : [];
  }

  /** Erases the drawn frame and the text above it that is written again. */
  function takeBack(cursorRow: number | 'unknown'): void {
    lost = [];
    if (app.screen === 'alternate' || drawn === 'nothing' || isInkAhead || cursorRow === 'unknown') return;
    const frame = drawn;
    const {columns} = output.size;
    const up = caretOf(frame, () => linesDrawn(frame, columns)).y;
    const rows = app.takeBack(cursorRow - up, {columns, reflow: terminal.reflow()});
    if (rows > 0) eraseBy(eraseFrom(up + rows));
  }

  /** Forgets the drawn frame, and returns its lines for erasing line by line. */
  function forgetLines(before: ScreenSize): ReturnType<OutputListener['onEraseLines']> {
    lost = [];
    const lines = drawn === 'nothing' ? [] : linesDrawn(drawn, before.columns);
    const {y} = drawn === 'nothing' ? {y: 0} : caretOf(drawn, () => lines);
    forgetDrawn();
    return {
      drawn: {lines: lines.length, rowsBelow: lines.length - y},
      erased(below) {
        if (below === undefined) return;
        const rows = lines.map(line => rowsOf(line, below.column));
        // The terminal did not wrap the cursor's line. Assume that it is the longest line from the cursor on.
        const unwrapped = Math.max(1, ...rows.slice(y)) - 1;
        const rowsAbove = rows.reduce((sum, count) => sum + count, 0) - unwrapped - (below.row - 1);
        if (rowsAbove > 0) lost = linesAbove(lines, rowsAbove, below.column);
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
        try {
          await use();
        } finally {
          output.resume();
        }
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
