import {draftOf, type Draft} from './draft.ts';

/** Earlier prompts, oldest first, and where in them the user is; the draft left behind waits at the end. */
export interface PromptHistory {
  readonly prompts: readonly string[];
  /** `prompts.length` when the user's own draft is shown. */
  readonly at: number;
  readonly own: Draft;
}

export const historyOf = (prompts: readonly string[]): PromptHistory => ({
  prompts,
  at: prompts.length,
  own: draftOf(''),
});

/** One prompt earlier or later, with the draft to show; `undefined` at either end. */
export function stepHistory(
  history: PromptHistory,
  step: {readonly direction: 'earlier' | 'later'; readonly from: Draft},
): {readonly history: PromptHistory; readonly draft: Draft} | undefined {
  const own = history.at === history.prompts.length ? step.from : history.own;
  const at = history.at + (step.direction === 'earlier' ? -1 : 1);
  if (at < 0 || at > history.prompts.length) return undefined;
  const prompt = history.prompts[at];
  return {history: {...history, at, own}, draft: prompt === undefined ? own : draftOf(prompt)};
}

/** A prompt was sent: it is the latest, once. */
export const remembered = (history: PromptHistory, prompt: string): PromptHistory =>
  historyOf(history.prompts.at(-1) === prompt ? history.prompts : [...history.prompts, prompt]);
