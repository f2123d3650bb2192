import {visible} from '../../../base/visible.ts';
import {unreachable} from '../../../base/unreachable.ts';
import {type CompactionPreview, estimateTokens} from '../../../domain/compaction.ts';
import type {CompactionOffer} from '../../../actions/agent-event.ts';
import type {CompactionAnswer} from '../../../agent/client.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import type {Effect, ShownOffer} from '../effect.ts';
import {closePanel, isCloseKey, isConfirmKey, type PanelStep} from './picker.ts';

/** The compaction panel: a wait while the model writes the summary, then a preview for the user to confirm. */
export type CompactPanel =
  | {readonly panel: 'compact'; readonly stage: 'summary-awaited'; readonly estimate: string}
  | {
      readonly panel: 'compact';
      readonly stage: 'confirm';
      readonly preview: CompactionPreview;
      readonly top: number;
      readonly offer: ShownOffer | 'none';
    };

/** The panel while the model writes the summary. If the user stops it, the next panel offers to compact without a summary. */
export const summaryAwaited = (estimate: string): CompactPanel => ({
  panel: 'compact',
  stage: 'summary-awaited',
  estimate,
});

export const compactPreview = (preview: CompactionPreview, offer: ShownOffer | 'none' = 'none'): CompactPanel => ({
  panel: 'compact',
  stage: 'confirm',
  preview,
  top: 0,
  offer,
});

/** Returns the preview with the summary that the user rewrote. An empty text leaves the summary unchanged. */
export function rewrittenSummary(preview: CompactionPreview, text: string, offer: ShownOffer | 'none'): CompactPanel {
  const summary = text.trim();
  if (summary === '') return compactPreview(preview, offer);
  const after = preview.tokens.after + estimateTokens(summary) - estimateTokens(preview.summary);
  return compactPreview({...preview, summary, tokens: {...preview.tokens, after}}, offer);
}

export const summaryLines = ({summary}: CompactionPreview): readonly string[] =>
  summary === '' ? [] : visible(summary).split('\n');

/** Compacts, and always does so from now on. */
export const alwaysKey = 'a';

const answerOffer = (offer: ShownOffer | 'none', answer: CompactionAnswer): readonly Effect[] =>
  offer === 'none' ? [] : [{do: 'op', op: {op: 'answer-compaction', id: offer.id, answer}}];

/** Opens the panel of an offered compaction as soon as no other panel is open, and closes it once the offer is answered. */
export function withOffer<Open extends {readonly panel: string}>(
  panel: Open | CompactPanel | 'none',
  offer: CompactionOffer | 'none',
  since: number,
): Open | CompactPanel | 'none' {
  if (panel === 'none')
    return offer === 'none' ? panel : compactPreview(offer.preview, {id: offer.id, reason: offer.reason, since});
  const shown = offerIn(panel);
  return shown !== 'none' && (offer === 'none' || offer.id !== shown.id) ? 'none' : panel;
}

export const offerIn = (panel: {readonly panel: string} | CompactPanel | 'none'): ShownOffer | 'none' =>
  panel !== 'none' && 'offer' in panel ? panel.offer : 'none';

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
      const {preview, top, offer} = panel;
      if (isCloseKey(key)) return closePanel(...answerOffer(offer, {kind: 'stop'}));
      if (key.kind === 'key' && (key.name === 'up' || key.name === 'down')) {
        const last = Math.max(0, summaryLines(preview).length - 1);
        return {panel: {...panel, top: Math.max(0, Math.min(last, top + (key.name === 'up' ? -1 : 1)))}, effects: []};
      }
      if (batchPosition === 'following') return {panel, effects: []};
      const {summary} = preview;
      if (offer !== 'none' && key.kind === 'text' && key.text === alwaysKey) {
        const request = {query: 'change-setting', name: 'compaction', value: 'auto'} as const;
        return closePanel(...answerOffer(offer, {kind: 'always', summary}), {do: 'query', request});
      }
      if (isConfirmKey(key) && offer !== 'none') return closePanel(...answerOffer(offer, {kind: 'compact', summary}));
      if (isConfirmKey(key)) {
        return closePanel({do: 'query', request: {query: 'compact', preview: preview.id, summary: preview.summary}});
      }
      const edits = key.kind === 'text' && key.text === 'e' && preview.way === 'summary';
      return {panel, effects: edits ? [{do: 'edit-externally', what: {kind: 'summary', preview, offer}}] : []};
    }
    default:
      return unreachable(panel);
  }
}
