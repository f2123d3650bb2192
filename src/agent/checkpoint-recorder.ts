import type {AgentEvent} from '../actions/agent-event.ts';
import type {CheckpointsPort, TouchedFiles} from '../domain/checkpoint.ts';
import {faultText} from '../domain/fault.ts';
import type {MessageId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';

/** The checkpoints of one run of the loop: of the prompt that began it and those that join it. */
export interface PromptCheckpoints {
  /** Announces an action that may change files. Reads the files that a checkpoint would need in the background. */
  expectChange(): void;
  /**
   * Returns which of these changes undo will not cover, as a reason for the approval card. Empty if undo covers all
   * changes. Never throws.
   */
  uncoveredText(touched: TouchedFiles, signal: AbortSignal): Promise<string>;
  /** Await it before an action that may change files. Only the first such action of a prompt costs time. Never throws. */
  beforeChange(signal: AbortSignal): Promise<void>;
  /** Assigns file changes from now on to this prompt. No action may be running. */
  joinPrompt(prompt: MessageId): void;
  /** Await it when everything the run started has settled. Costs no time if no file can have changed. Never throws. */
  afterRun(): Promise<void>;
}

/** The prompt, and the moment in it, that a checkpoint belongs to. */
type CheckpointMoment = Pick<Extract<JournalRecord, {kind: 'checkpoint'}>, 'prompt' | 'moment'>;

/** Milliseconds after which a slow checkpoint causes a notice. */
const slowMs = 5000;
const slowText = 'Saving a checkpoint for undo. The first one takes a while in a large folder.';

/** Takes a checkpoint of the files before the first change of a prompt, and another one after the prompt. */
export class CheckpointRecorder {
  readonly #checkpoints: CheckpointsPort;
  readonly #publish: (events: readonly AgentEvent[]) => void;
  readonly #warned = new Set<string>();

  constructor(checkpoints: CheckpointsPort, publish: (events: readonly AgentEvent[]) => void) {
    this.#checkpoints = checkpoints;
    this.#publish = publish;
  }

  forPrompt(first: MessageId, keep: (record: JournalRecord) => void): PromptCheckpoints {
    let prompt = first;
    const befores = new Map<MessageId, Promise<'kept' | 'nothing'>>();
    const ended = new AbortController();
    let lookAhead: Promise<void> | undefined;
    const take = async (moments: readonly CheckpointMoment[], signal: AbortSignal): Promise<'kept' | 'nothing'> => {
      const timer = setTimeout(() => this.#warnOnce(slowText), slowMs);
      try {
        const taken = await this.#checkpoints.take(signal);
        if (taken.tag === 'ok') {
          if (taken.value === 'off') return 'nothing';
          for (const moment of moments) keep({kind: 'checkpoint', ...moment, tree: taken.value});
          return 'kept';
        }
        if (!signal.aborted) this.#warnOnce(`Undo won't be available: ${faultText(taken.error)}`);
      } catch {
        // If the journal can't be written, the action's result can't be either, which ends the prompt.
      } finally {
        clearTimeout(timer);
      }
      return 'nothing';
    };
    /** Returns the latest prompt that may have changed files and whose final checkpoint is not taken yet. */
    const unfinishedMoment = async (): Promise<readonly CheckpointMoment[]> => {
      for (const [changed, before] of [...befores].toReversed()) {
        if ((await before) === 'kept') return [{prompt: changed, moment: 'after'}];
      }
      return [];
    };
    const begin = async (of: MessageId, signal: AbortSignal): Promise<'kept' | 'nothing'> => {
      // When a prompt of a run begins to change files, the prompt before it has ended.
      return take([...(await unfinishedMoment()), {prompt: of, moment: 'before'}], signal);
    };
    return {
      expectChange: () => {
        if (!befores.has(prompt)) lookAhead ??= this.#checkpoints.prefetch(ended.signal).catch(() => {});
      },
      uncoveredText: async (touched, signal) => {
        if (touched.paths.length === 0 && touched.commands.length === 0) return '';
        const named = await this.#checkpoints.uncoveredFiles(touched, signal).catch(() => []);
        return named.length === 0 ? '' : `Undo does not cover ${named.join(', ')}`;
      },
      async beforeChange(signal) {
        const before = befores.get(prompt) ?? begin(prompt, signal);
        befores.set(prompt, before);
        await before;
      },
      joinPrompt(id) {
        prompt = id;
      },
      async afterRun() {
        ended.abort();
        await lookAhead;
        const moments = await unfinishedMoment();
        if (moments.length > 0) await take(moments, new AbortController().signal);
      },
    };
  }

  #warnOnce(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.#publish([{event: 'notice', level: 'warning', text}]);
  }
}
