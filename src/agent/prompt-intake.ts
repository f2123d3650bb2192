import type {AgentEvent, PromptEnd} from '../actions/agent-event.ts';
import type {ImageBlock, Message, TextBlock, UserMessage} from '../domain/conversation.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {reminderBlock} from '../domain/reminder.ts';
import type {RunCheckpoints} from './checkpoint-keeper.ts';
import type {PromptHooks} from './prompt-hooks.ts';
import type {WaitingPrompt, WorkQueue} from './work-queue.ts';

export interface IntakeParts {
  readonly queue: WorkQueue;
  readonly hooks: PromptHooks;
  readonly checkpoints: RunCheckpoints;
  /** The conversation so far, which the prompts join. */
  readonly messages: Message[];
  readonly keep: (record: JournalRecord) => void;
  readonly publish: (events: readonly AgentEvent[]) => void;
  /** What the model is to know with the next prompt that is taken up, which empties it. */
  readonly toLearn: TextBlock[];
  /** What goes with the words of a prompt: the files they mention. Never throws. */
  readonly attached: (text: string, signal: AbortSignal) => Promise<readonly (TextBlock | ImageBlock)[]>;
}

/** Takes up the prompts of one run: the one it begins with, and those that join it. Each is kept before it is told. */
export class PromptIntake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /** Answers with the end of the run where a hook does not let the prompt through: nothing of it is kept. */
  async begin(prompt: WaitingPrompt, signal: AbortSignal): Promise<PromptEnd | undefined> {
    const {hooks, publish} = this.#parts;
    const {verdict, context} = await hooks.beforePrompt(prompt, signal);
    if (verdict.kind === 'block') {
      publish([accepted(prompt)]);
      return {kind: 'stopped-by-hook', reason: verdict.reason};
    }
    this.#accept(prompt, {context, attached: await this.#parts.attached(prompt.text, signal)});
    return undefined;
  }

  /** Takes up the prompts that are to steer. One that a hook does not let through is withdrawn, and its reason told. */
  async join(signal: AbortSignal): Promise<void> {
    const {queue, hooks, checkpoints, publish} = this.#parts;
    for (let prompt = queue.steering; prompt !== undefined && !signal.aborted; prompt = queue.steering) {
      const {verdict, context} = await hooks.beforePrompt(prompt, signal);
      const attached = verdict.kind === 'block' ? [] : await this.#parts.attached(prompt.text, signal);
      // Until now it could still be withdrawn, and an interrupt has dropped it.
      if (signal.aborted) return;
      if (!queue.prompts.includes(prompt)) continue;
      if (verdict.kind === 'block') {
        queue.take(prompt.id);
        const text = verdict.reason === '' ? 'A hook stopped a prompt.' : `A hook stopped a prompt: ${verdict.reason}`;
        publish([
          {event: 'prompt-withdrawn', id: prompt.id},
          {event: 'notice', level: 'warning', text},
        ]);
      } else {
        checkpoints.joinedBy(prompt.id);
        this.#accept(prompt, {context, attached});
      }
    }
  }

  #accept(prompt: WaitingPrompt, besides: Besides): void {
    const {queue, messages, toLearn, keep, publish} = this.#parts;
    const message = messageOf(prompt, {...besides, attached: [...besides.attached, ...toLearn]});
    keep({kind: 'prompt', message});
    toLearn.length = 0;
    queue.take(prompt.id);
    messages.push(message);
    publish([accepted(prompt)]);
  }
}

const accepted = ({id, text}: WaitingPrompt): AgentEvent => ({event: 'prompt-accepted', id, text});

/** What goes behind the words of a prompt. */
interface Besides {
  readonly context: string;
  readonly attached: readonly (TextBlock | ImageBlock)[];
}

const messageOf = ({id, text, images}: WaitingPrompt, {context, attached}: Besides): UserMessage => ({
  role: 'user',
  id,
  blocks: [...images, {kind: 'text', text}, ...attached, ...(context === '' ? [] : [reminderBlock(context)])],
});
