import type {Outcome} from '../../base/outcome.ts';
import type {CompactionPreview} from '../../domain/compaction.ts';
import {rewritten} from '../input/editing.ts';
import type {ProposalEnd, ProposalWork} from '../input/approval/proposal-work.ts';
import {returned} from '../input/approval/revision.ts';
import type {Ui} from '../input/ui.ts';
import {rewrittenSummary} from '../panels/compact-panel.ts';
import {told} from '../state/reduce.ts';
import type {View} from '../state/view.ts';

/** What the user's editor was for, and what came of it. */
export type EditorEnd =
  | {readonly of: 'draft'; readonly outcome: Outcome<string, string>}
  | {readonly of: 'summary'; readonly preview: CompactionPreview; readonly outcome: Outcome<string, string>}
  | {readonly of: 'proposal'; readonly work: ProposalWork; readonly end: ProposalEnd};

export interface Screen {
  readonly ui: Ui;
  readonly view: View;
}

/** The user is back from the editor; `now` in milliseconds, as in `Ui`. */
export function editorLeft({ui, view}: Screen, left: EditorEnd, now: number): Screen {
  if (left.of === 'draft') {
    const {outcome} = left;
    return outcome.tag === 'ok'
      ? {ui: rewritten(ui, outcome.value), view}
      : {ui, view: told(view, 'warning', outcome.error)};
  }
  if (left.of === 'summary') {
    const {outcome, preview} = left;
    return outcome.tag === 'ok'
      ? {ui: {...ui, panel: rewrittenSummary(preview, outcome.value)}, view}
      : {ui, view: told(view, 'warning', outcome.error)};
  }
  const {work, end} = left;
  const approval = view.approvals.find(({id}) => id === work.id);
  if (approval === undefined) return {ui, view};
  return {
    ui: returned(ui, {id: work.id, approval, end, now}),
    view: end.kind === 'failed' ? told(view, 'warning', end.message) : view,
  };
}
