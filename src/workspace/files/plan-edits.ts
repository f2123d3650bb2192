import type {FileEdit, Replacement} from '../../actions/ports.ts';
import type {FileDiff} from '../../actions/preview.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {rejected, type Fault} from '../../domain/fault.ts';
import {diffHunks} from './diff-hunks.ts';
import {isWritable, missingText, sha256, takeSnapshot, type FileSnapshot} from './file-snapshot.ts';
import {lineEnds} from './line-ends.ts';
import {replaceText} from './replace-text.ts';
import {pathTrouble, type Paths} from './resolve-path.ts';
import {decodeText, encodeText, plainForm, type DecodedText} from './text-form.ts';

/** One file as it is and as it shall be. */
export interface PlannedFile {
  /** Where it really lies, links followed. */
  readonly path: string;
  readonly before: FileSnapshot;
  readonly after: Buffer;
  readonly diff: FileDiff;
}

/** What the plan needs to know: how paths are meant, and which hash the model knows a file by. */
export interface PlanContext {
  readonly paths: Paths;
  /** The SHA-256 of the bytes the model read last, by real path. */
  readonly known: ReadonlyMap<string, string>;
  /** Whether a real path is for reading only, although it counts as inside the workspace. */
  readonly isReadOnly: (real: string) => boolean;
}

/** Works out all edits, file by file; every trouble of every file is in the fault. */
export async function planEdits(
  edits: readonly FileEdit[],
  context: PlanContext,
  signal: AbortSignal,
): Promise<Outcome<readonly PlannedFile[], Fault>> {
  const {paths} = context;
  const byPath = new Map<string, FileEdit[]>();
  for (const edit of edits) {
    const trouble = pathTrouble(edit.path);
    if (trouble !== undefined) return failed(rejected(trouble));
    const {path} = paths.resolve(edit.path);
    byPath.set(path, [...(byPath.get(path) ?? []), edit]);
  }

  const planned: PlannedFile[] = [];
  const troubles: string[] = [];
  for (const [path, editsOfFile] of byPath) {
    if (signal.aborted) return failed(rejected('The edit was stopped before anything was written.'));
    const file = await planFile(path, editsOfFile, context);
    if (file.tag === 'ok') planned.push(file.value);
    else troubles.push(...file.error.map(trouble => `${paths.show(path)}: ${trouble}`));
  }
  const [first] = troubles;
  if (first === undefined) return ok(planned);
  return failed(rejected(troubles.length === 1 ? first : ['Nothing was changed:', ...troubles].join('\n- ')));
}

async function planFile(
  path: string,
  edits: readonly FileEdit[],
  {paths, known, isReadOnly}: PlanContext,
): Promise<Outcome<PlannedFile, readonly string[]>> {
  if (isReadOnly(path)) return failed(['it lies where weft keeps the output of commands; nothing is edited there.']);
  const snapshot = await takeSnapshot(path);
  if (snapshot.tag === 'failed') return failed([snapshot.error]);
  const before = snapshot.value;
  const readAs = known.get(path);
  if (before.kind === 'present') {
    if (readAs !== undefined && readAs !== before.hash) return failed(['it changed since it was read; read it again.']);
    if (!(await isWritable(path))) return failed(['it is write-protected.']);
  }

  const draft = makeDraft(before, readAs === undefined ? 'unread' : 'read');
  const troubles: string[] = [];
  for (const edit of edits) {
    for (const trouble of draft.take(edit)) {
      troubles.push(trouble === missing ? await missingText(path, paths.show) : trouble);
    }
  }
  if (troubles.length > 0) return failed(troubles);
  const {text, bytes} = draft.result();
  if (before.kind === 'present' && before.bytes.equals(bytes)) {
    return failed(['nothing would change: the file has this content already.']);
  }
  const old = before.kind === 'present' ? decodeText(before.bytes).text : '';
  const diff: FileDiff = {
    path: paths.show(path),
    before: before.kind === 'present' ? before.hash : 'absent',
    after: sha256(bytes),
    ...(await diffHunks(old, text)),
  };
  return ok({path, before, after: bytes, diff});
}

const missing = Symbol('missing');

interface Draft {
  take(edit: FileEdit): readonly (string | typeof missing)[];
  result(): {readonly text: string; readonly bytes: Buffer};
}

/** The content of one file while its edits are applied one after the other. */
function makeDraft(before: FileSnapshot, knowledge: 'read' | 'unread'): Draft {
  const original = before.kind === 'present' ? decodeText(before.bytes) : undefined;
  let current: DecodedText | undefined = original;

  function write(content: string): readonly string[] {
    if (!content.isWellFormed()) return [halfCharacter];
    if (original !== undefined && current === original && knowledge === 'unread' && original.text !== '') {
      return ['it exists and was not read; read it before overwriting it.'];
    }
    current = inFormOf(original, content);
    return [];
  }

  function replace(replacement: Replacement): readonly (string | typeof missing)[] {
    const {oldText, newText} = replacement;
    if (!newText.isWellFormed()) return [halfCharacter];
    if (oldText === '') {
      if (newText === '') return ['the old and the new text are both empty; nothing would change.'];
      if (current !== undefined && current.text !== '') {
        return ['the old text is empty, which creates a file, but the file exists and is not empty.'];
      }
      current = {form: current?.form ?? plainForm, text: newText};
      return [];
    }
    if (current === undefined) return [missing];
    if (current.form.encoding === 'bytes-as-latin1' && !isAscii(oldText + newText)) {
      return ['it is not UTF-8; only ASCII text can be replaced in it.'];
    }
    const replaced = replaceText(current.text, replacement);
    if (replaced.tag === 'failed') return [replaced.error];
    current = {form: current.form, text: replaced.value};
    return [];
  }

  return {
    take(edit) {
      switch (edit.kind) {
        case 'write':
          return write(edit.content);
        case 'replace':
          return edit.replacements.flatMap(replace);
        default:
          return unreachable(edit);
      }
    },
    result: () => {
      const decoded = current ?? {form: plainForm, text: ''};
      return {text: decoded.text, bytes: encodeText(decoded)};
    },
  };
}

/** New content keeps what the file's readers rely on: encoding, byte order mark and, where they are all alike, line ends. */
function inFormOf(original: DecodedText | undefined, content: string): DecodedText {
  if (original === undefined) return {form: plainForm, text: content};
  const bare = content.startsWith('\ufeff') && original.form.mark === 'byte-order-mark' ? content.slice(1) : content;
  const text = lineEnds(original.text) === 'crlf' ? bare.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n') : bare;
  return {form: original.form.encoding === 'bytes-as-latin1' ? plainForm : original.form, text};
}

const halfCharacter = 'the new text holds half a surrogate pair, which no file can hold as text.';

// oxlint-disable-next-line no-control-regex -- ASCII begins with the control characters
const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/u.test(text);
