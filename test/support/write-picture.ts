// Writes the picture of the README anew from the built program: `npm run picture`. It plays the demo in a terminal in memory up to the
// edit, and draws what is on the screen then.
import {spawn} from '@lydell/node-pty';
import headless, {type IBufferCell} from '@xterm/headless';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {lookUntil} from './look-until.ts';
import {weftBin} from './run-weft.ts';

const [cols, rows] = [100, 58];
const target = fileURLToPath(new URL('../golden/tui/demo.svg', import.meta.url));

const [foreground, background] = ['#d6dae0', '#10141a'];
const palette =
  '#1c2128 #f07178 #8bd49c #e6c07b #6cb6ff #c099ff #5fd7d7 #d6dae0 #7d8590 #ff8b92 #a5e8b4 #ffd88f #8fc8ff #d3b5ff #86eaea #ffffff'.split(
    ' ',
  );

const rgb = (parts: readonly number[]): string => `#${parts.map(part => part.toString(16).padStart(2, '0')).join('')}`;
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(' ', '\u00A0');

const fixed = (value: number): string => value.toFixed(1);

const home = mkdtempSync(join(tmpdir(), 'w-'));
const terminal = new headless.Terminal({cols, rows, allowProposedApi: true});
const child = spawn(process.execPath, [weftBin, 'demo', '--dir', 'corner-shop'], {
  cols,
  rows,
  cwd: home,
  env: {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    WEFT_HOME: join(home, 'weft'),
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
  },
});
const exited = new Promise<void>(resolve => child.onExit(() => resolve()));
child.onData(data => {
  // What the terminal in memory does not answer: its background is dark.
  if (data.includes('\u001B]11;?')) child.write('\u001B]11;rgb:1010/1414/1a1a\u0007');
  terminal.write(data);
});
terminal.onData(reply => child.write(reply));

const screenText = (): string =>
  Array.from({length: rows}, (_, at) => lineAt(at)?.translateToString(true) ?? '').join('\n');
const lineAt = (at: number) => terminal.buffer.active.getLine(terminal.buffer.active.baseY + at);
const seen = (pattern: RegExp): Promise<void> =>
  lookUntil(
    () => pattern.test(screenText()),
    () => `never saw ${String(pattern)} on:\n${screenText()}`,
    20_000,
  );

await seen(/Run this command\?[^]* for this session +s/u);
child.write('s');
await seen(/Make this edit to src\/discount\.js[^]*Yes y/u);
const picture = svg();
child.kill('SIGTERM');
await exited;
rmSync(home, {recursive: true, force: true});
writeFileSync(target, picture);

/** The screen, each run of cells that look alike as one text. */
function svg(): string {
  const [cellWidth, rowHeight, margin] = [8.4, 19, 14];
  const used = screenText().trimEnd().split('\n').length;
  const [width, height] = [Math.ceil(cols * cellWidth + 2 * margin), used * rowHeight + 2 * margin];
  const drawn = Array.from({length: used}, (_, row) =>
    drawRow(row, {cellWidth, top: margin + row * rowHeight, rowHeight, margin}),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>weft's demo: a failing test, what was read, and the edit that is asked about</title>
<rect width="${width}" height="${height}" rx="8" fill="${background}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">
${drawn.flat().join('\n')}
</g>
</svg>
`;
}

interface RowPlace {
  readonly cellWidth: number;
  readonly top: number;
  readonly rowHeight: number;
  readonly margin: number;
}

function drawRow(row: number, {cellWidth, top, rowHeight, margin}: RowPlace): readonly string[] {
  const line = lineAt(row);
  if (line === undefined) return [];
  const runs: {style: string; back: string; from: number; text: string}[] = [];
  for (let at = 0; at < cols; at++) {
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
