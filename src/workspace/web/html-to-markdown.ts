import {existsSync, readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {setImmediate as nextTurn} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {initSync, MarkdownStream} from 'mdream/wasm';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';

/** UTF-16 units that are converted before others get a turn. */
const pieceLength = 256 * 1024;

/** Elements that are no text of the page. */
const leftOut =
  'nav footer aside form fieldset button input select textarea iframe object embed svg template dialog'.split(' ');

/**
 * HTML as markdown, without navigation, forms, scripts and what is hidden by its attributes; links are made absolute. What only a style
 * sheet hides is text like any other.
 */
export async function htmlToMarkdown(html: string, url: string, signal: AbortSignal): Promise<Outcome<string, string>> {
  try {
    load();
    const stream = new MarkdownStream({
      origin: new URL('.', url).href,
      // `tailwind` leaves out what a class of that name hides.
      plugins: {tailwind: true, filter: {exclude: leftOut}},
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
    // What broke may have left its memory in any state.
    isLoaded = false;
    return failed(causeText(cause));
  }
}

/** Pictures that stand in the page itself. No bracket inside: a search for the closing one would begin anew at each that opens. */
const dataUrls = /\(<?data:[^()\s]*\)/giu;

let isLoaded = false;

/** The WebAssembly lies beside the built program, or in its package where the sources run. */
function load(): void {
  if (isLoaded) return;
  const name = 'mdream_edge_bg.wasm';
  const beside = fileURLToPath(new URL(`../web/${name}`, import.meta.url));
  const place = existsSync(beside) ? beside : createRequire(import.meta.url).resolve(`mdream/wasm/${name}`);
  initSync({module: new WebAssembly.Module(readFileSync(place))});
  isLoaded = true;
}
