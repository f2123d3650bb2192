import {byteSize} from '../../base/byte-size.ts';
import {visibleLine} from '../../base/visible.ts';
import type {ImageBlock} from '../../domain/conversation.ts';
import {type ImageFacts, imageFacts} from '../../domain/image-facts.ts';
import {fileLink} from '../text/file-link.ts';
import {type Frame, noIndent, wrapSpans} from '../text/wrap.ts';

/** The largest picture on the screen, in cells. */
const maxColumns = 60;
const maxRows = 10;

/** The usual size of a cell in pixels. Smaller pictures keep their size. */
const cell = {width: 10, height: 20} as const;

/** Terminals unpack pictures in memory, so larger ones get a line of text instead. */
const maxPixels = 25_000_000;
const maxData = 5_500_000;

/** The beginning of an image, in characters of base64, in which most have their size. */
const headerLength = 262_144;

/**
 * Returns the rows of an image: the picture if the terminal shows pictures of its type, or else a line with its name, size and link. The
 * terminal decodes it; weft reads only the size from its beginning. `path` is empty if the image is in no file.
 */
export function pictureRows(
  image: ImageBlock,
  {name, path}: {readonly name: string; readonly path: string},
  frame: Frame,
): readonly string[] {
  const {theme, width} = frame;
  const {data} = image;
  const facts = imageFacts(Buffer.from(data.slice(0, headerLength), 'base64'));
  const drawn = facts === undefined ? undefined : drawing(data, facts, {...frame, width: Math.min(width, maxColumns)});
  if (drawn !== undefined) return drawn;
  const type = image.mediaType.replace('image/', '').toUpperCase();
  const size = facts === undefined || facts.width === 0 ? type : `${type} ${facts.width}×${facts.height}`;
  const words = `${size} · ${byteSize(Buffer.byteLength(data, 'base64'))}`;
  const spans = [
    ...(name === '' ? [] : [{text: visibleLine(name), roles: ['dim', ...fileLink(path, 0, theme)] as const}]),
    {text: name === '' ? words : ` · ${words}`, roles: ['dim'] as const},
  ];
  return wrapSpans(spans, frame, noIndent);
}

/** Returns the rows that draw a picture. `undefined` if the terminal can't show it. */
function drawing(data: string, {mediaType, width, height}: ImageFacts, frame: Frame): readonly string[] | undefined {
  const {pictures} = frame.theme;
  const isShown = pictures === 'iterm' || (pictures === 'kitty' && mediaType === 'image/png');
  if (!isShown || width === 0 || height === 0 || width * height > maxPixels) return undefined;
  // Only base64 may stand in the sequence.
  if (data.length > maxData || !/^[A-Za-z0-9+/]+={0,2}$/u.test(data)) return undefined;
  const scale = Math.min(1, (frame.width * cell.width) / width, (maxRows * cell.height) / height);
  const size = {
    columns: Math.max(1, Math.round((width * scale) / cell.width)),
    rows: Math.max(1, Math.round((height * scale) / cell.height)),
  };
  return pictures === 'kitty' ? placeholders(data, size) : inlineImage(data, size);
}

interface Cells {
  readonly columns: number;
  readonly rows: number;
}

/** The marks by which kitty numbers the rows and columns of a picture. */
const marks = '\u0305\u030D\u030E\u0310\u0312\u033D\u033E\u033F\u0346\u034A';

/** The maximum number of base64 characters in one of kitty's sequences. */
const chunkLength = 4096;

/**
 * Sends a picture to kitty, and returns text cells that stand for its parts. They scroll, reflow and are erased as text is. The
 * foreground color is the picture's number. The same picture has the same number, so that drawing it again does not add another one.
 */
function placeholders(data: string, {columns, rows}: Cells): readonly string[] {
  const number = numberOf(data);
  const chunks = Array.from({length: Math.ceil(data.length / chunkLength)}, (_, at) =>
    data.slice(at * chunkLength, (at + 1) * chunkLength),
  );
  const sent = chunks.map((chunk, at) => {
    const first = at === 0 ? `a=T,U=1,f=100,i=${number},p=1,c=${columns},r=${rows},` : '';
    return `\u001B_G${first}q=2,m=${at === chunks.length - 1 ? 0 : 1};${chunk}\u001B\\`;
  });
  const color = `\u001B[38;2;${number >> 16};${(number >> 8) & 255};${number & 255}m`;
  return Array.from({length: rows}, (_, row) => {
    const first = `\u{10EEEE}${marks[row] ?? ''}${marks[0] ?? ''}`;
    return `${row === 0 ? sent.join('') : ''}${color}${first}${'\u{10EEEE}'.repeat(columns - 1)}\u001B[39m`;
  });
}

/** Returns a number from 1 to 2²⁴ - 1 that is nearly always different for other data. */
function numberOf(data: string): number {
  let hash = data.length;
  const step = Math.max(1, Math.floor(data.length / 4096));
  for (let at = 0; at < data.length; at += step) hash = (Math.imul(hash, 31) + data.charCodeAt(at)) >>> 0;
  return (hash % 0xff_ffff) + 1;
}

/**
 * Returns a row that makes room for the picture, draws it, and leaves the cursor where it was, and empty rows below. A line feed would
 * end the row, so that `ESC D` moves down.
 */
function inlineImage(data: string, {columns, rows}: Cells): readonly string[] {
  const room = rows > 1 ? `${'\u001BD'.repeat(rows - 1)}\u001B[${rows - 1}A` : '';
  const bytes = Buffer.byteLength(data, 'base64');
  const facts = `inline=1;size=${bytes};width=${columns};height=${rows};preserveAspectRatio=1;doNotMoveCursor=1`;
  const image = `${room}\u001B7\u001B]1337;File=${facts}:${data}\u0007\u001B8`;
  return Array.from({length: rows}, (_, row) => (row === 0 ? image : ''));
}
