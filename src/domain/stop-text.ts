import {unreachable} from '../base/unreachable.ts';
import type {StopReason} from './conversation.ts';

/** Returns the notice about how an answer ended: a sentence that begins in lower case, or `undefined` if the answer ended normally. */
export function stopText({answer, stop}: {readonly answer: string; readonly stop: StopReason}): string | undefined {
  switch (stop) {
    case 'max-tokens':
      return "the answer was cut off at the model's limit for one answer.";
    case 'context-full':
      return "the answer was cut off: the model's context is full.";
    case 'refusal':
      return 'the model declined to answer.';
    case 'end-turn':
    case 'tool-use':
    case 'paused':
    case 'interrupted':
      return answer.trim() === '' ? 'the model ended without an answer. Try again, or use another model.' : undefined;
    default:
      return unreachable(stop);
  }
}

/** Returns the notice about a prompt that a hook ended. */
export const hookStopText = ({reason}: {readonly reason: string}): string =>
  reason.trim() === '' ? 'A hook stopped this prompt.' : `A hook stopped this prompt: ${reason}`;

/** Capitalizes the first letter and ends the text with one period. */
export const toSentence = (clause: string): string =>
  `${clause
    .trim()
    .replace(/\.*$/u, '')
    .replace(/^\p{Lowercase}/u, letter => letter.toUpperCase())}.`;
