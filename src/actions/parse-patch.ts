import {failed, ok, type Outcome} from '../base/outcome.ts';
import {clip} from '../base/clip.ts';
import type {FileEdit, PatchHunk, PatchLine} from '../domain/file-edit.ts';

/**
 * Parses a patch in the V4A format: `*** Begin Patch`, sections `*** Add File:`, `*** Delete File:`, `*** Update File:` (with
 * `*** Move to:`), `*** End Patch`. The error is for the model and names the line.
 */
export function parsePatch(patch: string): Outcome<readonly FileEdit[], string> {
  const lines = patch.replaceAll('\r\n', '\n').split('\n');
  const begin = lines.findIndex(line => line.trim() === '*** Begin Patch');
  if (begin < 0 || lines.slice(0, begin).some(line => !isWrapping(line))) {
    return failed('patch: the first line must be "*** Begin Patch".');
  }
  const end = lines.findLastIndex(line => line.trim() === '*** End Patch');
  if (end <= begin) return failed('patch: the "*** End Patch" line is missing; the patch seems to be cut off.');
  if (lines.slice(end + 1).some(line => !isWrapping(line))) return failed('patch: text follows "*** End Patch".');

  const edits: FileEdit[] = [];
  for (let at = begin + 1; at < end;) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      at += 1;
      continue;
    }
    const [, verb, path] = heading.exec(line) ?? [];
    if (verb === undefined || path === undefined || path === '') {
      return failed(
        `patch: line ${at + 1} is ${quoted(line)}, not "*** Add File: path", "*** Update File: path" or "*** Delete File: path".`,
      );
    }
    const next = lines.findIndex((other, where) => where > at && (where === end || heading.test(other)));
    const body = {lines: lines.slice(at + 1, next), first: at + 2};
    const section = parseSection(verb, path, body);
    if (section.tag === 'failed') return section;
    edits.push(...section.value);
    at = next;
  }
  return edits.length === 0 ? failed('patch: it changes no files.') : ok(edits);
}

const heading = /^\*\*\* (Add|Update|Delete) File: *(.*?) *$/u;

/** Matches lines that models put around a patch: fences, a shell's here-document. */
const isWrapping = (line: string): boolean =>
  /^\s*(?:```\w*|EOF|(?:apply_patch|ApplyPatch)? *<<-? *['"]?EOF['"]?)?\s*$/u.test(line);

/** The lines of one section. `first` is the number of the first one, for messages. */
interface Body {
  readonly lines: readonly string[];
  readonly first: number;
}

function parseSection(verb: string, path: string, body: Body): Outcome<readonly FileEdit[], string> {
  switch (verb) {
    case 'Add':
      return parseAdd(path, body);
    case 'Delete': {
      const stray = body.lines.findIndex(line => line.trim() !== '');
      return stray < 0
        ? ok([{kind: 'delete', path}])
        : failed(`patch: line ${body.first + stray}: the section that deletes ${path} must have no lines.`);
    }
    default:
      return parseUpdate(path, body);
  }
}

function parseAdd(path: string, {lines, first}: Body): Outcome<readonly FileEdit[], string> {
  const kept = withoutBlankEnd(lines);
  const stray = kept.findIndex(line => !line.startsWith('+'));
  if (stray >= 0) {
    return failed(
      `patch: line ${first + stray} is ${quoted(kept[stray] ?? '')}; every line of a new file must begin with "+".`,
    );
  }
  const newText = kept.map(line => `${line.slice(1)}\n`).join('');
  return ok([{kind: 'replace', path, replacements: [{oldText: '', newText, occurrence: 'only'}]}]);
}

function parseUpdate(path: string, {lines, first}: Body): Outcome<readonly FileEdit[], string> {
  const to = /^\*\*\* Move to: *(.*?) *$/u.exec(lines[0] ?? '')?.[1];
  const start = to === undefined ? 0 : 1;
  const hunks: PatchHunk[] = [];
  let draft: Draft = emptyDraft();
  const finish = (place: PatchHunk['place']): void => {
    const kept = draft.lines.slice(0, draft.lines.length - draft.blank);
    if (kept.length > 0) hunks.push({context: draft.context, lines: kept, place});
    draft = emptyDraft();
  };

  for (const [at, line] of lines.slice(start).entries()) {
    const sign = line[0];
    if (line.startsWith('@@')) {
      if (draft.lines.length > 0) finish('anywhere');
      const context = contextOf(line);
      if (context !== '') draft.context.push(context);
    } else if (line.trim() === '*** End of File') {
      finish('end-of-file');
    } else if (line === '') {
      // A blank context line that lost its space. At the end of a hunk it is only layout.
      draft.lines.push({kind: 'context', text: ''});
      draft.blank += 1;
    } else if (sign === ' ' || sign === '+' || sign === '-') {
      draft.lines.push({kind: kinds[sign], text: line.slice(1)});
      draft.blank = 0;
    } else if (line !== '\\ No newline at end of file') {
      return failed(
        `patch: line ${first + start + at} is ${quoted(line)}; lines of a change must begin with " ", "+", "-" or "@@".`,
      );
    }
  }
  finish('anywhere');

  const idle = hunks.findIndex(hunk => hunk.lines.every(line => line.kind === 'context'));
  if (idle >= 0) return failed(`patch: change ${idle + 1} of ${path} has no line that begins with "+" or "-".`);
  if (hunks.length === 0 && to === undefined) return failed(`patch: the section on ${path} changes nothing.`);
  return ok([
    ...(hunks.length === 0 ? [] : [{kind: 'patch', path, hunks} as const]),
    ...(to === undefined ? [] : [{kind: 'rename', path, to} as const]),
  ]);
}

interface Draft {
  readonly context: string[];
  readonly lines: PatchLine[];
  /** Blank lines at the end so far. */
  blank: number;
}

const emptyDraft = (): Draft => ({context: [], lines: [], blank: 0});

const kinds = {' ': 'context', '+': 'added', '-': 'removed'} as const;

/** Returns the text of an `@@` line. The line numbers of a unified diff are ignored. */
const contextOf = (line: string): string =>
  line
    .replace(/^@@(?: -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)? ?/u, '')
    .replace(/\s+@@$/u, '')
    .trimEnd();

function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex(line => line !== '');
  return lines.slice(0, last + 1);
}

const quoted = (line: string): string => JSON.stringify(clip(line, 60));
