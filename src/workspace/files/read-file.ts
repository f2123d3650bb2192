import {createHash, type Hash} from 'node:crypto';
import type {FileHandle} from 'node:fs/promises';
import {basename} from 'node:path';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {answerBytes, type ReadFile, type ReadRequest} from '../../actions/files-port.ts';
import type {DocumentBlock, ImageBlock} from '../../domain/conversation.ts';
import {rejected, type Fault} from '../../domain/fault.ts';
import {byteSize} from './byte-size.ts';
import {collectLines, longestShownLine, type CollectedLines} from './line-collector.ts';
import {codePageTable} from './code-page.ts';
import {notebookText} from './notebook-text.ts';
import {pdfPages} from './pdf-pages.ts';
import {encodingNames, formOf, type TextForm} from './text-form.ts';

/** What reading a regular file gives; `hash` is the SHA-256 of all its bytes (lower hex). */
export interface FileRead {
  readonly file: ReadFile;
  readonly hash: string;
}

const largestImage = 5_000_000;

/** A request to a model may hold 32 MB, a third more than the bytes in it, and PDFs of so many pages. */
const largestDocument = 20_000_000;
const mostPages = 100;

/** Notebooks are read whole; larger ones are read as text. */
const largestWhole = 50_000_000;

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
    const whole = await wholeOf(first, chunks);
    if (signal.aborted) return failed(stopped(shown));
    const image: ImageBlock = {kind: 'image', mediaType, data: whole.toString('base64')};
    return ok({file: {kind: 'image', path: shown, image}, hash: hash.digest('hex')});
  }

  if (start.toString('latin1', 0, 5) === '%PDF-') {
    const whole = source.size > largestDocument ? undefined : await wholeOf(first, chunks);
    if (signal.aborted) return failed(stopped(shown));
    const pages = whole === undefined ? undefined : pdfPages(whole);
    if (whole === undefined || (pages ?? 0) > mostPages) {
      const told = pages === undefined ? byteSize(source.size) : `${byteSize(source.size)}, ${count(pages, 'page')}`;
      return failed(
        rejected(
          `${shown} is a PDF of ${told}; at most ${byteSize(largestDocument)} and ${mostPages} pages can be read. ` +
            'Get its text, or some of its pages, with a command such as pdftotext.',
        ),
      );
    }
    const document: DocumentBlock = {
      kind: 'document',
      mediaType: 'application/pdf',
      name: basename(shown),
      data: whole.toString('base64'),
    };
    return ok({file: {kind: 'document', path: shown, document, pages}, hash: hash.digest('hex')});
  }

  const form = formOf(first, 'start');
  if (form === undefined || (form.encoding === 'unknown' && isBinary(start))) {
    return failed(
      rejected(
        `${shown} is a binary file (${byteSize(source.size)}), not text; look at it with a command made for it.`,
      ),
    );
  }

  const range = {first: Math.max(1, source.request.offset), limit: Math.max(1, source.request.limit)};
  const cells =
    shown.toLowerCase().endsWith('.ipynb') && source.size <= largestWhole
      ? {whole: await wholeOf(first, chunks)}
      : undefined;
  const notebook = cells === undefined ? undefined : notebookText(cells.whole.toString('utf8'));
  const collector = collectLines(range);
  let broken = 0;
  if (notebook === undefined) {
    const decoder = decoderOf(form);
    const pieces = cells === undefined ? chunks : none();
    const begun = decoder.decode(cells === undefined ? first : cells.whole);
    const returnsEnd = begun.includes('\r') && !begun.includes('\n');
    const take = (text: string): void => {
      if (broken === 0 && text.includes('\ufffd')) broken = 1;
      collector.add(returnsEnd ? text.replaceAll('\r', '\n') : text);
    };
    take(begun);
    for await (const chunk of pieces) take(decoder.decode(chunk));
    take(decoder.end());
  } else {
    collector.add(notebook);
  }
  if (signal.aborted) return failed(stopped(shown));

  const collected = collector.end();
  const {totalLines, lines} = collected;
  if (range.first > 1 && range.first > totalLines) {
    return failed(rejected(`${shown} has ${count(totalLines, 'line')}; there is no line ${range.first}.`));
  }
  const plain = form.encoding === 'utf-8' || form.encoding === 'unknown';
  const notes = [
    ...(notebook === undefined
      ? []
      : ['the cells of a notebook; edits and line numbers are of its JSON text, which a command shows']),
    ...(plain ? [] : [`the file is ${encodingNames[form.encoding]}`]),
    ...(broken === 0
      ? []
      : [`some bytes are not ${plain ? 'UTF-8' : encodingNames[form.encoding]} and show as \ufffd`]),
    ...rangeNotes(collected, range.first),
  ];
  return ok({
    file: {kind: 'text', path: shown, lines, firstLine: range.first, totalLines, notes},
    hash: hash.digest('hex'),
  });
}

/** Bytes to text, piece by piece. */
interface PieceDecoder {
  decode(piece: Buffer): string;
  end(): string;
}

function decoderOf({encoding}: TextForm): PieceDecoder {
  if (encoding === 'windows-1252') {
    const table = codePageTable(encoding);
    return {decode: piece => table.decode(piece), end: () => ''};
  }
  const decoder = new TextDecoder(encoding === 'unknown' ? 'utf-8' : encoding);
  return {decode: piece => decoder.decode(piece, {stream: true}), end: () => decoder.decode()};
}

async function wholeOf(first: Buffer, chunks: AsyncGenerator<Buffer, undefined>): Promise<Buffer> {
  const parts = [first];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

async function* none(): AsyncGenerator<Buffer, undefined> {}

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

/** More than a third of it is no UTF-8. */
function isBinary(start: Buffer): boolean {
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
