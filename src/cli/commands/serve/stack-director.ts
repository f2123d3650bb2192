import {failed} from '../../../base/outcome.ts';
import type {DirectorPort} from '../../../server/stack-runs.ts';
import type {Store} from '../../../store/open-store.ts';
import type {StackStore} from '../../../store/stack-store.ts';
import {loadRunContext} from '../../compose/run-context.ts';
import {heldText, openDirector} from '../stack/open-director.ts';

/** Runs the task stack in the folder of the server, with its settings. */
export const stackDirector = (stack: StackStore, store: Store, named: string | undefined): DirectorPort => ({
  async open(harness, observe) {
    const context = loadRunContext({
      directory: process.cwd(),
      added: [],
      options: {sessionPersistence: true, color: false, ...(named === undefined ? {} : {store: named})},
    });
    const director = await openDirector({...context, store: async () => store}, {stack, observe, harness});
    return director.tag === 'ok' ? director : failed(`It cannot run: ${heldText}.`);
  },
});
