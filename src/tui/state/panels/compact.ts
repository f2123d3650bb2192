import {visible} from '../../../base/visible.ts';
import {unreachable} from '../../../base/unreachable.ts';
import {type CompactionPreview, estimateTokens} from '../../../domain/compaction.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {closePanel, isCloseKey, isConfirmKey, type PanelStep} from './picker.ts';

/** The compaction panel: a wait while the model writes the summary, then a preview for the user to confirm. */
export type CompactPanel =
  | {readonly panel: 'compact'; readonly stage: 'summary-awaited'}
  | {
      readonly panel: 'compact';
      readonly stage: 'confirm';
      readonly preview: CompactionPreview;
      readonly top: number;
    };

/** The panel while the model writes the summary. If the user stops it, the next panel offers to compact without a summary. */
export const summaryAwaited: CompactPanel = {panel: 'compact', stage: 'summary-awaited'};

export const compactPreview = (preview: CompactionPreview): CompactPanel => ({
  panel: 'compact',
  stage: 'confirm',
  preview,
  top: 0,
});

/** Returns the preview with the summary that the user rewrote. An empty text leaves the summary unchanged. */
export function rewrittenSummary(preview: CompactionPreview, text: string): CompactPanel {
  const summary = text.trim();
  if (summary === '') return compactPreview(preview);
  const after = preview.tokens.after + estimateTokens(summary) - estimateTokens(preview.summary);
  return compactPreview({...preview, summary, tokens: {...preview.tokens, after}});
}

export const summaryLines = ({summary}: CompactionPreview): readonly string[] =>
  summary === '' ? [] : visible(summary).split('\n');

/** Handles a press. A `following` press arrived in the same chunk as earlier ones and never confirms anything. */
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
      if (isConfirmKey(key)) {
        return closePanel({do: 'query', request: {query: 'compact', preview: preview.id, summary: preview.summary}});
      }
      const edits = key.kind === 'text' && key.text === 'e' && preview.way === 'summary';
      return {panel, effects: edits ? [{do: 'edit-externally', what: {kind: 'summary', preview}}] : []};
    }
    default:
      return unreachable(panel);
  }
}
