import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';

/** Pages of a PDF that are read. */
const mostPages = 200;

/** The text of a PDF, page by page. Loads what reads PDFs. */
export async function pdfText(
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<Outcome<{readonly text: string; readonly notes: readonly string[]}, string>> {
  try {
    const {getDocumentProxy} = await import('unpdf');
    const document = await getDocumentProxy(new Uint8Array(bytes), {verbosity: 0});
    try {
      const count = Math.min(document.numPages, mostPages);
      const pages: string[] = [];
      for (let number = 1; number <= count; number += 1) {
        if (signal.aborted) return failed('stopped');
        // oxlint-disable-next-line no-await-in-loop -- one page after the other
        const {items} = await (await document.getPage(number)).getTextContent();
        const text = items.map(item => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
        pages.push(`[page ${number}]\n${text.trim()}`);
      }
      const notes = document.numPages > count ? [`the first ${count} of ${document.numPages} pages`] : [];
      return ok({text: pages.join('\n\n'), notes});
    } finally {
      await document.cleanup();
    }
  } catch (cause) {
    return failed(causeText(cause));
  }
}
