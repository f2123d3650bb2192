import {createHash, type Hash} from 'node:crypto';
import type {FileHandle} from 'node:fs/promises';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {answerBytes, type ReadFile, type ReadRequest} from '../../actions/ports.ts';
import type {ImageBlock} from '../../domain/conversation.ts';
import {rejected, type Fault} from '../../domain/fault.ts';
import {byteSize} from './byte-size.ts';
import {collectLines, longestShownLine, type CollectedLines} from './line-collector.ts';
import {markedEncoding} from './text-form.ts';

/** What reading a regular file gives; `hash` is the SHA-256 of all its bytes (lower hex). */
export interface FileRead {
  readonly file: ReadFile;
  readonly hash: string;
}

const largestImage = 5_000_000;

/** Bytes looked at to tell what a file is. */
const sniffed = 8192;

const chunkBytes = 256 * 1024;

/**
 * Reads a range of lines, or an image, in one pass over the file and in bounded memory: the pass also counts the lines and
 * takes the hash. `shown` is the path for messages.
 */
export async function readRegular(
  source: {readonly handle: FileHandle; readonly size: number; readonly shown: string; readonly request: ReadRequest},
  signal: AbortSignal,
): Promise<Outcome<FileRead, Fault>> {
  const {shown} = source;
  const hash = createHash('sha256');
  const chunks = hashed(readChunks(source.handle, signal), hash);
  const first = (await chunks.next()).value ?? Buffer.alloc(0);
  const start = first.subarray(0, sniffed);

  const mediaType = imageType(start);
  if (mediaType !== undefined) {
    if (source.size > largestImage) {
      return failed(
        rejected(`${shown} is an image of ${byteSize(source.size)}; at most ${byteSize(largestImage)} can be read.`),
      );
    }
    const parts = [first];
    for await (const chunk of chunks) parts.push(chunk);
    if (signal.aborted) return failed(stopped(shown));
    const image: ImageBlock = {kind: 'image', mediaType, data: Buffer.concat(parts).toString('base64')};
    return ok({file: {kind: 'image', path: shown, image}, hash: hash.digest('hex')});
  }

  const encoding = markedEncoding(start) ?? 'utf-8';
  if (encoding === 'utf-8' && isBinary(start)) {
    return failed(
      rejected(
        `${shown} is a binary file (${byteSize(source.size)}), not text; look at it with a command made for it.`,
      ),
    );
  }

  const range = {first: Math.max(1, source.request.offset), limit: Math.max(1, source.request.limit)};
  const decoder = new TextDecoder(encoding);
  const collector = collectLines(range);
  let broken = 0;
  const take = (text: string): void => {
    if (broken === 0 && text.includes('\ufffd')) broken = 1;
    collector.add(text);
  };
  take(decoder.decode(first, {stream: true}));
  for await (const chunk of chunks) take(decoder.decode(chunk, {stream: true}));
  take(decoder.decode());
  if (signal.aborted) return failed(stopped(shown));

  const collected = collector.end();
  const {totalLines, lines} = collected;
  if (range.first > 1 && range.first > totalLines) {
    return failed(rejected(`${shown} has ${count(totalLines, 'line')}; there is no line ${range.first}.`));
  }
  const notes = [
    ...(encoding === 'utf-8' ? [] : [`the file is ${encoding === 'utf-16le' ? 'UTF-16 LE' : 'UTF-16 BE'}`]),
    ...(broken === 0 ? [] : ['some bytes are not UTF-8 and show as \ufffd']),
    ...rangeNotes(collected, range.first),
  ];
  return ok({
    file: {kind: 'text', path: shown, lines, firstLine: range.first, totalLines, notes},
    hash: hash.digest('hex'),
  });
}

function rangeNotes({lines, totalLines, cut, full}: CollectedLines, first: number): string[] {
  if (totalLines === 0) return ['the file is empty'];
  const last = first + lines.length - 1;
  const notes: string[] = [];
  if (cut.length > 0) {
    const which = cut.length > 5 ? `${cut.slice(0, 5).join(', ')}, …` : cut.join(', ');
    notes.push(`${cut.length === 1 ? 'line' : 'lines'} ${which} cut after ${longestShownLine} characters`);
  }
  if (last < totalLines) {
    const why = full === 'bound-reached' ? ` (an answer holds ${byteSize(answerBytes)})` : '';
    notes.push(`lines ${first} to ${last} of ${totalLines}${why}; go on with offset ${last + 1}`);
  }
  return notes;
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

const stopped = (shown: string): Fault => rejected(`Reading ${shown} was stopped.`);

/** Ends early when aborted. */
async function* readChunks(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer, undefined> {
  while (!signal.aborted) {
    const {bytesRead, buffer} = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* hashed(chunks: AsyncGenerator<Buffer, undefined>, hash: Hash): AsyncGenerator<Buffer, undefined> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

/** A zero byte, or more than a third of it no UTF-8. */
function isBinary(start: Buffer): boolean {
  if (start.includes(0)) return true;
  const text = new TextDecoder('utf-8').decode(start, {stream: true});
  const broken = text.split('\ufffd').length - 1;
  return broken * 3 > start.length;
}

function imageType(start: Buffer): ImageBlock['mediaType'] | undefined {
  const at = (from: number, to: number): string => start.toString('latin1', from, to);
  if (at(0, 8) === '\u0089PNG\r\n\u001a\n') return 'image/png';
  if (at(0, 3) === '\u00ff\u00d8\u00ff') return 'image/jpeg';
  if (at(0, 6) === 'GIF87a' || at(0, 6) === 'GIF89a') return 'image/gif';
  if (at(0, 4) === 'RIFF' && at(8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}
