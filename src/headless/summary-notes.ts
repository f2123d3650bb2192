import type {PromptSummary} from '../actions/agent-event.ts';
import {visible} from '../base/visible.ts';
import {unreachable} from '../base/unreachable.ts';
import {faultText} from '../domain/fault.ts';
import {hookStopText, stopText} from '../domain/stop-text.ts';

/** What a person should know of how a prompt ended, beside its answer: one line each, mostly none. */
export function summaryNotes(summary: PromptSummary): readonly string[] {
  const {end} = summary;
  switch (end.kind) {
    case 'done':
      return [...answerNotes(summary), ...denialNotes(summary)];
    case 'failed':
      return [oneLine(faultText(end.fault))];
    case 'max-turns':
      return [
        `stopped at the limit of ${end.turns} ${end.turns === 1 ? 'turn' : 'turns'}, before the model was done. Raise --max-turns to let it go on.`,
      ];
    case 'max-cost':
      return [`stopped at the limit of $${end.usd}, before the model was done. Raise --max-cost to let it go on.`];
    case 'stopped-by-hook':
      return [oneLine(hookStopText(end))];
    case 'invalid-output':
      return ['the model gave no answer that fits the schema:', ...end.errors.map(error => `  ${oneLine(error)}`)];
    case 'interrupted':
      return [];
    default:
      return unreachable(end);
  }
}

/** Text on one line, for a stream whose lines are messages and which a terminal may show. */
export const oneLine = (text: string): string => visible(text.trim().replace(/\s*[\r\n]+\s*/gu, ' '));

function answerNotes(summary: PromptSummary): readonly string[] {
  const note = stopText(summary);
  return note === undefined ? [] : [note];
}

function denialNotes({denials}: PromptSummary): readonly string[] {
  const tools = new Set(denials.filter(({by}) => by === 'nobody').map(({call}) => call.name));
  if (tools.size === 0) return [];
  return [
    `not run, because it needs approval and nobody could be asked: ${[...tools].join(', ')}. ` +
      'Allow it with --allowed-tools or --permission-mode.',
  ];
}
