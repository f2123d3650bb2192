import type {AgentClient} from '../../agent/client.ts';
import {draftFromText, type Draft} from './draft.ts';

/** Earlier prompts, oldest first, and the current position. The user's own draft comes after the last prompt. */
export interface PromptHistory {
  readonly prompts: readonly string[];
  /** The index of the shown prompt, or `prompts.length` for the user's own draft. */
  readonly at: number;
  readonly own: Draft;
}

export const promptHistoryOf = (prompts: readonly string[]): PromptHistory => ({
  prompts,
  at: prompts.length,
  own: draftFromText(''),
});

/** Moves one prompt earlier or later and returns the draft to show, or `undefined` at either end. */
export function stepHistory(
  history: PromptHistory,
  step: {readonly direction: 'earlier' | 'later'; readonly from: Draft},
): {readonly history: PromptHistory; readonly draft: Draft} | undefined {
  const own = history.at === history.prompts.length ? step.from : history.own;
  const at = history.at + (step.direction === 'earlier' ? -1 : 1);
  if (at < 0 || at > history.prompts.length) return undefined;
  const prompt = history.prompts[at];
  return {history: {...history, at, own}, draft: prompt === undefined ? own : draftFromText(prompt)};
}

/** Adds a sent prompt, unless it equals the latest one. */
export const addPrompt = (history: PromptHistory, prompt: string): PromptHistory =>
  promptHistoryOf(history.prompts.at(-1) === prompt ? history.prompts : [...history.prompts, prompt]);

/** Reads the prompts of earlier sessions, oldest first. Returns an empty list if they can't be read. */
export async function loadPromptHistory(client: AgentClient, signal: AbortSignal): Promise<readonly string[]> {
  const answer = await client.query({query: 'prompt-history'}, signal);
  return answer.tag === 'ok' ? answer.value : [];
}
