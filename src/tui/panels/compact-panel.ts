import {visible, visibleLine} from '../../base/visible.ts';
import {costText, partTexts, previewTitle, previewWarnings, undoText} from '../../domain/compaction-text.ts';
import {estimateTokens, type CompactionPreview, type CountedPart} from '../../domain/compaction.ts';
import type {KeyPress} from '../input/keymap.ts';
import {noIndent, wrapSpans, type Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Placed} from '../views/composer-view.ts';
import {closed, goOn, isWayOut, keysRow, titleRow, type Panel, type PanelPlace, type PanelStep} from './panel.ts';

/** While the model writes the summary. Stopping that leads to an offer without one. */
export const summaryAwaited: Panel = {
  press: key =>
    isWayOut(key) ? {panel: summaryAwaited, effects: [{do: 'op', op: {op: 'interrupt'}}]} : goOn(summaryAwaited),
  lines: ({frame}) => ({
    lines: [
      titleRow('Compact the conversation: the model writes a summary…', frame),
      keysRow(['Esc stops the summary'], frame),
    ],
    cursor: {x: 0, y: 1},
  }),
};

/** What compacting would do, to be agreed to. */
export const compactPreview = (preview: CompactionPreview): Panel => panelOf({preview, top: 0});

/** The same with the summary as the user has rewritten it; an empty one leaves it as it was. */
export function rewrittenSummary(preview: CompactionPreview, text: string): Panel {
  const summary = text.trim();
  if (summary === '') return compactPreview(preview);
  const after = preview.tokens.after + estimateTokens(summary) - estimateTokens(preview.summary);
  return compactPreview({...preview, summary, tokens: {...preview.tokens, after}});
}

interface Shown {
  readonly preview: CompactionPreview;
  /** The first row of the summary that is seen. */
  readonly top: number;
}

const panelOf = (shown: Shown): Panel => ({
  press: (key, {place, frame, rows}) => press(shown, key, {place, most: lastTop(shown, {frame, rows})}),
  lines: place => lines(shown, place),
});

/** `later` presses came in one piece with others, and such a piece never agrees to anything. */
function press(
  shown: Shown,
  key: KeyPress,
  {place, most}: {readonly place: 'first' | 'later'; readonly most: number},
): PanelStep {
  const {preview, top} = shown;
  if (isWayOut(key)) return closed();
  if (key.kind === 'key' && (key.name === 'up' || key.name === 'down')) {
    const next = Math.max(0, Math.min(most, top + (key.name === 'up' ? -1 : 1)));
    return goOn(panelOf({...shown, top: next}));
  }
  if (key.kind !== 'text' || place === 'later') return goOn(panelOf(shown));
  switch (key.text) {
    case 'y':
      return closed({do: 'op', op: {op: 'compact', preview: preview.id, summary: preview.summary}});
    case 'e':
      return preview.way === 'summary'
        ? {panel: panelOf(shown), effects: [{do: 'edit-outside', what: {kind: 'summary', preview}}]}
        : goOn(panelOf(shown));
    case 'n':
      return closed();
    default:
      return goOn(panelOf(shown));
  }
}

/** The card has the least rows that say it all; the rest is for the summary. */
function lines({preview, top}: Shown, {rows, frame}: Pick<PanelPlace, 'rows' | 'frame'>): Placed {
  const heading = headLines(preview, frame);
  const summary = summaryLines(preview, frame);
  const room = summaryRoom(heading, rows);
  // The screen may have grown since the last press.
  const first = Math.min(top, Math.max(0, summary.length - room));
  const seen = summary.slice(first, first + room);
  const more = summary.length - first - seen.length;
  const keys = [
    'y do it',
    'n leave it',
    ...(preview.way === 'summary' ? ['e edit'] : []),
    ...(summary.length > room ? [`Up/Down${more > 0 ? ` ${more} more` : ''}`] : []),
  ];
  const body = [...heading.slice(0, Math.max(1, rows - 1)), ...seen];
  return {lines: [...body, keysRow(keys, frame)], cursor: {x: 0, y: body.length}};
}

const summaryRoom = (heading: readonly string[], rows: number): number => Math.max(0, rows - heading.length - 1);

const lastTop = ({preview}: Shown, {frame, rows}: Pick<PanelPlace, 'rows' | 'frame'>): number =>
  Math.max(0, summaryLines(preview, frame).length - summaryRoom(headLines(preview, frame), rows));

function headLines(preview: CompactionPreview, frame: Frame): readonly string[] {
  const {kept, summarised, dropped, cost} = preview;
  return [
    ...paragraph(previewTitle(preview), 'bold', frame),
    ...previewWarnings(preview).flatMap(text => paragraph(visibleLine(text), 'warning', frame)),
    ...partsRow('kept', kept, frame),
    ...partsRow('summarised', summarised, frame),
    ...partsRow('dropped', dropped, frame),
    ...paragraph(`${costText(cost)} ${undoText}`.trim(), 'dim', frame),
  ];
}

const paragraph = (text: string, role: 'warning' | 'dim' | 'bold', frame: Frame): readonly string[] =>
  wrapSpans([{text, roles: [role]}], frame, {first: '', rest: '  ', roles: []});

const partsRow = (name: string, parts: readonly CountedPart[], frame: Frame): readonly string[] =>
  wrapSpans([{text: partTexts(parts).join(glyphs.between), roles: []}], frame, {
    first: name.padEnd(11),
    rest: ' '.repeat(11),
    roles: ['dim'],
  });

const summaryLines = ({summary}: CompactionPreview, frame: Frame): readonly string[] =>
  summary === '' ? [] : wrapSpans([{text: visible(summary), roles: []}], frame, noIndent);
