import type {DraftText} from '../../actions/files-port.ts';
import {type DroppedPart, type EditRequest, emptyUserChanges, type UserChanges} from '../../domain/file-edit.ts';
import {type AgentClient, answerOutcome} from '../../agent/client.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {type Fault, faultText} from '../../domain/fault.ts';
import type {ActionId} from '../../domain/ids.ts';
import {draftIn, type PlanDraft, planText} from '../../domain/plan.ts';
import {rewrittenSummary} from '../state/panels/compact.ts';
import {replaceFieldText} from '../editor/text-field.ts';
import type {TuiOptions} from '../options.ts';
import type {ExternalEdit, ProposalEdit, ProposalEditResult} from '../state/effect.ts';
import {afterProposalEdit} from '../state/press-approval.ts';
import {withNotice} from '../state/reduce.ts';
import type {Ui} from '../state/ui.ts';
import type {View} from '../state/view.ts';

/** Opens the proposed texts in the user's editor, one after another, and previews the resulting edit. Writes no files. */
async function editProposal(
  work: ProposalEdit,
  {engine, editor}: Pick<TuiOptions, 'engine' | 'editor'>,
  signal: AbortSignal,
): Promise<ProposalEditResult> {
  const {request} = work;
  const drafts = await draftsFor(work, engine, signal);
  if (drafts.tag === 'failed') return failedEdit(faultText(drafts.error));
  if (drafts.value.length === 0) return failedEdit('Nothing to edit: the files are deleted or not text.');
  const changed = new Map<string, string>();
  for (const draft of drafts.value) {
    const left = await editOne(draft, editor, signal);
    if (left.tag === 'failed') return failedEdit(left.error);
    if (left.value !== draft.text) changed.set(draft.path, left.value);
  }
  if (changed.size === 0) return {kind: 'unchanged'};
  const revised: EditRequest = {...request, userChanges: withTexts(request.userChanges, changed)};
  const plan = answerOutcome(await engine.query({query: 'preview-edits', edits: revised}, signal));
  return plan.tag === 'ok' ? {kind: 'revised', request: revised, files: plan.value} : failedEdit(faultText(plan.error));
}

/**
 * Returns the texts to edit: the proposed texts without the dropped parts. If that leaves no text for a single file, returns its whole
 * draft, or its text from before the edit if a part of it was dropped.
 */
async function draftsFor(
  {request, of}: ProposalEdit,
  client: AgentClient,
  signal: AbortSignal,
): Promise<Outcome<readonly DraftText[], Fault>> {
  // A dropped rename doesn't change the text of a file.
  const userChanges = withDropped(request.userChanges, ({hunk}) => hunk !== 'new-name');
  const draft = async (edits: EditRequest): Promise<Outcome<readonly DraftText[], Fault>> =>
    answerOutcome(await client.query({query: 'draft-edits', edits}, signal));
  const drafts = await draft({...request, userChanges});
  if (drafts.tag === 'failed') return drafts;
  const open = drafts.value.filter(one => (of === 'all-files' || one.path === of.path) && !isGone(one));
  if (open.length > 0 || of === 'all-files') return ok(open);
  const whole = await draft({...request, userChanges: emptyUserChanges});
  if (whole.tag === 'failed') return whole;
  const isDropped = droppedIn(request.userChanges).some(one => one.path === of.path);
  return ok(whole.value.flatMap(one => (isDropped && one.path === of.path ? [{...one, text: one.before}] : [])));
}

/** Merges the user's texts into the changes. They replace earlier texts and dropped hunks of the same files. */
function withTexts(userChanges: UserChanges, changed: ReadonlyMap<string, string>): UserChanges {
  const earlier = userChanges.kind === 'texts' ? userChanges.texts.map(({path, text}) => [path, text] as const) : [];
  const texts = [...new Map([...earlier, ...changed])].map(([path, text]) => ({path, text}));
  const dropped = droppedIn(userChanges).filter(({path, hunk}) => hunk === 'new-name' || !changed.has(path));
  return {kind: 'texts', texts, dropped};
}

const droppedIn = (userChanges: UserChanges): readonly DroppedPart[] =>
  userChanges.kind === 'none' ? [] : userChanges.dropped;

const withDropped = (userChanges: UserChanges, stays: (part: DroppedPart) => boolean): UserChanges =>
  userChanges.kind === 'none' ? userChanges : {...userChanges, dropped: userChanges.dropped.filter(stays)};

const failedEdit = (message: string): ProposalEditResult => ({kind: 'failed', message});

/** True if the edit deletes the file. */
const isGone = ({before, text}: DraftText): boolean => text === '' && before !== '';

/** Opens one text in the editor. If the editor only added a final newline, the text counts as unchanged. */
async function editOne(
  {path, text}: DraftText,
  editor: TuiOptions['editor'],
  signal: AbortSignal,
): Promise<Outcome<string, string>> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const left = await editor.edit({text, name, form: 'file'}, signal);
  if (left.tag === 'failed') return failed(left.error);
  return ok(left.value === `${text}\n` || left.value === `${text}\r\n` ? text : left.value);
}

interface UiAndView {
  readonly ui: Ui;
  readonly view: View;
}

/** Applies the result of an external edit. `now` is in milliseconds, as in `Ui`. */
type AfterEditor = (screen: UiAndView, now: number) => UiAndView;

/** Opens a text in the user's editor. `draft` is the text of the composer. */
export async function editExternally(
  what: ExternalEdit,
  draft: string,
  options: Pick<TuiOptions, 'engine' | 'editor'>,
  signal: AbortSignal,
): Promise<AfterEditor> {
  const prose = (text: string, name: string): Promise<Outcome<string, string>> =>
    options.editor.edit({text, name, form: 'prose'}, signal);
  if (what === 'draft') return afterText(await prose(draft, 'prompt.md'), replaceFieldText);
  if (!('kind' in what)) return afterProposal(what.id, await editProposal(what, options, signal));
  if (what.kind === 'plan')
    return afterProposal(what.id, planEditResult(what.plan, await prose(planText(what.plan), 'plan.md')));
  const {preview, offer} = what;
  return afterText(await prose(preview.summary, 'summary.md'), (ui, text) => ({
    ...ui,
    panel: rewrittenSummary(preview, text, offer),
  }));
}

const afterText =
  (edited: Outcome<string, string>, use: (ui: Ui, text: string) => Ui): AfterEditor =>
  ({ui, view}) =>
    edited.tag === 'failed' ? {ui, view: withNotice(view, 'warning', edited.error)} : {ui: use(ui, edited.value), view};

const afterProposal =
  (id: ActionId, end: ProposalEditResult): AfterEditor =>
  ({ui, view}, now) => {
    const approval = view.approvals.find(each => each.id === id);
    if (approval === undefined) return {ui, view};
    return {
      ui: afterProposalEdit(ui, {id, approval, end, now}),
      view: end.kind === 'failed' ? withNotice(view, 'warning', end.message) : view,
    };
  };

function planEditResult(plan: PlanDraft, edited: Outcome<string, string>): ProposalEditResult {
  if (edited.tag === 'failed') return failedEdit(edited.error);
  const read = draftIn(edited.value);
  if (read.tag === 'failed') return failedEdit(read.error);
  return planText(read.value) === planText(plan) ? {kind: 'unchanged'} : {kind: 'revised-plan', plan: read.value};
}
