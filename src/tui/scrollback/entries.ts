import type {PromptEnd} from '../../actions/agent-event.ts';
import {isAgentAction} from '../../actions/catalogue.ts';
import {
  type ExplorationItem,
  explorationItems,
  pastExplorationItems,
  explorationTargets,
} from '../../actions/exploration.ts';
import {pluralize} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import type {
  ActionEntry,
  ActionProgress,
  Entry,
  ExplorationEntry,
  ExplorationStep,
  FinishedEntry,
  RunTimes,
  TextEntry,
  TurnFacts,
  View,
} from '../state/view.ts';
import {agentStatusText} from '../state/agent-outputs.ts';
import {centsText, countText} from '../state/selectors.ts';
import {type Fault, faultText, isDeclined} from '../../domain/fault.ts';
import {hookStopText} from '../../domain/stop-text.ts';
import {contextTokens} from '../../domain/usage.ts';
import {checkRows} from '../text/check-text.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {durationText, wholeSeconds} from '../text/duration.ts';
import {withRelativePaths, withTildes} from '../text/workspace-paths.ts';
import {type EntryFrame, type Frame, spansText, type StyledSpan, wrapSpans, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Role} from '../theme/palette.ts';
import type {Theme} from '../theme/theme.ts';
import {readLink} from '../text/file-link.ts';
import {actionFacts, actionRows, pastActionRows} from './action-entry.ts';
import {readPictures} from './action-results.ts';
import {countSpans} from './diff-lines.ts';
import {keyHint} from '../terminal/keymap.ts';
import {insideMargin, margin, signedRows, unfoldHint} from './entry-rows.ts';
import {type MarkdownLexer, renderFence, renderMarkdown} from './render-markdown.ts';
import {type MarkdownPiece, tableHead} from './split-markdown.ts';

export function finishedLines(finished: FinishedEntry, lexer: MarkdownLexer, frame: EntryFrame): readonly string[] {
  switch (finished.kind) {
    case 'pieces': {
      const inner = insideMargin(frame);
      const lines = finished.pieces.flatMap((piece, at) =>
        pieceLines(piece, at === 0 && finished.written === 'nothing' ? 'first' : 'later', {lexer, frame: inner}),
      );
      return answerLines(lines, finished.written, frame);
    }
    case 'thinking':
      return finished.text.trim() === '' ? [] : ['', ...thoughtLines(finished.text, frame)];
    case 'action':
      return ['', ...actionRows(finished, frame, undefined)];
    case 'exploration':
      return frame.verbosity === 'full'
        ? finished.steps.flatMap(step => finishedLines(step, lexer, frame))
        : spaced([...explorationRows(finished, 'done', frame), ...explorationPictures(finished, frame)]);
    case 'prompt':
      return [
        '',
        ...promptLines(finished.text, frame.verbosity === 'full' ? 'whole' : 'folded', frame),
        ...attachedLines(finished.attached, frame),
      ];
    case 'notice':
      return ['', ...noticeLines(finished, frame)];
    case 'command-answer':
      return [...commandLines(finished.command, frame), ...noticeLines(finished, frame)];
    case 'past-action':
      return ['', ...pastActionRows(finished, frame)];
    case 'end':
      return spaced(endRows(finished, frame));
    default:
      return unreachable(finished);
  }
}

/** Returns the pictures that were read, below the list of what was read. */
const explorationPictures = ({steps}: ExplorationEntry, frame: EntryFrame): readonly string[] =>
  frame.verbosity === 'name'
    ? []
    : steps.flatMap(step =>
        step.kind === 'action' && step.stage.stage === 'settled' && step.stage.result.tag === 'action'
          ? readPictures(step.stage.result.result, insideMargin(frame)).map(row => margin + row)
          : [],
      );

const spaced = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ['', ...lines]);

/** Returns the lines of a message that was not streamed. */
export const wholeAnswer = (text: string, lexer: MarkdownLexer, frame: Frame): readonly string[] =>
  spaced(answerLines(renderMarkdown(text, lexer, insideMargin(frame)), 'nothing', frame));

/** Indents the agent's prose by the margin. A bullet marks the beginning of a message. */
function answerLines(lines: readonly string[], written: 'nothing' | 'some', {theme}: Frame): readonly string[] {
  let bullet = written === 'nothing' ? `${theme.style(['bullet'], glyphs.agentBullet)} ` : margin;
  return lines.map(line => {
    if (line === '') return line;
    const shown = bullet + line;
    bullet = margin;
    return shown;
  });
}

const noticeLines = (
  {level, text}: {readonly level: 'info' | 'warning'; readonly text: string},
  frame: Frame,
): readonly string[] =>
  signedRows(text, level === 'warning' ? {sign: glyphs.warning, role: level} : {sign: '', role: 'dim'}, frame);

/** Options for unfinished entries. `lexer` is `undefined` until it is loaded. */
interface OpenEntryOptions {
  readonly lexer: MarkdownLexer | undefined;
  readonly actions: RunTimes['actions'];
}

/** Returns the lines of unfinished entries for the live region. Each sub-agent has one row, so none moves when another one changes. */
export function openLines(
  {entries, agents}: Pick<View, 'entries' | 'agents'>,
  options: OpenEntryOptions,
  {theme, ...rest}: EntryFrame,
): readonly string[] {
  // The live region is rewritten in parts, which would break hyperlinks.
  const frame: EntryFrame = {theme: theme.unlinked, ...rest};
  return entries.flatMap((entry, at) => {
    const before = entries[at - 1];
    if (frame.verbosity === 'full' || !isAgentCall(entry)) return openEntryLines(entry, options, frame);
    const row = agentRow(entry, {agents, progress: options.actions.get(entry.id)}, frame);
    return before !== undefined && isAgentCall(before) ? [row] : ['', row];
  });
}

/** True if an entry is a sub-agent that works, or a finished one that waits for the entries before it. */
const isAgentCall = (entry: Entry): entry is ActionEntry =>
  entry.kind === 'action' &&
  entry.stage.stage !== 'waiting' &&
  (entry.stage.stage !== 'settled'
    ? isAgentAction(entry.stage.action)
    : entry.stage.result.tag === 'action' && isAgentAction(entry.stage.result.result));

/** Returns a sub-agent's row: name, current activity, time and tokens. */
function agentRow(
  entry: ActionEntry,
  {agents, progress}: {readonly agents: View['agents']; readonly progress: ActionProgress | undefined},
  frame: EntryFrame,
): string {
  const {mark, spans, notes} = actionFacts(entry, frame, undefined);
  const about = agents.find(({row}) => row.agent.call === entry.id);
  const {stage} = entry;
  const title = spansText(spans);
  const now = about === undefined && stage.stage === 'running' ? lastLine(stage.tail) : '';
  const doing = about !== undefined && stage.stage === 'running' ? agentStatusText(about.row) : now;
  const tokens = about === undefined ? 0 : contextTokens(about.row.progress.usage);
  const time = progress === undefined || progress.elapsedMs < 1000 ? '' : wholeSeconds(progress.elapsedMs);
  const facts = [time, tokens === 0 ? '' : `${countText(tokens)} tokens`, ...notes].filter(text => text !== '');
  const end = facts.map(text => glyphs.separator + text).join('');
  const room = Math.max(8, frame.width - 4 - cellWidth(end));
  const name = fit(title, room);
  const rest = fit(doing === '' ? '' : glyphs.separator + doing, room - cellWidth(name));
  const {theme} = frame;
  return `${margin}${theme.style([mark.role], mark.glyph)} ${name}${theme.style(['dim'], fit(rest + end, Math.max(0, frame.width - 4 - cellWidth(name))))}`;
}

const lastLine = (tail: string): string => visibleLine(tail.trimEnd().split('\n').at(-1) ?? '');

function openEntryLines(entry: Entry, {lexer, actions}: OpenEntryOptions, frame: EntryFrame): readonly string[] {
  switch (entry.kind) {
    case 'text':
      return openTextLines(entry, lexer, frame);
    case 'thinking':
      return entry.text.trim() === '' ? [] : ['', ...thinkingTail(entry.text, frame)];
    case 'action':
      // The card below shows the question, but not the output of a command whose changes need approval.
      return entry.stage.stage === 'waiting' && entry.stage.tail === ''
        ? []
        : ['', ...actionRows(entry, frame, actions.get(entry.id))];
    case 'exploration':
      return spaced(explorationRows(entry, 'growing', frame));
    case 'prompt':
    case 'notice':
    case 'command-answer':
    case 'past-action':
    case 'end':
      return lexer === undefined ? [] : finishedLines(entry, lexer, frame);
    default:
      return unreachable(entry);
  }
}

/** The maximum number of UTF-16 units of an unfinished block to lay out. Only its end is on the screen. */
const maxOpenText = 8192;

function openTextLines(entry: TextEntry, lexer: MarkdownLexer | undefined, frame: Frame): readonly string[] {
  return answerLines(openMarkdownLines(entry, lexer, insideMargin(frame)), entry.written, frame);
}

function openMarkdownLines(entry: TextEntry, lexer: MarkdownLexer | undefined, frame: Frame): readonly string[] {
  const text = visibleEndOf(entry.rest);
  if (text.trim() === '') return [];
  // A paragraph that is written line by line shows its next line once complete, so that it is not drawn twice.
  if (entry.position.kind === 'between' && entry.position.after === 'part' && text.length < frame.width) return [];
  if (entry.position.kind === 'fence')
    return renderFence(text, {fence: entry.position.fence, extent: 'glimpsed'}, frame);
  const lines = lexer === undefined ? wrapText(visible(text.trim()), [], frame) : renderMarkdown(text, lexer, frame);
  return entry.position.after === 'item' || entry.position.after === 'part' ? lines : ['', ...lines];
}

/** Returns the visible end of a long block. The end of a table keeps its header. */
function visibleEndOf(rest: string): string {
  if (rest.length <= maxOpenText) return rest;
  const end = rest.slice(-maxOpenText);
  const head = tableHead(rest);
  return head === '' ? end : head + end.slice(end.indexOf('\n') + 1);
}

function pieceLines(
  piece: MarkdownPiece,
  position: 'first' | 'later',
  {lexer, frame}: {readonly lexer: MarkdownLexer; readonly frame: Frame},
): readonly string[] {
  switch (piece.kind) {
    case 'block': {
      const lines = renderMarkdown(piece.source, lexer, frame);
      return lines.length > 0 && (piece.gap === 'line' || position === 'first') ? ['', ...lines] : lines;
    }
    case 'code-start':
      return [''];
    case 'code-lines':
      return renderFence(piece.text, {fence: piece.fence, extent: 'kept'}, frame);
    default:
      return unreachable(piece);
  }
}

/** Returns finished thinking: one line with its size and beginning, or all of it at full verbosity. */
function thoughtLines(text: string, frame: EntryFrame): readonly string[] {
  const inner = insideMargin(frame);
  if (frame.verbosity === 'full') {
    return wrapText(visible(text.trim()), ['dim', 'italic'], inner).map(line => margin + line);
  }
  const words = text.trim().split(/\s+/u);
  const count = `Thought (${pluralize(words.length, 'word')})`;
  const start = visible(
    words
      .slice(0, frame.width)
      .join(' ')
      .slice(0, 4 * frame.width),
  );
  const line = frame.verbosity === 'name' ? count : `${count}: ${start}`;
  return [margin + frame.theme.style(['dim', 'italic'], fit(line, inner.width))];
}

const maxThinkingRows = 3;

function thinkingTail(text: string, frame: Frame): readonly string[] {
  // Wrap only the end: thinking can be long, and it is wrapped in every frame while it streams.
  const end = text
    .slice(-maxThinkingRows * frame.width * 4)
    .trim()
    .replaceAll(/\s+/gu, ' ');
  const shown = visible(end).slice(-maxThinkingRows * frame.width * 2);
  return wrapText(shown, ['dim', 'italic'], insideMargin(frame))
    .slice(-maxThinkingRows)
    .map(line => margin + line);
}

/** The maximum number of rows of a prompt. A longer one is folded to its first and last rows. */
const maxRows = 20;
const firstRows = 12;
const lastRows = 4;

/** Returns a prompt as the user wrote it. A long one, such as a pasted file, is folded to its beginning and end. */
function promptLines(text: string, extent: 'folded' | 'whole', frame: Frame): readonly string[] {
  if (extent === 'whole' || !isLong(text, frame)) return rowsOf(text, frame).map(row => promptRow(row, frame));
  // Lay out only the shown parts: a paste may have megabytes.
  const enough = maxRows * frame.width * maxGraphemeLength;
  const first = rowsOf(text.slice(0, enough), frame).slice(0, firstRows);
  const last = rowsOf(text.slice(-enough), frame).slice(-lastRows);
  return [...first, `… ${sizeText(text)}${unfoldHint()}`, ...last].map(row => promptRow(row, frame));
}

const attachedLines = (attached: readonly string[], frame: Frame): readonly string[] =>
  attached.length === 0
    ? []
    : wrapText(visibleLine(attached.join(', ')), ['dim'], {...frame, width: Math.max(8, frame.width - 4)}).map(
        (row, at) => `${margin}${frame.theme.style(['dim'], at === 0 ? glyphs.barEnd : ' ')} ${row}`,
      );

/** Returns the rows of an entered slash command, shown above its answer. */
export const commandLines = (command: string, frame: Frame): readonly string[] => [
  '',
  ...rowsOf(command, frame).map(row => promptRow(row, frame)),
];

/** True if the prompt has more rows than are shown unfolded. */
export function isLong(text: string, frame: Frame): boolean {
  const start = text.slice(0, (maxRows + 1) * frame.width * maxGraphemeLength);
  return rowsOf(start, frame).length > maxRows;
}

/** The UTF-16 units assumed per cell. If a text has more, a few rows fewer are shown. */
const maxGraphemeLength = 8;

const rowsOf = (text: string, frame: Frame): readonly string[] => wrapText(visible(text), [], insideMargin(frame));

/** Returns a row of the user's prompt, tinted to the right edge. If the theme has no tint, the row is bold. */
function promptRow(row: string, {theme, width}: Frame): string {
  const bar = `${glyphs.userBar} `;
  if (theme.lineBackgrounds === 'none') {
    return `${theme.style(['accent'], bar)}${theme.style(['bold'], row)}`.trimEnd();
  }
  const rest = ' '.repeat(Math.max(0, width - 2 - cellWidth(row)));
  return theme.style(['prompt-row', 'accent'], bar) + theme.style(['prompt-row'], row + rest);
}

function sizeText(text: string): string {
  const lines = text.trimEnd().split('\n').length;
  return lines > maxRows ? `${lines} lines in all` : `${text.length} characters in all`;
}

const maxGlances = 8;

/** The minimum width, in cells, at which rows are indented to the end of the heading. */
const minIndentWidth = 50;

/** Returns consecutive reads, searches and listings as one short list. */
export function explorationRows(
  {steps, directory}: ExplorationEntry,
  state: 'growing' | 'done',
  frame: EntryFrame,
): readonly string[] {
  const {theme, width} = frame;
  const heading = state === 'growing' ? 'Exploring' : 'Explored';
  const all = steps.flatMap(itemsOf).map(item => ({
    ...item,
    target: withTildes(withRelativePaths(item.target, directory), frame.home),
    paths: [item.target],
  }));
  const merged = mergeReads(all);
  const isQuiet = width < minListWidth && all.length > 1;
  if (isQuiet && state === 'done') return quietRows(all, frame);
  const most = isQuiet ? 1 : maxGlances;
  const hidden = isQuiet ? 0 : Math.max(0, merged.length - maxGlances);
  // While the list grows, the user wants to see its end.
  const shown = state === 'growing' ? merged.slice(-most) : merged.slice(0, most);
  const indent = width < minIndentWidth ? '    ' : ' '.repeat(margin.length + heading.length + 2);
  const lead = `${margin}${heading}  `;
  const rows = shown.flatMap((item, at) =>
    wrapSpans(spansOf(item, theme), frame, at === 0 ? {first: lead, rest: indent, roles: []} : hanging(indent)),
  );
  const more = `${hidden} more${unfoldHint()}`;
  return hidden === 0 ? rows : [...rows, `${indent}${theme.style(['dim'], more)}`];
}

/** Below this width, one line counts what was explored. */
const minListWidth = 70;

/** Returns a line such as `Explored 12 files, 5 searches`, the key that shows them, and a line for each failure. */
function quietRows(items: readonly ShownItem[], {theme, width}: Frame): readonly string[] {
  const failed = items.filter(item => item.failed);
  const targets = (verb: ExplorationItem['verb']): readonly string[] =>
    items.filter(item => item.verb === verb && !item.failed).map(({target}) => target);
  const read = new Set(targets('read')).size;
  const [searched, listed] = [targets('searched').length, targets('listed').length];
  const counts = [
    read === 0 ? '' : pluralize(read, 'file'),
    searched === 0 ? '' : `${searched} ${searched === 1 ? 'search' : 'searches'}`,
    listed === 0 ? '' : pluralize(listed, 'listing'),
  ].filter(text => text !== '');
  const line = `Explored ${counts.join(', ')}`;
  const key = keyHint('expand', name => `${name} shows them`);
  const whole = key === '' ? line : line + glyphs.separator + key;
  const texts = cellWidth(whole) <= width - margin.length || key === '' ? [whole] : [line, key];
  const dim = (text: string, at: number): readonly string[] =>
    wrapSpans([{text, roles: ['dim']}], {theme, width}, hanging(margin.repeat(at + 1)));
  return [
    ...(counts.length === 0 ? [] : texts.flatMap(dim)),
    ...failed.flatMap(item => wrapSpans(spansOf(item, theme), {theme, width}, hanging(margin))),
  ];
}

const hanging = (indent: string) => ({first: indent, rest: `${indent}  `, roles: []}) as const;

/** An item as it is shown. `paths` has the path of each of the targets, which commas join. */
interface ShownItem extends ExplorationItem {
  readonly paths: readonly string[];
}

function spansOf({verb, target, found, failed, paths}: ShownItem, theme: Theme): readonly StyledSpan[] {
  const sign: readonly StyledSpan[] = failed ? [{text: `${glyphs.error} `, roles: ['error']}] : [];
  const rest: StyledSpan = {text: found === '' ? '' : visibleLine(`: ${found}`), roles: ['dim']};
  if (verb !== 'read' || theme.directory === '')
    return [...sign, {...rest, text: visibleLine(`${verb} ${target}`) + rest.text}];
  const targets = paths.length === 1 ? [target] : target.split(', ');
  const linked = targets.flatMap((text, at): readonly StyledSpan[] => [
    {text: at === 0 ? `${verb} ` : ', ', roles: ['dim']},
    {
      text: visibleLine(text),
      roles: ['dim', ...(targets.length === paths.length ? readLink(paths[at] ?? '', theme) : [])],
    },
  ]);
  return [...sign, ...linked, rest];
}

/** Joins consecutive reads into one list, each file once. */
function mergeReads(items: readonly ShownItem[]): readonly ShownItem[] {
  const merged: ShownItem[] = [];
  const targets: string[] = [];
  for (const item of items) {
    const last = merged.at(-1);
    const isPlain = item.verb === 'read' && item.found === '';
    if (!isPlain) targets.length = 0;
    if (isPlain && targets.includes(item.target)) continue;
    if (isPlain && last !== undefined && targets.length > 0) {
      merged[merged.length - 1] = {
        ...last,
        target: `${last.target}, ${item.target}`,
        paths: [...last.paths, ...item.paths],
      };
    } else merged.push(item);
    if (isPlain) targets.push(item.target);
  }
  return merged;
}

function itemsOf(step: ExplorationStep): readonly ExplorationItem[] {
  if (step.kind === 'thinking') return [];
  if (step.kind === 'past-action') {
    return step.action === 'unknown' ? [] : pastExplorationItems(step.action, step.outcome, step.resultText);
  }
  if (step.stage.stage !== 'settled') return explorationTargets(step.stage.action);
  return step.stage.result.tag === 'action' ? explorationItems(step.stage.result.result) : [];
}

/** Returns why a turn stopped, if it did not finish normally, then its closing line. A short answer has no closing line. */
function endRows({end, turn}: {readonly end: PromptEnd; readonly turn: TurnFacts}, frame: Frame): readonly string[] {
  const stop = stopNotice(end);
  const said = stop === undefined ? [] : signedRows(stop.text, stop, frame);
  const isWorthClosing = turn.actions > 0 || turn.durationMs >= longAnswerMs;
  const closing = [...checkRows(turn.checks, frame, margin), ...(isWorthClosing ? closingRows(turn, frame) : [])];
  if (said.length === 0) return closing;
  return closing.length === 0 ? said : [...said, '', ...closing];
}

/** The minimum duration, in milliseconds, at which an answer without actions gets a closing line. */
const longAnswerMs = 10_000;

const dim = (text: string): StyledSpan => ({text, roles: ['dim']});

/** Returns a turn's changes, duration, cost and how to undo it. Empty if there is only a cost. `short` omits the waiting time. */
export function turnFacts(
  {files, uncounted, durationMs, waitedMs, costUsd}: Omit<TurnFacts, 'checks'>,
  detail: 'whole' | 'short' = 'whole',
): readonly (readonly StyledSpan[])[] {
  const time = durationMs < 1000 ? '' : durationText(Math.round(durationMs / 1000) * 1000);
  const waited =
    waitedMs < 1000 || detail === 'short'
      ? ''
      : ` (${durationText(Math.round(waitedMs / 1000) * 1000)} waiting for you)`;
  const parts: (readonly StyledSpan[])[] = [];
  const changed = files.size + uncounted;
  if (changed > 0) {
    const words = pluralize(changed, 'file') + (detail === 'whole' ? ' changed' : '');
    parts.push([dim(words), ...(uncounted > 0 ? [] : countSpans([...files.values()], ' '))]);
  }
  if (time !== '') parts.push([dim(time + waited)]);
  if (costUsd !== 'unknown' && costUsd > 0) parts.push([dim(centsText(costUsd))]);
  if (changed > 0) parts.push([dim('/undo')]);
  // A cost by itself is not worth a line, because the status line shows it.
  return changed === 0 && time === '' ? [] : parts;
}

/** Returns `── 2 files changed +4 -3 · 1 m 12 s (41 s waiting for you) · $0.03 · /undo ──`, or less on a narrow screen. */
function closingRows(turn: TurnFacts, frame: Frame): readonly string[] {
  const lines = (['whole', 'short'] as const).map(detail =>
    turnFacts(turn, detail).flatMap((part, at) => (at === 0 ? part : [dim(' · '), ...part])),
  );
  const [whole = [], short = []] = lines;
  if (whole.length === 0) return [];
  const indent = {first: `${glyphs.rule} `, rest: '   ', roles: ['dim']} as const;
  const fits = (spans: readonly StyledSpan[]): boolean =>
    cellWidth(spansText(spans)) + 2 * (glyphs.rule.length + 1) <= frame.width;
  const fitting = lines.find(fits);
  return fitting === undefined
    ? wrapSpans(short, frame, indent)
    : wrapSpans([...fitting, dim(` ${glyphs.rule}`)], frame, indent);
}

/** Says how to continue after a failure. The base URL can't change while weft runs. */
function nextStep(fault: Fault): string {
  // The same conversation would be too long again.
  if (fault.kind === 'provider' && fault.refusal.kind === 'too-long') return 'To change the model, type /model.';
  if (isDeclined(fault)) return 'Press Up to edit the prompt.';
  return fault.kind === 'provider' && /\bbase URL\b/u.test(fault.fix)
    ? 'To change the URL: /exit, then run weft -c with the right one.'
    : 'Type "continue" to try again.';
}

interface Stop {
  readonly sign: string;
  readonly role: Role;
  readonly text: string;
}

const warning = (text: string): Stop => ({sign: glyphs.warning, role: 'warning', text});

export function stopNotice(end: PromptEnd): Stop | undefined {
  switch (end.kind) {
    case 'done':
      return undefined;
    case 'interrupted':
      return {sign: glyphs.cancelled, role: 'warning', text: 'Interrupted · tell weft what to do instead'};
    case 'failed':
      return {sign: glyphs.error, role: 'error', text: `${faultText(end.fault)}\n${nextStep(end.fault)}`};
    case 'max-turns':
      return warning(`Stopped at the limit of ${pluralize(end.turns, 'turn')} · type "continue" to go on`);
    case 'max-cost':
      return warning(`Stopped at $${end.usd.toFixed(2)}, the cost limit of this session`);
    case 'invalid-output':
      return {
        sign: glyphs.error,
        role: 'error',
        text: `The answer does not match the schema: ${end.errors.join('; ')}`,
      };
    case 'stopped-by-hook':
      return {sign: glyphs.cancelled, role: 'warning', text: hookStopText(end)};
    case 'not-sent':
      return {sign: glyphs.cancelled, role: 'warning', text: `Not sent: ${faultText(end.fault)}`};
    default:
      return unreachable(end);
  }
}
