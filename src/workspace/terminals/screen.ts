import type {IBuffer, IBufferCell, IMarker, Terminal} from '@xterm/headless';
import type {ScreenSize} from '../../actions/ports.ts';

/**
 * A terminal emulator without a display. It turns progress bars, carriage returns and full-screen programs into the
 * text that a person would see. It keeps a bounded number of lines that scrolled off.
 */
export interface TerminalScreen {
  /** `taken` is called when the bytes have become text. To bound memory, write no more until then. */
  write(bytes: Uint8Array, taken: () => void): void;
  /** Resolves when everything written so far has become text. */
  settled(): Promise<void>;
  resize(size: ScreenSize): void;
  view(): ScreenView;
  /** Empty while the normal screen is shown. */
  alternateText(): string;
  /** Returns the text that scrolled off since the last call (as far as weft has stored it), then the screen's text. */
  readNew(): {readonly text: string; readonly complete: 'complete' | 'cut'};
  /** Returns bytes that draw the current screen on a cleared terminal and restore the modes that the program has set. */
  redraw(): string;
  /** Calls the listener with the terminal's replies, for example when a program queries its type or the cursor position. */
  onReply(listener: (text: string) => void): void;
  dispose(): void;
}

export interface ScreenView {
  readonly cursor: {readonly row: number; readonly column: number};
  readonly screen: 'normal' | 'alternate';
  readonly beforeCursor: string;
  /** The cursor's line, or the last line with text above it. */
  readonly lastLine: string;
  readonly pastes: 'bracketed' | 'plain';
}

/** The maximum number of lines kept after they scrolled off. */
const scrollback = 3000;

/** `converted`: a line feed starts a new line without a carriage return, for output that came through no terminal. */
export async function makeTerminalScreen(options: {
  readonly size: ScreenSize;
  readonly lineEnds: 'raw' | 'converted';
}): Promise<TerminalScreen> {
  const {default: headless} = await import('@xterm/headless');
  const terminal: Terminal = new headless.Terminal({
    cols: options.size.columns,
    rows: options.size.rows,
    scrollback,
    convertEol: options.lineEnds === 'converted',
    allowProposedApi: true,
    logLevel: 'off',
  });
  let readUpTo: IMarker | undefined = terminal.registerMarker(0);
  // xterm's own decoder silently drops bytes that are not text.
  const decoder = new TextDecoder('utf-8', {ignoreBOM: true});
  const alternateText = (): string => {
    const {active} = terminal.buffer;
    return active.type === 'normal' ? '' : textOf(active, {from: active.baseY, to: active.length});
  };

  return {
    write: (bytes, taken) => terminal.write(decoder.decode(bytes, {stream: true}), taken),
    settled: () => new Promise(resolve => terminal.write('', resolve)),
    resize: ({columns, rows}) => terminal.resize(columns, rows),
    view() {
      const {active, normal} = terminal.buffer;
      const row = active.baseY + active.cursorY;
      const line = active.getLine(row);
      return {
        cursor: {row: active.cursorY, column: active.cursorX},
        screen: active === normal || active.type === 'normal' ? 'normal' : 'alternate',
        beforeCursor: line?.translateToString(false, 0, active.cursorX) ?? '',
        lastLine: lastLineOf(active, row),
        pastes: terminal.modes.bracketedPasteMode ? 'bracketed' : 'plain',
      };
    },
    alternateText,
    readNew() {
      const {normal, active} = terminal.buffer;
      const lost = readUpTo !== undefined && (readUpTo.isDisposed || readUpTo.line < 0);
      const from = readUpTo === undefined || lost ? 0 : Math.min(readUpTo.line, normal.baseY);
      const scrolled = textOf(normal, {from, to: active.type === 'normal' ? normal.length : normal.baseY});
      const marker = terminal.registerMarker(0);
      if (marker !== undefined) {
        readUpTo?.dispose();
        readUpTo = marker;
      }
      return {
        text: [scrolled, alternateText()].filter(part => part !== '').join('\n'),
        complete: lost ? 'cut' : 'complete',
      };
    },
    redraw: () => drawScreen(terminal),
    onReply: listener => void terminal.onData(listener),
    dispose: () => terminal.dispose(),
  };
}

/** Returns the lines without trailing blanks and trailing empty lines. Wrapped lines are joined. */
function textOf(buffer: IBuffer, {from, to}: {readonly from: number; readonly to: number}): string {
  const lines: string[] = [];
  for (let at = from; at < to; at += 1) {
    const line = buffer.getLine(at);
    if (line === undefined) break;
    const goesOn = buffer.getLine(at + 1)?.isWrapped === true;
    const text = line.translateToString(!goesOn);
    if (line.isWrapped && lines.length > 0) lines.push(`${lines.pop()}${text}`);
    else lines.push(text);
  }
  return lines
    .map(line => line.trimEnd())
    .join('\n')
    .trimEnd();
}

function lastLineOf(buffer: IBuffer, row: number): string {
  for (let at = row; at >= Math.max(0, buffer.baseY); at -= 1) {
    const text = buffer.getLine(at)?.translateToString(true).trim() ?? '';
    if (text !== '') return text;
  }
  return '';
}

function drawScreen(terminal: Terminal): string {
  const {active} = terminal.buffer;
  const {modes} = terminal;
  const rows = Array.from({length: terminal.rows}, (_, row) => drawRow(active, {row: active.baseY + row, terminal}));
  const last = rows.findLastIndex(row => row !== '');
  return [
    '\u001B[0m\u001B[2J\u001B[H',
    rows.slice(0, last + 1).join('\r\n'),
    `\u001B[0m\u001B[${active.cursorY + 1};${active.cursorX + 1}H`,
    modes.applicationCursorKeysMode ? '\u001B[?1h' : '\u001B[?1l',
    modes.applicationKeypadMode ? '\u001B=' : '\u001B>',
    modes.bracketedPasteMode ? '\u001B[?2004h' : '\u001B[?2004l',
    mouseModes[modes.mouseTrackingMode],
  ].join('');
}

/** xterm.js doesn't report the mouse encoding, so this uses the one that all programs request. */
const mouseModes = {
  none: '',
  x10: '\u001B[?9h',
  vt200: '\u001B[?1000h\u001B[?1006h',
  drag: '\u001B[?1002h\u001B[?1006h',
  any: '\u001B[?1003h\u001B[?1006h',
} as const satisfies Record<Terminal['modes']['mouseTrackingMode'], string>;

function drawRow(buffer: IBuffer, {row, terminal}: {readonly row: number; readonly terminal: Terminal}): string {
  const line = buffer.getLine(row);
  if (line === undefined) return '';
  const cell = buffer.getNullCell();
  const length = line.translateToString(true).length === 0 ? 0 : terminal.cols;
  let text = '';
  let style = '';
  for (let column = 0; column < length; column += 1) {
    const found = line.getCell(column, cell);
    if (found === undefined || found.getWidth() === 0) continue;
    const wanted = styleOf(found);
    if (wanted !== style) text += `\u001B[0${wanted}m`;
    style = wanted;
    text += found.getChars() || ' ';
  }
  return style === '' ? text.trimEnd() : `${text}\u001B[0m`;
}

/** Returns the SGR parameters of a cell's style, each after a semicolon. */
function styleOf(cell: IBufferCell): string {
  if (cell.isAttributeDefault()) return '';
  const flags = [
    [cell.isBold(), '1'],
    [cell.isDim(), '2'],
    [cell.isItalic(), '3'],
    [cell.isUnderline(), '4'],
    [cell.isInverse(), '7'],
    [cell.isStrikethrough(), '9'],
  ] as const;
  const parts: string[] = flags.flatMap(([on, code]) => (on === 0 ? [] : [code]));
  if (!cell.isFgDefault())
    parts.push(colorCode(cell.getFgColor(), {base: '38', kind: cell.isFgRGB() ? 'rgb' : 'palette'}));
  if (!cell.isBgDefault())
    parts.push(colorCode(cell.getBgColor(), {base: '48', kind: cell.isBgRGB() ? 'rgb' : 'palette'}));
  return parts.map(part => `;${part}`).join('');
}

const colorCode = (value: number, how: {readonly base: string; readonly kind: 'rgb' | 'palette'}): string =>
  how.kind === 'rgb'
    ? `${how.base};2;${(value >> 16) & 255};${(value >> 8) & 255};${value & 255}`
    : `${how.base};5;${value}`;
