import type {Json, JsonObject} from '../base/json.ts';
import {nearestName} from '../base/nearest-name.ts';
import {hooksSchema, readHooks} from '../config/hook-settings.ts';
import {resolveModelAlias} from '../domain/model-alias.ts';
import {narrowerMode, type PermissionMode, permissionModes} from '../domain/risk.ts';
import type {AgentFile} from '../extensions/skills/load-extensions.ts';
import {UsageError} from './exit-code.ts';
import type {MainOptions} from './main-options.ts';
import {effortOf, promptWithSkills, serversOf, turnsOf, ignoredFieldNotes} from './agent-kinds.ts';
import {configuredProvider, modelChoice} from './choose-model.ts';
import type {RunContext} from './run-context.ts';

/**
 * Applies the agent that `--agent` names to the run: its prompt and skills, model, effort, turns, hooks and MCP
 * servers. Its permission mode is never wider than the user's. Flags take precedence. A notice lists the ignored
 * fields. Without the flag, returns the context unchanged and loads nothing.
 */
export async function applyChosenAgent(context: RunContext): Promise<RunContext> {
  const {options, settings} = context;
  if (context.agentDefinitions !== undefined) await checkDefinitions(context.agentDefinitions);
  if (options.agent === undefined) return context;
  const {agents} = await context.extensions().found(new AbortController().signal);
  const agent = agents.find(({name, offer}) => name === options.agent && offer.offered === 'yes');
  if (agent === undefined) throw new UsageError(noAgentText(options.agent, agents));
  const {prompt, notes} = await promptWithSkills(agent, context.extensions());
  const maxTurns = options.maxTurns ?? turnsOf(agent);
  const effort = effortOf(agent);
  return {
    ...context,
    options: {
      ...options,
      maxTurns,
      ...ownServers(agent, options),
    },
    notices: async () => [...(await context.notices()), ...ignoredFieldNotes(agent, heededHere(agent)), ...notes],
    agent: {...agent, prompt},
    settings: {
      ...settings,
      model:
        options.model ??
        resolveModelAlias(agent.model, configuredProvider(modelChoice(context)) ?? '') ??
        settings.model,
      effort:
        effort === undefined || options.effort !== undefined
          ? settings.effort
          : {value: effort, source: 'given', path: ''},
      permissionMode:
        options.permissionMode === undefined ? modeOf(settings.permissionMode, agent.fields) : settings.permissionMode,
      hooks: [...settings.hooks, ...hooksOf(agent)],
    },
  };
}

/** Returns the fields that weft supports for the main conversation, besides those that it supports for every agent. */
function heededHere(agent: AgentFile): readonly string[] {
  const counts = Object.keys(serversOf(agent).defined).length === 0 || mayDefineServers(agent);
  return ['effort', 'hooks', ...(counts ? ['mcpServers'] : [])];
}

/** True if the agent may define MCP servers. They start without asking, so only the user's own files may define them. */
const mayDefineServers = ({scope}: AgentFile): boolean => scope === 'user';

function ownServers(agent: AgentFile, {mcpConfig = [], strictMcpConfig}: MainOptions): Pick<MainOptions, 'mcpConfig'> {
  const {defined} = serversOf(agent);
  if (Object.keys(defined).length === 0 || !mayDefineServers(agent) || strictMcpConfig !== undefined) return {};
  return {mcpConfig: [...mcpConfig, JSON.stringify({mcpServers: defined})]};
}

async function checkDefinitions(definitions: Json): Promise<void> {
  const {parseAgents} = await import('../extensions/skills/load-extensions.ts');
  const read = parseAgents(definitions, '--agents');
  if (read.tag === 'failed') throw new UsageError(`--agents: ${read.error}.`);
}

function noAgentText(wanted: string, agents: readonly AgentFile[]): string {
  const text = `Unknown agent ${JSON.stringify(wanted)}.`;
  const hidden = agents.find(({name}) => name === wanted);
  if (hidden?.offer.offered === 'no') return `Can't use ${hidden.path}: ${hidden.offer.reason}.`;
  const names = agents.flatMap(({name, offer}) => (offer.offered === 'yes' ? [name] : []));
  const near = nearestName(wanted, names);
  if (near !== undefined) return `${text} Did you mean ${near}?`;
  return `${text} ${names.length === 0 ? 'There are none. Add files in agents/, or use --agents.' : 'List them: weft agents list'}`;
}

/** Returns the mode in the agent's file if that is narrower than the user's; otherwise the user's. */
function modeOf(own: PermissionMode, {permissionMode}: JsonObject): PermissionMode {
  const asked = permissionModes.find(mode => mode === permissionMode);
  return asked === undefined ? own : narrowerMode(asked, own);
}

/** Reads the hooks in the agent's front matter. Invalid ones are an error, because one of them may be a guard. */
function hooksOf({fields, path, scope}: AgentFile): RunContext['settings']['hooks'] {
  if (fields['hooks'] === undefined) return [];
  const read = hooksSchema.safeParse(fields['hooks']);
  if (!read.success) throw new UsageError(`${path}: its hooks are not valid.`);
  const source = scope === 'project' ? 'project' : 'user';
  return readHooks(read.data, source).hooks.map(value => ({value, source, path}));
}
