import type {Effect} from '../state/effect.ts';

/** A question that is printed as numbered lines and answered by a typed line. It is immutable: an answer leads to the next question. */
export interface LineQuestion {
  /** Printed when the question is asked. */
  readonly lines: readonly string[];
  /** Takes an entered line, trimmed, as the answer. An empty line never means yes. */
  answer(line: string): AnswerStep;
}

export interface AnswerStep {
  /** `same`: the question stays open. */
  readonly next: LineQuestion | 'same' | 'closed';
  readonly say: readonly string[];
  readonly effects: readonly Effect[];
}

export const askAgain = (...say: readonly string[]): AnswerStep => ({next: 'same', say, effects: []});

export const askNext = (next: LineQuestion): AnswerStep => ({next, say: [], effects: []});

export const closeWith = (...effects: readonly Effect[]): AnswerStep => ({next: 'closed', say: [], effects});

const closeSaying = (say: string): AnswerStep => ({next: 'closed', say: [say], effects: []});

/** The index of a typed number in a list: `2` in a list of at least two gives 1; `undefined` if the line is no number of the list. */
function rowOf(line: string, count: number): number | undefined {
  if (!/^\d{1,6}$/u.test(line)) return undefined;
  const row = Number(line) - 1;
  return row >= 0 && row < count ? row : undefined;
}

/** The indexes of typed numbers, such as `1 3`; `undefined` for words. */
export function numbersIn(line: string, count: number): readonly number[] | 'out-of-range' | undefined {
  const words = line.split(/[\s,;]+/u).filter(word => word !== '');
  if (words.length === 0 || !words.every(word => /^\d+$/u.test(word))) return undefined;
  const rows = words.flatMap(word => rowOf(word, count) ?? []);
  return rows.length === words.length ? rows : 'out-of-range';
}

export const isNo = (line: string): boolean => /^(?:n|no|refuse)$/iu.test(line);
export const isBack = (line: string): boolean => line === '0' || line.toLowerCase() === 'back';

export function numberedChoice(
  list: {readonly title: string; readonly rows: readonly string[]; readonly ask: string},
  chosen: (row: number) => AnswerStep,
): LineQuestion {
  const {title, rows, ask} = list;
  return {
    lines: [title, ...rows.map((row, at) => `${at + 1}. ${row}`), ask],
    answer(line) {
      if (isBack(line)) return closeSaying('Nothing was chosen.');
      const row = rowOf(line, rows.length);
      return row === undefined ? askAgain(`That is no number from 0 to ${rows.length}. ${ask}`) : chosen(row);
    },
  };
}

/** A card with a few choices, each with a letter and a number; `chosen` gets the letter. */
export function letterChoice(
  lines: readonly string[],
  choices: readonly {readonly letter: string; readonly label: string}[],
  chosen: (letter: string) => AnswerStep,
): LineQuestion {
  const how = `${choices.map(({letter, label}) => `${letter} ${label}`).join('; ')}. Type a letter and Enter.`;
  return {
    lines: [...lines, how],
    answer(line) {
      const typed = isBack(line) || isNo(line) ? 'n' : line.toLowerCase().replace(/^yes$/u, 'y');
      const found = choices.find(({letter}, at) => letter === typed || String(at + 1) === typed);
      return found === undefined ? askAgain(`Nothing was answered. ${how}`) : chosen(found.letter);
    },
  };
}
