import {offeredTools, type ToolSources} from '../actions/decode-action.ts';
import type {McpPort, McpTool} from '../actions/mcp-port.ts';
import type {ToolSpec} from '../domain/model-stream.ts';
import {answerSchemaOf, type StructuredOutput} from './structured-output.ts';

/** The tools as they are at this moment: MCP servers come, go and change theirs while the session goes on. */
export interface OfferedNow {
  sources(): ToolSources;
  names(): readonly string[];
  /** With their schemas, which take time to make: with the first request. The same list as long as nothing changed. */
  specs(): readonly ToolSpec[];
}

export function makeOfferedNow(options: {
  readonly mcp: McpPort;
  readonly structured: StructuredOutput;
  readonly withheld: ToolSources['withheld'];
}): OfferedNow {
  const {mcp, structured, withheld} = options;
  const answerSchema = answerSchemaOf(structured);
  let known: {readonly tools: readonly McpTool[]; readonly sources: ToolSources} | undefined;
  let specs: {readonly of: ToolSources; readonly list: readonly ToolSpec[]} | undefined;

  function sources(): ToolSources {
    const mcpTools = mcp.tools();
    const resources = mcp.servers().some(server => server.resources === 'offered') ? 'offered' : 'none';
    if (known?.tools !== mcpTools || known.sources.resources !== resources) {
      known = {tools: mcpTools, sources: {mcpTools, resources, answerSchema, withheld}};
    }
    return known.sources;
  }

  return {
    sources,
    names: () => offeredTools(sources()).map(({name}) => name),
    specs() {
      const current = sources();
      if (specs?.of !== current) {
        const list = offeredTools(current).map(({name, description, jsonSchema}) => ({
          name,
          description,
          inputSchema: jsonSchema(),
        }));
        specs = {of: current, list};
      }
      return specs.list;
    },
  };
}
