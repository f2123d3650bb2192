import type {FileDiff} from '../../actions/preview.ts';
import {fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {countsText} from './diff-lines.ts';
import type {MarkdownLexer} from './render-markdown.ts';
import {itemsPanel, type TranscriptPanel} from './transcript-panel.ts';

/** A comparison of `/diff`. `summary` says how many files changed, or why there are none to show. */
export interface Comparison {
  readonly name: string;
  readonly summary: string;
  readonly files: readonly FileDiff[];
}

/** Opens a pager of changed files, at the comparison `at`. Its first line names all of them. Left and Right switch. */
export function diffPanel(
  comparisons: readonly Comparison[],
  {at, lexer, home}: {readonly at: number; readonly lexer: MarkdownLexer; readonly home: string},
): TranscriptPanel {
  const tabs = comparisons.map(({name, summary, files}) => {
    const items = [{kind: 'note', text: summary} as const, ...files.map(file => ({kind: 'file', file, home}) as const)];
    return {name, counts: files.length === 0 ? '' : countsText(files, ' '), panel: itemsPanel(items, lexer)};
  });
  return tabsPanel(tabs, at);
}

interface Tab {
  readonly name: string;
  /** The counts of added and removed lines. Empty if nothing changed. */
  readonly counts: string;
  readonly panel: TranscriptPanel;
}

function tabsPanel(tabs: readonly Tab[], at: number): TranscriptPanel {
  const tab = tabs[at];
  return {
    press(key, {rows, frame}) {
      if (tab === undefined) return 'closed';
      if (key.kind === 'key' && (key.name === 'left' || key.name === 'right'))
        return tabsPanel(tabs, (at + (key.name === 'left' ? -1 : 1) + tabs.length) % tabs.length);
      const panel = tab.panel.press(key, {rows: rows - 1, frame});
      return panel === 'closed' ? panel : tabsPanel(tabs.with(at, {...tab, panel}), at);
    },
    lines({rows, frame}) {
      if (tab === undefined) return {lines: [], cursor: {x: 0, y: 0}};
      const {lines, cursor} = tab.panel.lines({rows: rows - 1, frame});
      return {lines: [titleLine(tabs, tab, frame), ...lines], cursor: {...cursor, y: cursor.y + 1}};
    },
  };
}

/** Returns the names of all comparisons, or on a narrow screen the name of the shown one. */
function titleLine(tabs: readonly Tab[], shown: Tab, {theme, width}: Frame): string {
  const names = tabs.map(tab => (tab === shown ? `[${tab.name}${tab.counts}]` : tab.name)).join('  ');
  const title = names.length + 4 > width ? `[${shown.name}${shown.counts}]` : names;
  return theme.style(['bold'], fit(`${title}  ←→`, width));
}
