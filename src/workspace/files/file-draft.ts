import type {LineRange, PatchHunk, Replacement} from '../../domain/file-edit.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {QuotePolicy} from './explain-miss.ts';
import type {FileSnapshot} from './file-snapshot.ts';
import {lineEndAt, lineEnds} from './line-ends.ts';
import {applyHunks} from './apply-hunks.ts';
import {applyReplacement, type ChangedText} from './apply-replacement.ts';
import {
  decodeText,
  encodeText,
  encodingNames,
  plainForm,
  type DecodedText,
  type TextForm,
  whyNotEdited,
} from './text-encoding.ts';

/** Whether the model has read the file, and whether the file has changed since. */
export type ReadState = 'as-read' | 'changed-since' | 'unread';

/** Why an edit cannot be made. `miss`: the text to be replaced was not found. */
export type EditError =
  | {readonly kind: 'miss'; readonly message: string; readonly wanted: string}
  | {readonly kind: 'missing-file' | 'other'; readonly message: string};

export type FileDraft = ReturnType<typeof makeFileDraft>;

/** The content of one file while edits are applied to it, one after the other; nothing is on the disk yet. */
export function makeFileDraft(
  before: FileSnapshot,
  {knowledge, quoting}: {readonly knowledge: ReadState; readonly quoting: QuotePolicy},
) {
  const original = before.kind === 'present' ? before.bytes : undefined;
  let content = original;
  /** The text of `content`; decoded when it is first needed. */
  let decoded: DecodedText | undefined;
  /** The text that `content` is still to be encoded from: only the last of many edits needs the bytes. */
  let unencoded: DecodedText | undefined;
  const notes = new Set<string>();

  function textNow(): Outcome<DecodedText, EditError> {
    if (content === undefined) return failed({kind: 'missing-file', message: ''});
    if (decoded !== undefined) return ok(decoded);
    const read = decodeText(content);
    if (read.tag === 'failed') return failed(other('it is binary, not text; nothing can be replaced in it.'));
    decoded = read.value;
    return ok(decoded);
  }

  function bytesNow(): Buffer | undefined {
    if (unencoded !== undefined) content = encodeText(unencoded);
    unencoded = undefined;
    return content;
  }

  function take(form: TextForm, changed: ChangedText): readonly EditError[] {
    decoded = {form, text: changed.text};
    unencoded = form.encoding === 'utf-8' ? decoded : undefined;
    const bytes = unencoded === undefined ? encodeText(decoded) : Buffer.alloc(0);
    if (bytes === undefined) {
      decoded = undefined;
      const name = encodingNames[form.encoding];
      return [other(`it is ${name}, which has no bytes for a character of the new text; leave that character out.`)];
    }
    content = bytes;
    for (const note of changed.notes) notes.add(note);
    if (form.encoding !== 'utf-8') notes.add(`it is ${encodingNames[form.encoding]} and stays so`);
    return [];
  }

  /** Edits the present text by `work`. `given` is the text that the edit inserts, `wanted` the text that it looks for. */
  function change(
    {given, wanted}: {readonly given: string; readonly wanted: string},
    work: (text: string) => Outcome<ChangedText, readonly string[]>,
  ): readonly EditError[] {
    const now = textNow();
    if (now.tag === 'failed') return [now.error];
    const {form, text} = now.value;
    const unwritable = whyNotEdited(form.encoding);
    if (unwritable !== undefined) return [other(unwritable)];
    if (!given.isWellFormed()) return [other(halfCharacter)];
    if (given.includes('\0')) return [other(zeroCharacter)];
    if (form.encoding === 'unknown' && !isAscii(given)) {
      return [other('its encoding is not known; only ASCII text can be replaced in it.')];
    }
    const done = work(text);
    if (done.tag === 'failed') return done.error.map(message => ({kind: 'miss', message, wanted}));
    return take(form, done.value);
  }

  function create(newText: string): readonly EditError[] {
    if (!newText.isWellFormed()) return [other(halfCharacter)];
    if (content === undefined) return take(plainForm, {text: newText, notes: []});
    const now = textNow();
    if (now.tag === 'failed' || now.value.text !== '') {
      return [
        other('it exists already and is not empty; an empty old text, or Add File in a patch, only creates a file.'),
      ];
    }
    if (newText === '') return [other('the old and the new text are both empty; nothing would change.')];
    return take(now.value.form, {text: newText, notes: []});
  }

  return {
    get content(): Buffer | undefined {
      return bytesNow();
    },
    get notes(): readonly string[] {
      return [...notes];
    },
    write(newText: string): readonly EditError[] {
      if (!newText.isWellFormed()) return [other(halfCharacter)];
      const untouched = original !== undefined && content === original && original.length > 0;
      if (untouched && knowledge === 'unread')
        return [other('it exists and was not read; read it before overwriting it.')];
      if (untouched && knowledge === 'changed-since') return [other('it changed since it was read; read it again.')];
      if (content === undefined) return take(plainForm, {text: newText, notes: []});
      const now = textNow();
      const there = now.tag === 'ok' ? now.value : {form: plainForm, text: ''};
      const unwritable = whyNotEdited(there.form.encoding);
      if (unwritable !== undefined) return [other(unwritable)];
      const text = inFormOf(there, newText);
      const fits = there.form.encoding !== 'unknown' && encodeText({form: there.form, text}) !== undefined;
      return fits
        ? take(there.form, {text, notes: []})
        : take(plainForm, {text, notes: [`it was ${encodingNames[there.form.encoding]} and is UTF-8 now`]});
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
      if (knowledge !== 'as-read' || content !== original) {
        const why =
          content !== original
            ? 'an edit before this one may have moved them'
            : 'it must have been read, and not have changed since';
        return [other(`lines are replaced by number only as they were read: ${why}. Read the file first.`)];
      }
      return change({given: newText, wanted: ''}, text => withLines(text, lines, newText));
    },
    patch(hunks: readonly PatchHunk[]): readonly EditError[] {
      const lines = hunks.flatMap(hunk => hunk.lines);
      const given = lines.map(({kind, text}) => (kind === 'added' ? text : '')).join('\n');
      const wanted = lines.flatMap(({kind, text}) => (kind === 'added' ? [] : [text])).join('\n');
      return change({given, wanted}, text => applyHunks(text, hunks, quoting));
    },
    remove(): readonly EditError[] {
      if (content === undefined) return [{kind: 'missing-file', message: ''}];
      if (content === original && knowledge === 'changed-since')
        return [other('it changed since it was read; read it again.')];
      content = undefined;
      decoded = undefined;
      unencoded = undefined;
      return [];
    },
    /** Removes the content from the draft and returns it, for a file that is renamed. */
    takeContent(): Outcome<Buffer, EditError> {
      const given = bytesNow();
      if (given === undefined) return failed({kind: 'missing-file', message: ''});
      content = undefined;
      decoded = undefined;
      return ok(given);
    },
    /** Sets the whole content, such as that of a renamed file, and adds notes about how it came about. */
    setContent(bytes: Buffer, said: readonly string[]): void {
      for (const note of said) notes.add(note);
      content = bytes;
      decoded = undefined;
      unencoded = undefined;
    },
  };
}

const other = (message: string): EditError => ({kind: 'other', message});

const halfCharacter = 'the new text holds half a surrogate pair, which no file can hold as text.';
const zeroCharacter = 'the new text holds a NUL character, which would make the file binary.';

// oxlint-disable-next-line no-control-regex -- ASCII begins with the control characters
const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/u.test(text);

/** Gives new content the byte order mark of the old one and, where those are all alike, its line ends. */
function inFormOf({form, text}: DecodedText, content: string): string {
  const bare = content.startsWith('\ufeff') && form.mark === 'byte-order-mark' ? content.slice(1) : content;
  switch (lineEnds(text)) {
    case 'crlf':
      return bare.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n');
    case 'cr':
      return bare.includes('\r') ? bare : bare.replaceAll('\n', '\r');
    default:
      return bare;
  }
}

/** Replaces whole lines by their numbers. The last of these lines keeps its line end, or stays without one. */
function withLines(text: string, {first, last}: LineRange, newText: string): Outcome<ChangedText, readonly string[]> {
  const pattern = text.includes('\n') ? /\n/gu : /\r/gu;
  const starts = [0];
  for (const match of text.matchAll(pattern)) starts.push(match.index + 1);
  const total = starts.at(-1) === text.length ? starts.length - 1 : starts.length;
  if (first < 1 || last < first || last > total) {
    return failed([`there are no lines ${first} to ${last}; it has ${total} ${total === 1 ? 'line' : 'lines'}.`]);
  }
  const start = starts[first - 1] ?? 0;
  const end = starts[last] ?? text.length;
  const bare = newText.replaceAll('\r\n', '\n').replace(/\n$/u, '');
  const near = lineEndAt(text, start);
  const oldEnd = /\r?\n$|\r$/u.exec(text.slice(start, end))?.[0] ?? '';
  const put = newText === '' ? '' : bare.replaceAll('\n', near) + oldEnd;
  return ok({text: text.slice(0, start) + put + text.slice(end), notes: []});
}
