import {visibleLine} from '../../base/visible.ts';
import {draftOf, edited, emptyDraft, expanded, pasted, typed, type Draft} from '../input/draft.ts';
import type {KeyPress} from '../input/keymap.ts';
import {cellWidth, fit, graphemes} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Placed} from '../views/composer-view.ts';
import {
  closed,
  firstShown,
  goOn,
  isWayOut,
  keysRow,
  steppedRow,
  titleRow,
  type Panel,
  type PanelPlace,
  type PanelStep,
} from './panel.ts';

/** Earlier prompts, the latest first and none twice; what is typed narrows them to those that hold all of its words. */
export function historyPanel(prompts: readonly string[], draft: string): Panel {
  const latest = [...new Set(prompts.toReversed())];
  return narrowed(latest, draft.includes('\n') ? emptyDraft : draftOf(draft.trim()));
}

interface HistoryList {
  readonly prompts: readonly string[];
  readonly matching: readonly string[];
  readonly row: number;
  readonly sought: Draft;
}

const panelOf = (list: HistoryList): Panel => ({
  press: key => press(list, key),
  lines: place => lines(list, place),
});

/** Letters in capitals mean themselves, small ones both. */
function narrowed(prompts: readonly string[], sought: Draft): Panel {
  const words = wordsOf(sought);
  const matching = prompts.filter(prompt => words.every(word => foundIn(prompt, word) >= 0));
  return panelOf({prompts, matching, row: 0, sought});
}

const wordsOf = (sought: Draft): readonly string[] =>
  expanded(sought)
    .split(/\s+/u)
    .filter(word => word !== '');

const foundIn = (text: string, word: string): number =>
  word === word.toLowerCase() ? text.toLowerCase().indexOf(word) : text.indexOf(word);

/** The key that opened the list goes to the next older one. */
function press(list: HistoryList, key: KeyPress): PanelStep {
  if (isWayOut(key)) return closed();
  const {prompts, matching, sought} = list;
  if (key.kind === 'text') return goOn(narrowed(prompts, typed(sought, key.text.replaceAll('\n', ' '))));
  if (key.kind === 'paste') return goOn(narrowed(prompts, pasted(sought, key.text.replaceAll(/\s+/gu, ' '))));
  const next = key.name === 'search-history' ? {...key, name: 'down' as const} : key;
  const row = steppedRow(next, {row: list.row, count: matching.length});
  if (row !== undefined) return goOn(panelOf({...list, row}));
  if (key.name === 'enter') {
    const prompt = matching[list.row];
    return prompt === undefined ? goOn(panelOf(list)) : closed({do: 'write', text: prompt});
  }
  const draft = key.name === 'newline' ? undefined : edited(sought, key.name);
  if (draft === undefined) return goOn(panelOf(list));
  const isSame = draft.buffer.text === sought.buffer.text;
  return goOn(isSame ? panelOf({...list, sought: draft}) : narrowed(prompts, draft));
}

/** Prompts shown at once. */
const mostShown = 10;

function lines({matching, row, sought}: HistoryList, {rows, frame}: PanelPlace): Placed {
  const room = Math.max(1, Math.min(mostShown, rows - 2));
  const top = firstShown({row, count: matching.length, room});
  const before = `Earlier prompts ${glyphs.prompt} `;
  const {text, cursor} = sought.buffer;
  const words = wordsOf(sought);
  const shown = matching
    .slice(top, top + room)
    .map((prompt, at) => promptRow(prompt, {words, frame, state: top + at === row ? 'chosen' : 'other'}));
  const none = [frame.theme.paint(['dim'], '  no earlier prompt has that')];
  const keys = ['Enter takes it', 'type to search', 'Ctrl+R goes on', 'Esc goes back'];
  return {
    lines: [
      titleRow(before + visibleLine(text), frame),
      ...(matching.length === 0 ? none : shown),
      keysRow([...keys, `${matching.length} found`], frame),
    ],
    cursor: {x: Math.min(frame.width - 1, cellWidth(before + visibleLine(text.slice(0, cursor)))), y: 0},
  };
}

/** One line of a prompt, from near the first thing that was sought on; what was sought stands out. */
function promptRow(
  prompt: string,
  {words, frame, state}: {readonly words: readonly string[]; readonly frame: Frame; readonly state: 'chosen' | 'other'},
): string {
  const {theme} = frame;
  const room = Math.max(1, frame.width - 2);
  const line = visibleLine(prompt.slice(0, longestShown));
  const first = Math.min(...words.map(word => foundIn(line, word)).map(at => (at < 0 ? Infinity : at)));
  const skipped = first !== Infinity && cellWidth(line.slice(0, first)) > room - 12 ? first - 10 : 0;
  const text = fit(skipped > 0 ? `…${fromGrapheme(line, skipped)}` : line, room);
  const sign = state === 'chosen' ? theme.paint(['accent'], glyphs.pointer) : ' ';
  return `${sign} ${highlighted(text, words)
    .map(({part, found}) => {
      if (found) return theme.paint(['bold', 'accent'], part);
      return state === 'chosen' ? theme.paint(['accent'], part) : part;
    })
    .join('')}`;
}

const longestShown = 5000;

/** The text from a place on, without the rest of a character that the place splits. */
function fromGrapheme(text: string, at: number): string {
  let place = 0;
  for (const grapheme of graphemes(text)) {
    if (place >= at) break;
    place += grapheme.length;
  }
  return text.slice(place);
}

function highlighted(
  text: string,
  words: readonly string[],
): readonly {readonly part: string; readonly found: boolean}[] {
  const parts: {part: string; found: boolean}[] = [];
  let from = 0;
  while (from < text.length) {
    let next = {at: text.length, length: 0};
    for (const word of words) {
      const at = foundIn(text.slice(from), word);
      if (at >= 0 && (from + at < next.at || (from + at === next.at && word.length > next.length))) {
        next = {at: from + at, length: word.length};
      }
    }
    if (next.at > from) parts.push({part: text.slice(from, next.at), found: false});
    if (next.length > 0) parts.push({part: text.slice(next.at, next.at + next.length), found: true});
    from = next.at + next.length;
  }
  return parts;
}
