import type {Effect} from '../state/effect.ts';

/** A question that is printed as lines and answered by a typed line. It is immutable: an answer returns the next question. */
export interface LineQuestion {
  readonly lines: readonly string[];
  /** Handles an entered line, trimmed. An empty line never means yes. */
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

const closeWithMessage = (say: string): AnswerStep => ({next: 'closed', say: [say], effects: []});

/** Returns the index for a typed number: 1 for `2`. `undefined` if the line is not a number from 1 to `count`. */
function rowOf(line: string, count: number): number | undefined {
  if (!/^\d{1,6}$/u.test(line)) return undefined;
  const row = Number(line) - 1;
  return row >= 0 && row < count ? row : undefined;
}

/** Returns the indexes for typed numbers such as `1 3`, or `undefined` if the line contains words. */
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
      if (isBack(line)) return closeWithMessage('Nothing was chosen.');
      const row = rowOf(line, rows.length);
      return row === undefined ? askAgain(`Not a number from 0 to ${rows.length}. ${ask}`) : chosen(row);
    },
  };
}

/** Asks for one of a few choices, by letter or number. `chosen` gets the letter. */
export function letterChoice(
  lines: readonly string[],
  choices: readonly {readonly letter: string; readonly label: string}[],
  chosen: (letter: string) => AnswerStep,
): LineQuestion {
  const how = `${choices.map(({letter, label}) => `${letter} ${label}`).join('; ')}. Type a letter and press Enter.`;
  return {
    lines: [...lines, how],
    answer(line) {
      const typed = isBack(line) || isNo(line) ? 'n' : line.toLowerCase().replace(/^yes$/u, 'y');
      const found = choices.find(({letter}, at) => letter === typed || String(at + 1) === typed);
      return found === undefined ? askAgain(`Not answered yet. ${how}`) : chosen(found.letter);
    },
  };
}
