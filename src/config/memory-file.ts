import {ok, failed, type Outcome} from '../base/outcome.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import {endedLine, type MemoryNotes, mergedNotes} from '../domain/memory-notes.ts';
import {changeFile, readTextFile} from './change-file.ts';
import {maxInstructions} from './instructions.ts';

/**
 * Reads the notes in a file. Returns an empty text if there is none. `redact` replaces secrets when notes are shown and
 * when they are written.
 */
export function readNotes(path: string, redact: (text: string) => string): Outcome<MemoryNotes, Fault> {
  const read = readTextFile(path);
  return read.tag === 'ok'
    ? ok({path, text: redact(read.value ?? ''), limit: maxInstructions})
    : failed(rejected(`${path} cannot be read: ${read.error}`));
}

/** Adds a note as the last line of the file. A note that would exceed the model's limit is refused. */
export function addToNotes(
  path: string,
  note: string,
  redact: (text: string) => string,
): Promise<Outcome<MemoryNotes, Fault>> {
  return change(path, redact, current => {
    const text = `${endedLine(current)}- ${note.trim().replaceAll(/\s*[\r\n]+\s*/gu, ' ')}\n`;
    return text.length <= maxInstructions
      ? ok(text)
      : failed(
          rejected(
            `The notes for this project are full (${maxInstructions} characters). /memory edit makes them shorter.`,
          ),
        );
  });
}

/** Writes edited notes. `before` is the text that the edit began with. Keeps notes that others added in the meantime. */
export const writeNotes = (
  path: string,
  {before, text}: {readonly before: string; readonly text: string},
  redact: (text: string) => string,
): Promise<Outcome<MemoryNotes, Fault>> =>
  change(path, redact, current => ok(mergedNotes(current, {before, after: text})));

async function change(
  path: string,
  redact: (text: string) => string,
  to: (current: string) => Outcome<string, Fault>,
): Promise<Outcome<MemoryNotes, Fault>> {
  const changed = await changeFile(path, text => {
    const after = to(redact(text ?? ''));
    return after.tag === 'ok' ? ok(redact(after.value)) : after;
  });
  return changed.tag === 'ok' ? readNotes(path, redact) : changed;
}
