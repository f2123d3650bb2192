import {enabledTools, type ToolSources} from '../actions/decode-action.ts';
import type {McpPort, McpTool} from '../actions/mcp-port.ts';
import type {WebPort} from '../actions/web-port.ts';
import type {SkillsPort} from '../actions/skills-port.ts';
import type {ToolSpec} from '../domain/model-stream.ts';
import {answerSchemaOf, type StructuredOutput} from './structured-output.ts';

/** The tools that the model may call now. MCP servers come, go and change their tools while the session goes on. */
export interface ToolRegistry {
  sources(): ToolSources;
  names(): readonly string[];
  /** The tools with their schemas, which take time to make, so that happens with the first request. The same list as long as nothing changed. */
  specs(): readonly ToolSpec[];
}

export function makeToolRegistry(options: {
  readonly mcp: McpPort;
  readonly web: Pick<WebPort, 'searching'>;
  readonly skills: Pick<SkillsPort, 'catalogue'>;
  readonly structuredOutput: StructuredOutput;
  readonly disabledTools: ToolSources['disabled'];
}): ToolRegistry {
  const {mcp, web, skills: skillsPort, structuredOutput, disabledTools} = options;
  const answerSchema = answerSchemaOf(structuredOutput);
  let known: {readonly tools: readonly McpTool[]; readonly sources: ToolSources} | undefined;
  let specs: {readonly of: ToolSources; readonly list: readonly ToolSpec[]} | undefined;

  function sources(): ToolSources {
    const mcpTools = mcp.tools();
    const resources = mcp.servers().some(server => server.resources === 'offered') ? 'offered' : 'none';
    const skills = skillsPort.catalogue();
    if (known?.tools !== mcpTools || known.sources.resources !== resources || known.sources.skills !== skills) {
      known = {
        tools: mcpTools,
        sources: {
          mcpTools,
          resources,
          skills,
          webSearch: web.searching === 'offered' ? 'offered' : 'none',
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
        }));
        specs = {of: current, list};
      }
      return specs.list;
    },
  };
}
