import {clip} from '../base/clip.ts';
import {estimateMessage, estimateMessages} from './compaction.ts';
import type {Message, ResultContent, ToolResultBlock} from './conversation.ts';

/** A history that has been made shorter without a model. */
export interface Trimmed {
  readonly messages: readonly Message[];
  /** Results that were cut. */
  readonly shortened: number;
  /** Exchanges that were left out: a message of the user's, and all up to the next. */
  readonly left: number;
}

/**
 * Makes a valid history shorter until it comes to `most` tokens by estimate: cuts results, oldest first, then leaves exchanges
 * out, oldest first, and only then touches the last exchange, in the same order. What is left is a valid history or empty.
 */
export function trimHistory(messages: readonly Message[], most: number): Trimmed {
  const exchanges = exchangesOf(messages);
  let tokens = estimateMessages(messages);
  let shortened = 0;
  let left = 0;
  const cut = (first: number, end: number): void => {
    for (let at = first; at < end; at += 1) {
      exchanges[at] = (exchanges[at] ?? []).map(message => {
        if (tokens <= most || message.role !== 'user') return message;
        const blocks = message.blocks.map(block => {
          if (block.kind !== 'tool-result') return block;
          const short = shortResult(block);
          if (short !== block) shortened += 1;
          return short;
        });
        const shorter = {...message, blocks};
        tokens += estimateMessage(shorter) - estimateMessage(message);
        return shorter;
      });
    }
  };
  const leaveOut = (end: number): void => {
    while (tokens > most && left < end) {
      tokens -= estimateMessages(exchanges[left] ?? []);
      exchanges[left] = [];
      left += 1;
    }
  };
  const last = Math.max(0, exchanges.length - 1);
  cut(0, last);
  leaveOut(last);
  cut(last, exchanges.length);
  leaveOut(exchanges.length);
  return {messages: exchanges.flat(), shortened, left};
}

/** Each begins with what is no result: there a valid history may begin. */
function exchangesOf(messages: readonly Message[]): Message[][] {
  const exchanges: Message[][] = [];
  for (const message of messages) {
    const begins = message.role === 'user' && !message.blocks.some(({kind}) => kind === 'tool-result');
    const current = exchanges.at(-1);
    if (begins || current === undefined) exchanges.push([message]);
    else current.push(message);
  }
  return exchanges;
}

/** What is left of a long text in a result, in UTF-16 units. */
const resultLength = 300;

function shortResult(result: ToolResultBlock): ToolResultBlock {
  const isShort = result.content.every(block => block.kind === 'text' && block.text.length <= resultLength * 2);
  return isShort ? result : {...result, content: result.content.map(shortContent)};
}

function shortContent(block: ResultContent): ResultContent {
  if (block.kind !== 'text') return {kind: 'text', text: `[${block.kind} left out by weft]`};
  if (block.text.length <= resultLength * 2) return block;
  return {
    kind: 'text',
    text: `${clip(block.text, resultLength)}\n[Shortened by weft: it had ${block.text.length} characters. Ask for it again if it matters.]`,
  };
}
