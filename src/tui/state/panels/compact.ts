import {visible} from '../../../base/visible.ts';
import {unreachable} from '../../../base/unreachable.ts';
import {type CompactionPreview, estimateTokens} from '../../../domain/compaction.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {closePanel, isCloseKey, isYes, type PanelStep} from './picker.ts';

/** A compaction: while the model writes the summary, and its preview for the user to confirm. */
export type CompactPanel =
  | {readonly panel: 'compact'; readonly stage: 'summary-awaited'}
  | {
      readonly panel: 'compact';
      readonly stage: 'confirm';
      readonly preview: CompactionPreview;
      readonly top: number;
    };

/** If the user stops the summary, the next panel offers to compact without one. */
export const summaryAwaited: CompactPanel = {panel: 'compact', stage: 'summary-awaited'};

export const compactPreview = (preview: CompactionPreview): CompactPanel => ({
  panel: 'compact',
  stage: 'confirm',
  preview,
  top: 0,
});

/** The preview with the summary as the user rewrote it; an empty text leaves the summary unchanged. */
export function rewrittenSummary(preview: CompactionPreview, text: string): CompactPanel {
  const summary = text.trim();
  if (summary === '') return compactPreview(preview);
  const after = preview.tokens.after + estimateTokens(summary) - estimateTokens(preview.summary);
  return compactPreview({...preview, summary, tokens: {...preview.tokens, after}});
}

export const summaryLines = ({summary}: CompactionPreview): readonly string[] =>
  summary === '' ? [] : visible(summary).split('\n');

/** A `following` press arrived in one chunk with earlier ones, and never confirms anything. */
export function pressCompact(
  panel: CompactPanel,
  key: KeyPress,
  batchPosition: 'first' | 'following',
): PanelStep<CompactPanel> {
  switch (panel.stage) {
    case 'summary-awaited':
      return {panel, effects: isCloseKey(key) ? [{do: 'op', op: {op: 'interrupt'}}] : []};
    case 'confirm': {
      if (isCloseKey(key)) return closePanel();
      const {preview, top} = panel;
      if (key.kind === 'key' && (key.name === 'up' || key.name === 'down')) {
        const last = Math.max(0, summaryLines(preview).length - 1);
        return {panel: {...panel, top: Math.max(0, Math.min(last, top + (key.name === 'up' ? -1 : 1)))}, effects: []};
      }
      if (batchPosition === 'following') return {panel, effects: []};
      if (isYes(key)) {
        return closePanel({do: 'query', request: {query: 'compact', preview: preview.id, summary: preview.summary}});
      }
      const edits = key.kind === 'text' && key.text === 'e' && preview.way === 'summary';
      return {panel, effects: edits ? [{do: 'edit-outside', what: {kind: 'summary', preview}}] : []};
    }
    default:
      return unreachable(panel);
  }
}
