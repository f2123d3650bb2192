import type {FileDiff} from '../../actions/preview.ts';
import {changeOf, nameOf} from '../../actions/request-file-edits.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import {fit} from '../text/cell-width.ts';

/** `Create new.txt (+2 -0)`: the change of one or more files on one line; where it is too long, the paths give way. */
export function changeTitle(files: readonly FileDiff[], cells: number): string {
  const sum = (count: (file: FileDiff) => number): number => files.reduce((total, file) => total + count(file), 0);
  const counts = ` (+${sum(file => file.added)} -${sum(file => file.removed)})`;
  const paths = files.map(file => visibleLine(nameOf(file))).join(', ');
  return fit(`${fit(`${verbOf(files)} ${paths}`, cells - counts.length)}${counts}`, cells);
}

function verbOf(files: readonly FileDiff[]): 'Create' | 'Delete' | 'Rename' | 'Edit' {
  const [first, ...others] = files.map(changeOf);
  if (first === undefined || others.some(other => other !== first)) return 'Edit';
  switch (first) {
    case 'Created':
      return 'Create';
    case 'Deleted':
      return 'Delete';
    case 'Renamed':
      return 'Rename';
    case 'Changed':
      return 'Edit';
    default:
      return unreachable(first);
  }
}
