import {randomUUID} from 'node:crypto';
import {ok, type Outcome} from '../../../base/outcome.ts';
import type {StackStore} from '../../../store/stack-store.ts';
import {
  directStack,
  type DirectorOptions,
  type StackRunEnd,
  type StackRunEvent,
  type StackWorker,
} from '../../../tasks/stack/direct-stack.ts';
import {noUsage} from '../../../domain/usage.ts';
import {note} from '../../../app/output.ts';
import {requireModel, connectModel} from '../../../app/choose-model.ts';
import type {RunContext} from '../../../app/run-context.ts';
import {userDatabase} from '../../../app/user-database.ts';
import {weftWorker} from './weft-worker.ts';

/** Milliseconds between two looks at what other processes have changed: messages of the user's, tasks that were cancelled. */
const lookMs = 250;

/** A run of the task stack that no other one goes beside. */
export interface StackDirector {
  /** To be called once. */
  run(options: DirectorOptions, signal: AbortSignal): Promise<StackRunEnd>;
}

/** Makes ready what runs the task stack, unless this process or another one runs it: `held-elsewhere`. */
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
): Promise<Outcome<StackDirector, 'held-elsewhere'>> {
  const lock = (await userDatabase(context.places.database)).takeRunLock();
  if (lock.tag === 'failed') return lock;
  try {
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
    return ok({
      async run(options, signal) {
        try {
          return await directStack(ports, options, signal);
        } finally {
          lock.value.release();
        }
      },
    });
  } catch (cause) {
    lock.value.release();
    throw cause;
  }
}

async function ownWorker(context: RunContext): Promise<StackWorker> {
  const chosen = await connectModel(context);
  requireModel(chosen);
  if (context.options.maxCost !== undefined && chosen.port.facts(chosen.model).costOf(noUsage) === 'unknown')
    note(`the price of ${chosen.model} is unknown: --max-cost has no effect`);
  return weftWorker({context, chosen, store: await context.store()});
}

/** What to say where one runs already. */
export const heldText = 'the task stack runs already, in another weft';
