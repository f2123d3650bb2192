import {unreachable} from '../../base/unreachable.ts';
import type {ImageBlock} from '../../domain/conversation.ts';

export interface ImageFacts {
  readonly mediaType: ImageBlock['mediaType'];
  /** In pixels, 0 where it does not tell. */
  readonly width: number;
  readonly height: number;
}

/** What image the bytes are, by their content; `undefined` for what is none that models read. */
export function imageFacts(bytes: Buffer): ImageFacts | undefined {
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === undefined) return undefined;
  const size = sizeOf(mediaType, bytes);
  return {mediaType, width: size?.width ?? 0, height: size?.height ?? 0};
}

/** By the first bytes. */
function mediaTypeOf(start: Buffer): ImageBlock['mediaType'] | undefined {
  if (start.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))) return 'image/png';
  if (start.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'image/jpeg';
  const text = start.toString('latin1', 0, 12);
  if (/^GIF8[79]a/u.test(text)) return 'image/gif';
  return /^RIFF[^]{4}WEBP/u.test(text) ? 'image/webp' : undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function sizeOf(mediaType: ImageBlock['mediaType'], bytes: Buffer): Size | undefined {
  switch (mediaType) {
    case 'image/png':
      return bytes.length < 24 ? undefined : {width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20)};
    case 'image/gif':
      return bytes.length < 10 ? undefined : {width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8)};
    case 'image/jpeg':
      return jpegSize(bytes);
    case 'image/webp':
      return webpSize(bytes);
    default:
      return unreachable(mediaType);
  }
}

/** Goes from segment to segment up to the one that begins a frame. */
function jpegSize(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return {height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7)};
    const isBare = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += isBare ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return {width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1};
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return {width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1};
    }
    case 'VP8 ':
      return {width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff};
    default:
      return undefined;
  }
}
