import type {DraftText, EditRequest} from '../actions/files-port.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {faultText} from '../domain/fault.ts';
import type {ProposalEnd, ProposalWork} from './input/revision.ts';
import type {TuiOptions} from './options.ts';

/** Takes the proposed texts to the user's editor, one after the other, and works out what the edit would then do. Writes nothing. */
export async function editProposal(
  {request, path}: ProposalWork,
  {edits, editor}: Pick<TuiOptions, 'edits' | 'editor'>,
  signal: AbortSignal,
): Promise<ProposalEnd> {
  const drafts = await edits.draft(request, signal);
  if (drafts.tag === 'failed') return trouble(faultText(drafts.error));
  const open = drafts.value.filter(one => (path === 'all' || one.path === path) && !isGone(one));
  if (open.length === 0) return trouble('There is no text to edit here: the files go, or hold no text.');
  const texts = new Map(amendedTexts(request));
  let changes = 0;
  for (const draft of open) {
    // oxlint-disable-next-line no-await-in-loop -- an editor at a time has the terminal
    const left = await editOne(draft, editor, signal);
    if (left.tag === 'failed') return trouble(left.error);
    if (left.value === draft.text) continue;
    texts.set(draft.path, left.value);
    changes++;
  }
  if (changes === 0) return {kind: 'unchanged'};
  const revised: EditRequest = {
    ...request,
    amendment: {kind: 'texts', texts: [...texts].map(([of, text]) => ({path: of, text}))},
  };
  const plan = await edits.plan(revised, signal);
  return plan.tag === 'ok'
    ? {kind: 'revised', request: revised, files: plan.value}
    : trouble(faultText(plan.error));
}

const trouble = (message: string): ProposalEnd => ({kind: 'failed', message});

/** A file that goes has no text of its own. */
const isGone = ({before, text}: DraftText): boolean => text === '' && before !== '';

const amendedTexts = ({amendment}: EditRequest): readonly (readonly [string, string])[] =>
  amendment.kind === 'texts' ? amendment.texts.map(({path, text}) => [path, text] as const) : [];

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
