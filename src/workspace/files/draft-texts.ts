import type {DraftText} from '../../actions/files-port.ts';
import {oldOf, type PlannedFile} from './planned-file.ts';
import {decodeText} from './text-form.ts';

/** The whole texts of the files as they are and as they shall be; bytes that are no text are not for an editor. */
export function draftTexts(planned: readonly PlannedFile[]): readonly DraftText[] {
  return planned.flatMap(file => {
    const old = oldOf(file);
    const before = textOf(old.kind === 'present' ? old.bytes : undefined);
    const text = textOf(file.after);
    return before === undefined || text === undefined ? [] : [{path: file.diff.path, before, text}];
  });
}

/** `undefined` for what an editor could not give back as it was. */
function textOf(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined) return '';
  const decoded = decodeText(bytes);
  return decoded.tag === 'ok' && decoded.value.text.isWellFormed() ? decoded.value.text : undefined;
}
