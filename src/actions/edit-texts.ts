import {unreachable} from '../base/unreachable.ts';
import type {FileEdit, PatchHunk} from './files-port.ts';

/** A text that an edit puts into a file, and the one that stood in its place as far as the edit names it. */
export interface EditText {
  readonly newText: string;
  readonly oldText: string;
}

/** All that an edit writes. */
export function editTexts(edit: FileEdit): readonly EditText[] {
  switch (edit.kind) {
    case 'write':
      return [{newText: edit.content, oldText: ''}];
    case 'replace':
      return edit.replacements;
    case 'replace-lines':
      return [{newText: edit.newText, oldText: ''}];
    case 'patch':
      return edit.hunks.map(hunk => ({newText: linesOf(hunk, 'added'), oldText: linesOf(hunk, 'removed')}));
    case 'delete':
    case 'rename':
      return [];
    default:
      return unreachable(edit);
  }
}

const linesOf = ({lines}: PatchHunk, side: 'added' | 'removed'): string =>
  lines
    .filter(({kind}) => kind === 'context' || kind === side)
    .map(({text}) => text)
    .join('\n');

/** The files an edit names: both names of one that is renamed. */
export const editPaths = (edit: FileEdit): readonly string[] =>
  edit.kind === 'rename' ? [edit.path, edit.to] : [edit.path];
