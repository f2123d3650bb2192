import {existsSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {setImmediate as nextTurn} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {brotliDecompressSync} from 'node:zlib';
import {initSync, MarkdownStream} from 'mdream/wasm';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';

/** UTF-16 units to convert before yielding to the event loop. */
const pieceLength = 256 * 1024;

/** Elements that are not part of a page's text. */
const excludedElements =
  'nav footer aside form fieldset button input select textarea iframe object embed svg template dialog'.split(' ');

/**
 * Converts HTML to markdown, without navigation, forms, scripts and elements that their attributes hide. Makes links
 * absolute. Text that only a style sheet hides is kept.
 */
export async function htmlToMarkdown(html: string, url: string, signal: AbortSignal): Promise<Outcome<string, string>> {
  try {
    load();
    const stream = new MarkdownStream({
      origin: new URL('.', url).href,
      // `tailwind` drops elements that a Tailwind class hides.
      plugins: {tailwind: true, filter: {exclude: excludedElements}},
      clean: {emptyLinks: true, redundantLinks: true, selfLinkHeadings: true, emptyImages: true, emptyLinkText: true},
      cleanUrls: true,
    });
    const parts: string[] = [];
    for (let at = 0; at < html.length; at += pieceLength) {
      if (at > 0) {
        await nextTurn();
        if (signal.aborted) return failed('stopped');
      }
      parts.push(stream.processChunk(html.slice(at, at + pieceLength)));
    }
    parts.push(stream.finish());
    return ok(parts.join('').replaceAll(dataUrls, '(data:…)').trim());
  } catch (cause) {
    // The failure may have left the module's memory in any state.
    isLoaded = false;
    return failed(causeText(cause));
  }
}

/** Embedded images. The pattern excludes brackets; otherwise each opening bracket would start a new search for a closing one. */
const dataUrls = /\(<?data:[^()\s]*\)/giu;

let isLoaded = false;

/** Loads the WebAssembly module. It is compressed, beside the built program, or in its package if weft runs from source. */
function load(): void {
  if (isLoaded) return;
  const name = 'mdream_edge_bg.wasm';
  const beside = fileURLToPath(new URL(`../web/${name}.br`, import.meta.url));
  const bytes = existsSync(beside)
    ? brotliDecompressSync(readFileSync(beside))
    : readFileSync(createRequire(import.meta.url).resolve(`mdream/wasm/${name}`));
  initSync({module: new WebAssembly.Module(bytes)});
  isLoaded = true;
}
