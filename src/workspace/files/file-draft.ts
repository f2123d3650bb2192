import type {LineRange, PatchHunk, Replacement} from '../../domain/file-edit.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {QuotePolicy} from './explain-miss.ts';
import type {FileSnapshot} from './file-snapshot.ts';
import {lineEndingAt, lineEndingKind} from './line-endings.ts';
import {applyHunks} from './apply-hunks.ts';
import {applyReplacement, type ChangedText} from './apply-replacement.ts';
import {
  decodeText,
  encodeText,
  encodingNames,
  utf8Form,
  type DecodedText,
  type TextForm,
  readOnlyEncodingProblem,
} from './text-encoding.ts';

/** Whether the model has read the file, and whether the file has changed since. */
export type ReadState = 'as-read' | 'changed-since' | 'unread';

/** Why an edit can't be made. `miss`: the text to replace was not found. */
export type EditError =
  | {readonly kind: 'miss'; readonly message: string; readonly wanted: string}
  | {readonly kind: 'missing-file' | 'other'; readonly message: string};

export type FileDraft = ReturnType<typeof makeFileDraft>;

/** Holds the content of one file while edits are applied in order. Nothing is on the disk yet. */
export function makeFileDraft(
  before: FileSnapshot,
  {knowledge: readState, quoting}: {readonly knowledge: ReadState; readonly quoting: QuotePolicy},
) {
  const original = before.kind === 'present' ? before.bytes : undefined;
  let content = original;
  /** The text of `content`, decoded on first use. */
  let decoded: DecodedText | undefined;
  /** The text that `content` is yet to be encoded from. Only the last of several edits needs the bytes. */
  let unencoded: DecodedText | undefined;
  const notes = new Set<string>();

  function currentText(): Outcome<DecodedText, EditError> {
    if (content === undefined) return failed({kind: 'missing-file', message: ''});
    if (decoded !== undefined) return ok(decoded);
    const read = decodeText(content);
    if (read.tag === 'failed')
      return failed(otherError('it is a binary file; text can only be replaced in text files.'));
    decoded = read.value;
    return ok(decoded);
  }

  function currentBytes(): Buffer | undefined {
    if (unencoded !== undefined) content = encodeText(unencoded);
    unencoded = undefined;
    return content;
  }

  function setText(form: TextForm, changed: ChangedText): readonly EditError[] {
    decoded = {form, text: changed.text};
    unencoded = form.encoding === 'utf-8' ? decoded : undefined;
    const bytes = unencoded === undefined ? encodeText(decoded) : Buffer.alloc(0);
    if (bytes === undefined) {
      decoded = undefined;
      const name = encodingNames[form.encoding];
      return [otherError(`it is ${name}, which can't encode a character of the new text; leave that character out.`)];
    }
    content = bytes;
    for (const note of changed.notes) notes.add(note);
    if (form.encoding !== 'utf-8') notes.add(`it is ${encodingNames[form.encoding]} and stays so`);
    return [];
  }

  /** Edits the current text with `work`. `given` is the text to insert, `wanted` the text to find. */
  function change(
    {given, wanted}: {readonly given: string; readonly wanted: string},
    work: (text: string) => Outcome<ChangedText, readonly string[]>,
  ): readonly EditError[] {
    const now = currentText();
    if (now.tag === 'failed') return [now.error];
    const {form, text} = now.value;
    const unwritable = readOnlyEncodingProblem(form.encoding);
    if (unwritable !== undefined) return [otherError(unwritable)];
    if (!given.isWellFormed()) return [otherError(loneSurrogateText)];
    if (given.includes('\0')) return [otherError(nulText)];
    if (form.encoding === 'unknown' && !isAscii(given)) {
      return [otherError('its encoding is not known; only ASCII text can be replaced in it.')];
    }
    const done = work(text);
    if (done.tag === 'failed') return done.error.map(message => ({kind: 'miss', message, wanted}));
    return setText(form, done.value);
  }

  function create(newText: string): readonly EditError[] {
    if (!newText.isWellFormed()) return [otherError(loneSurrogateText)];
    if (content === undefined) return setText(utf8Form, {text: newText, notes: []});
    const now = currentText();
    if (now.tag === 'failed' || now.value.text !== '') {
      return [
        otherError(
          'it exists already and is not empty; an empty old text, or Add File in a patch, only creates a file.',
        ),
      ];
    }
    if (newText === '') return [otherError('the old and the new text are both empty; nothing would change.')];
    return setText(now.value.form, {text: newText, notes: []});
  }

  return {
    get content(): Buffer | undefined {
      return currentBytes();
    },
    get notes(): readonly string[] {
      return [...notes];
    },
    write(newText: string): readonly EditError[] {
      if (!newText.isWellFormed()) return [otherError(loneSurrogateText)];
      const untouched = original !== undefined && content === original && original.length > 0;
      if (untouched && readState === 'unread')
        return [otherError('it exists but was not read; read it before overwriting it.')];
      if (untouched && readState === 'changed-since')
        return [otherError('it changed since it was read; read it again.')];
      if (content === undefined) return setText(utf8Form, {text: newText, notes: []});
      const now = currentText();
      const there = now.tag === 'ok' ? now.value : {form: utf8Form, text: ''};
      const unwritable = readOnlyEncodingProblem(there.form.encoding);
      if (unwritable !== undefined) return [otherError(unwritable)];
      const text = matchForm(there, newText);
      const fits = there.form.encoding !== 'unknown' && encodeText({form: there.form, text}) !== undefined;
      return fits
        ? setText(there.form, {text, notes: []})
        : setText(utf8Form, {text, notes: [`it was ${encodingNames[there.form.encoding]} and is UTF-8 now`]});
    },
    replace(replacement: Replacement): readonly EditError[] {
      const {oldText, newText} = replacement;
      if (oldText === '') return create(newText);
      return change({given: newText, wanted: oldText}, text => {
        const done = applyReplacement(text, replacement, quoting);
        return done.tag === 'ok' ? done : failed([done.error]);
      });
    },
    replaceLines(lines: LineRange, newText: string): readonly EditError[] {
      if (readState !== 'as-read' || content !== original) {
        const why =
          content !== original ? 'an earlier edit may have moved them' : 'the file was not read, or has changed since';
        return [otherError(`lines can't be replaced by number: ${why}. Read the file first.`)];
      }
      return change({given: newText, wanted: ''}, text => spliceLines(text, lines, newText));
    },
    patch(hunks: readonly PatchHunk[]): readonly EditError[] {
      const lines = hunks.flatMap(hunk => hunk.lines);
      const given = lines.map(({kind, text}) => (kind === 'added' ? text : '')).join('\n');
      const wanted = lines.flatMap(({kind, text}) => (kind === 'added' ? [] : [text])).join('\n');
      return change({given, wanted}, text => applyHunks(text, hunks, quoting));
    },
    remove(): readonly EditError[] {
      if (content === undefined) return [{kind: 'missing-file', message: ''}];
      if (content === original && readState === 'changed-since')
        return [otherError('it changed since it was read; read it again.')];
      content = undefined;
      decoded = undefined;
      unencoded = undefined;
      return [];
    },
    /** Removes the content from the draft and returns it, for a rename. */
    takeContent(): Outcome<Buffer, EditError> {
      const given = currentBytes();
      if (given === undefined) return failed({kind: 'missing-file', message: ''});
      content = undefined;
      decoded = undefined;
      return ok(given);
    },
    /** Sets the whole content, such as that of a renamed file, and adds notes on its origin. */
    setContent(bytes: Buffer, addedNotes: readonly string[]): void {
      for (const note of addedNotes) notes.add(note);
      content = bytes;
      decoded = undefined;
      unencoded = undefined;
    },
  };
}

const otherError = (message: string): EditError => ({kind: 'other', message});

const loneSurrogateText = 'the new text contains half a surrogate pair, which no text file can store.';
const nulText = 'the new text contains a NUL character, which would make the file binary.';

// oxlint-disable-next-line no-control-regex -- ASCII begins with the control characters
const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/u.test(text);

/** Gives new content the byte order mark of the old one, and its line endings if they are all alike. */
function matchForm({form, text}: DecodedText, content: string): string {
  const bare = content.startsWith('\ufeff') && form.mark === 'byte-order-mark' ? content.slice(1) : content;
  switch (lineEndingKind(text)) {
    case 'crlf':
      return bare.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n');
    case 'cr':
      return bare.includes('\r') ? bare : bare.replaceAll('\n', '\r');
    default:
      return bare;
  }
}

/** Replaces whole lines by their numbers. The last of them keeps its line ending, or stays without one. */
function spliceLines(text: string, {first, last}: LineRange, newText: string): Outcome<ChangedText, readonly string[]> {
  const pattern = text.includes('\n') ? /\n/gu : /\r/gu;
  const starts = [0];
  for (const match of text.matchAll(pattern)) starts.push(match.index + 1);
  const total = starts.at(-1) === text.length ? starts.length - 1 : starts.length;
  if (first < 1 || last < first || last > total) {
    return failed([`it has no lines ${first} to ${last}, only ${total} ${total === 1 ? 'line' : 'lines'}.`]);
  }
  const start = starts[first - 1] ?? 0;
  const end = starts[last] ?? text.length;
  const bare = newText.replaceAll('\r\n', '\n').replace(/\n$/u, '');
  const near = lineEndingAt(text, start);
  const oldEnd = /\r?\n$|\r$/u.exec(text.slice(start, end))?.[0] ?? '';
  const put = newText === '' ? '' : bare.replaceAll('\n', near) + oldEnd;
  return ok({text: text.slice(0, start) + put + text.slice(end), notes: []});
}
