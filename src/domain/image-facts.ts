import {failed, ok, type Outcome} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import {groupDigits} from './compaction.ts';
import {type ImageBlock, imageTypes} from './conversation.ts';

export interface ImageFacts extends ImageSize {
  readonly mediaType: ImageBlock['mediaType'];
}

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * The maximum number of pixels that a side of an image may have. Anthropic refuses requests with larger images, and OpenAI shrinks
 * them. Source: https://docs.claude.com/en/docs/build-with-claude/vision (2026-11).
 */
export const longestSide = 8000;

/** Returns why an image of this size cannot be read, as the end of a sentence that names the image; empty if it can. */
export function sizeRefusal({width, height}: ImageSize): string {
  if (Math.max(width, height) <= longestSide) return '';
  return (
    `is an image of ${groupDigits(width)} × ${groupDigits(height)} pixels; a side may have at most ${groupDigits(longestSide)}. ` +
    'Make a smaller copy with a command first, such as `magick IN -resize 2000x2000 OUT` or, on macOS, `sips -Z 2000 IN --out OUT`.'
  );
}

/** Returns the type of the image, judged by its first bytes. `undefined` for a type that models don't read. */
export function imageType(start: Uint8Array): ImageBlock['mediaType'] | undefined {
  const at = (from: number, to: number): string => latin(start, from, to);
  if (at(0, 8) === '\u0089PNG\r\n\u001a\n') return 'image/png';
  if (at(0, 3) === '\u00ff\u00d8\u00ff') return 'image/jpeg';
  if (at(0, 6) === 'GIF87a' || at(0, 6) === 'GIF89a') return 'image/gif';
  if (at(0, 4) === 'RIFF' && at(8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}

/**
 * Returns an image that a program or a server sent in base64, with the type that its bytes show. The declared type counts only for bytes
 * that show none. A failure says what the data is, as the end of a sentence that names the image.
 */
export function imageFrom(given: string, declared: string | undefined): Outcome<ImageBlock, string> {
  const base64 = given.replace(/^data:[\w/+.-]+;base64,/u, '').replaceAll(/\s/gu, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/u.test(base64) || base64.replace(/=+$/u, '').length % 4 === 1)
    return failed('is not valid base64');
  const bytes = Buffer.from(base64, 'base64');
  const facts = imageFacts(bytes);
  const mediaType = facts?.mediaType ?? imageTypes.find(type => type === declared);
  if (mediaType === undefined) return failed('is not a PNG, JPEG, GIF or WebP image');
  const refusal = facts === undefined ? '' : sizeRefusal(facts);
  return refusal === '' ? ok({kind: 'image', mediaType, data: bytes.toString('base64')}) : failed(refusal);
}

/** Returns the facts about an image. The beginning of the bytes is enough for most types. `undefined` for a type that models don't read. */
export function imageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const mediaType = imageType(bytes);
  if (mediaType === undefined) return undefined;
  const size = sizeOf(mediaType, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), bytes);
  return {mediaType, width: size?.width ?? 0, height: size?.height ?? 0};
}

const latin = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));

function sizeOf(mediaType: ImageBlock['mediaType'], view: DataView, bytes: Uint8Array): ImageSize | undefined {
  switch (mediaType) {
    case 'image/png':
      return view.byteLength < 24 ? undefined : {width: view.getUint32(16), height: view.getUint32(20)};
    case 'image/gif':
      return view.byteLength < 10 ? undefined : {width: view.getUint16(6, true), height: view.getUint16(8, true)};
    case 'image/jpeg':
      return jpegSize(view);
    case 'image/webp':
      return webpSize(view, latin(bytes, 12, 16));
    default:
      return unreachable(mediaType);
  }
}

/** Reads the size from the first segment that begins a frame. */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; at + 9 < view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return {height: view.getUint16(at + 5), width: view.getUint16(at + 7)};
    const isBare = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += isBare ? 2 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function webpSize(view: DataView, form: string): ImageSize | undefined {
  if (view.byteLength < 30) return undefined;
  const three = (at: number): number => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  switch (form) {
    case 'VP8X':
      return {width: three(24) + 1, height: three(27) + 1};
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return {width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1};
    }
    case 'VP8 ':
      return {width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff};
    default:
      return undefined;
  }
}
