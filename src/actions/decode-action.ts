import type {Access} from '../domain/access.ts';
import {editPaths} from '../domain/file-edit.ts';
import {mcpToolName, serverPartOf} from '../domain/mcp-tool-name.ts';
import {maxJsonDepth, isDeeperThan, isJsonObject, type Json, type JsonObject, objectOf} from '../base/json.ts';
import {clip} from '../base/clip.ts';
import {invalidPathReason} from '../base/invalid-path.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {cutLength, omittedInputReason} from '../domain/conversation.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import {accessOf, actionNames, actionOf, definitions, type Action, type ActionName, type InputOf} from './catalogue.ts';
import {needsAbility, needsToolSearch, type SelfReports, type ToolForm} from './define-action.ts';
import {type FrontEndAbilities, terminalAbilities, missingAbilityTexts} from './front-end.ts';
import {fieldName, type FieldRules, withKnownFields} from './normalize-fields.ts';
import type {McpTool} from './mcp-port.ts';
import type {SkillCatalogue} from './skills-port.ts';

export interface EnabledTool {
  readonly name: string;
  readonly description: string;
  readonly action: ActionName;
  readonly jsonSchema: () => JsonObject;
  /** The grammar of the input, for providers that take free text instead of JSON. */
  readonly grammar?: string;
}

/** Returns the tools of a request, and those that the model can find by a search. `own` are the enabled tools. */
export type ToolOffer = (own: readonly EnabledTool[]) => {
  readonly listed: readonly EnabledTool[];
  readonly deferred: readonly EnabledTool[];
};

/** Decides, with the catalog, which tools there are. */
export interface ToolSources {
  /** All MCP tools that can be called, offered to the model or not. */
  readonly mcpTools: readonly McpTool[];
  /** The MCP tools that the model is offered, in the order of the first offer. */
  readonly offeredTools: readonly McpTool[];
  /**
   * MCP servers whose tools are not known. The model may know the name of a tool from elsewhere, and a call starts the
   * server unless it has failed. `failure` says why, and is empty otherwise.
   */
  readonly unknownServers: readonly {readonly name: string; readonly failure: string}[];
  /** A sentence about the tools that ToolSearch can find. Empty if all tools are offered. */
  readonly moreTools: string;
  /** Names of weft's own tools that the model has found with ToolSearch. */
  readonly foundTools: ReadonlySet<string>;
  readonly resources: 'offered' | 'none';
  /** Whether weft itself can search the web. */
  readonly webSearch: 'offered' | 'none';
  readonly frontEnd: FrontEndAbilities;
  readonly skills: SkillCatalogue | undefined;
  /** The kinds of sub-agents that files define, one a line. Empty if there are none. */
  readonly agentKinds: string;
  readonly answerSchema: JsonObject | undefined;
  readonly selfReports: SelfReports;
  /** Chooses the tools for the model, under the names that the model knows. */
  readonly offer: ToolOffer;
  /** Tools that are not offered. A call to a `forbidden` tool goes to the judge, who says why. */
  readonly disabled: ReadonlyMap<string, 'absent' | 'forbidden'>;
}

export const defaultToolSources: ToolSources = {
  mcpTools: [],
  offeredTools: [],
  unknownServers: [],
  moreTools: '',
  foundTools: new Set(),
  resources: 'none',
  webSearch: 'none',
  frontEnd: terminalAbilities,
  skills: undefined,
  agentKinds: '',
  answerSchema: undefined,
  selfReports: 'left-out',
  offer: own => ({listed: own, deferred: []}),
  disabled: new Map(),
};

/** Returns the tools of a request. */
export function requestTools(sources: ToolSources): readonly EnabledTool[] {
  const {listed, deferred} = sources.offer(enabledTools(sources));
  return [...listed, ...deferred.filter(({name}) => sources.foundTools.has(name))];
}

/**
 * Returns the tools of every implemented action in catalog order, then those of MCP servers in theirs. The same sources
 * give the same list, so that prompt caches hold.
 */
export function enabledTools(sources: ToolSources = defaultToolSources): readonly EnabledTool[] {
  return [
    ...actionNames.flatMap(action => fixedTools(action, sources)),
    ...sources.offeredTools.map(({toolName, description, inputSchema}): EnabledTool => ({
      name: toolName,
      description,
      action: 'call-mcp-tool',
      jsonSchema: () => inputSchema,
    })),
  ].filter(({name}) => !sources.disabled.has(name));
}

function fixedTools(
  action: ActionName,
  {resources, skills, agentKinds, answerSchema, moreTools, foundTools, webSearch, selfReports}: ToolSources,
): readonly EnabledTool[] {
  const {offered, tools} = definitions[action];
  if (needsToolSearch(offered)) {
    return tools.filter(({name}) => foundTools.has(name)).map(form => enabledTool(action, form, selfReports));
  }
  if (offered === 'mcp-resources' && resources === 'none') return [];
  if (offered === 'answer-schema' && answerSchema === undefined) return [];
  if (offered === 'skills' && skills === undefined) return [];
  if (offered === 'more-tools' && moreTools === '') return [];
  if (offered === 'web-search' && webSearch === 'none') return [];
  return tools.flatMap(form => {
    if (form.listing === 'unlisted') return [];
    const tool = enabledTool(action, form, selfReports);
    const {description, jsonSchema} = tool;
    if (offered === 'answer-schema' && answerSchema !== undefined) return [{...tool, jsonSchema: () => answerSchema}];
    if (offered === 'more-tools') return [{...tool, description: `${description} ${moreTools}`}];
    if (action === 'start-agent' && agentKinds !== '')
      return [{...tool, description: `${description} Also:\n${agentKinds}`}];
    if (offered !== 'skills' || skills === undefined) return [tool];
    const {names, lines} = skills;
    return [
      {
        ...tool,
        description: lines === '' ? description : `${description}\n${lines}`,
        jsonSchema: () => (names === 'any' ? jsonSchema() : withChoices(jsonSchema(), 'name', names)),
      },
    ];
  });
}

const enabledTool = (
  action: ActionName,
  {name, description, jsonSchema}: Pick<ToolForm<never>, 'name' | 'description' | 'jsonSchema'>,
  selfReports: SelfReports,
): EnabledTool => ({name, description, action, jsonSchema: () => jsonSchema(selfReports)});

/** weft's own tools that ToolSearch can find, in catalog order. */
export const searchableTools: readonly EnabledTool[] = actionNames.flatMap(action =>
  needsToolSearch(definitions[action].offered)
    ? definitions[action].tools.map(form => enabledTool(action, form, 'left-out'))
    : [],
);

/** Restricts a property of the schema to these values. */
function withChoices(schema: JsonObject, property: string, choices: readonly string[]): JsonObject {
  const {properties} = schema;
  if (!isJsonObject(properties)) return schema;
  return {...schema, properties: {...properties, [property]: {type: 'string', enum: choices}}};
}

/**
 * Turns a tool call into an action of the catalog. An unknown name or an input that doesn't fit is a fault for the
 * model to read. Never throws.
 */
export function decodeAction(
  name: string,
  input: Json,
  sources: ToolSources = defaultToolSources,
  unknown: FieldRules['unknown'] = 'refused',
): Outcome<Action, Fault> {
  const cut = cutLength(input);
  if (cut !== undefined)
    return failed(rejected(`The arguments were cut after ${cut} characters. Send the call in smaller parts.`));
  const leftOut = omittedInputReason(input);
  if (leftOut !== undefined) return failed(rejected(`The input of ${name} was left out: ${leftOut}.`));
  if (isDeeperThan(input, maxJsonDepth)) {
    return failed(
      rejected(`The input of ${name} is nested more than ${maxJsonDepth} levels deep; send a flatter one.`),
    );
  }
  if (sources.disabled.get(name) === 'absent')
    return failed(rejected(`No tool named ${JSON.stringify(name)} here. Available: ${offeredNames(sources)}.`));
  const tool = sources.mcpTools.find(({toolName}) => toolName === name);
  if (tool !== undefined) {
    return decodeMcpCall({server: tool.server, tool: tool.name, toolName: name, standing: tool.standing}, input);
  }
  const toolless = sources.unknownServers.find(server => name.startsWith(toolPrefix(server.name)));
  if (toolless !== undefined && toolless.failure !== '')
    return failed(rejected(`No tool named ${JSON.stringify(name)}. Its MCP server failed: ${toolless.failure}.`));
  if (toolless !== undefined) {
    const called = name.slice(toolPrefix(toolless.name).length);
    return decodeMcpCall({server: toolless.name, tool: called, toolName: name, standing: 'as-known'}, input);
  }
  if (name.startsWith('mcp__')) return failed(rejected(goneText(name, sources)));
  const known = normalizeFields(name, input, unknown);
  if (known.tag === 'failed') return failed(inputFault(name, known.error));
  for (const action of actionNames) {
    const decoded = decodeAs(action, name, known.value);
    if (decoded === undefined) continue;
    const {offered} = definitions[action];
    if (needsAbility(offered) && !sources.frontEnd.has(offered)) return failed(rejected(missingAbilityTexts[offered]));
    const trouble = decoded.tag === 'ok' && unknown === 'refused' ? pathProblem(decoded.value) : undefined;
    return trouble === undefined ? decoded : failed(rejected(trouble));
  }
  return failed(rejected(`No tool named ${JSON.stringify(name)}. Available: ${offeredNames(sources)}.`));
}

/** Returns the server that may have this tool, if its tools are not known. */
export const unknownServerOf = (name: string, {unknownServers}: ToolSources): string | undefined =>
  unknownServers.find(server => server.failure === '' && name.startsWith(toolPrefix(server.name)))?.name;

/** Returns the input with the field names of the tool's schema, which hooks and programs expect. */
export function normalizeInput(tool: string, input: Json): Json {
  const known = normalizeFields(tool, input, 'dropped');
  return known.tag === 'ok' ? known.value : input;
}

function normalizeFields(tool: string, input: Json, unknown: FieldRules['unknown']): Outcome<Json, string> {
  const form = toolFormOf(tool);
  if (form === undefined) return ok(input);
  const offered = Object.keys(objectOf(form.jsonSchema('left-out')['properties']));
  return withKnownFields(input, {...form, schema: form.wholeSchema(), offered, unknown});
}

function toolFormOf(tool: string): Omit<ToolForm<never>, 'decode'> | undefined {
  for (const action of actionNames) {
    for (const form of definitions[action].tools) if (form.name === tool) return form;
  }
  return undefined;
}

/** Returns the schema of weft's own tool, with all its fields. */
export const toolSchema = (tool: string): JsonObject => toolFormOf(tool)?.wholeSchema() ?? {};

/** Returns the field of weft's own tool that another name means. */
export const ownField = (tool: string, name: string): string | undefined =>
  fieldName(objectOf(toolSchema(tool)['properties']), name, toolFormOf(tool)?.aliases ?? {});

/** True if weft has a tool with this name, offered or not. */
export const isOwnTool = (name: string): boolean => toolFormOf(name) !== undefined;

export const decodePastAction = (name: string, input: Json): Outcome<Action, Fault> =>
  decodeElsewhere(name, input, 'dropped');

/** Decodes a call that another program executes. Its MCP servers are not known here, so the name alone identifies the tool. */
export function decodeElsewhere(name: string, input: Json, unknown: FieldRules['unknown']): Outcome<Action, Fault> {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/su.exec(name) ?? [];
  if (server === undefined || tool === undefined) return decodeAction(name, input, defaultToolSources, unknown);
  return isDeeperThan(input, maxJsonDepth)
    ? failed(rejected(`The input of ${name} is nested too deeply.`))
    : decodeMcpCall({server, tool, toolName: name, standing: 'as-known'}, input);
}

const toolPrefix = (server: string): string => mcpToolName(server, '');

/** Does not check the arguments, which the server does. */
function decodeMcpCall(address: Omit<InputOf<'call-mcp-tool'>, 'arguments'>, input: Json): Outcome<Action, Fault> {
  return isJsonObject(input)
    ? ok(actionOf('call-mcp-tool', {...address, arguments: input}))
    : failed(rejected(`The input of ${address.toolName} is invalid: it must be a JSON object.`));
}

/** Returns `undefined` if the action has no tool with this name. */
function decodeAs<N extends ActionName>(action: N, tool: string, input: Json): Outcome<Action, Fault> | undefined {
  const definition = definitions[action];
  const form = definition.tools.find(({name}) => name === tool);
  if (form === undefined) return undefined;
  const decoded = form.decode(input);
  return decoded.tag === 'ok' ? ok(actionOf(action, decoded.value)) : failed(inputFault(tool, decoded.error));
}

/** Returns why a path of the action can't exist. The judge would take such a path for another one. */
const pathProblem = (action: Action): string | undefined =>
  pathsIn(accessOf(action))
    .map(invalidPathReason)
    .find(trouble => trouble !== undefined);

function pathsIn(access: Access): readonly string[] {
  if (access.kind === 'read') return access.paths;
  if (access.kind === 'search') return [access.path];
  return access.kind === 'edit' ? access.edits.flatMap(editPaths) : [];
}

const inputFault = (tool: string, problem: string): Fault =>
  rejected(`The input of ${tool} is invalid: ${problem.replace(/\.$/u, '')}.`);

/** Says why a tool of an MCP server can't be called, and what to do. The model's list may still have it. */
function goneText(name: string, {mcpTools}: ToolSources): string {
  const server = serverPartOf(name) ?? name;
  const others = mcpTools.map(({toolName}) => toolName).filter(other => serverPartOf(other) === server);
  if (others.length > 0)
    return `There is no tool ${name} now. Its MCP server has: ${clip(others.join(', '), maxNamesLength)}.`;
  return (
    `${name} can't be called: its MCP server is gone (removed, turned off or not trusted). Go on without it, or ask the user to bring ` +
    'it back: /mcp shows the servers, `weft mcp add` adds one.'
  );
}

const maxNamesLength = 2000;

const offeredNames = (sources: ToolSources): string =>
  requestTools(sources)
    .map(({name}) => name)
    .join(', ');
