import type {ImagePort, ReadImage} from '../../actions/files-port.ts';
import {basename, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {ImageBlock} from '../../domain/conversation.ts';
import {causeText, type Fault, rejected} from '../../domain/fault.ts';
import type {Environment} from '../exec/shell-environment.ts';
import {clipboardImage} from '../clipboard.ts';
import {byteSize} from '../../base/byte-size.ts';
import {imageType, largestImage} from './read-file.ts';
import {expandHome} from './resolve-path.ts';

/** Images of this machine: paths begin in `directory`, and the user who pastes one has said that it may be read. */
export function makeImages(place: {
  readonly directory: string;
  readonly home: string;
  readonly environment: Environment;
}): ImagePort {
  return {
    async read(path, signal) {
      const file = /^file:\/\//iu.test(path) ? fromUrl(path) : resolve(place.directory, expandHome(path, place.home));
      if (file === undefined) return failed(rejected(`${path} is no address of a file.`));
      const bytes = await bytesOf(file, signal);
      return bytes.tag === 'ok' ? imageOf(basename(file), bytes.value) : bytes;
    },
    async fromClipboard(signal) {
      const bytes = await clipboardImage(place, {mostBytes: largestImage + 1}, signal);
      return bytes.tag === 'ok' ? imageOf('clipboard', bytes.value) : bytes;
    },
  };
}

function fromUrl(address: string): string | undefined {
  try {
    return fileURLToPath(address);
  } catch {
    return undefined;
  }
}

async function bytesOf(file: string, signal: AbortSignal): Promise<Outcome<Buffer, Fault>> {
  try {
    // A pipe without a writer would never open, a device never end: neither is an image.
    const {openRegular} = await import('./regular-files.ts');
    const found = await openRegular(file);
    if (found.kind !== 'file') return failed(rejected(`${file} is no image that can be read.`));
    await using handle = found.handle;
    const {size} = found.stats;
    if (size > largestImage) return failed(tooLarge(basename(file), size));
    return ok(await handle.readFile({signal}));
  } catch (cause) {
    return failed(rejected(`${file} could not be read: ${causeText(cause)}.`));
  }
}

function imageOf(name: string, bytes: Buffer): Outcome<ReadImage, Fault> {
  if (bytes.length > largestImage) return failed(tooLarge(name, bytes.length));
  const facts = imageFacts(bytes);
  if (facts === undefined) return failed(rejected(`${name} is no PNG, JPEG, GIF or WebP image.`));
  const {mediaType, width, height} = facts;
  return ok({name, width, height, image: {kind: 'image', mediaType, data: bytes.toString('base64')}});
}

const tooLarge = (name: string, size: number): Fault =>
  rejected(
    `${name} has ${byteSize(size)}; an image of a prompt may have ${byteSize(largestImage)}. Make it smaller first.`,
  );

interface ImageFacts {
  readonly mediaType: ImageBlock['mediaType'];
  /** In pixels, 0 where it does not tell. */
  readonly width: number;
  readonly height: number;
}

/** What image the bytes are, by their content; `undefined` for what is none that models read. */
export function imageFacts(bytes: Buffer): ImageFacts | undefined {
  const mediaType = imageType(bytes);
  if (mediaType === undefined) return undefined;
  const size = sizeOf(mediaType, bytes);
  return {mediaType, width: size?.width ?? 0, height: size?.height ?? 0};
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
