import type {ImagePort, ReadImage} from '../../actions/files-port.ts';
import {basename, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {failed, ok, type Outcome, tryOr} from '../../base/outcome.ts';
import {causeText, type Fault, rejected} from '../../domain/fault.ts';
import {imageFacts, sizeRefusal} from '../../domain/image-facts.ts';
import type {Environment} from '../exec/shell-environment.ts';
import {clipboardImage} from '../clipboard.ts';
import {byteSize} from '../../base/byte-size.ts';
import {maxImageBytes} from './read-file.ts';
import {expandHome} from './resolve-path.ts';

/** Reads images on this machine. Paths start at `directory`. A user who pastes a path has allowed the read. */
export function makeImages(options: {
  readonly directory: string;
  readonly home: string;
  readonly environment: Environment;
}): ImagePort {
  return {
    async read(path, signal) {
      const file = /^file:\/\//iu.test(path)
        ? fromUrl(path)
        : resolve(options.directory, expandHome(path, options.home));
      if (file === undefined) return failed(rejected(`${path} is not a valid file URL.`));
      const bytes = await bytesOf(file, signal);
      return bytes.tag === 'ok' ? imageOf(basename(file), bytes.value) : bytes;
    },
    async fromClipboard(signal) {
      const bytes = await clipboardImage(options, {maxBytes: maxImageBytes + 1}, signal);
      return bytes.tag === 'ok' ? imageOf('clipboard', bytes.value) : bytes;
    },
  };
}

const fromUrl = (address: string): string | undefined => tryOr(() => fileURLToPath(address), undefined);

async function bytesOf(file: string, signal: AbortSignal): Promise<Outcome<Buffer, Fault>> {
  try {
    // A pipe might never open and a device might never end; neither is an image.
    const {openRegular} = await import('./regular-files.ts');
    const found = await openRegular(file);
    if (found.kind !== 'file') return failed(rejected(`${file} is not a readable image.`));
    await using handle = found.handle;
    const {size} = found.stats;
    if (size > maxImageBytes) return failed(tooLarge(basename(file), size));
    return ok(await handle.readFile({signal}));
  } catch (cause) {
    return failed(rejected(`Can't read ${file}: ${causeText(cause)}.`));
  }
}

function imageOf(name: string, bytes: Buffer): Outcome<ReadImage, Fault> {
  if (bytes.length > maxImageBytes) return failed(tooLarge(name, bytes.length));
  const facts = imageFacts(bytes);
  if (facts === undefined) return failed(rejected(`${name} is not a PNG, JPEG, GIF or WebP image.`));
  const {mediaType, width, height} = facts;
  const refusal = sizeRefusal(facts);
  if (refusal !== '') return failed(rejected(`${name} ${refusal}`));
  return ok({name, width, height, image: {kind: 'image', mediaType, data: bytes.toString('base64')}});
}

const tooLarge = (name: string, size: number): Fault =>
  rejected(
    `${name} has ${byteSize(size)}; the limit for an image is ${byteSize(maxImageBytes)}. Make it smaller first.`,
  );
