import type {AgentEvent} from '../actions/agent-event.ts';
import type {ChangeExtent, CheckpointsPort, TouchedFiles} from '../domain/checkpoint.ts';
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
  uncoveredText(touched: Omit<TouchedFiles, 'isNamed'>, signal: AbortSignal, extent: ChangeExtent): Promise<string>;
  /**
   * Await it before an action that may change files. Costs no time if a checkpoint of this prompt covers the extent.
   * Never throws.
   */
  beforeChange(signal: AbortSignal, extent?: ChangeExtent): Promise<void>;
  /**
   * Await it before a hook that may change files. Costs no time if the prompt has changed none so far. Never throws.
   */
  beforeHook(signal: AbortSignal, extent: () => Promise<ChangeExtent>): Promise<void>;
  /**
   * Call it when nothing that the prompt started is running. Changes until the next `beforeChange` are not the prompt's. Takes a
   * checkpoint in the background. Never throws.
   */
  rest(): void;
  /** Assigns file changes from now on to this prompt. No action may be running. */
  joinPrompt(prompt: MessageId): void;
  /** Await it when everything the run started has settled. Costs no time if no file can have changed. Never throws. */
  afterRun(): Promise<void>;
}

/** The prompt, and the moment in it, that a checkpoint belongs to. */
type CheckpointMoment = Pick<Extract<JournalRecord, {kind: 'checkpoint'}>, 'prompt' | 'moment'>;

/** The part of the workspace that the checkpoints before a prompt's changes cover. */
interface Span {
  all: boolean;
  readonly paths: Set<string>;
  kept: boolean;
}

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
    const spans = new Map<MessageId, Span>();
    const changed = new Set<MessageId>();
    /** Checkpoints are taken one after the other. */
    let last: Promise<unknown> = Promise.resolve();
    const ended = new AbortController();
    let lookAhead: Promise<void> | undefined;
    const take = async (
      moments: readonly CheckpointMoment[],
      extent: ChangeExtent,
      signal: AbortSignal,
    ): Promise<'kept' | 'nothing'> => {
      const timer = setTimeout(() => this.#warnOnce(slowText), slowMs);
      try {
        const taken = await this.#checkpoints.take(signal, extent, text => this.#warnOnce(text));
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
    /** Takes the final checkpoint of the latest prompt that may have changed files. All its actions must have ended. */
    const finish = async (signal: AbortSignal): Promise<void> => {
      const latest = [...spans].findLast(([, {kept}]) => kept);
      if (latest === undefined) return;
      const [of, {all, paths}] = latest;
      await take([{prompt: of, moment: 'after'}], all ? 'any' : [...paths], signal);
    };
    const finishAndClose = async (before: Promise<unknown>): Promise<void> => {
      await before;
      await finish(new AbortController().signal);
      for (const [of, {kept}] of spans) if (kept) spans.delete(of);
    };
    const begin = async (of: MessageId, extent: ChangeExtent, signal: AbortSignal): Promise<void> => {
      const span = spans.get(of) ?? {all: false, paths: new Set<string>(), kept: false};
      const fresh = extent === 'any' ? extent : extent.filter(path => !span.paths.has(path));
      if (span.all || fresh.length === 0) return;
      // When a prompt of a run begins to change files, the prompt before it has ended.
      const ends = spans.has(of) ? undefined : [...spans].findLast(([, {kept}]) => kept);
      spans.set(of, span);
      changed.add(of);
      if (fresh === 'any') span.all = true;
      else for (const path of fresh) span.paths.add(path);
      const moments: CheckpointMoment[] = [{prompt: of, moment: 'before'}];
      if (ends?.[1].all === true && fresh === 'any') moments.unshift({prompt: ends[0], moment: 'after'});
      else if (ends !== undefined) await finish(signal);
      if ((await take(moments, fresh, signal)) === 'kept') span.kept = true;
    };
    const beforeChange = async (signal: AbortSignal, extent: ChangeExtent = 'any'): Promise<void> => {
      const of = prompt;
      const taken = last.then(() => begin(of, extent, signal));
      last = taken;
      await taken;
    };
    return {
      beforeChange,
      expectChange: () => {
        if (spans.get(prompt)?.all !== true) lookAhead ??= this.#checkpoints.prefetch(ended.signal).catch(() => {});
      },
      uncoveredText: async (given, signal, extent) => {
        // A checkpoint of all files holds for the rest of the prompt.
        const isNamed = extent !== 'any' && spans.get(prompt)?.all !== true;
        const touched = isNamed ? {paths: extent, commands: [], isNamed} : {...given, isNamed};
        if (touched.paths.length === 0 && touched.commands.length === 0) return '';
        const named = await this.#checkpoints.uncoveredFiles(touched, signal).catch(() => []);
        return named.length === 0 ? '' : `Undo does not cover ${named.join(', ')}`;
      },
      async beforeHook(signal, extent) {
        await last;
        if (changed.has(prompt) && spans.get(prompt)?.all !== true)
          await beforeChange(signal, await extent().catch(() => 'any' as const));
      },
      rest() {
        if (spans.size > 0) last = finishAndClose(last);
      },
      joinPrompt(id) {
        prompt = id;
      },
      async afterRun() {
        ended.abort();
        await lookAhead;
        await last;
        await finish(new AbortController().signal);
      },
    };
  }

  #warnOnce(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.#publish([{event: 'notice', level: 'warning', text}]);
  }
}
