import {serverPartOf} from '../domain/mcp-tool-name.ts';
import {definitions} from '../actions/catalogue.ts';
import {isJsonObject, type Json, listOf, parseJson} from '../base/json.ts';
import type {JournalRecord} from '../domain/journal.ts';
import type {ModelRequest, ToolSpec} from '../domain/model-stream.ts';

/** A list of tools that requests have begun with. Providers cache it, and some bind the model's thinking to it. */
export interface SentList {
  readonly tools: readonly ToolSpec[];
  /** Names of the MCP tools that existed then, listed or not. */
  readonly known: ReadonlySet<string>;
}

/** The lists of a session, also of those runs that it continues. Sub-agents share the lists of their session. */
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
export const fixedTools = (tools: ModelRequest['tools']): readonly ToolSpec[] =>
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
export const isFixedTool = (name: string): boolean => serverPartOf(name) === undefined && !changingTools.has(name);

const changingTools: ReadonlySet<string> = new Set(
  Object.values(definitions).flatMap(({offered, tools}) =>
    offered === 'mcp-resources' || offered === 'skills' || offered === 'more-tools' ? tools.map(({name}) => name) : [],
  ),
);
