/**
 * Drives weft from a program, with the Agent SDK as it comes from npm:
 *
 *     npm install @anthropic-ai/claude-agent-sdk
 *     ANTHROPIC_API_KEY=… node drive-weft.ts /path/to/weft/bin/weft.js
 *
 * It allows one command and denies another, interrupts the agent in the middle of its answer, and then goes on with the same
 * session.
 */
import {query, type Options, type SDKMessage} from '@anthropic-ai/claude-agent-sdk';

const weft = process.argv[2] ?? 'weft';

const options: Options = {
  pathToClaudeCodeExecutable: weft,
  systemPrompt: {type: 'preset', preset: 'claude_code'},
  includePartialMessages: true,
  canUseTool: async (tool, input, {decisionReason}) => {
    const command = typeof input['command'] === 'string' ? input['command'] : '';
    if (tool === 'Bash' && command.startsWith('mkdir ')) {
      console.log(`allowed: ${command}`);
      return {behavior: 'allow', updatedInput: input};
    }
    console.log(`denied: ${tool} ${command} (${decisionReason ?? 'no reason given'})`);
    return {behavior: 'deny', message: 'Only folders may be made here.'};
  },
};

/** Prints what a program would show, and answers with the id of the session. */
async function follow(messages: AsyncIterable<SDKMessage>): Promise<string> {
  let session = '';
  for await (const message of messages) {
    session = message.session_id ?? session;
    if (message.type === 'assistant') {
      for (const block of message.message.content) {
        if (block.type === 'text') console.log(`weft: ${block.text}`);
        if (block.type === 'tool_use') console.log(`calls: ${block.name}`);
      }
    }
    if (message.type === 'result') console.log(`result: ${message.subtype}, $${message.total_cost_usd}`);
  }
  return session;
}

const session = await follow(query({prompt: 'Make a folder named notes, then delete it.', options}));

const counting = query({prompt: 'Count to a thousand.', options: {...options, resume: session}});
async function* untilItSpeaks(): AsyncGenerator<SDKMessage> {
  let heard = false;
  for await (const message of counting) {
    yield message;
    if (heard || message.type !== 'stream_event' || message.event.type !== 'content_block_delta') continue;
    heard = true;
    console.log('interrupting');
    await counting.interrupt();
  }
}
try {
  await follow(untilItSpeaks());
} catch (error) {
  // The client throws after a result that is an error, as that of an interrupted prompt is.
  console.log(`ended: ${error instanceof Error ? error.message : String(error)}`);
}

await follow(query({prompt: 'What did you do so far?', options: {...options, resume: session}}));
