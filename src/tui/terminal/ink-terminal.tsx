import {render, renderToString, type SuspendTerminal, useApp} from 'ink';
import {PureComponent, type ReactNode, type RefObject, useLayoutEffect} from 'react';
import type {ScreenSize} from '../../actions/ports.ts';
import {CaretContext, type Cell} from '../components/caret.tsx';
import {openPasteReader} from './paste-splitter.ts';
import {linesAbove, type Reflow, rowsUp} from './reflow.ts';
import {clearScreen, openOutput, type OutputTerminal, type SizeChange} from './terminal-output.ts';

/** The user's terminal, and what it has reported about itself. */
export interface UserTerminalStreams extends OutputTerminal {
  readonly stdin: NodeJS.ReadStream;
  reflow(): Reflow;
  /** Whether the terminal has said that it knows the kitty keyboard protocol. */
  kittyKeyboard(): 'yes' | 'no';
}

/** What Ink is to draw, and who is told of what it does not tell. */
interface InkApp {
  /** `inline`: below the terminal's own scrollback; `alternate`: on a screen of its own. */
  readonly screen: 'inline' | 'alternate';
  readonly root: () => ReactNode;
  /** The part of the tree that draws: it is laid out once more where a terminal that became narrower has reflowed its rows. */
  readonly drawing: () => ReactNode;
  /** `more` goes on with the paste before it. */
  onPaste(text: string, part: 'first' | 'more'): void;
  /**
   * The size is another one and stays it; nothing of the tree is on the screen. `lost` are the first lines that were drawn, where the
   * terminal has pushed them into its scrollback.
   */
  onResize(lost: readonly string[]): void;
  onReady(): void;
}

/** An Ink application on the user's terminal. */
export interface InkTerminal {
  readonly size: ScreenSize;
  /** Whether the terminal can take a frame; else `onReady` is called when it can. */
  readonly ready: boolean;
  /** Draws everything again, for when something else has written to the terminal. */
  redraw(): void;
  /** Switches the kitty keyboard protocol on if the terminal has reported support; it distinguishes keys that otherwise send the same bytes. */
  enableKittyKeyboard(): void;
  /** Erases the live region, writes `last` in its place, and lends the terminal to `use`. */
  suspend(last: string, use: () => Promise<void>): Promise<void>;
  /** Erases the live region, writes `last` in its place, and gives the terminal back. */
  close(last: string): Promise<void>;
  /** Rejects when a component has failed. */
  readonly failed: Promise<never>;
}

export function openInkTerminal(terminal: UserTerminalStreams, app: InkApp): InkTerminal {
  const caret: {current: Cell | undefined} = {current: undefined};
  let suspendTerminal: SuspendTerminal | undefined;
  let lost: readonly string[] = [];
  const {promise: failed, reject: fail} = Promise.withResolvers<never>();
  // Whoever has closed it before it failed no longer waits for it.
  failed.catch(() => {});
  const output = openOutput(terminal, {
    onErase(change) {
      lost = forgetDrawn(change);
    },
    onResize: () => app.onResize(lost),
    // xterm.js moves its cursor away from what is around it; what it drops below the cursor is finished text then.
    erasing: () => (terminal.reflow() === 'adrift' && app.screen === 'inline' ? 'at-once' : 'at-rest'),
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
      // Every commit is drawn at once: the state is published only when there is to be a frame.
      maxFps: 0,
    },
  );

  /** Makes Ink draw everything with the next frame. What was drawn is erased, from where the terminal's reflow has left its first row. */
  function forgetDrawn({before, now, fewestRows, steps, cursorRow}: SizeChange): readonly string[] {
    const {columns, rows} = now;
    let above: readonly string[] = [];
    if (app.screen === 'inline' && (columns < before.columns || rows < before.rows) && caret.current !== undefined) {
      const {x, y} = caret.current;
      const lines = renderToString(app.drawing(), {columns: before.columns}).split('\n');
      const below = fewestRows < before.rows || steps === 'several' ? 'uncertain' : 'there';
      const isReflowed = columns < before.columns;
      const up = isReflowed ? rowsUp({lines, cursor: {x, y}}, columns, {reflow: terminal.reflow(), below}) : y;
      const rowsAbove = up - (cursorRow === 'unknown' ? rows - 1 : cursorRow);
      if (rowsAbove > 0) above = linesAbove(lines, rowsAbove, isReflowed ? columns : before.columns);
      if (up > y) output.stdout.write(`\u001B[${up - y}A`);
    }
    ink.clear();
    if (app.screen === 'alternate') output.stdout.write(clearScreen);
    return above;
  }

  let kitty: 'off' | 'on' = 'off';
  /** Ink asks for the protocol too, but takes a terminal that answers after 200 ms for one that knows nothing of it. */
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
    if (app.screen === 'inline') ink.clear();
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
    redraw() {
      ink.clear();
      if (app.screen === 'alternate') output.stdout.write(clearScreen);
    },
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
 * Draws nothing once a component has failed: Ink's own boundary would print the source around the fault, which are pages of minified
 * code in a bundle, and would end Ink before the terminal is given back. Only a class can be a boundary in React.
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
