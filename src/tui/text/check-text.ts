import {pluralize} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import {type CheckStatus, type HidingSyntax, nameIn, outcomeOf, type Receipt} from '../../domain/receipt.ts';
import {glyphs} from '../theme/glyphs.ts';
import {cellWidth, fit} from './cell-width.ts';
import type {Frame} from './wrap.ts';

/** A check as people read it: `npm test`, `41 passed`. `warning`: it proves nothing about the files as they are. */
export interface ShownCheck {
  readonly mark: 'success' | 'error' | 'warning';
  readonly name: string;
  readonly result: string;
}

/** Words a check. Names the folder of a check that did not run in `workspace`. */
export function shownCheck({receipt, isFresh}: CheckStatus, workspace: string): ShownCheck {
  const name = visibleLine(nameIn(receipt, workspace));
  const outcome = outcomeOf(receipt);
  if (receipt.end.kind === 'hidden' && receipt.end.by === 'background')
    return {mark: 'warning', name, result: resultOf(receipt)};
  if (receipt.tree === 'unknown') return {mark: 'warning', name, result: `${resultOf(receipt)}, on other files`};
  if (!isFresh) return {mark: 'warning', name, result: 'not run since the last edit'};
  const mark = outcome === 'passed' ? 'success' : outcome === 'failed' ? 'error' : 'warning';
  return {mark, name, result: resultOf(receipt)};
}

function resultOf({end, counts: {passed, failed = 0}, kind}: Receipt): string {
  if (end.kind === 'stopped') return end.why === 'time-limit' ? 'timed out' : 'ended by a signal';
  const failures = failed === 0 ? '' : kind === 'test' ? `${failed} failed` : pluralize(failed, 'error');
  if (end.kind === 'hidden') return failures === '' ? hidden[end.by] : failures;
  if (end.code !== 0) return failures === '' ? `exit ${end.code}` : failures;
  if (failures !== '') return `${failures}, exit 0`;
  if (passed === 0 && kind === 'test') return '0 tests ran';
  return passed === undefined ? 'passed' : `${passed} passed`;
}

const hidden: Readonly<Record<HidingSyntax, string>> = {
  pipe: 'exit code hidden by a pipe',
  list: 'exit code hidden by ; or ||',
  condition: 'exit code hidden',
  background: 'exit code hidden by &',
  changed: 'what it means may have changed',
  options: 'an option makes it check nothing',
  variables: 'a variable may make it check nothing',
  program: 'may be another program',
  unreached: 'may not have run',
};

const markGlyphs = {success: glyphs.success, error: glyphs.error, warning: glyphs.warning} as const;
const markWords = {success: 'Passed', error: 'Failed', warning: 'Not proven'} as const;

/** The fewest cells of a name beside its result. If there is less room, the result has a row of its own. */
const leastName = 12;

/** Returns `✓ npm test 41 passed · ✗ tsc 2 errors` in rows that break between checks. `indent` comes before each row. */
export function checkRows(checks: readonly ShownCheck[], {theme, width}: Frame, indent: string): readonly string[] {
  const room = Math.max(8, width - cellWidth(indent));
  const rows: {cells: number; text: string}[] = [];
  for (const {mark, name, result} of checks) {
    const style = (words: string): string => theme.style(mark === 'success' ? ['dim'] : [], fit(words, room - 2));
    const glyph = theme.style([mark], markGlyphs[mark]);
    const left = room - cellWidth(result) - 3;
    if (left < Math.min(leastName, cellWidth(name))) {
      for (const text of [`${glyph} ${style(name)}`, `  ${style(result)}`]) rows.push({cells: room, text});
      continue;
    }
    const words = `${fit(name, left)} ${result}`;
    const text = `${glyph} ${style(words)}`;
    const cells = cellWidth(words) + 2;
    const last = rows.at(-1);
    if (last === undefined || last.cells + glyphs.separator.length + cells > room) rows.push({cells, text});
    else {
      last.text += theme.style(['dim'], glyphs.separator) + text;
      last.cells += glyphs.separator.length + cells;
    }
  }
  return rows.map(({text}) => indent + text);
}

/** Returns a check in words, for a screen reader. */
export const plainCheck = ({mark, name, result}: ShownCheck): string =>
  `${markWords[mark]}: ${name}${result === 'passed' ? '' : `, ${result}`}`;
