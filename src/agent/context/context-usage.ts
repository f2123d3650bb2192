import type {SessionUsage} from '../../actions/agent-event.ts';
import {firstLine} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import {
  credibleLength,
  estimateBlockTokens,
  estimateFixedTokens,
  estimateMessagesTokens,
  estimateTokens,
  groupDigits,
  isCompactionMessage,
  maxEstimateError,
  pinnedWords,
} from '../../domain/compaction.ts';
import {
  contextPartKinds,
  contextPartNames,
  type ContextPart,
  type ContextPartKind,
  type ContextUsage,
} from '../../domain/context-usage.ts';
import {type Message, messageText} from '../../domain/conversation.ts';
import {type CostEstimate, estimateCost} from '../../domain/cost-estimate.ts';
import type {RefusedLength} from '../../domain/fault.ts';
import type {MessageId} from '../../domain/ids.ts';
import {attachmentName} from '../../domain/mention.ts';
import {instructionsFileIn, isReminder} from '../../domain/reminder.ts';
import type {ModelRequest} from '../../domain/model-stream.ts';
import {pinnableMessages} from '../../domain/pin.ts';
import {noUsage} from '../../domain/usage.ts';
import {parseUserCommand, userCommandLabel} from '../../domain/user-command.ts';
import type {ExpectedCost} from '../cost-budget.ts';
import {nextRequest, type SessionContext} from '../session-context.ts';
import {systemPromptParts} from './system-prompt.ts';

/** Returns the use of the context for a program: the total, and each part with its share. */
export function contextText({model, window, tokens, total, parts}: ContextUsage): string {
  const about = total === 'estimated' ? 'about ' : '';
  const ofWindow = window === 0 ? '' : ` of ${groupDigits(window)} (${Math.round((tokens / window) * 100)} %)`;
  const sum = parts.reduce((all, part) => all + part.tokens, 0);
  const rows = parts.map(
    part =>
      `- ${contextPartNames[part.kind]}: ${groupDigits(part.tokens)} (${Math.round((part.tokens / sum) * 100)} %)`,
  );
  return [`Context of ${model}: ${about}${groupDigits(tokens)} tokens${ofWindow}`, ...rows].join('\n');
}

/** The tokens of the whole next request. */
export interface RequestTokens {
  /** Estimated tokens of system prompt and tools. */
  readonly fixed: number;
  readonly tokens: number;
  readonly total: ContextUsage['total'];
  /** The number of real tokens for one estimated token. */
  readonly scale: number;
}

/** Returns the tokens of a request: the provider's count as of the last answer, if known, plus an estimate of what was added since. */
export function requestTokens(request: ModelRequest, counted: SessionUsage): RequestTokens {
  const {messages} = request;
  const fixed = estimateFixedTokens(request);
  const estimated = fixed + estimateMessagesTokens(messages);
  const isCounted = counted.contextTokens > 0;
  const uncounted = isCounted ? estimateMessagesTokens(messagesSinceAnswer(messages)) : 0;
  const tokens = isCounted ? counted.contextTokens + uncounted : estimated;
  return {
    fixed,
    tokens,
    total: isCounted && uncounted === 0 ? 'counted' : 'estimated',
    scale: scaleOf(tokens, estimated),
  };
}

/** The size of a request, and how large it may be. */
export interface RequestSize extends RequestTokens {
  /** The size that the user sees. `tokens` is larger if a refusal without numbers shows that the estimate is too low. */
  readonly shown: Pick<RequestTokens, 'tokens' | 'scale'>;
  /** The tokens that fit into the model's window. 0 if unknown. */
  readonly window: number;
  /** The maximum number of tokens of a request that leaves room for an answer. Infinite if the window is unknown. */
  readonly limit: number;
}

/** The share of the window that a request may take, and the share of a refused conversation that a repetition may have. */
const requestShare = 0.8;
const repeatShare = 0.7;
/** The share of a refused request that its repetition must lack. A request of nearly the same size would be refused again. */
export const leastSavedShare = 0.1;

/** Returns the size of the session's next request. `refused`: what the provider said when it refused that request. */
export function requestSize(
  request: ModelRequest,
  {ports, conversation}: Pick<SessionContext, 'ports' | 'conversation'>,
  refused?: RefusedLength,
): RequestSize {
  const counted = requestTokens(request, conversation.usage.report());
  const {contextWindow} = ports.model.facts(request.model);
  if (refused === undefined) {
    const limit = contextWindow > 0 ? contextWindow * requestShare : Number.POSITIVE_INFINITY;
    return {...counted, shown: counted, window: contextWindow, limit};
  }
  const named = credibleLength(refused, request);
  const window = named.window || contextWindow;
  const estimated = counted.fixed + estimateMessagesTokens(request.messages);
  if (named.tokens === 0) {
    // Without numbers, the refused request itself is the only measure.
    const [tokens, fixed] = [estimated * counted.scale, counted.fixed * counted.scale];
    const shorter = Math.min(fixed + (tokens - fixed) * repeatShare, tokens * (1 - leastSavedShare));
    const limit = window > 0 && tokens > window ? window * requestShare : shorter;
    return {...counted, tokens, total: 'estimated', shown: counted, window, limit};
  }
  const {tokens} = named;
  const scale = scaleOf(tokens, estimated);
  const limit = window > 0 ? Math.min(window * requestShare, tokens * (1 - leastSavedShare)) : tokens * repeatShare;
  return {...counted, tokens, shown: {tokens, scale}, total: 'counted', scale, window, limit};
}

/** Guards against absurd numbers from a provider that does not count, or counts differently. */
const scaleOf = (tokens: number, estimated: number): number =>
  Math.min(maxEstimateError, Math.max(1 / maxEstimateError, tokens / estimated));

/** Returns the messages after the last answer, which no provider has counted yet. */
export const messagesSinceAnswer = (messages: readonly Message[]): readonly Message[] =>
  messages
    .slice(messages.findLastIndex(({role}) => role === 'assistant') + 1)
    .filter(message => !isCompactionMessage(message));

/** The longest answer in tokens, if neither the request nor its thinking sets a limit. No provider is asked for more. */
const maxAnswerTokens = 32_000;

/**
 * Estimates the cost of a request from its tokens and the prices of its model. `conversation`: it continues the last
 * request, whose tokens the provider has counted.
 */
export function expectedCost(
  request: ModelRequest,
  of: 'conversation' | 'text',
  {ports, conversation}: Pick<SessionContext, 'ports' | 'conversation'>,
): ExpectedCost {
  const {usage: meter} = conversation;
  const {model, thinking, maxTokens} = request;
  const {tokens} = requestTokens(request, {...meter.report(), ...(of === 'text' ? {contextTokens: 0} : {})});
  const outputTokens =
    (maxTokens === 'default' ? maxAnswerTokens : maxTokens) + (thinking.kind === 'budget' ? thinking.tokens : 0);
  const facts = ports.model.facts(model);
  const costs = [
    facts.costOf({...noUsage, inputTokens: tokens, outputTokens}),
    facts.costOf({...noUsage, cacheWriteTokens: tokens, outputTokens}),
  ];
  return {
    model,
    minUsd: of === 'conversation' ? meter.minCostAfterNext(model) - meter.costUsd : 0,
    maxUsd: Math.max(...costs.map(cost => (cost === 'unknown' ? 0 : cost))),
  };
}

/** Returns what fills the context of the next request. Starts no server and sends nothing. */
export function contextUsage(session: SessionContext): ContextUsage {
  const request = nextRequest(session);
  const facts = session.ports.model.facts(request.model);
  const {tokens, total} = requestTokens(request, session.conversation.usage.report());
  const sums = new Sums();
  sumSystem(request, sums);
  sumTools(request, session, sums);
  const said = pinnableMessages(session.conversation.journal.records);
  const pinned = new Set(said.flatMap(({id, state}) => (state === 'pinned' ? [id] : [])));
  sumMessages(request.messages, pinned, sums);
  const {mcpTools, offeredTools} = session.tools.sources();
  const deferred = mcpTools.filter(tool => !offeredTools.includes(tool));
  return {
    model: request.model,
    window: facts.contextWindow,
    tokens,
    total,
    parts: sums.parts(tokens),
    deferred: {
      tools: deferred.length,
      tokens: deferred.reduce(
        (sum, {toolName, description, inputSchema}) =>
          sum + estimateTokens(JSON.stringify([toolName, description, inputSchema])),
        0,
      ),
    },
    nextUsd: estimateCost(facts.costOf, {tokens}).usd,
  };
}

/** Estimates the cost of the next request. `outputTokens`: the expected length of the answer. */
export function nextCost(session: SessionContext, outputTokens = 0): CostEstimate {
  const request = nextRequest(session);
  const {tokens} = requestTokens(request, session.conversation.usage.report());
  return estimateCost(session.ports.model.facts(request.model).costOf, {tokens: Math.round(tokens), outputTokens});
}

/** Estimates the cost of each request of a sub-agent that has this task and the tools of this session. */
export function agentCost(task: string, session: SessionContext): CostEstimate {
  const request = nextRequest(session);
  const {fixed} = requestTokens(request, session.conversation.usage.report());
  return estimateCost(session.ports.model.facts(request.model).costOf, {
    tokens: Math.round(fixed + estimateTokens(task)),
    outputTokens: agentAnswerTokens,
  });
}

/** The usual length of an answer of a sub-agent, in tokens. */
const agentAnswerTokens = 500;

function sumSystem({system}: ModelRequest, sums: Sums): void {
  const {text, instructions} = systemPromptParts(system);
  sums.add('system-prompt', estimateTokens(text));
  for (const file of instructions) sums.add('instructions', estimateTokens(file.text), file.path);
}

function sumTools({tools}: ModelRequest, session: SessionContext, sums: Sums): void {
  const {mcpTools, skills} = session.tools.sources();
  for (const tool of tools) {
    if ('provided' in tool) continue;
    const size = estimateTokens(JSON.stringify(tool));
    if (mcpTools.some(({toolName}) => toolName === tool.name)) sums.add('mcp-tools', size, tool.name);
    else if (skills !== undefined && skills.lines !== '' && tool.description.endsWith(skills.lines)) {
      const lines = estimateTokens(skills.lines);
      sums.add('skills', lines);
      sums.add('tools', Math.max(0, size - lines), tool.name);
    } else sums.add('tools', size, tool.name);
  }
}

function sumMessages(messages: readonly Message[], pinned: ReadonlySet<MessageId>, sums: Sums): void {
  const toolNames = new Map<string, string>();
  for (const message of messages) {
    if (isCompactionMessage(message)) {
      sumCompaction(message, sums);
      continue;
    }
    let words: 'to come' | 'passed' = 'to come';
    const pin = pinned.has(message.id) ? pinName(messageText(message)) : '';
    for (const block of message.blocks) {
      const size = estimateBlockTokens(block);
      switch (block.kind) {
        case 'text': {
          if (isReminder(block)) sums.add('system-prompt', size);
          else if (message.role === 'assistant') sums.add(pin === '' ? 'answers' : 'pinned', size, pin);
          else if (words === 'to come') {
            words = 'passed';
            if (pin !== '') {
              sums.add('pinned', size, pin);
              break;
            }
            const command = parseUserCommand(block.text);
            if (command === undefined) sums.add('prompts', size);
            else sums.add('results', size, userCommandLabel(command.command));
          } else sums.add('attachments', size, attachmentName(block));
          break;
        }
        case 'image':
          sums.add('attachments', size, 'images');
          break;
        case 'document':
          sums.add('attachments', size, block.name);
          break;
        case 'thinking':
        case 'sealed-thinking':
          sums.add('thinking', size);
          break;
        case 'tool-call':
          toolNames.set(block.id, block.name);
          sums.add('tool-calls', size, block.name);
          break;
        case 'tool-result': {
          const files = block.content.flatMap(part => {
            const path = instructionsFileIn(part);
            return path === undefined || part.kind !== 'text' ? [] : [{path, tokens: estimateTokens(part.text)}];
          });
          for (const {path, tokens} of files) sums.add('instructions', tokens, path);
          const rest = files.reduce((left, {tokens}) => left - tokens, size);
          sums.add('results', Math.max(0, rest), toolNames.get(block.id));
          break;
        }
        case 'other':
          sums.add('answers', size);
          break;
        default:
          unreachable(block);
      }
    }
  }
}

/** Adds the message of a compaction: its pinned messages, and the rest. */
function sumCompaction({blocks}: Message, sums: Sums): void {
  for (const block of blocks) {
    const words = block.kind === 'text' ? pinnedWords(block.text) : undefined;
    if (words === undefined) sums.add('summary', estimateBlockTokens(block));
    else sums.add('pinned', estimateBlockTokens(block), pinName(words));
  }
}

const pinName = (text: string): string => firstLine(text.trim(), 30);

class Sums {
  readonly #parts = new Map<ContextPartKind, {tokens: number; readonly items: Map<string, number>}>();

  /** `item` names what the part is made of. May be empty. */
  add(kind: ContextPartKind, tokens: number, item = ''): void {
    const part = this.#parts.get(kind) ?? {tokens: 0, items: new Map<string, number>()};
    this.#parts.set(kind, part);
    part.tokens += tokens;
    if (item !== '') part.items.set(item, (part.items.get(item) ?? 0) + tokens);
  }

  /** Returns the parts, scaled so that they add up to `total`. */
  parts(total: number): readonly ContextPart[] {
    const estimated = [...this.#parts.values()].reduce((sum, {tokens}) => sum + tokens, 0);
    const scale = estimated === 0 ? 0 : total / estimated;
    let sum = 0;
    return contextPartKinds.flatMap(kind => {
      const part = this.#parts.get(kind);
      if (part === undefined || part.tokens === 0) return [];
      const before = Math.round(sum * scale);
      sum += part.tokens;
      const items = [...part.items]
        .map(([name, tokens]) => ({name, tokens: Math.round(tokens * scale)}))
        .toSorted((one, other) => other.tokens - one.tokens);
      return [{kind, tokens: Math.round(sum * scale) - before, items}];
    });
  }
}
