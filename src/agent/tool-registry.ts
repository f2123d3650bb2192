import {enabledTools, type EnabledTool, searchableTools, type ToolSources} from '../actions/decode-action.ts';
import type {ComputerPort} from '../actions/computer-port.ts';
import {type ActionName, definitions} from '../actions/catalogue.ts';
import {needsAbility} from '../actions/define-action.ts';
import type {FrontEndAbilities} from '../actions/front-end.ts';
import type {McpPort, McpTool} from '../actions/mcp-port.ts';
import type {WebPort} from '../actions/web-port.ts';
import type {SkillsPort} from '../actions/skills-port.ts';
import type {FoundTool, ToolSearchPort} from '../actions/ports.ts';
import {clip, firstLine} from '../base/clip.ts';
import type {ToolSpec} from '../domain/model-stream.ts';
import type {Interaction} from './pending-requests.ts';
import type {AgentKindsPort} from './ports.ts';
import {answerSchemaOf, type StructuredOutput} from './structured-output.ts';

/** The tools that the model may call now. MCP servers come, go and change their tools while the session goes on. */
export interface ToolRegistry extends ToolSearchPort {
  sources(): ToolSources;
  names(): readonly string[];
  /** The tools with their schemas, which take time to make, so that happens with the first request. The same list as long as nothing changed. */
  specs(): readonly ToolSpec[];
}

/** The part of the model's context that tools of MCP servers may take; more of them than that are searched for (`ToolSearch`). */
const contextShare = 0.02;

/** Of a model whose context is not known. */
const usualContext = 200_000;

/** A token of a schema has about four characters. */
const charactersPerToken = 4;

export function makeToolRegistry(options: {
  readonly mcp: McpPort;
  readonly web: Pick<WebPort, 'searching'>;
  readonly computer: Pick<ComputerPort, 'using'>;
  readonly skills: Pick<SkillsPort, 'catalogue'>;
  readonly agentKinds: Pick<AgentKindsPort, 'list'>;
  readonly structuredOutput: StructuredOutput;
  readonly disabledTools: ToolSources['disabled'];
  /** Where nobody takes part, tools that need a person are not named. */
  readonly interaction: Interaction;
  readonly frontEnd: FrontEndAbilities;
  /** Whether the agent plans and may propose a plan. */
  readonly isPlanning: () => boolean;
  /** In tokens; 0 where it is not known. */
  readonly contextWindow: () => number;
}): ToolRegistry {
  const {mcp, web, skills: skillsPort, structuredOutput, disabledTools} = options;
  const answerSchema = answerSchemaOf(structuredOutput);
  const offer = new Offer();
  /** Found when the model did not have them yet. */
  const late = new Set<string>();
  const {interaction, frontEnd, computer} = options;
  const isUsable = (action: ActionName): boolean => {
    const {offered} = definitions[action];
    if (offered === 'with-display') return interaction === 'interactive' && computer.using === 'offered';
    return !needsAbility(offered) || frontEnd.has(offered);
  };
  // A sub-agent has the same list where nobody takes part, so that the provider reads it from its cache.
  const isNamed = (action: ActionName): boolean =>
    interaction === 'interactive' || !needsAbility(definitions[action].offered);
  const ownTools = searchableTools.filter(({name, action}) => !disabledTools.has(name) && isUsable(action));
  let known: {readonly tools: readonly McpTool[]; readonly state: string; readonly sources: ToolSources} | undefined;
  let specs: {readonly of: ToolSources; readonly list: readonly ToolSpec[]} | undefined;

  function sources(): ToolSources {
    const mcpTools = mcp.tools();
    const servers = mcp.servers();
    const resources = servers.some(server => server.resources === 'offered') ? 'offered' : 'none';
    const starting = servers
      .filter(({name, status}) => status !== 'disabled' && !mcpTools.some(({server}) => server === name))
      .map(({name, status}) => ({name, status}));
    const skills = skillsPort.catalogue();
    const agentKinds = kindLines(options.agentKinds.list());
    const planning = options.isPlanning() ? 'offered' : 'none';
    const state = JSON.stringify([resources, starting, offer.found.size, agentKinds, planning]);
    if (known?.tools !== mcpTools || known.state !== state || known.sources.skills !== skills) {
      const budget = (options.contextWindow() || usualContext) * contextShare * charactersPerToken;
      const offeredTools = offer.take(mcpTools, budget);
      const pending = starting.filter(({status}) => status === 'pending').map(({name}) => name);
      known = {
        tools: mcpTools,
        state,
        sources: {
          mcpTools,
          offeredTools,
          startingServers: starting.map(({name}) => name),
          moreTools: moreToolsText(
            [
              ...ownTools.filter(({action}) => isNamed(action)).map(({name}) => name),
              ...listedTools(mcpTools, {offered: new Set(offeredTools), late}).map(({toolName}) => toolName),
            ],
            pending,
          ),
          foundTools: new Set(offer.found),
          resources,
          skills,
          agentKinds,
          webSearch: web.searching === 'offered' ? 'offered' : 'none',
          planning,
          frontEnd,
          answerSchema,
          disabled: disabledTools,
        },
      };
    }
    return known.sources;
  }

  return {
    sources,
    names: () => enabledTools(sources()).map(({name}) => name),
    specs() {
      const current = sources();
      if (specs?.of !== current) {
        const list = enabledTools(current).map(({name, description, jsonSchema}) => ({
          name,
          description,
          inputSchema: jsonSchema(),
          offered: late.has(name) ? ('since-found' as const) : ('from-the-start' as const),
        }));
        specs = {of: current, list};
      }
      return specs.list;
    },
    async search({query, limit}, signal) {
      await mcp.settled(signal);
      const all = [
        ...ownTools.map(searchedOwnTool),
        ...mcp
          .tools()
          .filter(({toolName}) => !disabledTools.has(toolName))
          .map(searchedServerTool),
      ];
      const found = bestTools(all, query).slice(0, limit);
      const had = new Set(enabledTools(sources()).map(({name}) => name));
      for (const {name} of found) {
        if (!had.has(name)) late.add(name);
        offer.found.add(name);
      }
      return {
        found: found.map(({name, description, inputSchema}) => ({name, description, inputSchema})),
        total: all.length,
      };
    },
  };
}

/** The tools to be found. What was found stays among them: providers keep what a request begins with, and the list stands there. */
function listedTools(
  tools: readonly McpTool[],
  {offered, late}: {readonly offered: ReadonlySet<McpTool>; readonly late: ReadonlySet<string>},
): readonly McpTool[] {
  const hidden = tools.filter(tool => !offered.has(tool));
  return hidden.length === 0 ? [] : tools.filter(tool => !offered.has(tool) || late.has(tool.toolName));
}

/** Of a kind of sub-agents its first line is told. */
const longestKind = 200;

const kindLines = (kinds: ReturnType<AgentKindsPort['list']>): string =>
  clip(kinds.map(({name, description}) => `- ${name}: ${firstLine(description, longestKind)}`).join('\n'), longestList);

/** `named`: what a search by name may call it besides; `words`: what its name and its server say. */
interface SearchedTool extends FoundTool {
  readonly named: string;
  readonly words: string;
}

const searchedOwnTool = ({name, description, jsonSchema}: EnabledTool): SearchedTool => ({
  name,
  description,
  inputSchema: jsonSchema(),
  named: name,
  words: name,
});

const searchedServerTool = ({toolName, server, name, description, inputSchema}: McpTool): SearchedTool => ({
  name: toolName,
  description,
  inputSchema,
  named: name,
  words: `${server} ${name}`,
});

/**
 * Which tools of MCP servers stand in the request. What was offered stays in its place as long as it is there, and what comes later
 * comes behind it, so that what providers keep of earlier requests holds.
 */
class Offer {
  /** Tools that the model has found. */
  readonly found = new Set<string>();
  #order: readonly string[] = [];

  take(tools: readonly McpTool[], budget: number): readonly McpTool[] {
    const byName = new Map(tools.map(tool => [tool.toolName, tool]));
    const isKept = (tool: McpTool): boolean =>
      tool.offering === 'always' || this.found.has(tool.toolName) || this.#order.includes(tool.toolName);
    const others = tools.filter(tool => !isKept(tool));
    const kept = tools.filter(isKept);
    const size = [...kept.filter(({toolName}) => !this.found.has(toolName)), ...others].map(sizeOf);
    const fits = size.reduce((sum, each) => sum + each, 0) <= budget;
    const wanted = new Set([...kept, ...(fits ? others : [])].map(({toolName}) => toolName));
    const foundLast = [...wanted].filter(name => !this.#order.includes(name));
    this.#order = [...this.#order.filter(name => byName.has(name)), ...foundLast];
    return this.#order.flatMap(name => byName.get(name) ?? []);
  }
}

/** Characters that a tool takes in a request. */
const sizeOf = ({toolName, description, inputSchema}: McpTool): number =>
  toolName.length + description.length + JSON.stringify(inputSchema).length;

const longestList = 2000;

function moreToolsText(names: readonly string[], pending: readonly string[]): string {
  const list = names.length === 0 ? [] : [`There are ${clip(names.join(', '), longestList)}.`];
  const servers =
    pending.length === 0 ? [] : [`Servers that are starting, which a search waits for: ${pending.join(', ')}.`];
  return [...list, ...servers].join(' ');
}

/** The tools that fit a query best, best first; those with no word of it are left out. */
function bestTools(tools: readonly SearchedTool[], query: string): readonly SearchedTool[] {
  const selected = /^select:(.*)$/su.exec(query.trim())?.[1];
  if (selected !== undefined) {
    const names = selected.split(',').map(name => name.trim());
    return names.flatMap(name => tools.find(tool => tool.name === name || tool.named === name) ?? []);
  }
  const words = wordsIn(query);
  const documents = tools.map(tool => ({
    tool,
    name: wordsIn(tool.words),
    text: wordsIn(`${tool.description} ${Object.keys(propertiesOf(tool)).join(' ')}`),
  }));
  const rarity = (word: string): number => {
    const having = documents.filter(({name, text}) => has(name, word) || has(text, word)).length;
    return having === 0 ? 0 : Math.log(1 + tools.length / having);
  };
  const weights = words.map(word => ({word, weight: rarity(word)}));
  return documents
    .map(({tool, name, text}) => ({
      tool,
      score: weights.reduce(
        (sum, {word, weight}) => sum + weight * ((has(name, word) ? 3 : 0) + (has(text, word) ? 1 : 0)),
        0,
      ),
    }))
    .filter(({score}) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({tool}) => tool);
}

/** A word fits one that begins like it: `issues` and `issue`. */
const has = (words: readonly string[], word: string): boolean =>
  words.some(
    each => each === word || (word.length > 3 && (each.startsWith(word) || (each.length > 3 && word.startsWith(each)))),
  );

const wordsIn = (text: string): readonly string[] =>
  [
    ...new Set(
      text
        .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u),
    ),
  ]
    .filter(word => word.length > 1)
    .slice(0, 300);

function propertiesOf({inputSchema}: SearchedTool): object {
  const properties = inputSchema['properties'];
  return typeof properties === 'object' && properties !== null ? properties : {};
}
