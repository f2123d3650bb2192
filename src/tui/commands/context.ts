import {pluralize} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import {type CachedRequest, cachedRequestText} from '../../domain/cached-request.ts';
import {groupDigits} from '../../domain/compaction.ts';
import {type ContextPart, contextPartNames, type ContextUsage} from '../../domain/context-usage.ts';
import {contextPercent, moneyText, countText} from '../state/selectors.ts';
import {fit} from '../text/cell-width.ts';
import {type EntryFrame, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {type CommandContext, slashCommand} from './command.ts';
import {knownCost, type ModelUsage} from '../../domain/usage.ts';
import type {RunTimes, View} from '../state/view.ts';

export const contextCommand = slashCommand({
  name: 'context',
  usage: '/context',
  summary: 'Show what uses the context window',
  run: (_, context) => void showContext(context),
});

async function showContext(context: CommandContext): Promise<void> {
  const [usage, requests] = await Promise.all([context.runQuery({query: 'context-usage'}), cachedRequests(context)]);
  if (usage !== undefined)
    context.print(['', ...contextLines(usage, context.frame), ...cacheLines(requests, context.frame)]);
}

/** The maximum number of requests that `/context` shows, the latest ones. */
const maxRequests = 10;

export async function cachedRequests(
  context: Pick<CommandContext, 'runQuery' | 'view'>,
): Promise<readonly CachedRequest[]> {
  const {session} = context.view;
  if (session.tag === 'opening') return [];
  const requests = (await context.runQuery({query: 'cache-report', session: session.info.id})) ?? [];
  return requests.slice(-maxRequests);
}

/** Renders what each request read from the provider's cache. Marks broken prefixes. */
const cacheLines = (requests: readonly CachedRequest[], frame: EntryFrame): readonly string[] =>
  requests.flatMap(request =>
    wrapText(visibleLine(cachedRequestText(request)), [request.prefix === 'broken' ? 'warning' : 'dim'], frame),
  );

/** Widths of the columns: the bar, and the name and token count before it. */
const barCells = 20;
const nameCells = 18;
const countCells = 9;

/** Renders each part of the context as a bar with its largest items, followed by the cost of the next request. */
export function contextLines(usage: ContextUsage, frame: EntryFrame): readonly string[] {
  const {theme, width} = frame;
  const largest = Math.max(1, ...usage.parts.map(({tokens}) => tokens));
  const rows = usage.parts.flatMap(part => {
    const name = fit(contextPartNames[part.kind], nameCells).padEnd(nameCells);
    const bar = glyphs.barDone.repeat(Math.max(1, Math.round((part.tokens / largest) * barCells)));
    const row = `${name}${groupDigits(part.tokens).padStart(countCells)}`;
    const drawn = width < nameCells + countCells + 2 + barCells ? '' : `  ${theme.style(['accent'], bar)}`;
    const items = itemsText(part);
    return [`${row}${drawn}`, ...(items === '' ? [] : [theme.style(['dim'], fit(`  ${items}`, width))])];
  });
  return [
    ...wrapText(summaryText(usage), ['bold'], frame),
    ...rows,
    ...contextNotes(usage).flatMap(note => wrapText(note, ['dim'], frame)),
  ];
}

export const contextSentences = (usage: ContextUsage): readonly string[] => [
  `${summaryText(usage)}.`,
  ...usage.parts.map(part => {
    const items = itemsText(part);
    return `${contextPartNames[part.kind]}: ${groupDigits(part.tokens)} tokens${items === '' ? '' : `, including ${items}`}.`;
  }),
  ...contextNotes(usage).map(note => `${note}.`),
];

function summaryText({tokens, window, total}: ContextUsage): string {
  const about = total === 'estimated' ? 'about ' : '';
  return window > 0
    ? `Context: ${about}${groupDigits(tokens)} of ${groupDigits(window)} tokens (${contextPercent(tokens, window)} %)`
    : `Context: ${about}${groupDigits(tokens)} tokens (context window unknown)`;
}

const maxItems = 5;

/** Lists the largest items: `Bash 1,204 · Read 820 · 3 more`. */
function itemsText({kind, items}: ContextPart): string {
  const named = kind === 'mcp-tools' ? groupByServer(items) : items;
  const shown = named.slice(0, maxItems).map(({name, tokens}) => `${visibleLine(name)} ${groupDigits(tokens)}`);
  const more = named.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(glyphs.separator);
}

/** Sums the tokens of MCP tools by server. Their names have the form `mcp__SERVER__TOOL`. */
function groupByServer(items: ContextPart['items']): ContextPart['items'] {
  const sums = new Map<string, number>();
  for (const {name, tokens} of items) {
    const server = name.split('__')[1] ?? name;
    sums.set(server, (sums.get(server) ?? 0) + tokens);
  }
  return [...sums].map(([name, tokens]) => ({name, tokens})).toSorted((one, other) => other.tokens - one.tokens);
}

function contextNotes({deferred, nextUsd, parts}: ContextUsage): readonly string[] {
  const isConversation = parts.some(({kind}) => kind === 'prompts' || kind === 'summary');
  return [
    ...(deferred.tools === 0
      ? []
      : [
          `${pluralize(deferred.tools, 'MCP tool')} (${groupDigits(deferred.tokens)} tokens) load on demand and use no context until then`,
        ]),
    ...(nextUsd === 'unknown'
      ? ['Model price unknown']
      : [`Next request: ${moneyText(nextUsd.cached)} if cached, ${moneyText(nextUsd.uncached)} if not`]),
    'The breakdown is an estimate',
    ...(isConversation ? ['/compact frees up space'] : []),
  ];
}

export const costCommand = slashCommand({
  name: 'cost',
  aliases: ['usage'],
  usage: '/cost',
  summary: "Show this session's tokens and cost by model",
  run: (_, context) => context.notify('info', sessionCostText(context.view.usage, context.times())),
});

/** Reports the session's usage by model, with token counts from the providers. Models without a known price are marked. */
export function sessionCostText({models, contextTokens, contextWindow}: View['usage'], times: RunTimes): string {
  const used = Object.entries(models);
  if (used.length === 0) return 'No tokens used in this session yet';
  const cost = knownCost(Object.values(models));
  const unpriced = Object.values(models).some(({costUsd}) => costUsd === 'unknown');
  const total =
    cost === undefined
      ? 'Cost unknown: weft has no price for this model'
      : `${moneyText(cost)} in this session${unpriced ? ', not counting models without a known price' : ''}`;
  const rate =
    times.costPerMinute === 'unknown' || cost === undefined
      ? []
      : [`${moneyText(times.costPerMinute)} per minute of active time`];
  const context =
    contextTokens === 0
      ? []
      : [
          contextWindow > 0
            ? `Context: ${countText(contextTokens)} of ${countText(contextWindow)} tokens (${contextPercent(contextTokens, contextWindow)} %)`
            : `Context: ${countText(contextTokens)} tokens`,
        ];
  return [...used.map(([name, usage]) => modelLine(name, usage)), total, ...rate, ...context].join('\n');
}

/** Describes one model's usage. Thinking isn't listed separately because providers count it as output. */
function modelLine(name: string, {usage, costUsd, requests, webSearches}: ModelUsage): string {
  const {inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens} = usage;
  const searched = webSearches === 0 ? '' : `, ${webSearches} web search${webSearches === 1 ? '' : 'es'}`;
  const asked = pluralize(requests, 'request') + searched;
  const price = costUsd === 'unknown' ? 'price unknown' : moneyText(costUsd);
  const read = `${groupDigits(inputTokens)} in, ${groupDigits(cacheReadTokens)} from cache, ${groupDigits(cacheWriteTokens)} written to cache`;
  return `${visibleLine(name)}: ${price}, ${asked}; tokens: ${read}, ${groupDigits(outputTokens)} out (with thinking)`;
}
