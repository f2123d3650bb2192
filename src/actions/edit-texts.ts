import {unreachable} from '../base/unreachable.ts';
import type {UserChanges, DroppedPart, FileEdit, PatchHunk} from './files-port.ts';

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

/** The same edit with every path and text as `change` gives it. */
export function mapEditTexts(edit: FileEdit, change: (text: string) => string): FileEdit {
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

/** The same changes with every path and text as `map` gives it. */
export function mapUserChanges(changes: UserChanges, map: (text: string) => string): UserChanges {
  switch (changes.kind) {
    case 'none':
      return changes;
    case 'hunks':
      return {...changes, dropped: droppedWith(changes.dropped, map)};
    case 'texts':
      return {
        ...changes,
        texts: changes.texts.map(({path, text}) => ({path: map(path), text: map(text)})),
        dropped: droppedWith(changes.dropped, map),
      };
    default:
      return unreachable(changes);
  }
}

const droppedWith = (dropped: readonly DroppedPart[], map: (text: string) => string): readonly DroppedPart[] =>
  dropped.map(part => ({...part, path: map(part.path)}));
