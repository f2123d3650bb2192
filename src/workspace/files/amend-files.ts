import type {AmendedFile, Amendment, DroppedPart} from '../../actions/files-port.ts';
import {showsAll, type DiffHunk} from '../../actions/preview.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {rejected, type Fault} from '../../domain/fault.ts';
import {diffHunks} from './diff-hunks.ts';
import {changeIn, oldOf, shownText, withCutNote, type PlannedFile} from './planned-file.ts';
import {decodeText, encodeText, encodingNames, plainForm, type DecodedText} from './text-form.ts';

/** A plan as the user left it. */
export interface AmendedPlan {
  readonly planned: readonly PlannedFile[];
  readonly amended: readonly AmendedFile[];
}

/** What is left of a plan: a file that would be as it was is not part of it any more. An amendment must fit the plan it is of. */
export async function amendFiles(
  planned: readonly PlannedFile[],
  amendment: Amendment,
): Promise<Outcome<AmendedPlan, Fault>> {
  const unknown = pathsIn(amendment).find(path => !planned.some(({diff}) => diff.path === path));
  if (unknown !== undefined) return failed(rejected(`${unknown} is not part of the edit; nothing was written.`));
  const left: PlannedFile[] = [];
  const amended: AmendedFile[] = [];
  for (const file of planned) {
    const one = await amendOne(file, amendment);
    if (one.tag === 'failed') return one;
    if (one.value.file !== undefined) left.push(one.value.file);
    amended.push(...one.value.told);
  }
  return ok({planned: left, amended});
}

const pathsIn = (amendment: Amendment): readonly string[] => [
  ...droppedIn(amendment).map(({path}) => path),
  ...(amendment.kind === 'texts' ? amendment.texts.map(({path}) => path) : []),
];

function droppedIn(amendment: Amendment): readonly DroppedPart[] {
  switch (amendment.kind) {
    case 'none':
      return [];
    case 'hunks':
    case 'texts':
      return amendment.dropped;
    default:
      return unreachable(amendment);
  }
}

interface AmendedOne {
  readonly file: PlannedFile | undefined;
  readonly told: readonly AmendedFile[];
}

async function amendOne(file: PlannedFile, amendment: Amendment): Promise<Outcome<AmendedOne, Fault>> {
  const {path} = file.diff;
  const dropped = droppedIn(amendment).flatMap(part => (part.path === path ? [part.hunk] : []));
  const rewritten = amendment.kind === 'texts' ? amendment.texts.findLast(one => one.path === path)?.text : undefined;
  const hunks = new Set(dropped.filter(hunk => hunk !== 'new-name'));
  const amended =
    rewritten !== undefined
      ? await withText(file, rewritten)
      : hunks.size === 0
        ? ok({file, told: []})
        : await withoutHunks(file, hunks);
  return amended.tag === 'ok' && dropped.includes('new-name') ? withOldName(amended.value, path) : amended;
}

/** Where nothing else is left of its change, there is none. */
function withOldName({file, told}: AmendedOne, path: string): Outcome<AmendedOne, Fault> {
  const source = file?.source;
  if (file === undefined || source === undefined) {
    return failed(rejected(`${path} is not renamed any more; nothing was written.`));
  }
  const after = file.after;
  if (after === undefined || source.before.bytes.equals(after)) {
    return ok({file: undefined, told: [{path, kind: 'dropped', hunks: []}]});
  }
  const {movedFrom = path} = file.diff;
  const kept: PlannedFile = {
    ...file,
    path: source.path,
    before: source.before,
    source: undefined,
    diff: {...file.diff, path: movedFrom, movedFrom: undefined},
  };
  return ok({file: kept, told: [...told, {path, kind: 'not-renamed', hunks: []}]});
}

async function withoutHunks(file: PlannedFile, dropped: ReadonlySet<number>): Promise<Outcome<AmendedOne, Fault>> {
  const {path, hunks} = file.diff;
  if (hunks.length === 0 && [...dropped].every(hunk => hunk === 0)) {
    return ok({file: undefined, told: [{path, kind: 'dropped', hunks: []}]});
  }
  const beyond = [...dropped].find(hunk => hunks[hunk] === undefined);
  if (beyond !== undefined) {
    return failed(rejected(`${path} has no change number ${beyond + 1} any more; nothing was written.`));
  }
  // A hunk that is not all of its change would be told with less than was left out.
  const left = showsAll(file.diff) ? hunks.filter((_hunk, at) => dropped.has(at)) : [];
  const told: AmendedFile = {path, kind: 'dropped', hunks: left};
  if (dropped.size === hunks.length) return ok({file: await asItWas(file), told: [told]});
  const old = textIn(oldBytes(file));
  const fresh = textIn(file.after);
  if (old === undefined || fresh === undefined) return failed(rejected(`${path}: nothing can be left out of it.`));
  const text = restored({old: old.text, fresh: fresh.text}, told.hunks);
  const bytes = encodeText({form: fresh.form, text});
  if (bytes === undefined) return failed(rejected(`${path}: its encoding does not hold what was left out.`));
  return ok({file: await withContent(file, bytes), told: [told]});
}

/** Where the user's text is the old one, the file stays as it was; a line end that the editor adds or takes counts. */
async function withText(file: PlannedFile, text: string): Promise<Outcome<AmendedOne, Fault>> {
  const {path} = file.diff;
  const old = textIn(oldBytes(file));
  const proposed = textIn(file.after);
  if ((proposed?.text ?? '') === text) return ok({file, told: []});
  const {hunks} = await diffHunks(shownText(file.after), text, Number.POSITIVE_INFINITY);
  const told: AmendedFile = {path, kind: 'rewritten', hunks};
  if (old?.text === text) return ok({file: await asItWas(file), told: [told]});
  const form = proposed?.form ?? old?.form ?? plainForm;
  const bytes = text.isWellFormed() || form.encoding === 'utf-8' ? encodeText({form, text}) : undefined;
  if (bytes === undefined) {
    return failed(
      rejected(`${path} is ${encodingNames[form.encoding]}, which does not hold the edited text; nothing was written.`),
    );
  }
  return ok({file: {...(await withContent(file, bytes)), afterwards: 'unknown'}, told: [told]});
}

/** A file that has another name by then keeps the new one. */
async function asItWas(file: PlannedFile): Promise<PlannedFile | undefined> {
  return file.source === undefined ? undefined : withContent(file, file.source.before.bytes);
}

const withContent = async (file: PlannedFile, after: Buffer): Promise<PlannedFile> => ({
  ...file,
  after,
  diff: withCutNote({...file.diff, ...(await changeIn(oldOf(file), after, undefined))}),
});

function oldBytes(file: PlannedFile): Buffer | undefined {
  const old = oldOf(file);
  return old.kind === 'present' ? old.bytes : undefined;
}

function textIn(bytes: Buffer | undefined): DecodedText | undefined {
  if (bytes === undefined) return undefined;
  const decoded = decodeText(bytes);
  return decoded.tag === 'ok' ? decoded.value : undefined;
}

/** The fresh text with the lines of those hunks as they were, to the byte. */
function restored({old, fresh}: {readonly old: string; readonly fresh: string}, hunks: readonly DiffHunk[]): string {
  const was = linesOf(old);
  const is = linesOf(fresh);
  const parts: string[] = [];
  let at = 0;
  for (const {oldStart, newStart, lines} of hunks) {
    const count = (side: 'added' | 'removed'): number =>
      lines.filter(({kind}) => kind === 'context' || kind === side).length;
    parts.push(...is.slice(at, newStart - 1), ...was.slice(oldStart - 1, oldStart - 1 + count('removed')));
    at = newStart - 1 + count('added');
  }
  return [...parts, ...is.slice(at)].join('');
}

/** Lines with their ends, as diffs count them. */
const linesOf = (text: string): readonly string[] =>
  (text.includes('\n') ? text.match(/[^\n]*\n|[^\n]+$/gu) : text.match(/[^\r]*\r|[^\r]+$/gu)) ?? [];
