import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  ToolCallBlock,
  ToolResultBlock,
  UserBlock,
  UserMessage,
} from './conversation.ts';
import {toolCalls} from './conversation.ts';
import {messageId, type ActionId} from './ids.ts';
import {joinPieces} from './join-pieces.ts';
import type {JournalRecord} from './journal.ts';
import {timelineOf} from './timeline.ts';

/** What a session's journal comes to. */
export interface History {
  /**
   * What a provider accepts, whatever was killed where: it begins with the user, and every message with calls is followed at
   * once by a user message of exactly their results, in the order of the calls.
   */
  readonly messages: readonly Message[];
  /** All task-protocol payloads, in the order in which they apply. */
  readonly todoFrames: readonly Uint8Array[];
  /** The calls whose result was never kept; `messages` has a cancelled one for each. */
  readonly repaired: readonly ActionId[];
}

/** What the model reads of a call whose result was never kept. */
export const lostResultText =
  'weft ended before the result was kept; what was done, if anything, is not known. Look before you repeat it.';

/**
 * Joins a journal, or any beginning of one, into a valid history. A result counts until the next answer, since from then on
 * the model has been told that it was lost; the first of several counts. What no provider accepts is left out: answers before
 * the first prompt, messages and text without content, results without a call, and whatever the
 * user went back behind. A compaction stands for all before it.
 */
export function historyOf(records: readonly JournalRecord[]): History {
  const messages: Message[] = [];
  const todoFrames: Uint8Array[] = [];
  const repaired: ActionId[] = [];
  let open: OpenAnswer | undefined;
  let waiting: UserMessage[] = [];

  const closeAnswer = (): void => {
    if (open !== undefined) {
      const {answer, results} = open;
      messages.push(answer);
      const calls = toolCalls(answer);
      if (calls.length > 0) messages.push(resultsMessage(answer, results));
      for (const call of calls) if (!results.has(call.id)) repaired.push(call.id);
    }
    messages.push(...waiting);
    open = undefined;
    waiting = [];
  };

  for (const record of joinPieces(timelineOf(records).live)) {
    switch (record.kind) {
      case 'prompt':
      case 'reminder': {
        const blocks = record.message.blocks.filter(isPromptContent);
        if (blocks.length > 0) waiting.push({...record.message, blocks});
        break;
      }
      case 'answer': {
        closeAnswer();
        const blocks = sendable(record.message.blocks);
        if (blocks !== undefined && messages.length > 0) {
          open = {answer: {...record.message, blocks}, results: new Map()};
        }
        break;
      }
      case 'result':
        if (open !== undefined && !open.results.has(record.result.id))
          open.results.set(record.result.id, record.result);
        break;
      case 'compaction':
        closeAnswer();
        messages.splice(0, messages.length, ...record.messages);
        repaired.length = 0;
        break;
      case 'todo-frames':
        for (const frame of record.frames) todoFrames.push(frame);
        break;
      case 'approval':
      case 'usage':
      case 'checkpoint':
      case 'rewind':
      case 'redo':
        break;
    }
  }
  closeAnswer();
  return {messages, todoFrames, repaired};
}

interface OpenAnswer {
  readonly answer: AssistantMessage;
  readonly results: Map<ActionId, ToolResultBlock>;
}

function resultsMessage(answer: AssistantMessage, results: ReadonlyMap<ActionId, ToolResultBlock>): UserMessage {
  return {
    role: 'user',
    id: messageId(`${answer.id}:results`),
    blocks: toolCalls(answer).map(call => results.get(call.id) ?? lostResult(call)),
  };
}

const lostResult = (call: ToolCallBlock): ToolResultBlock => ({
  kind: 'tool-result',
  id: call.id,
  content: [{kind: 'text', text: lostResultText}],
  outcome: 'cancelled',
});

/** Providers refuse text blocks of white space only. */
const isPromptContent = (block: UserBlock): boolean =>
  block.kind === 'image' || (block.kind === 'text' && block.text.trim() !== '');

/** The blocks that may go back to a provider; `undefined` where nothing is left that can stand as a message. */
export function sendable(blocks: readonly AssistantBlock[]): readonly AssistantBlock[] | undefined {
  const seen = new Set<ActionId>();
  const kept = blocks.filter(block => {
    if (block.kind === 'text') return block.text.trim() !== '';
    if (block.kind !== 'tool-call') return true;
    const isNew = !seen.has(block.id);
    seen.add(block.id);
    return isNew;
  });
  return kept.some(({kind}) => kind === 'text' || kind === 'tool-call' || kind === 'other') ? kept : undefined;
}
