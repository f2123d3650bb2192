import type {AgentEvent} from '../actions/agent-event.ts';
import type {CheckpointsPort} from '../domain/checkpoint.ts';
import {faultText} from '../domain/fault.ts';
import type {MessageId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';

/** The checkpoints of one prompt. */
export interface PromptCheckpoints {
  /** To be awaited before an action that may change files; only the first one of a prompt costs anything. Never throws. */
  beforeChange(signal: AbortSignal): Promise<void>;
  /** To be awaited once everything the prompt started has settled. Costs nothing where nothing may have changed. Never throws. */
  afterPrompt(): Promise<void>;
}

/** Keeps the files around the prompts that may change them. */
export class CheckpointKeeper {
  readonly #checkpoints: CheckpointsPort;
  readonly #publish: (events: readonly AgentEvent[]) => void;
  readonly #told = new Set<string>();

  constructor(checkpoints: CheckpointsPort, publish: (events: readonly AgentEvent[]) => void) {
    this.#checkpoints = checkpoints;
    this.#publish = publish;
  }

  forPrompt(prompt: MessageId, keep: (record: JournalRecord) => void): PromptCheckpoints {
    let before: Promise<'kept' | 'nothing'> | undefined;
    const take = async (moment: 'before' | 'after', signal: AbortSignal): Promise<'kept' | 'nothing'> => {
      try {
        const taken = await this.#checkpoints.take(signal);
        if (taken.tag === 'ok') {
          if (taken.value === 'off') return 'nothing';
          keep({kind: 'checkpoint', prompt, moment, tree: taken.value});
          return 'kept';
        }
        if (!signal.aborted) this.#tellOnce(faultText(taken.error));
      } catch {
        // The journal that does not take this will not take the result either, and that is told.
      }
      return 'nothing';
    };
    return {
      async beforeChange(signal) {
        before ??= take('before', signal);
        await before;
      },
      async afterPrompt() {
        if ((await before) === 'kept') await take('after', new AbortController().signal);
      },
    };
  }

  #tellOnce(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#publish([{event: 'notice', level: 'warning', text: `This cannot be undone later: ${text}`}]);
  }
}
