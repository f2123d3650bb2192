import type {Action, ActionName, SettledOf} from '../actions/catalogue.ts';
import type {ActionContext} from '../actions/define-action.ts';
import type {Amendment} from '../actions/files-port.ts';
import type {Preview} from '../actions/preview.ts';
import {cancelledResult, previewAction, withAmendment} from '../actions/settle-action.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {rejected} from '../domain/fault.ts';

/**
 * What runs where the user has amended an edit, and what it will do. The amendment is of the files as they were shown: one that
 * has changed since fails. The failure is the action's result.
 */
export async function takeAmended(
  {action, amendment, shown}: {readonly action: Action; readonly amendment: Amendment; readonly shown: Preview},
  context: ActionContext,
): Promise<Outcome<{readonly action: Action; readonly shown: Preview}, SettledOf<ActionName>>> {
  const amended = withAmendment(action, amendment);
  if (amended === undefined) {
    const message = 'The user answered with a changed edit, but this is no edit.';
    return failed(cancelledResult(action, {reason: 'declined', message}));
  }
  const preview = await previewAction(amended, context);
  if (preview.tag === 'failed') return preview;
  const moved = changedSince(shown, preview.value);
  if (moved === undefined) return ok({action: amended, shown: preview.value});
  const fault = rejected(`${moved} changed since the edit was shown; nothing was written. Read it again.`);
  return failed({state: 'error', fault});
}

function changedSince(shown: Preview, now: Preview): string | undefined {
  if (shown.kind !== 'diff' || now.kind !== 'diff') return undefined;
  // A file that keeps its name was shown under the new one.
  const before = new Map([
    ...shown.files.flatMap(file => (file.movedFrom === undefined ? [] : [[file.movedFrom, file.before] as const])),
    ...shown.files.map(file => [file.path, file.before] as const),
  ]);
  return now.files.find(file => before.get(file.path) !== file.before)?.path;
}
