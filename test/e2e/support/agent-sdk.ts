import {query, type Options, type Query, type SDKMessage, type SDKUserMessage} from '@anthropic-ai/claude-agent-sdk';
import {weftBin} from '../../support/run-weft.ts';
import {pointedAt, type Scene} from '../../support/scene.ts';

/** The real client, unmodified, that runs the built program. */
export function ask(scene: Scene, prompt: string | AsyncIterable<SDKUserMessage>, options: Options = {}): Query {
  const {place, server} = scene;
  const env = place.environment({...pointedAt(server), TMPDIR: place.home});
  return query({prompt, options: {cwd: place.work, env, pathToClaudeCodeExecutable: weftBin, ...options}});
}

export interface Conversation {
  readonly messages: readonly SDKMessage[];
  /** What the iteration threw; `undefined` where it ended. */
  readonly thrown: string | undefined;
}

/** Reads all there is; an error result makes the client throw once it has given it out. */
export async function readAll(messages: AsyncIterable<SDKMessage>): Promise<Conversation> {
  const read: SDKMessage[] = [];
  try {
    for await (const message of messages) read.push(message);
  } catch (cause) {
    return {messages: read, thrown: cause instanceof Error ? cause.message : String(cause)};
  }
  return {messages: read, thrown: undefined};
}

export const kinds = ({messages}: Conversation): readonly string[] =>
  messages.map(message => ('subtype' in message ? `${message.type}/${message.subtype}` : message.type));

export function resultIn({messages}: Pick<Conversation, 'messages'>) {
  const result = messages.findLast(message => message.type === 'result');
  if (result === undefined) throw new Error('there is no result');
  return result;
}

/** The texts of the tool results that were told, in order. */
export const toolResults = ({messages}: Conversation): readonly string[] =>
  messages.flatMap(message => {
    if (message.type !== 'user' || !Array.isArray(message.message.content)) return [];
    return message.message.content.flatMap(block =>
      block.type === 'tool_result'
        ? [typeof block.content === 'string' ? block.content : JSON.stringify(block.content)]
        : [],
    );
  });

export const sessionOf = ({messages}: Conversation): string =>
  messages.map(message => ('session_id' in message ? message.session_id : undefined)).find(id => id !== undefined) ??
  '';

export const userMessage = (text: string, more: Partial<SDKUserMessage> = {}): SDKUserMessage => ({
  type: 'user',
  message: {role: 'user', content: text},
  parent_tool_use_id: null,
  ...more,
});
