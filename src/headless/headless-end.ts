import type {PromptSummary} from '../actions/agent-event.ts';
import {unreachable} from '../base/unreachable.ts';

/** The exit code of the process, as the command line contract has it. */
export interface HeadlessEnd {
  readonly exitCode: 0 | 1 | 3 | 4 | 130;
}

/**
 * 0 means that there is an answer and nothing was refused for want of somebody to ask; 3 only where the run came to its end
 * without that approval: other ends say more.
 */
export function endOf({end, denials, answer}: PromptSummary): HeadlessEnd {
  switch (end.kind) {
    case 'done':
      if (denials.some(({by}) => by === 'nobody')) return {exitCode: 3};
      return {exitCode: answer.trim() === '' ? 1 : 0};
    case 'failed':
    case 'stopped-by-hook':
    case 'invalid-output':
      return {exitCode: 1};
    case 'max-turns':
    case 'max-cost':
      return {exitCode: 4};
    case 'interrupted':
      return {exitCode: 130};
    default:
      return unreachable(end);
  }
}
