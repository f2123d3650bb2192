import {costText, partTexts, previewTitle, previewWarnings, undoText} from '../../domain/compaction-text.ts';
import type {CompactionPreview} from '../../domain/compaction.ts';
import {backs, closes, isBack, isNo, waits, type Dialogue, type DialogueStep} from './dialogue.ts';
import {spokenLine} from './plain-markdown.ts';

/** What compacting would do, to be agreed to. */
export const compactDialogue = (preview: CompactionPreview): Dialogue => ({
  lines: [
    previewTitle(preview),
    ...previewWarnings(preview).map(spokenLine),
    `Kept: ${partTexts(preview.kept).join('; ')}.`,
    `Summarised: ${partTexts(preview.summarised).join('; ')}.`,
    `Dropped: ${partTexts(preview.dropped).join('; ')}.`,
    ...(preview.summary === '' ? [] : ['The summary:', ...preview.summary.split('\n').map(spokenLine)]),
    `${costText(preview.cost)} ${undoText}`.trim(),
    how,
  ],
  answer(line): DialogueStep {
    if (line === '1') return closes({do: 'op', op: {op: 'compact', preview: preview.id, summary: preview.summary}});
    if (isBack(line) || isNo(line)) return backs('Everything is as it was.');
    return waits(`Nothing was done. ${how}`);
  },
});

const how = '1 do it, 0 leave everything as it is. Type a number and Enter.';
