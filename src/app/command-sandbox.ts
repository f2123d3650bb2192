import {homedir} from 'node:os';
import {mergeTrusted} from '../config/merge-settings.ts';
import type {Places} from '../config/places.ts';
import {sandboxChoice} from '../config/settings-schema.ts';
import type {SandboxChoice} from '../domain/sandbox.ts';
import {isProtectedBelow} from '../safety/paths/protected-paths.ts';
import {isSecretFile} from '../safety/secrets/secret-files.ts';
import {deniedReadGlobs} from '../safety/rules/denied-read-globs.ts';
import type {PermissionRules} from '../safety/rules/permission-rule.ts';
import {endProcessTree} from '../workspace/exec/process-tree.ts';
import {makeRunTags} from '../workspace/exec/run-tag.ts';
import {userPath} from '../workspace/exec/trusted-path.ts';
import {startProcessWatchdog} from '../workspace/exec/watchdog.ts';
import {makePaths} from '../workspace/files/resolve-path.ts';
import {makeSandbox} from '../workspace/sandbox/make-sandbox.ts';
import type {CommandSandbox} from '../workspace/sandbox/sandbox.ts';
import {unwrap} from './exit-code.ts';
import {lazyNetwork} from './lazy-ports.ts';
import {rulesOf, environmentLayer, fileLayers, trustPlace} from './settings-layers.ts';
import {userPlaces, weftFolders} from './user-data.ts';

export interface SandboxPlace {
  readonly roots: readonly [string, ...string[]];
  readonly places: Places;
  readonly settings: {readonly rules: PermissionRules; readonly loopback: 'closed' | 'open'};
}

/** Opens the sandbox for programs that a folder's files start, for weft commands without a session. */
export function folderSandbox(directory: string): CommandSandbox {
  const places = userPlaces();
  const layers = [...fileLayers(directory, places), environmentLayer(process.env)];
  const {settings} = unwrap(mergeTrusted(layers, trustPlace(directory, places)));
  const place = {roots: [directory], places, settings: {rules: rulesOf(settings), loopback: 'closed'}} as const;
  return commandSandbox(place, sandboxChoice(settings.sandbox.value));
}

/** Opens the sandbox for one command that a person or a program runs directly, without an agent. It never asks about hosts. */
export function commandSandbox({roots, places, settings}: SandboxPlace, choice: SandboxChoice): CommandSandbox {
  const home = homedir();
  const paths = makePaths({roots, home});
  return makeSandbox({
    choice,
    roots,
    home,
    environment: {...process.env, PATH: userPath()},
    ownFolders: weftFolders(places, process.env).folders,
    proofFolder: places.data,
    deniedReads: () => deniedReadGlobs({roots, home, resolve: paths.resolve, rules: settings.rules}),
    readable: () => [],
    isProtected: isProtectedBelow,
    isSecret: isSecretFile,
    network: lazyNetwork({rules: settings.rules, loopback: settings.loopback, asking: 'by-rule'}),
  });
}

/**
 * Makes a tag that identifies the processes of one run. `end` ends them; if weft is killed first, a watchdog does, and removes the
 * sandbox folders of the run.
 */
export async function taggedRun(
  {places}: Pick<SandboxPlace, 'places'>,
  folders: readonly string[] = [],
): Promise<{readonly runTag: string; end(): Promise<void>}> {
  const tags = await makeRunTags(places.blocks);
  const watchdog = startProcessWatchdog(tags.prefix);
  for (const folder of folders) watchdog.cleanUp(folder);
  const runTag = tags.next();
  return {
    runTag,
    async end() {
      await endProcessTree({leaders: [], owns: tag => tag === runTag, outputs: []}, 'short');
      watchdog.dismiss();
    },
  };
}
