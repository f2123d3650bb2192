import type {MachinePort} from '../../../server/routes/machine-routes.ts';
import {knownServers} from '../../../app/known-servers.ts';
import {serverRows} from '../../../app/server-rows.ts';
import {providerRows} from '../sandbox.ts';
import {skillRows} from '../skills.ts';

/** What the commands of the same names print. */
export const machineFacts: Omit<MachinePort, 'folder'> = {
  sandboxProviders: providerRows,
  async mcpServers(directory) {
    const rows = await serverRows((await knownServers(directory)).servers, {directory, check: false});
    return rows.map(row => ({...row}));
  },
  skills: skillRows,
  run: async (request, signal) => (await import('./sandbox-runs.ts')).runInSandbox(request, signal),
};
