import {pluralize} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import {type CachedRequest, cachedRequestText} from '../../domain/cached-request.ts';
import {groupDigits} from '../../domain/compaction.ts';
import {
  type ContextPart,
  type ContextPartKind,
  contextPartNames,
  type ContextUsage,
} from '../../domain/context-usage.ts';
import {contextPercent, moneyText} from '../state/selectors.ts';
import {percentText, shareCells} from '../text/chart.ts';
import {fit} from '../text/cell-width.ts';
import {type EntryFrame, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Role} from '../theme/palette.ts';
import type {CommandContext} from './command.ts';

/** Prints what fills the context window. */
export async function showContext(context: CommandContext): Promise<void> {
  const [usage, requests] = await Promise.all([
    context.runQuery({query: 'context-usage'}),
    cachedRequests(context, maxRequests),
  ]);
  if (usage !== undefined)
    context.print(['', ...contextLines(usage, context.frame), ...cacheLines(requests, context.frame)]);
}

/** The maximum number of requests that `/context` shows, the latest ones. */
export const maxRequests = 10;

/** Returns the session's latest requests, at most `most`. */
export async function cachedRequests(
  context: Pick<CommandContext, 'runQuery' | 'view'>,
  most: number,
): Promise<readonly CachedRequest[]> {
  const {session} = context.view;
  if (session.tag === 'opening') return [];
  const requests = (await context.runQuery({query: 'cache-report', session: session.info.id})) ?? [];
  return requests.slice(-most);
}

/** Renders what each request read from the provider's cache. Marks broken prefixes. */
const cacheLines = (requests: readonly CachedRequest[], frame: EntryFrame): readonly string[] =>
  requests.flatMap(request =>
    wrapText(visibleLine(cachedRequestText(request)), [request.prefix === 'broken' ? 'warning' : 'dim'], frame),
  );

interface PartGroup {
  readonly name: string;
  readonly kinds: readonly ContextPartKind[];
  readonly role: Role;
  /** `parts`: the row lists the parts of the group. `items`: it lists the largest items of its parts. */
  readonly lists: 'parts' | 'items';
}

/** The segments of the bar, in the order of the request. Neighbors differ in color on every palette. */
const groups: readonly PartGroup[] = [
  {name: 'System', kinds: ['system-prompt'], role: 'syntax-name', lists: 'items'},
  {name: 'Instructions', kinds: ['instructions'], role: 'syntax-number', lists: 'items'},
  {name: 'Tools', kinds: ['tools', 'skills', 'mcp-tools'], role: 'syntax-type', lists: 'items'},
  {
    name: 'Conversation',
    kinds: ['summary', 'pinned', 'prompts', 'attachments', 'answers', 'thinking'],
    role: 'syntax-keyword',
    lists: 'parts',
  },
  {name: 'Tool results', kinds: ['tool-calls', 'results'], role: 'syntax-string', lists: 'items'},
];

interface ContextRow {
  readonly name: string;
  readonly tokens: number;
  readonly items: ContextPart['items'];
  readonly role: Role;
}

function contextRows({parts, window, tokens}: ContextUsage): readonly ContextRow[] {
  const rows = groups.map(({name, kinds, role, lists}): ContextRow => {
    const own = parts.filter(({kind}) => kinds.includes(kind));
    const items =
      lists === 'items'
        ? sumsByName(own.flatMap(itemsOf))
        : own.map(part => ({name: contextPartNames[part.kind], tokens: part.tokens}));
    return {name, role, tokens: own.reduce((sum, part) => sum + part.tokens, 0), items};
  });
  const free: ContextRow = {name: 'Free', tokens: Math.max(0, window - tokens), items: [], role: 'dim'};
  return [...rows, free].filter(row => row.tokens > 0);
}

const barWidth = 60;
const nameCells = 14;
const countCells = 9;
const percentCells = 7;

const glyphOf = ({role}: ContextRow): string => (role === 'dim' ? glyphs.barOpen : glyphs.barDone);

/** Renders the context as one bar with a row for each of its segments. Without colors, there are only the rows. */
export function contextLines(usage: ContextUsage, frame: EntryFrame): readonly string[] {
  const {theme, width} = frame;
  const rows = contextRows(usage);
  const total = rows.reduce((sum, {tokens}) => sum + tokens, 0);
  const isDrawn = theme.name !== 'plain';
  const cells = shareCells(
    rows.map(({tokens}) => tokens),
    Math.min(barWidth, width),
  );
  const bar = rows.map((row, at) => theme.style([row.role], glyphOf(row).repeat(cells[at] ?? 0))).join('');
  return [
    ...wrapText(summaryText(usage), ['bold'], frame),
    ...(isDrawn ? [bar] : []),
    ...rows.flatMap(row => {
      const mark = isDrawn ? `${theme.style([row.role], glyphOf(row))} ` : '';
      const facts = `${row.name.padEnd(nameCells)}${groupDigits(row.tokens).padStart(countCells)}${percentText(row.tokens, total).padStart(percentCells)}`;
      const items = itemsText(row.items);
      const room = width - facts.length - (isDrawn ? 2 : 0) - 2;
      if (items === '' || room >= items.length)
        return [mark + facts + (items === '' ? '' : `  ${theme.style(['dim'], items)}`)];
      return [mark + facts, theme.style(['dim'], fit(`  ${items}`, width))];
    }),
    ...contextNotes(usage).flatMap(note => wrapText(note, ['dim'], frame)),
  ];
}

/** Says in sentences what `contextLines` draws. */
export function contextSentences(usage: ContextUsage): readonly string[] {
  const rows = contextRows(usage);
  const total = rows.reduce((sum, {tokens}) => sum + tokens, 0);
  return [
    `${summaryText(usage)}.`,
    ...rows.map(({name, tokens, items}) => {
      const listed = items.length === 0 ? '' : `, including ${itemsText(items)}`;
      return `${name}: ${groupDigits(tokens)} tokens (${percentText(tokens, total)})${listed}.`;
    }),
    ...contextNotes(usage).map(note => `${note}.`),
  ];
}

function summaryText({tokens, window, total}: ContextUsage): string {
  const about = total === 'estimated' ? 'about ' : '';
  return window > 0
    ? `Context: ${about}${groupDigits(tokens)} of ${groupDigits(window)} tokens (${contextPercent(tokens, window)} %)`
    : `Context: ${about}${groupDigits(tokens)} tokens (context window unknown)`;
}

const maxItems = 5;

/** Lists the largest items: `Bash 1,204 · Read 820 · 3 more`. */
function itemsText(items: ContextPart['items']): string {
  const shown = items.slice(0, maxItems).map(({name, tokens}) => `${visibleLine(name)} ${groupDigits(tokens)}`);
  const more = items.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(glyphs.separator);
}

/** Returns the items of a part. MCP tools, named `mcp__SERVER__TOOL`, are summed by server. */
function itemsOf({kind, tokens, items}: ContextPart): ContextPart['items'] {
  if (kind === 'skills') return [{name: 'skills', tokens}];
  return kind === 'mcp-tools' ? items.map(item => ({...item, name: item.name.split('__')[1] ?? item.name})) : items;
}

function sumsByName(items: ContextPart['items']): ContextPart['items'] {
  const sums = new Map<string, number>();
  for (const {name, tokens} of items) sums.set(name, (sums.get(name) ?? 0) + tokens);
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
