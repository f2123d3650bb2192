import type {Hook} from '../../actions/hooks-port.ts';
import type {McpPort} from '../../actions/mcp-port.ts';
import {isJsonObject, parseJson} from '../../base/json.ts';
import {blockTexts} from '../../domain/conversation.ts';
import {failed} from '../../base/outcome.ts';
import {faultText} from '../../domain/fault.ts';
import {makeFailedRun, emptyOutput} from './hook-answer.ts';

/** The time limit of a call in milliseconds. It is long, because the tool may ask a person. */
const limitMs = 24 * 60 * 60 * 1000;

/**
 * Makes a hook from an MCP tool that answers approvals, like the Agent SDK's `permissionPromptToolName`. The tool
 * gets `tool_name`, `input` and `tool_use_id`. It answers with the JSON text of `{behavior: 'allow' | 'deny', …}`.
 * Any other answer counts as a denial.
 */
export const makePermissionToolHook = (toolName: string, mcp: McpPort): Hook => ({
  event: 'PermissionRequest',
  matcher: '',
  text: toolName,
  source: '--permission-prompt-tool',
  key: `tool ${toolName}`,
  timeoutMs: limitMs,
  wait: 'for-answer',
  onFailure: 'block',
  condition: '',
  changes: 'nothing',
  async run(request, signal) {
    await mcp.settled(signal);
    const tool = mcp.tools().find(each => each.toolName === toolName);
    if (tool === undefined) return makeFailedRun('not-started', 'no connected MCP server has this tool');
    const {tool_name: name = null, tool_input: asked = null, tool_use_id: id = null} = request;
    const input = {tool_name: name, input: asked, tool_use_id: id};
    const called = await mcp.call(
      {server: tool.server, tool: tool.name, toolName, standing: 'as-known', input},
      {
        progress: () => {},
        elicit: async () => ({action: 'decline', content: undefined}),
        sample: async () => failed('Sampling is not available while a permission is being decided.'),
      },
      signal,
    );
    if (called.tag === 'failed') return makeFailedRun('crashed', faultText(called.error));
    const text = blockTexts(called.value.blocks).join('\n');
    const decision = parseJson(text);
    if (decision.tag === 'failed' || !isJsonObject(decision.value) || !('behavior' in decision.value)) {
      return makeFailedRun('unreadable', 'its answer is not the JSON text of {"behavior": "allow" | "deny", …}');
    }
    const hookSpecificOutput = {hookEventName: 'PermissionRequest', decision: decision.value};
    return {...emptyOutput, outcome: {kind: 'json', value: {hookSpecificOutput}}, stdout: text};
  },
});
