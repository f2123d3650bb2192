import {
  defaultToolSources,
  enabledTools,
  type EnabledTool,
  isOwnTool,
  requestTools,
  searchableTools,
  type ToolOffer,
  type ToolSources,
} from '../actions/decode-action.ts';
import type {ComputerPort} from '../actions/computer-port.ts';
import {type ActionName, definitions} from '../actions/catalogue.ts';
import {needsAbility, type SelfReports} from '../actions/define-action.ts';
import type {FrontEndAbilities} from '../actions/front-end.ts';
import type {McpPort, McpTool} from '../actions/mcp-port.ts';
import type {WebPort} from '../actions/web-port.ts';
import type {SkillsPort} from '../actions/skills-port.ts';
import type {FoundTool, ToolSearchPort} from '../actions/ports.ts';
import {clip, firstLine} from '../base/clip.ts';
import {isJsonObject, type Json, listOf, parseJson} from '../base/json.ts';
import {visibleLine} from '../base/visible.ts';
import type {JournalRecord} from '../domain/journal.ts';
import type {Profile} from '../domain/model-family.ts';
import type {ModelRequest, ToolSpec} from '../domain/model-stream.ts';
import {serverPartOf} from '../domain/mcp-tool-name.ts';
import type {Interaction} from './pending-requests.ts';
import type {AgentKindsPort} from './ports.ts';
import {answerSchemaOf, type StructuredOutput} from './structured-output.ts';

/** The tools that the model may call now. MCP servers come, go and change their tools during a session. */
export interface ToolRegistry extends ToolSearchPort {
  sources(): ToolSources;
  /** weft's names of the enabled tools, for programs and people. */
  names(): readonly string[];
  /** True for a tool that weft or an MCP server has, offered or not. */
  readonly isOwn: (name: string) => boolean;
  /** Loads the offer for the model's family. Settles at once for models that know weft's own tools. */
  ready(): Promise<unknown> | undefined;
  /**
   * Returns the tools with their schemas, which are built with the first request. The list that a session has sent stays the same;
   * tools that the model finds may follow it. Returns the same list until something changes.
   */
  specs(): readonly ToolSpec[];
  /** Keeps the tools of a request that was sent. */
  keepSent(tools: ModelRequest['tools']): void;
  /** Returns a line about the tools that are new or changed since the session's list was sent. Empty if there are none. */
  lateTools(): string;
}

/** The part of the model's context for MCP tools. If they need more, `ToolSearch` finds them instead. */
const contextShare = 0.02;

/** The context size of an unknown model, in tokens. */
const defaultContextTokens = 200_000;

/** Approximate characters of a schema per token. */
const charactersPerToken = 4;

export function makeToolRegistry(options: {
  readonly mcp: McpPort;
  readonly web: Pick<WebPort, 'searching'>;
  readonly computer: Pick<ComputerPort, 'using'>;
  readonly skills: Pick<SkillsPort, 'catalogue'>;
  readonly agentKinds: Pick<AgentKindsPort, 'list'>;
  readonly structuredOutput: StructuredOutput;
  readonly disabledTools: ToolSources['disabled'];
  /** In unattended runs, tools that need a person are not listed. */
  readonly interaction: Interaction;
  readonly frontEnd: FrontEndAbilities;
  readonly selfReports: SelfReports;
  /** Returns the lists that the open session has sent. */
  readonly sentTools: () => SentTools;
  /** Whether the agent may call a tool of an MCP server. */
  readonly canCall: (tool: string) => boolean;
  /** Returns the facts about the model that gets the next request. */
  readonly modelFacts: () => {readonly model: string; readonly contextWindow: number; readonly profile: Profile};
}): ToolRegistry {
  const {mcp, web, skills: skillsPort, structuredOutput, selfReports} = options;
  const disabledTools = withOtherForms(options.disabledTools);
  const answerSchema = answerSchemaOf(structuredOutput);
  const offer = new OfferedTools();
  /** Names of tools that the model found after its first request. */
  const foundLater = new Set<string>();
  const {interaction, frontEnd, computer} = options;
  const isUsable = (action: ActionName): boolean => {
    const {offered} = definitions[action];
    if (offered === 'with-display') return interaction === 'interactive' && computer.using === 'offered';
    return !needsAbility(offered) || frontEnd.has(offered);
  };
  // Unattended sub-agents list the same tools, so that the provider's cache applies.
  const isNamed = (action: ActionName): boolean =>
    interaction === 'interactive' || !needsAbility(definitions[action].offered);
  const rareTools = searchableTools.filter(({name, action}) => !disabledTools.has(name) && isUsable(action));
  /** The offers by model. A model keeps its offer, even if weft learns more about the model. */
  const offers = new Map<string, ModelOffer>();
  let known: {readonly tools: readonly McpTool[]; readonly state: string; readonly sources: ToolSources} | undefined;
  let specs: Specs | undefined;

  function sources(): ToolSources {
    const mcpTools = mcp.tools();
    const servers = mcp.servers();
    const resources = servers.some(server => server.resources === 'offered') ? 'offered' : 'none';
    const starting = servers
      .filter(
        ({name, status}) =>
          status !== 'disabled' && status !== 'connected' && !mcpTools.some(({server}) => server === name),
      )
      .map(({name, status, error}) => ({name, status, failure: status === 'failed' ? error || status : ''}));
    const skills = skillsPort.catalogue();
    const agentKinds = kindLines(options.agentKinds.list());
    const {model, contextWindow} = options.modelFacts();
    const {profile, toolOffer} = offers.get(model) ?? ownOffer;
    const state = JSON.stringify([resources, starting, offer.found.size, agentKinds, profile]);
    if (known?.tools !== mcpTools || known.state !== state || known.sources.skills !== skills) {
      const budget = (contextWindow || defaultContextTokens) * contextShare * charactersPerToken;
      const offeredTools = offer.take(mcpTools, budget);
      const pending = starting.filter(({status}) => status === 'pending').map(({name}) => name);
      const before: ToolSources = {
        mcpTools,
        offeredTools,
        unknownServers: starting,
        moreTools: '',
        foundTools: new Set(offer.found),
        resources,
        skills,
        agentKinds,
        webSearch: web.searching === 'offered' ? 'offered' : 'none',
        frontEnd,
        answerSchema,
        selfReports,
        offer: toolOffer,
        disabled: disabledTools,
      };
      const names = [
        ...toolOffer(enabledTools(before)).deferred.map(({name}) => name),
        ...rareTools.filter(({action}) => isNamed(action)).map(({name}) => name),
        ...listedTools(mcpTools, {offered: new Set(offeredTools), foundLater}).map(({toolName}) => toolName),
      ];
      known = {tools: mcpTools, state, sources: {...before, moreTools: moreToolsText(names, pending)}};
    }
    return known.sources;
  }

  function currentSpecs(): Specs {
    const current = sources();
    const from = options.sentTools();
    const {version} = from;
    if (specs?.of === current && specs.from === from && specs.version === version) return specs;
    const now = requestTools(current).map(({name, description, jsonSchema, grammar}): ToolSpec => ({
      name,
      description,
      inputSchema: jsonSchema(),
      ...(grammar === undefined ? {} : {grammar}),
      offered: 'from-the-start',
    }));
    const sent = from.all().find(({tools}) => isListOf(tools, now) && searchesOnly(tools, current));
    const names = new Set(sent?.tools.map(({name}) => name));
    const found = now.filter(({name}) => foundLater.has(name) && !names.has(name));
    const list =
      sent === undefined ? now : [...sent.tools, ...found.map(tool => ({...tool, offered: 'since-found'}) as const)];
    specs = {of: current, from, version, sent, now, list, late: undefined};
    return specs;
  }

  /** True if a list that was sent has the tools of weft that a request has now, and no tool that the agent may not call. */
  function isListOf(sent: readonly ToolSpec[], now: readonly ToolSpec[]): boolean {
    const [before, after] = [sent, now].map(tools =>
      JSON.stringify(
        tools
          .filter(({name}) => isFixedTool(name) && !foundLater.has(name))
          .map(({name, inputSchema}) => [name, inputSchema]),
      ),
    );
    return before === after && sent.every(({name}) => !disabledTools.has(name) && options.canCall(name));
  }

  /** Returns the tools that the list of the session lacks, or has with another schema or a server's other description. */
  function lateTools(): readonly LateTool[] {
    const {sent, now} = currentSpecs();
    if (sent === undefined) return [];
    const before = new Map(sent.tools.map(tool => [tool.name, tool]));
    const named = new Set([...searchedNames(sent.tools), ...rareTools.map(({name}) => name)]);
    const hidden = mcp.tools().map(({toolName, ...tool}) => ({...tool, name: toolName}));
    const all = new Map([...hidden, ...now].map(tool => [tool.name, tool]));
    return [...all.values()].flatMap((tool): readonly LateTool[] => {
      const {name, description, inputSchema} = tool;
      const old = before.get(name);
      if (disabledTools.has(name) || (old === undefined && (named.has(name) || sent.known.has(name)))) return [];
      // The descriptions of weft's own tools also name what can be found, which is announced by itself.
      const isSame = old?.description === description || serverPartOf(name) === undefined;
      if (old !== undefined && isSame && JSON.stringify(old.inputSchema) === JSON.stringify(inputSchema)) return [];
      return [{name, description, inputSchema, change: old === undefined ? 'new' : 'changed'}];
    });
  }

  return {
    sources,
    names: () => enabledTools(sources()).map(({name}) => name),
    isOwn: name =>
      isOwnTool(name) || serverPartOf(name) !== undefined || mcp.tools().some(({toolName}) => toolName === name),
    ready() {
      const {model, profile} = options.modelFacts();
      if (offers.has(model)) return undefined;
      if (!knowsOwnTools.has(profile)) {
        return import('../actions/tool-offers.ts').then(({toolOffer}) =>
          offers.set(model, {profile, toolOffer: toolOffer(profile)}),
        );
      }
      offers.set(model, ownOffer);
      return undefined;
    },
    specs: () => currentSpecs().list,
    keepSent(tools) {
      options.sentTools().add({tools: fixedTools(tools), known: new Set(mcp.tools().map(({toolName}) => toolName))});
    },
    lateTools() {
      const current = currentSpecs();
      const {sent} = current;
      if (sent === undefined) return '';
      const hasSearch = sent.tools.some(({name}) => name === 'ToolSearch');
      return (current.late ??= lateToolsText(lateTools(), hasSearch));
    },
    async search({query, limit}, signal) {
      await mcp.settled(signal);
      const current = sources();
      const all = [
        ...[...current.offer(enabledTools(current)).deferred, ...rareTools].map(searchedOwnTool),
        ...mcp
          .tools()
          .filter(({toolName}) => !disabledTools.has(toolName))
          .map(searchedServerTool),
      ];
      const others = lateTools().filter(({name}) => !all.some(tool => tool.name === name));
      const found = bestTools(
        [...all, ...others.map(tool => ({...tool, named: tool.name, words: tool.name}))],
        query,
      ).slice(0, limit);
      const had = new Set(currentSpecs().list.map(({name}) => name));
      for (const {name} of found) {
        if (!had.has(name)) foundLater.add(name);
        offer.found.add(name);
      }
      return {
        found: found.map(({name, description, inputSchema}) => ({name, description, inputSchema})),
        total: all.length,
      };
    },
  };
}

interface ModelOffer {
  readonly profile: Profile | 'own';
  readonly toolOffer: ToolOffer;
}

const ownOffer: ModelOffer = {profile: 'own', toolOffer: defaultToolSources.offer};

const knowsOwnTools: ReadonlySet<Profile> = new Set(['claude-5', 'claude-4', 'open']);

/** A model that may use a tool may also use its unlisted forms. A model that may edit may apply a patch. */
function withOtherForms(disabled: ToolSources['disabled']): ToolSources['disabled'] {
  const others = Object.values(definitions).flatMap(({tools: [first, ...rest]}) =>
    first === undefined || disabled.has(first.name) ? [] : rest.filter(({listing}) => listing === 'unlisted'),
  );
  const allowed = new Set(others.map(({name}) => name));
  return new Map([...disabled].filter(([name, why]) => why === 'forbidden' || !allowed.has(name)));
}

interface Specs {
  readonly of: ToolSources;
  readonly from: SentTools;
  readonly version: number;
  /** The list that the session has sent and goes on with. `undefined` before the first request. */
  readonly sent: SentList | undefined;
  /** The tools that a new session would get. */
  readonly now: readonly ToolSpec[];
  readonly list: readonly ToolSpec[];
  /** The line about late tools, once it was needed. */
  late: string | undefined;
}

const wordsOfSearch = (text: string): readonly string[] => text.split(/[\s,.]+/u);

/** Returns the words after which a list offers to search, names of tools among them. */
const searchedNames = (tools: readonly ToolSpec[]): ReadonlySet<string> =>
  new Set(
    wordsOfSearch(/ Tools: (.*)$/su.exec(tools.find(({name}) => name === 'ToolSearch')?.description ?? '')?.[1] ?? ''),
  );

/** True if a list that was sent names no other tools of weft to search for than a request does now. */
function searchesOnly(sent: readonly ToolSpec[], {moreTools}: ToolSources): boolean {
  const names = wordsOfSearch(moreTools);
  return [...searchedNames(sent)].every(name => !isOwnTool(name) || names.includes(name));
}

/** A tool that is not in the list of the session as it is now. */
interface LateTool extends FoundTool {
  readonly change: 'new' | 'changed';
}

/** The maximum number of characters of a late tool's description. */
const maxLateDescription = 100;

function lateToolsText(tools: readonly LateTool[], hasSearch: boolean): string {
  if (tools.length === 0) return '';
  const lines = tools.map(({name, description, inputSchema, change}) => {
    const about = hasSearch
      ? clip(visibleLine(firstLine(description, maxLateDescription)), maxLateDescription)
      : visibleLine(JSON.stringify({description, input_schema: inputSchema}));
    return `${name} (${[...(change === 'changed' ? ['changed'] : []), ...(about === '' ? [] : [about])].join(': ') || 'new'})`;
  });
  // A list without ToolSearch was restricted by the user. ToolSearch would add 0.4 kB and every hidden tool to it.
  const how = hasSearch ? 'To call one, find it with ToolSearch first ("select:NAME")' : 'Call them by their names';
  return `${clip(lines.join(', '), hasSearch ? maxListLength : 4 * maxListLength)}. ${how}; your list of tools stays the same.`;
}

/**
 * Returns the tools to search for. Found tools stay in the list, because it is at the beginning of requests, which
 * providers cache.
 */
function listedTools(
  tools: readonly McpTool[],
  {offered, foundLater}: {readonly offered: ReadonlySet<McpTool>; readonly foundLater: ReadonlySet<string>},
): readonly McpTool[] {
  const hidden = tools.filter(tool => !offered.has(tool));
  return hidden.length === 0 ? [] : tools.filter(tool => !offered.has(tool) || foundLater.has(tool.toolName));
}

/** The maximum number of characters of a sub-agent kind's first line. */
const maxKindLength = 200;

const kindLines = (kinds: ReturnType<AgentKindsPort['list']>): string =>
  clip(
    kinds.map(({name, description}) => `- ${name}: ${firstLine(description, maxKindLength)}`).join('\n'),
    maxListLength,
  );

/** `named` is another name for searches by name. `words` are the words of its name and server. */
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
 * The MCP tools in the request. An offered tool keeps its position while it exists, and new ones follow, so that providers' caches stay
 * valid.
 */
class OfferedTools {
  /** Names of tools that the model has found. */
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

/** Returns the characters of a tool in a request. */
const sizeOf = ({toolName, description, inputSchema}: McpTool): number =>
  toolName.length + description.length + JSON.stringify(inputSchema).length;

const maxListLength = 2000;

function moreToolsText(names: readonly string[], pending: readonly string[]): string {
  const list = names.length === 0 ? [] : [`Tools: ${clip(names.join(', '), maxListLength)}.`];
  const servers = pending.length === 0 ? [] : [`A search waits for starting servers: ${pending.join(', ')}.`];
  return [...list, ...servers].join(' ');
}

/** Returns the tools that match a query, best first. */
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
    const having = documents.filter(({name, text}) => hasMatch(name, word) || hasMatch(text, word)).length;
    return having === 0 ? 0 : Math.log(1 + tools.length / having);
  };
  const weights = words.map(word => ({word, weight: rarity(word)}));
  return documents
    .map(({tool, name, text}) => ({
      tool,
      score: weights.reduce(
        (sum, {word, weight}) => sum + weight * ((hasMatch(name, word) ? 3 : 0) + (hasMatch(text, word) ? 1 : 0)),
        0,
      ),
    }))
    .filter(({score}) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({tool}) => tool);
}

/** True if a word has the same beginning: `issues` matches `issue`. */
const hasMatch = (words: readonly string[], word: string): boolean =>
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

/** A list of tools that requests have begun with. Providers cache it, and some bind the model's thinking to it. */
interface SentList {
  readonly tools: readonly ToolSpec[];
  /** Names of the MCP tools that existed then, listed or not. */
  readonly known: ReadonlySet<string>;
}

/**
 * The lists of a session, also of those runs that it continues. Sub-agents share the lists of their session. The journal
 * holds no lists of sub-agents with tools of their own: after `--continue`, such a sub-agent is a new conversation. Its
 * list differs only if a server's tools changed. A list of three tools has 1.1 kB, less than providers cache.
 */
export class SentTools {
  #lists: SentList[] | undefined;
  readonly #records: readonly JournalRecord[];
  readonly #parent: SentTools | undefined;

  constructor(records: readonly JournalRecord[], parent: SentTools | undefined) {
    this.#records = records;
    this.#parent = parent;
  }

  /** Grows with each new list. */
  get version(): number {
    return this.all().length;
  }

  /** The lists, its own and the oldest first. The order never changes, so a session always finds the same list. */
  all(): readonly SentList[] {
    this.#lists ??= this.#records.flatMap(record =>
      record.kind === 'request-prefix' ? [{tools: storedTools(record.tools), known: new Set<string>()}] : [],
    );
    return [...this.#lists, ...(this.#parent?.all() ?? [])];
  }

  add(list: SentList): void {
    const isKnown = this.all().some(
      ({tools}) => tools.length === list.tools.length && tools.every((tool, at) => tool === list.tools[at]),
    );
    if (isKnown) return;
    this.#lists?.push(list);
    this.#parent?.add(list);
  }
}

/** Returns the tools that are part of the beginning of a request. */
const fixedTools = (tools: ModelRequest['tools']): readonly ToolSpec[] =>
  tools.flatMap(tool => ('provided' in tool || tool.offered === 'since-found' ? [] : [tool]));

function storedTools(text: string): readonly ToolSpec[] {
  const read = parseJson(text);
  return read.tag === 'ok' ? listOf(read.value).flatMap(storedTool) : [];
}

function storedTool(value: Json): readonly ToolSpec[] {
  if (!isJsonObject(value) || value['offered'] !== 'from-the-start') return [];
  const {name, description, inputSchema, grammar} = value;
  if (typeof name !== 'string' || typeof description !== 'string' || !isJsonObject(inputSchema)) return [];
  const spec = {name, description, inputSchema, offered: 'from-the-start'} as const;
  return [typeof grammar === 'string' ? {...spec, grammar} : spec];
}

/** True if MCP servers, skills and files don't decide about the tool. It then differs only for another model, version or choice of the user. */
const isFixedTool = (name: string): boolean => serverPartOf(name) === undefined && !changingTools.has(name);

const changingTools: ReadonlySet<string> = new Set(
  Object.values(definitions).flatMap(({offered, tools}) =>
    offered === 'mcp-resources' || offered === 'skills' || offered === 'more-tools' ? tools.map(({name}) => name) : [],
  ),
);
