import {visibleExactLine} from '../base/visible.ts';
import type {Verdict} from './risk.ts';

const maxWordLength = 30;

/**
 * Returns the word that a person types to allow an action that destroys something or sends private data. This is the confirm word, or
 * `yes` if there is none or it can't be typed. Empty if a key press is enough.
 */
export function typedWord({risk, detail: {confirmWord: word}}: Pick<Verdict, 'risk' | 'detail'>): string {
  if (word === '') return risk === 'destructive' ? 'yes' : '';
  return word.length > maxWordLength || /\s/u.test(word) || visibleExactLine(word) !== word ? 'yes' : word;
}
