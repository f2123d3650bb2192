import type {ServerProcess, ServerProcesses} from '../../actions/mcp-port.ts';
import {ok} from '../../base/outcome.ts';
import type {Rights} from '../../domain/sandbox.ts';
import {explainMoreRights, openProjectLaunch} from '../sandbox/launch.ts';
import type {CommandSandbox} from '../sandbox/sandbox.ts';

/** Starts the programs of a project's servers, in the sandbox if the machine has one. Processes that they leave running end with them. */
export const confinedServers = (
  processes: ServerProcesses,
  sandbox: CommandSandbox,
  rights: Exclude<Rights, 'unconfined'>,
): ServerProcesses => ({
  async start({command, args, env, directory}, events) {
    const start = {program: command, args, environment: {...env}};
    const launched = await openProjectLaunch(sandbox, {start, directory, rights});
    if (launched.tag === 'failed') return launched;
    const launch = launched.value;
    const {signal} = new AbortController();
    const begin = launch.begin(enclosure => (enclosure.kind === 'plain' ? start : enclosure), signal);
    const begun = await begin(async ({program, args: words, environment}) => {
      const started = await processes.start({command: program, args: words, env: environment, directory}, events);
      if (started.tag === 'failed') return started;
      const {ended} = started.value;
      return ok({started: started.value, ended, discard: () => ended});
    });
    if (begun.tag === 'failed' || launch.enclosure.kind === 'plain') {
      await launch.end('none', signal);
      return begun;
    }
    const server = begun.value;
    return ok({
      ...server,
      ended: server.ended.then(async how => {
        await launch.end('none', signal);
        return `${how} (${explainMoreRights(rights)})`;
      }),
    } satisfies ServerProcess);
  },
});
