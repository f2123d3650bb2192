import {unreachable} from '../base/unreachable.ts';
import type {Amendment, DroppedPart, FileEdit, PatchHunk} from './files-port.ts';

/** A text that an edit puts into a file, and the one that stood in its place as far as the edit names it. */
export interface EditText {
  readonly newText: string;
  readonly oldText: string;
}

/** All that an edit writes. */
export function textsOf(edit: FileEdit): readonly EditText[] {
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
export const pathsOf = (edit: FileEdit): readonly string[] =>
  edit.kind === 'rename' ? [edit.path, edit.to] : [edit.path];

/** The same edit with every path and text as `change` gives it. */
export function withTexts(edit: FileEdit, change: (text: string) => string): FileEdit {
  const path = change(edit.path);
  switch (edit.kind) {
    case 'write':
      return {...edit, path, content: change(edit.content)};
    case 'replace':
      return {
        ...edit,
        path,
        replacements: edit.replacements.map(({oldText, newText, occurrence}) => ({
          oldText: change(oldText),
          newText: change(newText),
          occurrence,
        })),
      };
    case 'replace-lines':
      return {...edit, path, newText: change(edit.newText)};
    case 'patch':
      return {
        ...edit,
        path,
        hunks: edit.hunks.map(hunk => ({
          ...hunk,
          context: hunk.context.map(change),
          lines: hunk.lines.flatMap(line =>
            change(line.text)
              .split('\n')
              .map(text => ({...line, text})),
          ),
        })),
      };
    case 'delete':
      return {...edit, path};
    case 'rename':
      return {...edit, path, to: change(edit.to)};
    default:
      return unreachable(edit);
  }
}

/** The same amendment with every path and text as `change` gives it. */
export function amendmentWith(amendment: Amendment, change: (text: string) => string): Amendment {
  switch (amendment.kind) {
    case 'none':
      return amendment;
    case 'hunks':
      return {...amendment, dropped: droppedWith(amendment.dropped, change)};
    case 'texts':
      return {
        ...amendment,
        texts: amendment.texts.map(({path, text}) => ({path: change(path), text: change(text)})),
        dropped: droppedWith(amendment.dropped, change),
      };
    default:
      return unreachable(amendment);
  }
}

const droppedWith = (dropped: readonly DroppedPart[], change: (text: string) => string): readonly DroppedPart[] =>
  dropped.map(part => ({...part, path: change(part.path)}));
