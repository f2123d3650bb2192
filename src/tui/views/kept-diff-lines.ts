import type {FileDiff} from '../../actions/preview.ts';
import {hasDiffColours} from '../syntax/colour-diff.ts';
import type {Frame} from '../text/wrap.ts';
import {diffLines, type DiffForm} from './diff-lines.ts';

interface Kept {
  readonly form: DiffForm;
  readonly frame: Frame;
  /** Files whose code had colours by then: those of the others come later. */
  readonly coloured: number;
  readonly lines: readonly string[];
}

const kept = new WeakMap<readonly FileDiff[], readonly Kept[]>();

/** As `diffLines`, for what is drawn again with every key and every frame: laid out once in each form for as long as it looks alike. */
export function keptDiffLines(files: readonly FileDiff[], form: DiffForm, frame: Frame): readonly string[] {
  const coloured = files.filter(hasDiffColours).length;
  const alike = (kept.get(files) ?? []).filter(
    one => one.coloured === coloured && one.frame.width === frame.width && one.frame.theme === frame.theme,
  );
  const known = alike.find(
    one => one.form.most === form.most && one.form.shown === form.shown && one.form.long === form.long,
  );
  if (known !== undefined) return known.lines;
  const lines = diffLines(files, form, frame);
  kept.set(files, [...alike, {form, frame, coloured, lines}]);
  return lines;
}
