import {
  estimateMessages,
  estimateTokens,
  type CompactionPreview,
  type CompactionWay,
  type CountedPart,
} from '../domain/compaction.ts';
import type {Message} from '../domain/conversation.ts';
import type {CompactionDraft} from './draft-compaction.ts';

type Counts = Pick<CompactionPreview, 'kept' | 'summarised' | 'dropped'>;

/** What becomes of what there was, in words and numbers. Parts that come to nothing are left out. */
export function countCompaction(
  way: CompactionWay,
  {draft, messages}: {readonly draft: CompactionDraft; readonly messages: readonly Message[]},
): Counts {
  const {carried, trimmed, leftMessages, scale} = draft;
  const {userMessages, instructions, todos, running, changedFiles} = carried;
  const texts = (parts: readonly string[]): number => Math.round(estimateTokens(parts.join('\n')) * scale);
  const part = (count: number, what: string, tokens: number): readonly CountedPart[] =>
    count === 0 ? [] : [{what: `${count} ${count === 1 ? what : plural(what)}`, tokens}];
  const kept = [
    ...part(userMessages.length, 'user message, word for word', texts(userMessages.map(({text}) => text))),
    ...part(trimmed.messages.length, 'message of the latest exchanges', Math.round(estimateMessages(trimmed.messages) * scale)),
    ...part(instructions.length, 'instruction file, read again', texts(instructions.map(({text}) => text))),
    ...part(todos.length, 'open todo', texts(todos)),
    ...part(running.length, 'running command', texts(running)),
    ...part(changedFiles.length, 'changed file, by name and hash', texts(changedFiles)),
  ];
  const left = part(leftMessages.length, 'user message that does not fit', texts(leftMessages.map(({text}) => text)));
  if (way === 'trim') {
    const shorter = part(trimmed.shortened, 'long result, cut to its beginning', 0);
    return {kept, summarised: [], dropped: [...part(trimmed.left, 'old exchange', 0), ...shorter, ...left]};
  }
  const {answers, calls, thinking, besides} = tally(messages);
  const scaled = ({count, tokens}: Sum, what: string): readonly CountedPart[] =>
    part(count, what, Math.round(tokens * scale));
  return {
    kept,
    summarised: [...scaled(answers, 'answer'), ...scaled(calls, 'tool call with its result'), ...left],
    dropped: [...scaled(thinking, 'stretch of thinking'), ...scaled(besides, 'image or attached text')],
  };
}

/** `user message, word for word` becomes `user messages, word for word`. */
function plural(what: string): string {
  const [, noun = what, rest = ''] = /^((?:user|open|running|changed|old|long|instruction|tool)? ?\w+)(.*)$/u.exec(what) ?? [];
  if (noun === 'stretch') return `stretches${rest}`;
  if (what.startsWith('user message that does')) return 'user messages that do not fit';
  if (what.startsWith('tool call with')) return 'tool calls with their results';
  if (what.startsWith('long result')) return 'long results, cut to their beginnings';
  if (what.startsWith('image or')) return 'images or attached texts';
  return `${noun}s${rest}`;
}

interface Sum {
  count: number;
  tokens: number;
}

function tally(messages: readonly Message[]): {readonly answers: Sum; readonly calls: Sum; readonly thinking: Sum; readonly besides: Sum} {
  const sums = {answers: sum(), calls: sum(), thinking: sum(), besides: sum()};
  const count = (to: Sum, message: Message, blocks: number): void => {
    to.count += blocks;
    to.tokens += estimateMessages([message]);
  };
  for (const message of messages) {
    if (message.role === 'user') {
      const results = message.blocks.filter(({kind}) => kind === 'tool-result');
      const words = message.blocks.findIndex(({kind}) => kind === 'text');
      const besides = message.blocks.filter((block, at) => block.kind !== 'tool-result' && at !== words);
      count(sums.calls, {...message, blocks: results}, 0);
      if (besides.length > 0) count(sums.besides, {...message, blocks: besides}, besides.length);
      continue;
    }
    const of = (...kinds: readonly string[]): Message & {role: 'assistant'} => ({
      ...message,
      blocks: message.blocks.filter(({kind}) => kinds.includes(kind)),
    });
    const [texts, calls, thinking] = [of('text'), of('tool-call'), of('thinking', 'sealed-thinking')];
    if (texts.blocks.length > 0) count(sums.answers, texts, 1);
    if (calls.blocks.length > 0) count(sums.calls, calls, calls.blocks.length);
    if (thinking.blocks.length > 0) count(sums.thinking, thinking, thinking.blocks.length);
  }
  return sums;
}

const sum = (): Sum => ({count: 0, tokens: 0});
