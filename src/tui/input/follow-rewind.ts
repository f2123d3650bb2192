import type {AgentEvent} from '../../actions/agent-event.ts';
import {draftOf, isEmptyDraft} from './draft.ts';
import {openRewind} from './rewind-picker.ts';
import type {Ui} from './ui.ts';

/** What the engine tells of going back opens the next step; a prompt that was taken back comes back as the draft. */
export function followRewind(ui: Ui, event: AgentEvent): Ui {
  switch (event.event) {
    case 'rewind-points':
      return event.points.length === 0 ? ui : {...ui, picker: {kind: 'rewind', picker: openRewind(event.points)}};
    case 'rewind-previewed': {
      const {target, report} = event;
      return {...ui, picker: {kind: 'rewind', picker: {stage: 'confirm', target, report}}};
    }
    case 'rewound': {
      const {kind, prompts, prompt} = event.report;
      return kind === 'rewind' && prompts > 0 && isEmptyDraft(ui.draft) ? {...ui, draft: draftOf(prompt)} : ui;
    }
    default:
      return ui;
  }
}
