import {failed} from '../../../base/outcome.ts';
import type {DirectorPort} from '../../../server/stack-runs.ts';
import type {Store} from '../../../store/open-store.ts';
import type {StackStore} from '../../../store/stack-store.ts';
import {loadRunContext} from '../../../app/run-context.ts';
import {heldText, openDirector} from '../stack/open-director.ts';

/** Runs the task stack in a folder, with its settings. */
export const stackDirector = (
  {stack, store, named}: {readonly stack: StackStore; readonly store: Store; readonly named: string | undefined},
  directory: string,
): DirectorPort => ({
  async open(harness, observe) {
    const context = loadRunContext({
      directory,
      added: [],
      options: {sessionPersistence: true, color: false, ...(named === undefined ? {} : {store: named})},
    });
    const director = await openDirector({...context, store: async () => store}, {stack, observe, harness});
    return director.tag === 'ok' ? director : failed({reason: `It cannot run: ${heldText}.`, again: 'later'});
  },
});
