import type {AgentEvent} from '../actions/agent-event.ts';
import type {HookChanges} from '../actions/hooks-port.ts';
import type {ChangeExtent, CheckpointsPort, TouchedFiles, TreeId} from '../domain/checkpoint.ts';
import {faultText} from '../domain/fault.ts';
import type {ActionId, MessageId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';
import type {JudgePort} from './ports.ts';

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
   * Await it before an action that may change files. With a call, a step of the journal will tell what it changed.
   * Without, it costs no time if a checkpoint of this prompt covers the extent. Never throws.
   */
  beforeChange(signal: AbortSignal, extent?: ChangeExtent, call?: ActionId): Promise<void>;
  /** Call it when a call and its hooks have ended. Records the call's step in the background. Never throws. */
  afterCall(call: ActionId): void;
  /**
   * Await it before a hook that may change files. Costs no time if the prompt has changed none so far. Never throws.
   */
  beforeHook(signal: AbortSignal, extent: () => Promise<ChangeExtent>): Promise<void>;
  /**
   * Call it when the calls of an answer have ended. If nothing else that the prompt started is running, changes until the next
   * `beforeChange` are not the prompt's, and a checkpoint is taken in the background. Never throws.
   */
  afterTurn(state: 'resting' | 'running'): void;
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

/** A call that may be changing files. */
interface OpenStep extends Pick<JournalStep, 'prompt' | 'call' | 'began' | 'ran'> {
  readonly extent: ChangeExtent;
  readonly before: TreeId;
  /** The background commands when the call began; for a command in the background, the command itself. */
  readonly blocks: readonly string[];
}

type JournalStep = Extract<JournalRecord, {kind: 'step'}>;

/** The milliseconds in which the state after a call also counts as the state before the next call of the answer. */
const freshMs = 100;

/** Milliseconds after which a slow checkpoint causes a notice. */
const slowMs = 5000;
const slowText = 'Saving a checkpoint for undo. The first one takes a while in a large folder.';

interface RecorderDeps {
  readonly checkpoints: CheckpointsPort;
  readonly publish: (events: readonly AgentEvent[]) => void;
  readonly now: () => number;
  /** Returns the names of the commands that run in the background. */
  readonly running: () => readonly string[];
}

/** Takes a checkpoint of the files before the first change of a prompt, after each call, and after the prompt. */
export class CheckpointRecorder {
  readonly #checkpoints: CheckpointsPort;
  readonly #publish: RecorderDeps['publish'];
  readonly #now: () => number;
  readonly #running: () => readonly string[];
  readonly #warned = new Set<string>();
  /** The commands that run on in the background, perhaps beyond their prompt. */
  #background: readonly OpenStep[] = [];

  constructor({checkpoints, publish, now, running}: RecorderDeps) {
    this.#checkpoints = checkpoints;
    this.#publish = publish;
    this.#now = now;
    this.#running = running;
  }

  forPrompt(first: MessageId, keep: (record: JournalRecord) => void): PromptCheckpoints {
    let prompt = first;
    const spans = new Map<MessageId, Span>();
    const changed = new Set<MessageId>();
    /** Checkpoints are taken one after the other. */
    let last: Promise<unknown> = Promise.resolve();
    const ended = new AbortController();
    let lookAhead: Promise<void> | undefined;
    const open = new Map<ActionId, OpenStep>();
    /** The latest state of the files, as long as nothing that the prompt started can have changed them since. */
    let fresh: {readonly extent: string; readonly tree: TreeId; readonly at: number} | undefined;
    /** Returns `undefined` if the state could not be stored. */
    const look = async (
      extent: ChangeExtent,
      signal: AbortSignal,
      as: 'checkpoint' | 'step' = 'checkpoint',
    ): Promise<TreeId | undefined> => {
      const key = JSON.stringify(extent);
      if (fresh?.extent === key && this.#now() - fresh.at < freshMs) return fresh.tree;
      const timer = setTimeout(() => this.#warnOnce(slowText), slowMs);
      try {
        const {takeStep = this.#checkpoints.take} = this.#checkpoints;
        const tell = (text: string): void => this.#warnOnce(text);
        const taken = await (as === 'step' ? takeStep : this.#checkpoints.take)(signal, extent, tell);
        if (taken.tag === 'ok') {
          if (taken.value === 'off') return undefined;
          if (open.size + this.#background.length === 0) fresh = {extent: key, tree: taken.value, at: this.#now()};
          return taken.value;
        }
        if (!signal.aborted) this.#warnOnce(`Undo won't be available: ${faultText(taken.error)}`);
      } finally {
        clearTimeout(timer);
      }
      return undefined;
    };
    const take = async (
      moments: readonly CheckpointMoment[],
      extent: ChangeExtent,
      signal: AbortSignal,
    ): Promise<'kept' | 'nothing'> => {
      try {
        const tree = await look(extent, signal);
        if (tree === undefined) return 'nothing';
        for (const moment of moments) keep({kind: 'checkpoint', ...moment, tree});
        return 'kept';
      } catch {
        // If the journal can't be written, the action's result can't be either, which ends the prompt.
        return 'nothing';
      }
    };
    const openStep = async (
      {of, call, extent}: {readonly of: MessageId; readonly call: ActionId; readonly extent: ChangeExtent},
      signal: AbortSignal,
    ): Promise<void> => {
      const before = await look(extent, signal, 'step').catch(() => undefined);
      if (before === undefined) return;
      const [began, blocks] = [this.#now(), this.#running()];
      open.set(call, {prompt: of, call, began, extent, before, blocks, ran: 'foreground'});
    };
    /** Records the step of a call up to now. Returns the state of the files, or `undefined` if it is unknown. */
    const keepStep = async ({prompt: of, call, began, ran, before, extent}: OpenStep): Promise<TreeId | undefined> => {
      try {
        const after = await look(extent, new AbortController().signal, 'step');
        if (after !== undefined) keep({kind: 'step', prompt: of, call, began, ran, files: {before, after}});
        return after;
      } catch {
        return undefined;
      }
    };
    const closeStep = async (call: ActionId, running = this.#running()): Promise<void> => {
      const step = open.get(call);
      if (step === undefined) return;
      open.delete(call);
      const others = [step, ...this.#background].flatMap(({blocks}) => blocks);
      const own = running.filter(block => !others.includes(block));
      const ran = own.length === 0 ? step.ran : 'on';
      const before = await keepStep({...step, ran});
      if (before === undefined || own.length === 0) return;
      const began = this.#now();
      this.#background = [...this.#background, {...step, before, began, blocks: own, ran: 'background'}];
      fresh = undefined;
    };
    /** Records the steps of background commands that have ended, or of all up to now. */
    const keepBackground = async (which: 'ended' | 'all'): Promise<void> => {
      if (this.#background.length === 0) return;
      const running = this.#running();
      const steps = this.#background;
      const goesOn = ({blocks}: OpenStep): boolean => blocks.some(block => running.includes(block));
      this.#background = steps.filter(goesOn);
      for (const step of steps) {
        if (goesOn(step) && which === 'ended') continue;
        const before = await keepStep(goesOn(step) ? {...step, ran: 'on'} : step);
        const next = {...step, ran: 'on', began: this.#now(), before: before ?? step.before} as const;
        this.#background = this.#background.map(each => (each === step ? next : each));
      }
    };
    /** Takes the final checkpoint of the latest prompt that may have changed files. All its actions must have ended. */
    const finish = async (signal: AbortSignal): Promise<void> => {
      const latest = [...spans].findLast(([, {kept}]) => kept);
      if (latest === undefined) return;
      const [of, {all, paths}] = latest;
      await take([{prompt: of, moment: 'after'}], all ? 'any' : [...paths], signal);
    };
    const endTurn = async (before: Promise<unknown>, state: 'resting' | 'running'): Promise<void> => {
      await before;
      await keepBackground('ended');
      if (state === 'resting') await rest();
      fresh = undefined;
    };
    const rest = async (): Promise<void> => {
      for (const call of open.keys()) await closeStep(call);
      await finish(new AbortController().signal);
      for (const [of, {kept}] of spans) if (kept) spans.delete(of);
    };
    const begin = async (of: MessageId, extent: ChangeExtent, signal: AbortSignal): Promise<void> => {
      const span = spans.get(of) ?? {all: false, paths: new Set<string>(), kept: false};
      const missing = extent === 'any' ? extent : extent.filter(path => !span.paths.has(path));
      if (span.all || missing.length === 0) return;
      // When a prompt of a run begins to change files, the prompt before it has ended.
      const ends = spans.has(of) ? undefined : [...spans].findLast(([, {kept}]) => kept);
      spans.set(of, span);
      changed.add(of);
      if (missing === 'any') span.all = true;
      else for (const path of missing) span.paths.add(path);
      const moments: CheckpointMoment[] = [{prompt: of, moment: 'before'}];
      if (ends?.[1].all === true && missing === 'any') moments.unshift({prompt: ends[0], moment: 'after'});
      else if (ends !== undefined) await finish(signal);
      if ((await take(moments, missing, signal)) === 'kept') span.kept = true;
    };
    const beforeChange = async (signal: AbortSignal, extent: ChangeExtent = 'any', call?: ActionId): Promise<void> => {
      const of = prompt;
      const begun = async (): Promise<void> => {
        await keepBackground('ended');
        await begin(of, extent, signal);
        if (call !== undefined) await openStep({of, call, extent}, signal);
        fresh = undefined;
      };
      const taken = last.then(begun);
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
      afterCall: call => {
        const running = this.#running();
        last = last.then(() => closeStep(call, running));
      },
      afterTurn(state) {
        if (spans.size > 0) last = endTurn(last, state);
      },
      joinPrompt(id) {
        prompt = id;
      },
      async afterRun() {
        ended.abort();
        await lookAhead;
        await last;
        for (const call of open.keys()) await closeStep(call);
        await keepBackground('all');
        await finish(new AbortController().signal);
        fresh = undefined;
      },
    };
  }

  #warnOnce(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.#publish([{event: 'notice', level: 'warning', text}]);
  }
}

/** Returns the files that hooks may change. */
export async function hookExtent(
  changes: readonly HookChanges[],
  {judge, directory}: {readonly judge: Pick<JudgePort, 'writes'>; readonly directory: string},
): Promise<ChangeExtent> {
  const extents = await Promise.all(
    changes.map(async each => (each === 'any' ? each : judge.writes(each.command, directory))),
  );
  const named = extents.filter(extent => extent !== 'any');
  return named.length === extents.length ? named.flat() : 'any';
}
