import {
  estimateMessages,
  estimateTokens,
  type CompactionPreview,
  type CompactionWay,
  type CountedPart,
} from '../domain/compaction.ts';
import {messageText, type Message} from '../domain/conversation.ts';
import {readUserCommand} from '../domain/user-command.ts';
import {isNoCompaction, type CompactionDraft} from './draft-compaction.ts';

type Counts = Pick<CompactionPreview, 'kept' | 'summarised' | 'dropped'>;

/** What becomes of what there was, in words and numbers. Parts that come to nothing are left out. */
export function countCompaction(
  {way, summary}: {readonly way: CompactionWay; readonly summary: string},
  {draft, messages}: {readonly draft: CompactionDraft; readonly messages: readonly Message[]},
): Counts {
  const {carried, trimmed, leftMessages, scale} = draft;
  const {userMessages, instructions, todos, running, changedFiles} = carried;
  const texts = (parts: readonly string[]): number => Math.round(estimateTokens(parts.join('\n')) * scale);
  const kept = [
    ...(way === 'trim' && summary !== '' ? part(1, 'earlier', texts([summary])) : []),
    ...part(userMessages.length, 'userMessage', texts(userMessages.map(({text}) => text))),
    ...part(trimmed.messages.length, 'latest', Math.round(estimateMessages(trimmed.messages) * scale)),
    ...part(instructions.length, 'instructions', texts(instructions.map(({text}) => text))),
    ...part(todos.length, 'todo', texts(todos)),
    ...part(running.length, 'running', texts(running)),
    ...part(changedFiles.length, 'changedFile', texts(changedFiles)),
  ];
  const left = part(leftMessages.length, 'leftMessage', texts(leftMessages.map(({text}) => text)));
  if (way === 'trim') {
    const shorter = part(trimmed.shortened, 'shortened', 0);
    return {kept, summarised: [], dropped: [...part(trimmed.left, 'exchange', 0), ...shorter, ...left]};
  }
  const {answers, calls, thinking, besides, commands} = tally(messages.filter(isNoCompaction));
  const earlier = messages.length - messages.filter(isNoCompaction).length;
  const scaled = ({count, tokens}: Sum, what: keyof typeof named): readonly CountedPart[] =>
    part(count, what, Math.round(tokens * scale));
  return {
    kept,
    summarised: [
      ...part(earlier, 'earlier', 0),
      ...scaled(answers, 'answer'),
      ...scaled(calls, 'call'),
      ...scaled(commands, 'command'),
      ...left,
    ],
    dropped: [...scaled(thinking, 'thinking'), ...scaled(besides, 'besides')],
  };
}

const part = (count: number, what: keyof typeof named, tokens: number): readonly CountedPart[] =>
  count === 0 ? [] : [{what: `${count} ${named[what][count === 1 ? 0 : 1]}`, tokens}];

/** What is counted: for one, and for any other number. */
const named = {
  userMessage: ['user message, word for word', 'user messages, word for word'],
  leftMessage: ['user message that does not fit', 'user messages that do not fit'],
  latest: ['message of the latest exchange', 'messages of the latest exchanges'],
  instructions: ['instruction file, read again', 'instruction files, read again'],
  todo: ['open todo', 'open todos'],
  running: ['running command', 'running commands'],
  changedFile: ['changed file, by name and hash', 'changed files, by name and hash'],
  earlier: ['earlier summary', 'earlier summaries'],
  command: ['command of the user with its output', 'commands of the user with their outputs'],
  exchange: ['old exchange', 'old exchanges'],
  shortened: ['long result, cut to its beginning', 'long results, cut to their beginnings'],
  answer: ['answer', 'answers'],
  call: ['tool call with its result', 'tool calls with their results'],
  thinking: ['stretch of thinking', 'stretches of thinking'],
  besides: ['image or attached text', 'images or attached texts'],
} as const;

interface Sum {
  count: number;
  tokens: number;
}

function tally(
  messages: readonly Message[],
): Readonly<Record<'answers' | 'calls' | 'thinking' | 'besides' | 'commands', Sum>> {
  const sums = {answers: sum(), calls: sum(), thinking: sum(), besides: sum(), commands: sum()};
  const count = (to: Sum, message: Message, blocks: number): void => {
    to.count += blocks;
    to.tokens += estimateMessages([message]);
  };
  for (const message of messages) {
    if (message.role === 'user') {
      if (readUserCommand(messageText(message)) !== undefined) {
        count(sums.commands, message, 1);
        continue;
      }
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
    const [texts, calls, thinking] = [of('text'), of('tool-call', 'other'), of('thinking', 'sealed-thinking')];
    if (texts.blocks.length > 0) count(sums.answers, texts, 1);
    if (calls.blocks.length > 0) count(sums.calls, calls, calls.blocks.length);
    if (thinking.blocks.length > 0) count(sums.thinking, thinking, thinking.blocks.length);
  }
  return sums;
}

const sum = (): Sum => ({count: 0, tokens: 0});
