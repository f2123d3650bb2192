import type {IBufferCell, Terminal} from '@xterm/headless';

export interface Drawing {
  /** The text that screen readers get instead of the picture. */
  readonly title: string;
  /** The first visible row to draw, counted from 0. */
  readonly firstRow: number;
}

const [foreground, background] = ['#d6dae0', '#10141a'];
const palette =
  '#1c2128 #f07178 #8bd49c #e6c07b #6cb6ff #c099ff #5fd7d7 #d6dae0 #7d8590 #ff8b92 #a5e8b4 #ffd88f #8fc8ff #d3b5ff #86eaea #ffffff'.split(
    ' ',
  );

const rgb = (parts: readonly number[]): string => `#${parts.map(part => part.toString(16).padStart(2, '0')).join('')}`;
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(' ', '\u00A0');

const fixed = (value: number): string => value.toFixed(1);

const lineAt = (terminal: Terminal, row: number) => terminal.buffer.active.getLine(terminal.buffer.active.baseY + row);

export const screenText = (terminal: Terminal): string =>
  Array.from({length: terminal.rows}, (_, row) => lineAt(terminal, row)?.translateToString(true) ?? '').join('\n');

/** Returns the visible screen as SVG. Neighboring cells that look alike are one text. */
export function drawScreen(terminal: Terminal, {title, firstRow}: Drawing): string {
  const [cellWidth, rowHeight, margin] = [8.4, 19, 14];
  const drawnRows = screenText(terminal).trimEnd().split('\n').length - firstRow;
  const [width, height] = [Math.ceil(terminal.cols * cellWidth + 2 * margin), drawnRows * rowHeight + 2 * margin];
  const drawn = Array.from({length: drawnRows}, (_, row) =>
    drawRow(terminal, firstRow + row, {cellWidth, top: margin + row * rowHeight, rowHeight, margin}),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title).replaceAll('\u00A0', ' ')}</title>
<rect width="${width}" height="${height}" rx="8" fill="${background}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">
${drawn.flat().join('\n')}
</g>
</svg>
`;
}

interface RowPosition {
  readonly cellWidth: number;
  readonly top: number;
  readonly rowHeight: number;
  readonly margin: number;
}

function drawRow(terminal: Terminal, row: number, {cellWidth, top, rowHeight, margin}: RowPosition): readonly string[] {
  const line = lineAt(terminal, row);
  if (line === undefined) return [];
  const runs: {style: string; back: string; from: number; text: string}[] = [];
  for (let at = 0; at < terminal.cols; at++) {
    const cell = line.getCell(at);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const {style, back} = looks(cell);
    const last = runs.at(-1);
    const text = cell.getChars() || ' ';
    if (last?.style === style && last.back === back) last.text += text;
    else runs.push({style, back, from: at, text});
  }
  return runs.flatMap(({style, back, from, text}) => {
    const [x, cells] = [margin + from * cellWidth, text.length * cellWidth];
    const shown =
      text.trim() === ''
        ? []
        : [
            `<text x="${fixed(x)}" y="${fixed(top + 14)}" textLength="${fixed(cells)}" lengthAdjust="spacingAndGlyphs"${style}>${escaped(text)}</text>`,
          ];
    const behind =
      back === ''
        ? []
        : [`<rect x="${fixed(x)}" y="${fixed(top)}" width="${fixed(cells)}" height="${rowHeight}" fill="${back}"/>`];
    return [...behind, ...shown];
  });
}

function looks(cell: IBufferCell): {readonly style: string; readonly back: string} {
  const own = colour(cell.getFgColor(), cell.isFgRGB(), cell.isFgPalette()) ?? foreground;
  const behind = colour(cell.getBgColor(), cell.isBgRGB(), cell.isBgPalette());
  const [front, back] = cell.isInverse() === 0 ? [own, behind ?? ''] : [behind ?? background, own];
  const bold = cell.isBold() === 0 ? '' : ' font-weight="bold"';
  const italic = cell.isItalic() === 0 ? '' : ' font-style="italic"';
  const dim = cell.isDim() === 0 ? '' : ' opacity="0.6"';
  return {style: ` fill="${front}"${bold}${italic}${dim}`, back};
}

function colour(value: number, isRgb: boolean, isPalette: boolean): string | undefined {
  if (isRgb) return `#${value.toString(16).padStart(6, '0')}`;
  if (!isPalette) return undefined;
  const basic = palette[value];
  if (basic !== undefined) return basic;
  if (value >= 232) return rgb([0, 0, 0].map(() => 8 + (value - 232) * 10));
  const cube = value - 16;
  return rgb(
    [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level => (level === 0 ? 0 : 55 + level * 40)),
  );
}
