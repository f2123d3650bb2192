import type {Effect} from '../input/effect.ts';

/** Something that is asked in numbered lines and answered by a typed one. Its state does not change: an answer leads to the next. */
export interface Dialogue {
  /** Printed when it comes up. */
  readonly lines: readonly string[];
  /** What an entered line means, trimmed. An empty line is never an assent. */
  answer(line: string): DialogueStep;
}

export interface DialogueStep {
  /** `same` waits on. */
  readonly next: Dialogue | 'same' | 'closed';
  readonly say: readonly string[];
  readonly effects: readonly Effect[];
}

export const waits = (...say: readonly string[]): DialogueStep => ({next: 'same', say, effects: []});

export const goesOn = (next: Dialogue): DialogueStep => ({next, say: [], effects: []});

export const closes = (...effects: readonly Effect[]): DialogueStep => ({next: 'closed', say: [], effects});

export const backs = (say: string): DialogueStep => ({next: 'closed', say: [say], effects: []});

/** `2` in a list of at least two gives 1; anything else is no number of the list. */
export function rowOf(line: string, count: number): number | undefined {
  if (!/^\d{1,6}$/u.test(line)) return undefined;
  const row = Number(line) - 1;
  return row >= 0 && row < count ? row : undefined;
}

export const isNo = (line: string): boolean => /^(?:n|no|refuse)$/iu.test(line);
export const isBack = (line: string): boolean => line === '0' || line.toLowerCase() === 'back';

/** One of some numbered things; `chosen` gets its row. */
export function choice(
  list: {readonly title: string; readonly rows: readonly string[]; readonly ask: string},
  chosen: (row: number) => DialogueStep,
): Dialogue {
  const {title, rows, ask} = list;
  return {
    lines: [title, ...rows.map((row, at) => `${at + 1}. ${row}`), ask],
    answer(line) {
      if (isBack(line)) return backs('Nothing was chosen.');
      const row = rowOf(line, rows.length);
      return row === undefined ? waits(`That is no number from 0 to ${rows.length}. ${ask}`) : chosen(row);
    },
  };
}
