export interface MemoryNotes {
  readonly path: string;
  /** The notes without secrets. Empty if there are no notes. */
  readonly text: string;
  /** The maximum number of UTF-16 units that the model gets. The rest is left out. */
  readonly limit: number;
}

/**
 * Merges an edit of notes with changes made since the edit began: the user's text, then the lines that were added in
 * the meantime. No new line of either side is lost.
 */
export function mergedNotes(
  current: string,
  {before, after}: {readonly before: string; readonly after: string},
): string {
  const known = new Set([...before.split('\n'), ...after.split('\n')].map(line => line.trimEnd()));
  const added = current.split('\n').filter(line => line.trim() !== '' && !known.has(line.trimEnd()));
  const edited = endedLine(after);
  return added.length === 0 ? edited : `${edited}${added.join('\n')}\n`;
}

/** Returns the text with a line feed at its end, unless it is empty. */
export const endedLine = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
