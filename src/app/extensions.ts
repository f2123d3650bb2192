import {realpathSync} from 'node:fs';
import {type CommandsPort, noCommands} from '../actions/commands-port.ts';
import {noSkills, type SkillsPort} from '../actions/skills-port.ts';
import {type ExtensionPlaces, extensionRoots, hasExtensions} from '../config/extension-places.ts';
import type {ExtensionPorts} from '../extensions/skills/extension-ports.ts';
import type {Json} from '../base/json.ts';
import type {AgentFile, Extensions} from '../extensions/skills/load-extensions.ts';

/** The skills, commands and agents of one run of weft. */
export interface RunExtensions {
  readonly commands: CommandsPort;
  readonly skills: SkillsPort;
  /** The folders that hold skills of the user's own and of plugins, links followed. */
  readonly skillFolders: () => readonly string[];
  /** All that was found, also what is not offered. Never rejects. */
  readonly found: (signal: AbortSignal) => Promise<Extensions>;
}

/**
 * Reads nothing before it is asked; where there is no folder to look into, no module is loaded either. `chosen` are the only skills
 * that the model is told of, `agents` definitions that no file holds.
 */
export function runExtensions(
  places: ExtensionPlaces,
  {chosen, agents}: {readonly chosen: ReadonlySet<string> | 'all'; readonly agents: Json | undefined},
): RunExtensions {
  if (!hasExtensions(places) && agents === undefined) return noExtensions;
  let loaded: Promise<Extensions> | undefined;
  let ports: ExtensionPorts | undefined;
  let loading: Promise<ExtensionPorts> | undefined;
  const found = (signal: AbortSignal): Promise<Extensions> =>
    (loaded ??= import('../extensions/skills/load-extensions.ts').then(async ({loadExtensions}) =>
      loadExtensions(places, agents === undefined ? [] : await definedAgents(agents), signal),
    ));
  const load = (): Promise<ExtensionPorts> =>
    (loading ??= import('../extensions/skills/extension-ports.ts').then(({extensionPorts}) => {
      ports = extensionPorts(() => found(new AbortController().signal), {chosen});
      return ports;
    }));
  let folders: readonly string[] | undefined;
  return {
    commands: {
      ready: async signal => (await load()).commands.ready(signal),
      list: () => ports?.commands.list() ?? noCommands.list(),
      expand: async (request, signal) => (await load()).commands.expand(request, signal),
    },
    skills: {
      ready: async signal => (await load()).skills.ready(signal),
      catalogue: () => ports?.skills.catalogue(),
      read: async (request, signal) => (await load()).skills.read(request, signal),
    },
    skillFolders: () => (folders ??= skillFoldersOf(places)),
    found,
  };
}

/** Those of `--agents`; what is wrong with it has been said when weft started. */
async function definedAgents(json: Json): Promise<readonly AgentFile[]> {
  const {givenAgents} = await import('../extensions/skills/given-agents.ts');
  const read = givenAgents(json, '--agents');
  return read.tag === 'ok' ? read.value : [];
}

export const noExtensions: RunExtensions = {
  commands: noCommands,
  skills: noSkills,
  skillFolders: () => [],
  found: async () => ({skills: [], commands: [], agents: [], notices: []}),
};

const skillFoldersOf = (places: ExtensionPlaces): readonly string[] =>
  extensionRoots(places)
    .filter(({scope}) => scope !== 'project')
    .flatMap(({paths}) => paths.skills)
    .flatMap(folder => {
      try {
        return [realpathSync(folder)];
      } catch {
        return [];
      }
    });
