import type {PromptSummary} from '../actions/agent-event.ts';
import {unreachable} from '../base/unreachable.ts';

/** The exit code of the process, as the command line contract has it. */
export interface HeadlessEnd {
  readonly exitCode: 0 | 1 | 3 | 4 | 130;
}

/** 3 only where the run came to its end without the approval it needed: other ends say more. */
export function endOf({end, denials}: PromptSummary): HeadlessEnd {
  switch (end.kind) {
    case 'done':
      return {exitCode: denials.some(({by}) => by === 'nobody') ? 3 : 0};
    case 'failed':
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
