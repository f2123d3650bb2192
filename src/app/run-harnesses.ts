import {randomUUID} from 'node:crypto';
import {homedir} from 'node:os';
import type {HarnessesPort} from '../actions/harness-port.ts';
import {harnessSetting, hostOf} from '../config/harness-settings.ts';
import {knownHarnesses} from '../domain/harness.ts';
import {programPath, splitPath, userPath} from '../workspace/exec/trusted-path.ts';
import type {RunContext} from './run-context.ts';

/** Milliseconds for a harness to save its conversation and end by itself after its input is closed. */
const exitMs = 1000;

/**
 * Returns the harnesses of this run. They are loaded when the first one is looked up or started. A program from the workspace (a folder of
 * it in PATH) is never used as a harness.
 */
export function runHarnesses({permissions, places, roots, settings: {models: own}}: RunContext): HarnessesPort {
  const settings = Object.fromEntries(
    Object.entries(permissions.settings.harnesses).map(([name, {value}]) => [name, harnessSetting(value)]),
  );
  let made: Promise<HarnessesPort> | undefined;
  const load = (): Promise<HarnessesPort> => (made ??= make());
  async function make(): Promise<HarnessesPort> {
    const [{makeHarnesses}, {defaultTimeouts}, {makeServerProcesses}, {costOfMany, modelTable}] = await Promise.all([
      import('../extensions/harnesses/harness-set.ts'),
      import('../extensions/harnesses/harness-run.ts'),
      import('../workspace/exec/server-processes.ts'),
      import('../models/model-facts.ts'),
    ]);
    const models = modelTable(own);
    const environment = {...process.env, PATH: splitPath(userPath(), roots).trusted};
    return makeHarnesses({
      processes: makeServerProcesses({environment, registryFolder: places.blocks, exitMs}),
      place: {environment, home: homedir(), platform: process.platform},
      findProgram: program => programPath(program, environment.PATH),
      settings,
      times: defaultTimeouts,
      own: {command: process.execPath, args: [process.argv[1] ?? '']},
      newId: randomUUID,
      priceOf(model, usage) {
        const cost = costOfMany(models.infoOf(model), usage);
        return cost === 'unknown' ? undefined : cost;
      },
    });
  }
  return {
    names: () => [...new Set([...knownHarnesses, ...Object.keys(settings)])],
    hostOf: name => hostOf(settings[name]),
    find: async signal => (await load()).find(signal),
    start: async (request, host, signal) => (await load()).start(request, host, signal),
    close: async () => (await made)?.close(),
  };
}
