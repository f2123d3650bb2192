import * as z from 'zod/mini';
import {clip, pluralize} from '../base/clip.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {rejected} from '../domain/fault.ts';
import {settledBy, type Settled} from '../domain/settled.ts';
import {citationsSchema} from './citations.ts';
import {checkedForm, defineAction, textContent, toolForm, unlistedForm} from './define-action.ts';
import {editPaths, type EditRequest, emptyUserChanges, type FileEdit} from '../domain/file-edit.ts';
import type {WorkspaceChanges} from './changes-port.ts';
import type {AppliedEdits, UserChangedFile} from './files-port.ts';
import {parsePatch} from './parse-patch.ts';
import {type DiffHunk, type FileDiff, lineSigns} from './preview.ts';

type EditsOutput = AppliedEdits;

interface EditsPartial {
  readonly paths: readonly string[];
}

/** Names that other agents use for the fields of a replacement. */
const replacementNames = {
  path: 'file_path',
  absolute_path: 'file_path',
  old_str: 'old_string',
  new_str: 'new_string',
  old_text: 'old_string',
  new_text: 'new_string',
  allow_multiple: 'replace_all',
};

const replacementIdle = {instruction: 'any', expected_replacements: [1]} as const;

export const requestFileEdits = defineAction<EditRequest, EditsOutput, EditsPartial>({
  summary: 'Change, create, overwrite, rename or delete files, all or nothing.',
  risk: 'local-change',
  offered: 'always',
  access: ({edits, userChanges}) => ({kind: 'edit', edits, userChanges}),
  ruleKind: 'editing',
  asks: [
    {name: 'edit', risks: ['local-change'], askedWhen: 'the mode is default'},
    {
      name: 'edit-externally',
      risks: ['local-change'],
      askedWhen: 'it changes files outside the workspace, in every mode that asks',
    },
    {
      name: 'edit-secret-file',
      risks: ['local-change'],
      askedWhen: "the file's name suggests that it holds secrets, in every mode that asks",
    },
    {
      name: 'edit-secret',
      risks: ['local-change'],
      askedWhen: 'it puts a secret into a file that is not meant for secrets, in every mode that asks',
    },
    {
      name: 'edit-protected',
      risks: ['local-change'],
      askedWhen:
        'it changes files that can run code or grant permissions (.git, .weft, startup files, keys), in every mode',
    },
  ],
  tools: [
    checkedForm(
      toolForm({
        name: 'Edit',
        description:
          'Replace old_string by new_string in a file. old_string must match exactly, white space included, and occur once ' +
          '(or set replace_all). Do not include the line numbers that Read shows. An empty old_string creates the file.',
        aliases: replacementNames,
        ignoredFields: replacementIdle,
        unlistedFields: ['start_line', 'end_line', 'edits'],
        selfReports: ['citations'],
        expectedFields: ['old_string', 'new_string'],
        schema: () =>
          z.object({
            file_path: pathSchema(),
            old_string: z.optional(z.string()),
            new_string: z.optional(z.string()),
            replace_all: z.optional(z.boolean()),
            start_line: z.optional(z.int().check(z.gte(1))),
            end_line: z.optional(z.int().check(z.gte(1))),
            // pi's edit tool takes a list.
            edits: z.optional(z.array(z.object(replacement())).check(z.minLength(1))),
            citations: z.optional(citationsSchema()),
          }),
        toInput: raw => raw,
      }),
      ({file_path: path, start_line, end_line, edits, old_string, new_string, replace_all}) => {
        if (edits !== undefined) {
          return old_string === undefined && new_string === undefined
            ? edited({kind: 'replace', path, replacements: edits.map(toReplacement)})
            : failed('edits and old_string are given. Give one of them');
        }
        if (old_string === undefined) return failed('old_string is missing. Give the exact text to replace');
        if (new_string === undefined)
          return failed('new_string is missing. Give the new text, or "" to delete old_string');
        if (start_line === undefined || old_string !== '')
          return edited({kind: 'replace', path, replacements: [toReplacement({old_string, new_string, replace_all})]});
        const lines = {first: start_line, last: end_line ?? start_line};
        return edited({kind: 'replace-lines', path, lines, newText: new_string});
      },
    ),
    // Edit does the same in several calls, but models that were trained with MultiEdit may call it.
    unlistedForm(
      toolForm({
        name: 'MultiEdit',
        description: 'Several replacements in one file, applied in order; if one fails nothing is written.',
        aliases: replacementNames,
        ignoredFields: replacementIdle,
        schema: () =>
          z.object({
            file_path: pathSchema(),
            edits: z.array(z.object(replacement())).check(z.minLength(1)),
            citations: z.optional(citationsSchema()),
          }),
        toInput: ({file_path, edits}) => ({
          userChanges: emptyUserChanges,
          edits: [{kind: 'replace', path: file_path, replacements: edits.map(toReplacement)}],
        }),
      }),
      'MultiEdit',
    ),
    toolForm({
      name: 'Write',
      description: 'Create a file, or overwrite one that has been read.',
      aliases: {path: 'file_path', absolute_path: 'file_path', contents: 'content', file_text: 'content'},
      ignoredFields: {overwrite: [true]},
      selfReports: ['citations'],
      schema: () => z.object({file_path: pathSchema(), content: z.string(), citations: z.optional(citationsSchema())}),
      toInput: ({file_path, content}) => ({
        userChanges: emptyUserChanges,
        edits: [{kind: 'write', path: file_path, content}],
      }),
    }),
    // A patch that can't be parsed is a fault of the call. Models that were not trained with patches edit better with Edit.
    unlistedForm(
      checkedForm(
        toolForm({
          name: 'ApplyPatch',
          description:
            'Change several files at once, all or nothing: "*** Begin Patch", then for each file "*** Update File: path" (with ' +
            '"*** Move to: path" to rename), "*** Add File: path" or "*** Delete File: path", then "*** End Patch". Changes begin ' +
            'with "@@", or "@@ " and the line of the class or function they are in; their lines with " " (context, three before and ' +
            'after), "-" or "+".',
          aliases: {input: 'patch', patch_text: 'patch'},
          selfReports: ['citations'],
          schema: () => z.object({patch: z.string().check(z.minLength(1)), citations: z.optional(citationsSchema())}),
          toInput: raw => raw,
        }),
        ({patch}) => {
          const edits = parsePatch(patch);
          return edits.tag === 'ok' ? ok({edits: edits.value, userChanges: emptyUserChanges}) : edits;
        },
      ),
      'ApplyPatch',
    ),
  ],
  label: input => `Edit ${pathsIn(input).join(', ')}`,
  cancelled: input => ({paths: pathsIn(input)}),
  modelContent: ({files, userChanged}) =>
    textContent([...files.map(fileText), ...userChanged.map(userChangeText)].join('\n')),
  outcome: ({files}) => files.map(file => `in ${file.path}: ${changedLines(file)}`),
  past: 'files',
  async preview(input, {ports, signal}) {
    const plan = await ports.files.plan(input, signal);
    if (plan.tag === 'failed') return failed({state: 'error', fault: plan.error});
    const isAmended = input.userChanges.kind !== 'none';
    return isAmended && plan.value.length === 0 ? failed(nothingLeft(input)) : ok({kind: 'diff', files: plan.value});
  },
  async run(input, {ports, shown, signal}) {
    if (shown.kind !== 'diff') return {state: 'error', fault: rejected('The edit was not shown before it ran.')};
    const applied = await ports.files.apply(input, shown.files, signal);
    return settledBy(applied);
  },
});

/** A user who drops the whole proposal has declined it. */
const nothingLeft = (input: EditRequest): Settled<EditsOutput, EditsPartial> => ({
  state: 'cancelled',
  why: {reason: 'declined', message: 'they dropped every change. Nothing was written.'},
  partial: {paths: pathsIn(input)},
});

const pathsIn = ({edits}: EditRequest): readonly string[] => [...new Set(edits.flatMap(editPaths))];

const pathSchema = () => z.string().check(z.minLength(1));

const replacement = () => ({
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.optional(z.boolean()),
});

const toReplacement = (raw: {old_string: string; new_string: string; replace_all?: boolean | undefined}) => ({
  oldText: raw.old_string,
  newText: raw.new_string,
  occurrence: raw.replace_all === true ? ('every' as const) : ('only' as const),
});

const changedLines = ({added, removed}: FileDiff): string => `${pluralize(added, 'line')} added, ${removed} removed`;

const edited = (edit: FileEdit): Outcome<EditRequest, string> => ok({userChanges: emptyUserChanges, edits: [edit]});

export function changeOf(file: FileDiff): 'Created' | 'Deleted' | 'Renamed' | 'Changed' {
  if (file.movedFrom !== undefined) return 'Renamed';
  if (file.before === 'absent') return 'Created';
  return file.after === 'absent' ? 'Deleted' : 'Changed';
}

export const nameOf = (file: FileDiff): string =>
  file.movedFrom === undefined ? file.path : `${file.movedFrom} → ${file.path}`;

const fileText = (file: FileDiff): string =>
  [`${changeOf(file)} ${nameOf(file)} (+${file.added} -${file.removed})`, ...file.notes.map(note => `[${note}]`)].join(
    '\n',
  );

/** The maximum number of lines of the user's changes that a model reads. */
const maxLines = 150;
/** The maximum number of characters of each line. */
const maxLineLength = 400;

/** Begins what the model reads about a file that was not written as proposed. */
export const userChangePrefix = '[edited by the user before it was written: ';

/** Returns what the model reads about a file that was not written as proposed. */
function userChangeText({path, kind, hunks}: UserChangedFile): string {
  if (kind === 'not-renamed') return `${userChangePrefix}the file was not renamed to ${path}]`;
  if (hunks.length === 0) return `${userChangePrefix}${path}, its change was dropped]`;
  const lines = hunks.flatMap(hunkLines);
  const more = lines.length > maxLines ? [`… ${lines.length - maxLines} more lines`] : [];
  const what =
    kind === 'dropped'
      ? `${hunks.length === 1 ? 'this change was' : `these ${hunks.length} changes were`} dropped`
      : 'from the proposed text to what is in the file now';
  return [
    `${userChangePrefix}${path}, ${what}:`,
    ...lines.slice(0, maxLines).map(line => clip(line, maxLineLength)),
    ...more,
    ']',
  ].join('\n');
}

const hunkLines = ({oldStart, newStart, lines}: DiffHunk): readonly string[] => [
  `@@ -${oldStart} +${newStart} @@`,
  ...lines.map(({kind, text}) => `${lineSigns[kind]}${text}`),
];

/** The maximum number of characters of a diff that a model reads. */
const maxText = 16_000;

/** Formats changes as a diff. `bounded` for a model. */
export function diffText({files, more}: WorkspaceChanges, form: 'bounded' | 'whole'): string {
  const lines: string[] = [];
  const [most, longest] = form === 'whole' ? [Infinity, Infinity] : [maxText, maxLineLength];
  let left = most;
  for (const [at, file] of files.entries()) {
    const text = [fileText(file), ...file.hunks.flatMap(hunkLines).map(line => clip(line, longest))].join('\n');
    if (text.length > left) {
      lines.push(fileText(file), `… the diffs of ${pluralize(files.length - at + more, 'file')} are left out`);
      return lines.join('\n');
    }
    left -= text.length;
    lines.push(text);
  }
  if (more > 0) lines.push(`… and ${pluralize(more, 'more file')}`);
  return lines.join('\n');
}
