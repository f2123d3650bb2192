import type {AgentEvent} from '../../actions/agent-event.ts';
import {compactPreview, summaryAwaited} from '../panels/compact-panel.ts';
import type {Ui} from './ui.ts';

/** What the engine tells of compacting opens the next step. Whoever has closed the panel meanwhile wants none. */
export function followCompaction(ui: Ui, event: AgentEvent): Ui {
  switch (event.event) {
    case 'compaction-begun':
      return {...ui, panel: summaryAwaited};
    case 'compaction-previewed':
      return ui.panel === summaryAwaited ? {...ui, panel: compactPreview(event.preview)} : ui;
    case 'compaction-refused':
    case 'session-opened':
      return ui.panel === summaryAwaited ? {...ui, panel: 'none'} : ui;
    default:
      return ui;
  }
}
