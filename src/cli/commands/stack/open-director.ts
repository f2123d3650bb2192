import {randomUUID} from 'node:crypto';
import {noUsage} from '../../../domain/usage.ts';
import type {DirectorPort, StackRun} from '../../../jobs/stack-runs.ts';
import type {Store} from '../../../store/open-store.ts';
import type {StackStore} from '../../../store/stack-store.ts';
import {directStack, type StackRunEvent, type StackWorker} from '../../../tasks/stack/direct-stack.ts';
import {connectModel, requireModel} from '../../../app/choose-model.ts';
import {note} from '../../../app/output.ts';
import {loadRunContext, type RunContext} from '../../../app/run-context.ts';
import {weftWorker} from './weft-worker.ts';

/** Milliseconds between two looks at what other processes have changed: messages of the user's, tasks that were cancelled. */
const lookMs = 250;

/** What runs the task stack in a folder, with its settings. */
export const stackDirector =
  ({stack, store, named}: {readonly stack: StackStore; readonly store: Store; readonly named: string | undefined}) =>
  (directory: string): DirectorPort => ({
    open(harness, observe) {
      const context = loadRunContext({
        directory,
        added: [],
        options: {sessionPersistence: true, color: false, ...(named === undefined ? {} : {store: named})},
      });
      return openDirector({...context, store: async () => store}, {stack, observe, harness});
    },
  });

/** Makes ready what runs the task stack: for the process that has its job. */
export async function openDirector(
  context: RunContext,
  {
    stack,
    observe,
    harness,
  }: {
    readonly stack: StackStore;
    readonly observe: (event: StackRunEvent) => void;
    /** Whose agent does the tasks: `weft`, or the name of a harness. */
    readonly harness: string;
  },
): Promise<StackRun> {
  const ports = {
    perform: <T>(work: Parameters<typeof stack.perform<T>>[0]): T => stack.perform(work),
    read: <T>(work: Parameters<typeof stack.read<T>>[0]): T => stack.read(work),
    worker:
      harness === 'weft'
        ? await ownWorker(context)
        : (await import('./harness-worker.ts')).harnessWorker(context, harness),
    watch(listener: () => void) {
      const timer = setInterval(listener, lookMs);
      return () => clearInterval(timer);
    },
    newSession: () => randomUUID(),
    observe,
  };
  return {run: (options, signal) => directStack(ports, options, signal)};
}

async function ownWorker(context: RunContext): Promise<StackWorker> {
  const chosen = await connectModel(context);
  requireModel(chosen);
  if (context.options.maxCost !== undefined && chosen.port.facts(chosen.model).costOf(noUsage) === 'unknown')
    note(`the price of ${chosen.model} is unknown: --max-cost has no effect`);
  return weftWorker({context, chosen, store: await context.store()});
}
