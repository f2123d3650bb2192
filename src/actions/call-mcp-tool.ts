import {jsonText, type JsonObject} from '../base/json.ts';
import {ok} from '../base/outcome.ts';
import {interrupted, settledBy} from '../domain/settled.ts';
import {defineAction} from './define-action.ts';
import {elicitByQuestions} from './elicitation.ts';
import type {McpCallObserver, McpResult, McpTool} from './mcp-port.ts';

export interface McpCallInput {
  readonly server: string;
  readonly tool: string;
  /** The name under which the model and permission rules know the tool. */
  readonly toolName: string;
  /** `changed`: the server's description differs from the last use, so earlier permissions don't cover the tool. */
  readonly standing: McpTool['standing'];
  readonly arguments: JsonObject;
}

/** Has no fixed tool forms, because tool names are made per server (`mcp__SERVER__TOOL`). */
export const callMcpTool = defineAction<
  McpCallInput,
  McpResult,
  {readonly server: string; readonly tool: string; readonly reached: 'not-started' | 'called'}
>({
  summary: 'Call a tool of an MCP server.',
  risk: 'external',
  offered: 'always',
  access: ({server, toolName, standing, arguments: given}) => ({
    kind: 'mcp-tool',
    server,
    toolName,
    standing,
    arguments: given,
  }),
  asks: [
    {name: 'mcp-tool', risks: ['external'], askedWhen: 'no rule allows it, whatever the server claims about its tool'},
  ],
  tools: [],
  label: input => `Call ${input.tool} of ${input.server}`,
  cancelled: input => ({server: input.server, tool: input.tool, reached: 'not-started'}),
  modelContent: output => output.blocks,
  partialText: ({server, reached}) =>
    reached === 'called' ? `${server} was told to stop; it may have done part of the work.` : '',
  past: 'as-it-is',
  preview: async input => ok({kind: 'arguments', text: jsonText(input.arguments)}),
  async run({server, tool, toolName, standing: judged, arguments: input}, {ports, observe, signal, approval}) {
    const standing = judged === 'changed' && approval === 'answered' ? 'accepted' : judged;
    const observer: McpCallObserver = {
      progress: line => observe(`${line}\n`),
      async sample(request, asked) {
        const {sampleWithApproval} = await import('./sampling.ts');
        return sampleWithApproval(request, ports, AbortSignal.any([asked, signal]));
      },
      // A server can't withdraw a question once its call is over.
      elicit: (elicitation, asked) => elicitByQuestions(elicitation, ports.questions, AbortSignal.any([asked, signal])),
    };
    const result = await ports.mcp.call({server, tool, toolName, standing, input}, observer, signal);
    const isStopped = result.tag === 'failed' && signal.aborted;
    return isStopped ? interrupted({server, tool, reached: 'called'}) : settledBy(result);
  },
});
