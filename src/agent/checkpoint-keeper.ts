import type {AgentEvent} from '../actions/agent-event.ts';
import type {CheckpointsPort, TouchedFiles} from '../domain/checkpoint.ts';
import {faultText} from '../domain/fault.ts';
import type {MessageId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';

/** The checkpoints of one run: of a prompt and of those that join it. */
export interface RunCheckpoints {
  /** Something is coming that may change files: what has to be read before is read now, behind everything else. */
  expectChange(): void;
  /** What undo will not cover of what these change, as a reason to think twice; empty where all is covered. Never throws. */
  notCovered(touched: TouchedFiles, signal: AbortSignal): Promise<string>;
  /** To be awaited before an action that may change files; only the first one of a prompt costs anything. Never throws. */
  beforeChange(signal: AbortSignal): Promise<void>;
  /** What changes from now on is the doing of this prompt. Nothing may be running. */
  joinedBy(prompt: MessageId): void;
  /** To be awaited once everything the run started has settled. Costs nothing where nothing may have changed. Never throws. */
  afterRun(): Promise<void>;
}

type Mark = Pick<Extract<JournalRecord, {kind: 'checkpoint'}>, 'prompt' | 'moment'>;

/** Milliseconds after which a wait for a checkpoint is said, and the words for it. */
const longMs = 1000;
const keepingText =
  'Keeping the files as they are, so that this can be undone. The first time takes a while in a large folder.';

/** Keeps the files around the prompts that may change them. */
export class CheckpointKeeper {
  readonly #checkpoints: CheckpointsPort;
  readonly #publish: (events: readonly AgentEvent[]) => void;
  readonly #told = new Set<string>();

  constructor(checkpoints: CheckpointsPort, publish: (events: readonly AgentEvent[]) => void) {
    this.#checkpoints = checkpoints;
    this.#publish = publish;
  }

  forRun(first: MessageId, keep: (record: JournalRecord) => void): RunCheckpoints {
    let prompt = first;
    const befores = new Map<MessageId, Promise<'kept' | 'nothing'>>();
    const ended = new AbortController();
    let looking: Promise<void> | undefined;
    const take = async (marks: readonly Mark[], signal: AbortSignal): Promise<'kept' | 'nothing'> => {
      const long = setTimeout(() => this.#sayOnce(keepingText), longMs);
      try {
        const taken = await this.#checkpoints.take(signal);
        if (taken.tag === 'ok') {
          if (taken.value === 'off') return 'nothing';
          for (const mark of marks) keep({kind: 'checkpoint', ...mark, tree: taken.value});
          return 'kept';
        }
        if (!signal.aborted) this.#sayOnce(`This cannot be undone later: ${faultText(taken.error)}`);
      } catch {
        // The journal that does not take this will not take the result either, and that is told.
      } finally {
        clearTimeout(long);
      }
      return 'nothing';
    };
    /** The end of the latest prompt that has changed something. */
    const openEnd = async (): Promise<readonly Mark[]> => {
      for (const [changed, before] of [...befores].toReversed()) {
        if ((await before) === 'kept') return [{prompt: changed, moment: 'after'}];
      }
      return [];
    };
    const begin = async (of: MessageId, signal: AbortSignal): Promise<'kept' | 'nothing'> => {
      // Where one prompt of a run begins to change files, the one before it has ended.
      return take([...(await openEnd()), {prompt: of, moment: 'before'}], signal);
    };
    return {
      expectChange: () => {
        if (!befores.has(prompt)) looking ??= this.#checkpoints.lookAhead(ended.signal).catch(() => {});
      },
      notCovered: async (touched, signal) => {
        if (touched.paths.length === 0 && touched.commands.length === 0) return '';
        const named = await this.#checkpoints.notCovered(touched, signal).catch(() => []);
        return named.length === 0 ? '' : `undo does not cover ${named.join(', ')}`;
      },
      async beforeChange(signal) {
        const before = befores.get(prompt) ?? begin(prompt, signal);
        befores.set(prompt, before);
        await before;
      },
      joinedBy(id) {
        prompt = id;
      },
      async afterRun() {
        ended.abort();
        await looking;
        const marks = await openEnd();
        if (marks.length > 0) await take(marks, new AbortController().signal);
      },
    };
  }

  #sayOnce(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#publish([{event: 'notice', level: 'warning', text}]);
  }
}
