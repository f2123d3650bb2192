import {createHash, type Hash} from 'node:crypto';
import type {FileHandle} from 'node:fs/promises';
import {basename} from 'node:path';
import {inflateSync} from 'node:zlib';
import * as z from 'zod/mini';
import {answerBytes, type ReadFile, type ReadRequest} from '../../actions/files-port.ts';
import {clip, pluralize} from '../../base/clip.ts';
import {failed, ok, type Outcome, tryOr} from '../../base/outcome.ts';
import type {DocumentBlock, ImageBlock} from '../../domain/conversation.ts';
import {imageFacts, imageType, sizeRefusal} from '../../domain/image-facts.ts';
import {type Fault, rejected} from '../../domain/fault.ts';
import {byteSize} from '../../base/byte-size.ts';
import {encodingNames, detectForm} from './text-encoding.ts';

/** The result of reading a regular file; `hash` is the SHA-256 of all its bytes (lowercase hex). */
export interface FileRead {
  readonly file: ReadFile;
  readonly hash: string;
}

/** The size of the largest image that providers accept, in bytes. */
export const maxImageBytes = 5_000_000;

/** A request to a model may hold 32 MB, a third more than the raw bytes, and PDFs of so many pages. */
const maxDocumentBytes = 20_000_000;
const maxPages = 100;

/** The size of the largest notebook that is read whole, in bytes. Larger ones are read as text. */
const maxNotebookBytes = 50_000_000;

/** The number of bytes used to detect what a file is. */
const sniffBytes = 8192;

const chunkBytes = 256 * 1024;

/**
 * Reads a range of lines, or an image, in one pass over the content and in bounded memory. The pass also counts the lines and computes the
 * hash. `shown` is the path for messages.
 */
export async function readRegular(
  source: {
    /** The content. It may end early if aborted. */
    readonly chunks: AsyncIterable<Buffer>;
    readonly size: number;
    readonly shown: string;
    readonly request: ReadRequest;
  },
  signal: AbortSignal,
): Promise<Outcome<FileRead, Fault>> {
  const {shown} = source;
  const hash = createHash('sha256');
  const chunks = hashChunks(source.chunks, hash);
  const first = (await chunks.next()).value ?? Buffer.alloc(0);
  const start = first.subarray(0, sniffBytes);

  const mediaType = imageType(start);
  if (mediaType !== undefined) {
    if (source.size > maxImageBytes) {
      return failed(
        rejected(`${shown} is an image of ${byteSize(source.size)}; at most ${byteSize(maxImageBytes)} can be read.`),
      );
    }
    const whole = await readToEnd(first, chunks);
    if (signal.aborted) return failed(stoppedFault(shown));
    const refusal = sizeRefusal(imageFacts(whole) ?? {width: 0, height: 0});
    if (refusal !== '') return failed(rejected(`${shown} ${refusal}`));
    const image: ImageBlock = {kind: 'image', mediaType, data: whole.toString('base64')};
    return ok({file: {kind: 'image', path: shown, image}, hash: hash.digest('hex')});
  }

  if (start.toString('latin1', 0, 5) === '%PDF-') {
    const whole = source.size > maxDocumentBytes ? undefined : await readToEnd(first, chunks);
    if (signal.aborted) return failed(stoppedFault(shown));
    const pages = whole === undefined ? undefined : countPdfPages(whole);
    if (whole === undefined || (pages ?? 0) > maxPages) {
      const sizeText =
        pages === undefined ? byteSize(source.size) : `${byteSize(source.size)}, ${pluralize(pages, 'page')}`;
      return failed(
        rejected(
          `${shown} is a PDF of ${sizeText}; the limit is ${byteSize(maxDocumentBytes)} and ${maxPages} pages. ` +
            'Extract its text, or some of its pages, with a command such as pdftotext.',
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

  const form = detectForm(first, 'start');
  if (form === undefined || (form.encoding === 'unknown' && isBinary(start))) {
    return failed(
      rejected(`${shown} is a binary file (${byteSize(source.size)}), not text; inspect it with a suitable command.`),
    );
  }

  const range = {first: Math.max(1, source.request.offset), limit: Math.max(1, source.request.limit)};
  const cells =
    shown.toLowerCase().endsWith('.ipynb') && source.size <= maxNotebookBytes
      ? {whole: await readToEnd(first, chunks)}
      : undefined;
  const notebook = cells === undefined ? undefined : notebookText(cells.whole.toString('utf8'));
  const collector = collectLines(range);
  let broken = 0;
  if (notebook === undefined) {
    const decoder = new TextDecoder(form.encoding === 'unknown' ? 'utf-8' : form.encoding);
    const decode = (bytes: Buffer): string => decoder.decode(bytes, {stream: true});
    const pieces = cells === undefined ? chunks : noChunks();
    const begun = decode(cells === undefined ? first : cells.whole);
    const returnsEnd = begun.includes('\r') && !begun.includes('\n');
    const take = (text: string): void => {
      if (broken === 0 && text.includes('\ufffd')) broken = 1;
      collector.add(returnsEnd ? text.replaceAll('\r', '\n') : text);
    };
    take(begun);
    for await (const chunk of pieces) take(decode(chunk));
    take(decoder.decode());
  } else {
    collector.add(notebook);
  }
  if (signal.aborted) return failed(stoppedFault(shown));

  const collected = collector.end();
  const {totalLines, lines} = collected;
  if (range.first > 1 && range.first > totalLines) {
    return failed(rejected(`${shown} has ${pluralize(totalLines, 'line')}; there is no line ${range.first}.`));
  }
  const plain = form.encoding === 'utf-8' || form.encoding === 'unknown';
  const notes = [
    ...(notebook === undefined
      ? []
      : ['the cells of a notebook; edits and line numbers refer to its JSON text, which a command shows']),
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

async function readToEnd(first: Buffer, chunks: AsyncGenerator<Buffer, undefined>): Promise<Buffer> {
  const parts = [first];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

async function* noChunks(): AsyncGenerator<Buffer, undefined> {}

function rangeNotes({lines, totalLines, cut, full}: CollectedLines, first: number): string[] {
  if (totalLines === 0) return ['the file is empty'];
  const last = first + lines.length - 1;
  const notes: string[] = [];
  if (cut.length > 0) {
    const which = cut.length > 5 ? `${cut.slice(0, 5).join(', ')}, …` : cut.join(', ');
    notes.push(`${cut.length === 1 ? 'line' : 'lines'} ${which} cut after ${maxLineLength} characters`);
  }
  if (last < totalLines) {
    const why = full === 'bound-reached' ? ` (the limit is ${byteSize(answerBytes)})` : '';
    notes.push(`lines ${first} to ${last} of ${totalLines}${why}; continue with offset ${last + 1}`);
  }
  return notes;
}

const stoppedFault = (shown: string): Fault => rejected(`Reading ${shown} was stopped.`);

/** Yields the content of an open file. Ends early if aborted. */
export async function* readChunks(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer, undefined> {
  while (!signal.aborted) {
    const {bytesRead, buffer} = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* hashChunks(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer, undefined> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

/** True if more than a third of the bytes are not UTF-8. */
function isBinary(start: Buffer): boolean {
  const text = new TextDecoder('utf-8').decode(start, {stream: true});
  const broken = text.split('\ufffd').length - 1;
  return broken * 3 > start.length;
}

/** A longer line (UTF-16 units) is cut. */
const maxLineLength = 2000;

interface CollectedLines {
  readonly lines: readonly string[];
  readonly totalLines: number;
  readonly cut: readonly number[];
  readonly full: 'within-bound' | 'bound-reached';
}

/** Collects lines `first` to `first + limit - 1` (1-based) of text that arrives in chunks, and counts all lines. */
function collectLines(range: {readonly first: number; readonly limit: number}) {
  const lines: string[] = [];
  const cut: number[] = [];
  let bytes = 0;
  let full = false;
  let number = 1;
  let line = '';
  let lineLength = 0;

  const wanted = (): boolean => !full && number >= range.first && number < range.first + range.limit;

  function grow(part: string): void {
    lineLength += part.length;
    // A little more than is shown, so that a two-character line ending is seen whole.
    if (wanted() && line.length <= maxLineLength + 1) line += part.slice(0, maxLineLength + 2 - line.length);
  }

  function endLine(): void {
    if (wanted()) {
      const bare = line.endsWith('\r') && line.length === lineLength ? line.slice(0, -1) : line;
      const shown = clip(bare, maxLineLength);
      bytes += Buffer.byteLength(shown) + 1;
      if (bytes > answerBytes && lines.length > 0) {
        full = true;
      } else {
        lines.push(shown);
        if (shown !== bare) cut.push(number);
      }
    }
    number += 1;
    line = '';
    lineLength = 0;
  }

  return {
    add(text: string): void {
      let start = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
        grow(text.slice(start, end));
        endLine();
        start = end + 1;
      }
      if (start < text.length) grow(text.slice(start));
    },
    end(): CollectedLines {
      if (lineLength > 0) endLine();
      return {lines, totalLines: number - 1, cut, full: full ? 'bound-reached' : 'within-bound'};
    },
  };
}

/**
 * Returns the cells of a Jupyter notebook as text, each under a heading, with the text of its outputs. Returns `undefined` if the JSON is
 * not a notebook.
 */
function notebookText(json: string): string | undefined {
  const parsed = notebook.safeParse(tryParse(json));
  if (!parsed.success) return undefined;
  const cells = parsed.data.cells.map((cell, at) => cellText(cell, at + 1));
  return cells.length === 0 ? '(a notebook without cells)\n' : cells.join('\n');
}

const lines = z.union([z.string(), z.array(z.string())]);

const output = z.looseObject({
  text: z.optional(lines),
  ename: z.optional(z.string()),
  evalue: z.optional(z.string()),
  data: z.optional(z.record(z.string(), z.unknown())),
});

const cell = z.looseObject({
  cell_type: z.string(),
  id: z.optional(z.string()),
  source: lines,
  outputs: z.optional(z.array(output)),
});

const notebook = z.looseObject({cells: z.array(cell)});

function cellText({cell_type, id, source, outputs}: z.infer<typeof cell>, number: number): string {
  const name = id === undefined ? '' : `, id ${id}`;
  const shown = (outputs ?? []).map(outputText).filter(text => text !== '');
  return [
    `=== cell ${number} (${cell_type}${name})`,
    joinLines(source),
    ...shown.map(text => `--- output\n${text}`),
    '',
  ]
    .join('\n')
    .replaceAll(/\n{3,}$/gu, '\n\n');
}

function outputText({text, ename, evalue, data}: z.infer<typeof output>): string {
  if (text !== undefined) return joinLines(text).trimEnd();
  if (ename !== undefined) return `${ename}: ${evalue ?? ''}`;
  const plain = lines.safeParse(data?.['text/plain']);
  const pictures = Object.keys(data ?? {}).filter(type => type.startsWith('image/'));
  return [...(plain.success ? [joinLines(plain.data).trimEnd()] : []), ...pictures.map(type => `[${type}]`)].join('\n');
}

const joinLines = (text: string | readonly string[]): string => (typeof text === 'string' ? text : text.join(''));

const tryParse = (json: string): unknown => tryOr(() => JSON.parse(json), undefined);

/** The maximum number of bytes to which one compressed part may grow. */
const maxInflatedBytes = 10_000_000;

/** Returns the number of pages of a PDF, or `undefined` if it can't be read, as in an encrypted file. */
function countPdfPages(bytes: Buffer): number | undefined {
  const parts = [bytes.toString('latin1'), ...objectStreams(bytes)];
  const pages = parts.reduce((sum, part) => sum + (part.match(/\/Type\s*\/Page(?![A-Za-z])/gu)?.length ?? 0), 0);
  return pages === 0 ? undefined : pages;
}

/** Returns the object streams of a newer PDF, decompressed. */
function objectStreams(bytes: Buffer): readonly string[] {
  const text = bytes.toString('latin1');
  const found: string[] = [];
  for (const match of text.matchAll(/\/Type\s*\/ObjStm/gu)) {
    const start = text.indexOf('stream', match.index);
    const end = text.indexOf('endstream', start);
    if (start < 0 || end < 0) break;
    const first = start + 'stream'.length + (text[start + 6] === '\r' ? 2 : 1);
    try {
      found.push(inflateSync(bytes.subarray(first, end), {maxOutputLength: maxInflatedBytes}).toString('latin1'));
    } catch {
      // Encrypted, or compressed in an unknown way: its pages are not counted.
    }
  }
  return found;
}
