import type {Hook} from '../../actions/hooks-port.ts';
import type {McpPort} from '../../actions/mcp-port.ts';
import {isJsonObject, parseJson} from '../../base/json.ts';
import {blockTexts} from '../../domain/conversation.ts';
import {failed} from '../../base/outcome.ts';
import {faultText} from '../../domain/fault.ts';
import {failedRun, nothingPrinted} from './hook-answer.ts';

/** Milliseconds: a person may stand behind the tool. */
const limitMs = 24 * 60 * 60 * 1000;

/**
 * A tool of an MCP server that answers approvals, as the Agent SDK's `permissionPromptToolName` has it: it is called with `tool_name`,
 * `input` and `tool_use_id`, and answers with the JSON text of `{behavior: 'allow' | 'deny', …}`. Whatever else it does is a no.
 */
export const permissionTool = (toolName: string, mcp: McpPort): Hook => ({
  event: 'PermissionRequest',
  matcher: '',
  text: toolName,
  source: '--permission-prompt-tool',
  key: `tool ${toolName}`,
  timeoutMs: limitMs,
  wait: 'for-answer',
  onFailure: 'block',
  condition: '',
  async run(request, signal) {
    await mcp.settled(signal);
    const tool = mcp.tools().find(each => each.toolName === toolName);
    if (tool === undefined) return failedRun('not-started', 'no connected MCP server has this tool');
    const {tool_name: name = null, tool_input: asked = null, tool_use_id: id = null} = request;
    const input = {tool_name: name, input: asked, tool_use_id: id};
    const called = await mcp.call(
      {server: tool.server, tool: tool.name, toolName, standing: 'as-known', input},
      {
        progress: () => {},
        elicit: async () => ({action: 'decline', content: undefined}),
        sample: async () => failed('A permission is being asked for: nobody can be asked about a sampling.'),
      },
      signal,
    );
    if (called.tag === 'failed') return failedRun('crashed', faultText(called.error));
    const text = blockTexts(called.value.blocks).join('\n');
    const decision = parseJson(text);
    if (decision.tag === 'failed' || !isJsonObject(decision.value) || !('behavior' in decision.value)) {
      return failedRun('unreadable', 'its answer is not the JSON text of {"behavior": "allow" | "deny", …}');
    }
    const hookSpecificOutput = {hookEventName: 'PermissionRequest', decision: decision.value};
    return {...nothingPrinted, outcome: {kind: 'json', value: {hookSpecificOutput}}, stdout: text};
  },
});
