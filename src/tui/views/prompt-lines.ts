import {visible} from '../../base/visible.ts';
import {wrapSpans, type Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';

/** A prompt of more rows than this is folded to its first and last ones. */
const mostRows = 20;
const firstRows = 12;
const lastRows = 4;

/** A prompt as the user wrote it; a long one, such as a file that was pasted, folded to how it begins and ends. */
export function promptLines(text: string, extent: 'folded' | 'whole', frame: Frame): readonly string[] {
  if (extent === 'whole' || !isLong(text, frame)) return rowsOf(text, glyphs.prompt, frame);
  // What is left out is not laid out either: a paste may have megabytes.
  const enough = mostRows * frame.width * longestGrapheme;
  const first = rowsOf(text.slice(0, enough), glyphs.prompt, frame).slice(0, firstRows);
  const last = rowsOf(text.slice(-enough), ' ', frame).slice(-lastRows);
  return [...first, frame.theme.paint(['dim'], `  … ${sizeText(text)}; Ctrl+O shows all`), ...last];
}

/** Whether the prompt has more rows than are shown of a folded one. */
export function isLong(text: string, frame: Frame): boolean {
  const start = text.slice(0, (mostRows + 1) * frame.width * longestGrapheme);
  return rowsOf(start, glyphs.prompt, frame).length > mostRows;
}

/** UTF-16 units that a cell may need; with more, a few rows fewer are shown. */
const longestGrapheme = 8;

const rowsOf = (text: string, sign: string, frame: Frame): readonly string[] =>
  wrapSpans([{text: visible(text), roles: ['bold']}], frame, {first: `${sign} `, rest: '  ', roles: ['accent']});

function sizeText(text: string): string {
  const lines = text.trimEnd().split('\n').length;
  return lines > mostRows ? `${lines} lines in all` : `${text.length} characters in all`;
}
