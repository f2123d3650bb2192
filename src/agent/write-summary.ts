import {clip} from '../base/clip.ts';
import {messageText} from '../domain/conversation.ts';
import {faultText, thrownFault, type Fault} from '../domain/fault.ts';
import type {MessageId} from '../domain/ids.ts';
import type {ModelRequest} from '../domain/model-stream.ts';
import {noUsage, type Usage} from '../domain/usage.ts';
import type {ClockPort, ModelPort} from './ports.ts';
import {readAnswer, type Answer} from './read-answer.ts';

/** `why` is a sentence. What was used is told either way. */
export type Summary = {readonly usage: Usage; readonly model: string} & (
  | {readonly kind: 'written'; readonly text: string}
  | {readonly kind: 'none'; readonly why: string}
);

/** How long the model may take, in milliseconds. */
export const summaryTimeoutMs = 180_000;

/** What a summary may have, in UTF-16 units; what is longer is cut. */
const longestSummary = 24_000;

/**
 * Asks the model to sum the conversation up, by a request that only appends to the one before it, so that it is read from the
 * provider's cache. Its tools are offered for that reason alone: calls are not run. Never throws, and ends soon after an abort.
 */
export async function writeSummary(
  wish: {
    readonly request: ModelRequest;
    readonly id: MessageId;
    readonly instructions: string;
    readonly timeoutMs: number;
  },
  {model, clock}: {readonly model: ModelPort; readonly clock: ClockPort},
  signal: AbortSignal,
): Promise<Summary> {
  const {request, id, instructions, timeoutMs} = wish;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const either = AbortSignal.any([signal, timeout.signal]);
  const none = (why: string, usage: Usage): Summary => ({kind: 'none', why, usage, model: request.model});
  try {
    const blocks = [{kind: 'text', text: askText(instructions)}] as const;
    const messages = [...request.messages, {role: 'user', id, blocks} as const];
    const silent = {model, clock, keep: () => {}, publish: () => {}, caughtUp: () => undefined};
    const answer = await readAnswer({...request, messages}, silent, either);
    if (signal.aborted) return none('The summary was stopped.', answer.usage);
    if (answer.end === 'interrupted') return none(`The model took longer than ${timeoutMs / 1000} s.`, answer.usage);
    const why = whyUnusable(answer);
    if (why !== '') return none(why, answer.usage);
    return {...none('', answer.usage), kind: 'written', text: summaryIn(answer)};
  } catch (cause) {
    return none(faultText(thrownFault('The summary broke off', cause)), noUsage);
  } finally {
    clearTimeout(timer);
  }
}

function whyUnusable(answer: Answer): string {
  if (answer.end === 'failed') return whyFailed(answer.fault);
  if (answer.stop === 'refusal') return 'The model declined to write a summary.';
  if (answer.stop === 'context-full') return "The model's context is too full for a summary.";
  return summaryIn(answer) === '' ? 'The model wrote no summary.' : '';
}

/** What to do about a conversation that is too long is just being done. */
const whyFailed = (fault: Fault): string =>
  fault.kind === 'provider' && fault.status > 0 ? fault.message : faultText(fault);

const summaryIn = ({message}: Answer): string =>
  message === undefined ? '' : clip(messageText(message).trim(), longestSummary);

const askText = (instructions: string): string =>
  `This conversation is about to be compacted: what you write now takes the place of everything above, except for the messages \
of the user, the todo list, the standing instructions and the list of changed files, which stay word for word. Do not call tools.

Sum up what is needed to go on without looking back, in at most 1,200 words:
1. What the user wants, and what was decided and why; corrections and preferences of the user.
2. What was done: files and places that matter, as path:line, commands and what came of them.
3. What was found out, and what was tried and failed.
4. Where the work stands, what is open, and the very next step.
Write facts, names, paths, commands and error messages exactly. Leave out what is over and done. Write only the summary.${
    instructions === '' ? '' : `\n\nThe user wants you to keep this in mind for the summary:\n${instructions}`
  }`;
