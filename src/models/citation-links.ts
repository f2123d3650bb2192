import {clip, collapseSpaces} from '../base/clip.ts';
import type {JsonObject} from '../base/json.ts';
import {withoutInvisible} from '../base/visible.ts';

/** Citations of one text that are kept. */
export const mostCitations = 500;
/** Links that are shown for them, and characters of a title. */
const mostLinks = 10;
const longestTitle = 120;

/**
 * The pages that `text` refers to, to be put behind it, so that every front end shows them; those that it links itself are left out.
 * Empty for none.
 */
export function linksTo(citations: readonly JsonObject[], text: string): string {
  const links = new Map<string, string>();
  for (const citation of citations) {
    const given = textIn(citation, 'url');
    const url = URL.parse(given);
    if (url === null || !/^https?:$/u.test(url.protocol) || links.size === mostLinks) continue;
    if (text.includes(`](${given})`)) continue;
    const address = url.href.replaceAll('(', '%28').replaceAll(')', '%29');
    const title = collapseSpaces(withoutInvisible(textIn(citation, 'title'))).replaceAll(/[[\]\\]/gu, '');
    if (!links.has(address)) links.set(address, title === '' ? url.host : clip(title, longestTitle));
  }
  const shown = [...links].map(([address, title]) => `[${title}](${address})`);
  return shown.length === 0 ? '' : ` (${shown.join(', ')})`;
}

function textIn(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}
