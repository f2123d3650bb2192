import {
  unamended,
  type Amendment,
  type DraftText,
  type DroppedPart,
  type EditRequest,
} from '../../actions/files-port.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {faultText, type Fault} from '../../domain/fault.ts';
import type {ProposalEnd, ProposalWork} from '../input/approval/proposal-work.ts';
import type {TuiOptions} from '../options.ts';

/** Takes the proposed texts to the user's editor, one after the other, and works out what the edit would then do. Writes nothing. */
export async function editProposal(
  work: ProposalWork,
  {edits, editor}: Pick<TuiOptions, 'edits' | 'editor'>,
  signal: AbortSignal,
): Promise<ProposalEnd> {
  const {request} = work;
  const drafts = await draftsFor(work, edits, signal);
  if (drafts.tag === 'failed') return trouble(faultText(drafts.error));
  if (drafts.value.length === 0) return trouble('There is no text to edit here: the files go, or hold no text.');
  const changed = new Map<string, string>();
  for (const draft of drafts.value) {
    // oxlint-disable-next-line no-await-in-loop -- an editor at a time has the terminal
    const left = await editOne(draft, editor, signal);
    if (left.tag === 'failed') return trouble(left.error);
    if (left.value !== draft.text) changed.set(draft.path, left.value);
  }
  if (changed.size === 0) return {kind: 'unchanged'};
  const revised: EditRequest = {...request, amendment: withTexts(request.amendment, changed)};
  const plan = await edits.plan(revised, signal);
  return plan.tag === 'ok' ? {kind: 'revised', request: revised, files: plan.value} : trouble(faultText(plan.error));
}

/** The texts as they would be without what is left out of them; the whole of it where that is the text of one file. */
async function draftsFor(
  {request, of}: ProposalWork,
  edits: TuiOptions['edits'],
  signal: AbortSignal,
): Promise<Outcome<readonly DraftText[], Fault>> {
  // Under which name a file lies is no matter of its text.
  const amendment = withDropped(request.amendment, ({hunk}) => hunk !== 'new-name');
  const drafts = await edits.draft({...request, amendment}, signal);
  if (drafts.tag === 'failed') return drafts;
  const open = drafts.value.filter(one => (of === 'all-files' || one.path === of.path) && !isGone(one));
  if (open.length > 0 || of === 'all-files') return ok(open);
  const whole = await edits.draft({...request, amendment: unamended}, signal);
  if (whole.tag === 'failed') return whole;
  const isDropped = droppedIn(request.amendment).some(one => one.path === of.path);
  return ok(whole.value.flatMap(one => (isDropped && one.path === of.path ? [{...one, text: one.before}] : [])));
}

/** The user's texts take the place of earlier ones, and of hunks that were left out of them. */
function withTexts(amendment: Amendment, changed: ReadonlyMap<string, string>): Amendment {
  const earlier = amendment.kind === 'texts' ? amendment.texts.map(({path, text}) => [path, text] as const) : [];
  const texts = [...new Map([...earlier, ...changed])].map(([path, text]) => ({path, text}));
  const dropped = droppedIn(amendment).filter(({path, hunk}) => hunk === 'new-name' || !changed.has(path));
  return {kind: 'texts', texts, dropped};
}

const droppedIn = (amendment: Amendment): readonly DroppedPart[] =>
  amendment.kind === 'none' ? [] : amendment.dropped;

const withDropped = (amendment: Amendment, stays: (part: DroppedPart) => boolean): Amendment =>
  amendment.kind === 'none' ? amendment : {...amendment, dropped: amendment.dropped.filter(stays)};

const trouble = (message: string): ProposalEnd => ({kind: 'failed', message});

/** A file that goes has no text of its own. */
const isGone = ({before, text}: DraftText): boolean => text === '' && before !== '';

/** Editors end a text with a line end: where that is all that is new, it is as it was. */
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
