export interface MemoryNotes {
  readonly path: string;
  /** Without secrets; empty if there are none. */
  readonly text: string;
  /** UTF-16 units that the model gets; what is behind them is left out. */
  readonly limit: number;
}

/**
 * An edit of notes that may have changed since it began: what the user has made of them, then the lines that were written meanwhile.
 * No line is lost that either has written.
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

/** The text with an end of its last line, if it has one. */
export const endedLine = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
