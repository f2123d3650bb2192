import type {AgentEvent} from '../../actions/agent-event.ts';
import {draftOf, isEmptyDraft} from './draft.ts';
import {followCompaction} from './follow-compaction.ts';
import {rewindPanel, rewindPreview} from '../panels/rewind-panel.ts';
import type {Ui} from './ui.ts';

/** What the engine tells of going back, or of compacting, opens the next step; a prompt that was taken back comes back as the draft. */
export function followRewind(ui: Ui, event: AgentEvent): Ui {
  switch (event.event) {
    case 'rewind-points':
      return event.points.length === 0 ? ui : {...ui, panel: rewindPanel(event.points)};
    case 'rewind-previewed':
      return {...ui, panel: rewindPreview(event.target, event.report)};
    case 'rewound': {
      const {kind, prompts, prompt} = event.report;
      return kind === 'rewind' && prompts > 0 && isEmptyDraft(ui.draft) ? {...ui, draft: draftOf(prompt)} : ui;
    }
    default:
      return followCompaction(ui, event);
  }
}
