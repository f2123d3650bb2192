import type {MachinePort} from '../../../server/routes/machine-routes.ts';
import {serverRows} from '../../../app/server-rows.ts';
import {providerRows} from '../sandbox.ts';
import {skillRows} from '../skills.ts';

/** What the commands of the same names print. */
export const machineFacts: Omit<MachinePort, 'folder'> = {
  sandboxProviders: providerRows,
  mcpServers: async workDir => (await serverRows(workDir, 'unasked')).map(row => ({...row})),
  skills: skillRows,
  run: async (request, signal) => (await import('./sandbox-runs.ts')).runInSandbox(request, signal),
};
