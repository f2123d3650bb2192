import {graphemes} from '../../text/cell-width.ts';

/** A command of normal or visual mode, as its keys say. */
export interface VimCommand {
  /** 0 where none was given. */
  readonly count: number;
  /** `d`, `c`, `y`, `>`, `<`, `gu`, `gU`, `g~`; empty for none. */
  readonly operator: string;
  /** A motion, a text object, the operator again for whole lines, or a command of its own. */
  readonly keys: string;
}

export type ReadCommand =
  | {readonly kind: 'whole'; readonly command: VimCommand}
  | {readonly kind: 'begun'}
  | {readonly kind: 'none'};

/** Reads the keys pressed so far. Counts before and behind an operator multiply. */
export function readVimCommand(pending: string, mode: 'normal' | 'visual'): ReadCommand {
  const [, before = '', rest = ''] = /^((?:[1-9][0-9]*)?)([^]*)$/u.exec(pending) ?? [];
  if (rest === '') return begun;
  const operator = mode === 'normal' ? (operators.find(one => rest.startsWith(one)) ?? '') : '';
  const [, behind = '', keys = ''] =
    operator === '' ? ['', '', rest] : (/^((?:[1-9][0-9]*)?)([^]*)$/u.exec(rest.slice(operator.length)) ?? []);
  if (keys === '' || (keys === 'g' && operator !== '')) return begun;
  const count = before === '' && behind === '' ? 0 : bounded(before) * bounded(behind);
  const length = lengthOf(keys, operator === '' && mode === 'normal' ? 'command' : 'motion');
  if (graphemes(keys).length < length) return begun;
  return {kind: 'whole', command: {count, operator, keys}};
}

const begun: ReadCommand = {kind: 'begun'};

const operators = ['d', 'c', 'y', '>', '<', 'gu', 'gU', 'g~'] as const;

/** Nobody means more, and everything stays quick. */
const mostTimes = 999;
const bounded = (digits: string): number => Math.min(mostTimes, digits === '' ? 1 : Number(digits));

/** How many keys what begins so takes. */
function lengthOf(keys: string, place: 'command' | 'motion'): number {
  const first = keys[0] ?? '';
  if ('fFtTrg'.includes(first)) return 2;
  return place === 'motion' && (first === 'i' || first === 'a') ? 2 : 1;
}
