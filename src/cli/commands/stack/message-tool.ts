import type {McpPort, McpTool} from '../../../actions/mcp-port.ts';
import {limitedServers} from '../../../agent/limited-servers.ts';
import {failed, ok} from '../../../base/outcome.ts';
import {rejected} from '../../../domain/fault.ts';
import type {TaskHost} from '../../../tasks/stack/direct-stack.ts';

const tool: McpTool = {
  server: 'task_stack',
  name: 'send_message',
  toolName: 'mcp__task_stack__send_message',
  description:
    'Send a message to the user and the director of the task stack while you work: news, a doubt, a question. Do not wait for an answer: where there is one, you are told it.',
  inputSchema: {type: 'object', properties: {message: {type: 'string'}}, required: ['message']},
  effect: 'claims-read-only',
  standing: 'as-known',
  offering: 'always',
};

/** The rule that lets the sub-agent of a task call it. */
export const messageRule = tool.toolName;

/** The MCP servers of a task, and the tool with which its sub-agent speaks while it works. It is there in such sessions alone. */
export function withMessageTool(mcp: McpPort, say: TaskHost['say']): McpPort {
  // As an object whose parts can be taken one by one, which a set of servers is not.
  const servers = limitedServers(mcp, () => true);
  let known: {readonly of: readonly McpTool[]; readonly list: readonly McpTool[]} | undefined;
  return {
    ...servers,
    tools() {
      const of = servers.tools();
      if (known?.of !== of) known = {of, list: [tool, ...of]};
      return known.list;
    },
    async call(request, observer, signal) {
      if (request.server !== tool.server || request.tool !== tool.name) return servers.call(request, observer, signal);
      const {message} = request.input;
      if (typeof message !== 'string' || message.trim() === '') return failed(rejected('The message is missing.'));
      if (say(message) === 'not-kept') return failed(rejected('The message could not be kept.'));
      return ok({blocks: [{kind: 'text', text: 'Sent.'}]});
    },
  };
}
