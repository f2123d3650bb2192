import {parentPort, Worker, workerData} from 'node:worker_threads';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';

const maxPages = 200;

/** The maximum number of UTF-16 units of text to return. */
const maxText = 10_000_000;

interface PdfText {
  readonly text: string;
  readonly notes: readonly string[];
}

/** How much the process may grow while a PDF is read, in bytes, and how often weft checks, in milliseconds. */
const maxGrowth = 1024 * 1024 * 1024;
const memoryCheckMs = 200;

/**
 * Returns the text of a PDF, page by page. Reads it in its own thread, because a few bytes of a PDF may unpack to any
 * size and only a thread can be stopped. The thread ends with the signal, or if it needs too much memory.
 */
export async function pdfText(bytes: Uint8Array, signal: AbortSignal): Promise<Outcome<PdfText, string>> {
  const {promise, resolve} = Promise.withResolvers<Outcome<PdfText, string>>();
  const copy = new Uint8Array(bytes);
  const worker = new Worker(new URL(import.meta.url), {
    workerData: {[taskKey]: copy},
    transferList: [copy.buffer],
    resourceLimits: {maxOldGenerationSizeMb: 512},
  });
  const before = process.memoryUsage.rss();
  const memoryCheck = setInterval(() => {
    if (process.memoryUsage.rss() - before > maxGrowth) resolve(failed('it needs too much memory'));
  }, memoryCheckMs);
  const abort = (): void => resolve(failed('it could not be read in time'));
  signal.addEventListener('abort', abort, {once: true});
  worker.once('message', resolve);
  worker.once('error', cause => resolve(failed(causeText(cause))));
  worker.once('exit', () => resolve(failed('the thread that reads it ended')));
  if (signal.aborted) abort();
  try {
    return await promise;
  } finally {
    clearInterval(memoryCheck);
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

/** The key under which the thread receives the bytes. */
const taskKey = 'weft-pdf-text';

const data: unknown = workerData;
const given = typeof data === 'object' && data !== null && taskKey in data ? data[taskKey] : undefined;
// oxlint-disable-next-line require-post-message-target-origin -- between threads there is no origin
if (given instanceof Uint8Array) void read(given).then(found => parentPort?.postMessage(found));

async function read(bytes: Uint8Array): Promise<Outcome<PdfText, string>> {
  try {
    const {getDocumentProxy} = await import('unpdf');
    const document = await getDocumentProxy(bytes, {verbosity: 0});
    const count = Math.min(document.numPages, maxPages);
    const pages: string[] = [];
    for (let number = 1; number <= count; number += 1) {
      const {items} = await (await document.getPage(number)).getTextContent();
      const text = items.map(item => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
      pages.push(`[page ${number}]\n${text.trim()}`);
    }
    const notes = document.numPages > count ? [`the first ${count} of ${document.numPages} pages`] : [];
    return ok({text: pages.join('\n\n').slice(0, maxText), notes});
  } catch (cause) {
    return failed(causeText(cause).slice(0, 200));
  }
}
