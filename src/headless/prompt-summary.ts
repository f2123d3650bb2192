import type {PromptSummary} from '../actions/agent-event.ts';
import {keepChangesAdvice, listFiles} from '../actions/changes-port.ts';
import {unreachable} from '../base/unreachable.ts';
import {visible} from '../base/visible.ts';
import {faultText} from '../domain/fault.ts';
import {hookStopText, stopText} from '../domain/stop-text.ts';

/** Returns notices about the end of a prompt, one line each; usually none. */
export function summaryNotes(summary: PromptSummary): readonly string[] {
  const {end} = summary;
  switch (end.kind) {
    case 'done':
      return [...answerNotes(summary), ...denialNotes(summary)];
    case 'failed':
    case 'not-sent':
      return [oneLine(faultText(end.fault))];
    case 'max-turns':
      return [
        `stopped at the limit of ${end.turns} ${end.turns === 1 ? 'turn' : 'turns'}. Raise --max-turns to continue.`,
      ];
    case 'max-cost':
      return [`stopped at the limit of $${end.usd}. Raise --max-cost to continue.`];
    case 'stopped-by-hook':
      return [oneLine(hookStopText(end))];
    case 'invalid-output':
      return ['the answer does not match the schema:', ...end.errors.map(error => `  ${oneLine(error)}`)];
    case 'interrupted':
      return [];
    default:
      return unreachable(end);
  }
}

/** Puts text on one line, with visible control characters, for stderr. */
export const oneLine = (text: string): string => visible(text.trim().replace(/\s*[\r\n]+\s*/gu, ' '));

function answerNotes(summary: PromptSummary): readonly string[] {
  const note = stopText(summary);
  return note === undefined ? [] : [note];
}

function denialNotes({denials}: PromptSummary): readonly string[] {
  const unasked = denials.filter(({by}) => by === 'nobody');
  const tools = new Set(unasked.flatMap(({call, of}) => (of.kind === 'call' ? [call.name] : [])));
  const lists = unasked.flatMap(({of}) => (of.kind === 'changes' ? [of] : []));
  const dropped = lists.flatMap(({changes}) => changes.map(({path}) => path));
  const more = lists.reduce((sum, {changes, total}) => sum + total - changes.length, 0);
  return [
    ...(tools.size === 0
      ? []
      : [
          `not run because it needs approval: ${[...tools].join(', ')}. ` +
            'Allow it with --allowed-tools or --permission-mode.',
        ]),
    ...(dropped.length === 0
      ? []
      : [
          oneLine(`dropped changes of commands that need approval: ${listFiles(dropped, more)} (${keepChangesAdvice})`),
        ]),
  ];
}

/** The end of a one-shot run: its exit code, as in the command-line contract, and the notices on stderr. */
export interface HeadlessEnd {
  readonly exitCode: 0 | 1 | 2 | 3 | 4 | 124 | 130 | 143;
  readonly notes: readonly string[];
}

/** Exit codes of prompts that were not sent. An unknown slash command is a usage error, like an unknown flag. */
const notSentCodes = {'unknown-command': 2, 'not-permitted': 3, failed: 1} as const;

/**
 * Returns the end of a run. Exit code 0 means that there is an answer, and that weft denied nothing for lack of a user to ask. 3
 * means that the run reached its end without such an approval. Other ends have codes that say more.
 */
export const endOf = (summary: PromptSummary): HeadlessEnd => ({
  exitCode: exitCodeOf(summary),
  notes: summaryNotes(summary),
});

function exitCodeOf({end, denials, answer}: PromptSummary): HeadlessEnd['exitCode'] {
  switch (end.kind) {
    case 'done':
      if (denials.some(({by}) => by === 'nobody')) return 3;
      return answer.trim() === '' ? 1 : 0;
    case 'failed':
    case 'stopped-by-hook':
    case 'invalid-output':
      return 1;
    case 'max-turns':
    case 'max-cost':
      return 4;
    case 'interrupted':
      return 130;
    case 'not-sent':
      return notSentCodes[end.why];
    default:
      return unreachable(end);
  }
}
