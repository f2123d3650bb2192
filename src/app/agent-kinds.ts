import type {AgentKindsPort} from '../agent/ports.ts';
import {type AgentKind, defaultMaxTurns} from '../agent/sub-agents/agent-kind.ts';
import {permissionModes} from '../domain/risk.ts';
import type {AgentFile} from '../extensions/skills/load-extensions.ts';
import type {RunContext} from './run-context.ts';
import {mcpServerName} from '../domain/mcp-tool-name.ts';
import {isJsonList, isJsonObject, type Json, type JsonObject} from '../base/json.ts';
import {type Effort, efforts} from '../domain/model-stream.ts';
import {skillBlock} from '../domain/slash-command.ts';

/** Returns the kinds of sub-agents that files, plugins and `--agents` define. They are read before the first request to the model. */
export function agentKinds(context: RunContext, systemPromptOf: (prompt: string) => string): AgentKindsPort {
  let kinds: readonly AgentKind[] = [];
  let withheld: readonly AgentFile[] = [];
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    const {agents} = await context.extensions().found(new AbortController().signal);
    const offered = agents.filter(({offer}) => offer.offered === 'yes');
    withheld = agents.filter(({offer}) => offer.offered === 'no');
    kinds = await Promise.all(
      offered.map(async agent => {
        const {prompt, notes} = await promptWithSkills(agent, context.extensions());
        return kindOf({...agent, prompt}, {notes, systemPromptOf});
      }),
    );
  };
  return {
    ready: () => (reading ??= read()),
    list: () => kinds,
    whyWithheld(wanted) {
      const file = withheld.find(({name}) => name === wanted);
      return file?.offer.offered === 'no' ? `Can't use ${file.path}: ${file.offer.reason}.` : '';
    },
  };
}

function kindOf(
  agent: AgentFile,
  {notes, systemPromptOf}: {readonly notes: readonly string[]; readonly systemPromptOf: (prompt: string) => string},
): AgentKind {
  const {name, description, prompt, model, fields} = agent;
  const tools = toolsOf(agent);
  const {permissionMode} = fields;
  // A server that the file itself defines runs only for `--agent`, not yet for a sub-agent.
  const also = [...(Object.keys(serversOf(agent).defined).length === 0 ? ['mcpServers'] : []), 'isolation'];
  return {
    name,
    description,
    systemPrompt: {kind: 'own', text: systemPromptOf(prompt)},
    brief: '',
    model,
    mode: permissionModes.find(mode => mode === permissionMode) ?? 'inherit',
    maxTurns: turnsOf(agent) ?? defaultMaxTurns,
    isolation: fields['isolation'] === 'worktree' ? 'worktree' : 'none',
    canCall: tool => mayCall(tools, tool),
    notes: [...ignoredFieldNotes(agent, also), ...notes],
  };
}

/** Returns the same kinds without the secrets in their files. */
export function redactedKinds(kinds: AgentKindsPort, redact: (text: string) => string): AgentKindsPort {
  let known: {readonly of: readonly AgentKind[]; readonly list: readonly AgentKind[]} | undefined;
  const redacted = (kind: AgentKind): AgentKind =>
    kind.systemPrompt.kind === 'same'
      ? kind
      : {...kind, systemPrompt: {kind: 'own', text: redact(kind.systemPrompt.text)}};
  return {
    ready: signal => kinds.ready(signal),
    list() {
      const of = kinds.list();
      if (known?.of !== of) known = {of, list: of.map(redacted)};
      return known.list;
    },
    whyWithheld: name => redact(kinds.whyWithheld(name)),
  };
}

/** The tools that an agent may call, as the main conversation (`--agent`) or as a sub-agent. `all` if its file names none. */
export interface AgentTools {
  readonly only: readonly string[] | 'all';
  readonly not: readonly string[];
  readonly servers: readonly string[] | 'all';
}

/** Reads `tools`, `disallowedTools` and `mcpServers`. A rule such as `Bash(git:*)` counts as the whole tool. */
export function toolsOf(agent: RunContext['agent']): AgentTools {
  if (agent === 'none') return {only: 'all', not: [], servers: 'all'};
  const {tools, fields} = agent;
  const named = tools.map(toolName);
  const {named: servers, defined} = serversOf(agent);
  return {
    only: named.length === 0 || named.includes('*') ? 'all' : named,
    not: listed(fields['disallowedTools']).map(toolName),
    servers: fields['mcpServers'] === undefined ? 'all' : [...servers, ...Object.keys(defined)],
  };
}

/** Returns the strings of a list, or the parts of one comma-separated string. */
const listed = (said: Json | undefined): readonly string[] =>
  (isJsonList(said) ? said : [said])
    .flatMap(item => (typeof item === 'string' ? item.split(',') : []))
    .map(text => text.trim())
    .filter(text => text !== '');

const toolName = (text: string): string => text.trim().replace(/\(.*$/su, '');

/** True if an agent may call a tool. `mcp__server` means all tools of a server. */
export const mayCall = ({only, not, servers}: AgentTools, tool: string): boolean =>
  (only === 'all' || only.some(name => covers(name, tool))) &&
  !not.some(name => covers(name, tool)) &&
  (servers === 'all' || !tool.startsWith('mcp__') || servers.some(server => covers(mcpServerName(server), tool)));

const covers = (name: string, tool: string): boolean =>
  name === tool || (name.startsWith('mcp__') && tool.startsWith(name.endsWith('*') ? name.slice(0, -1) : `${name}__`));

/** Returns the servers in `mcpServers`: those that it names, and those that it defines itself. */
export function serversOf({fields}: AgentFile): {readonly named: readonly string[]; readonly defined: JsonObject} {
  const said = fields['mcpServers'];
  const items = isJsonList(said) ? said : [said];
  return {
    named: listed(said),
    defined: Object.fromEntries(items.flatMap(item => (isJsonObject(item) ? Object.entries(item) : []))),
  };
}

/** Returns the limit on requests per prompt in `maxTurns`; `undefined` if it is not a number. */
export function turnsOf({fields: {maxTurns}}: AgentFile): number | undefined {
  return typeof maxTurns === 'number' && maxTurns >= 1 ? Math.floor(maxTurns) : undefined;
}

/** Returns the reasoning effort in `effort`; `undefined` if it is not a level. */
export function effortOf({fields}: AgentFile): Effort | undefined {
  return efforts.find(level => level === fields['effort']);
}

/** Fields that weft supports for every agent, and those that are only for people. */
const supportedFields: ReadonlySet<string> = new Set([
  'name',
  'description',
  'prompt',
  'tools',
  'disallowedTools',
  'model',
  'permissionMode',
  'maxTurns',
  'skills',
  'color',
  'version',
  'author',
  'license',
  'metadata',
]);

/** Returns a sentence about the fields that weft ignores; an empty list without such fields. Fields in `also` are supported, too. */
export function ignoredFieldNotes({name, fields}: AgentFile, also: readonly string[]): readonly string[] {
  const unheeded = Object.keys(fields).filter(field => !supportedFields.has(field) && !also.includes(field));
  return unheeded.length === 0 ? [] : [`Ignored fields of the agent ${name}: ${unheeded.join(', ')}.`];
}

/** Returns the agent's prompt followed by the instructions of its `skills`, and a sentence for each skill that is not available. */
export async function promptWithSkills(
  agent: AgentFile,
  {skills}: ReturnType<RunContext['extensions']>,
): Promise<{readonly prompt: string; readonly notes: readonly string[]}> {
  const names = listed(agent.fields['skills']);
  if (names.length === 0) return {prompt: agent.prompt, notes: []};
  const {signal} = new AbortController();
  await skills.ready(signal);
  const read = await Promise.all(names.map(async name => skills.read({name, argument: ''}, signal)));
  return {
    prompt: [
      agent.prompt,
      ...read.flatMap(each => (each.tag === 'ok' ? [skillBlock(each.value.skill).text] : [])),
    ].join('\n\n'),
    notes: read.flatMap(each =>
      each.tag === 'ok' ? [] : [`The agent ${agent.name} needs a skill: ${each.error.message}`],
    ),
  };
}
