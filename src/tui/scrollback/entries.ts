import type {PromptEnd} from '../../actions/agent-event.ts';
import {worksByAgent} from '../../actions/catalogue.ts';
import {type Glance, glancesAt, pastGlances, targetsOf} from '../../actions/exploration.ts';
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
import {type Fault, faultText} from '../../domain/fault.ts';
import {hookStopText} from '../../domain/stop-text.ts';
import {contextTokens} from '../../domain/usage.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {durationText, wholeSeconds} from '../text/duration.ts';
import {withRelativePaths, withTildes} from '../text/workspace-paths.ts';
import {type EntryFrame, type Frame, spansText, type StyledSpan, wrapSpans, wrapText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Role} from '../theme/palette.ts';
import {actionFacts, actionRows, pastActionRows} from './action-entry.ts';
import {countSpans} from './diff-lines.ts';
import {insideMargin, margin, signedRows} from './entry-rows.ts';
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
        : spaced(explorationRows(finished, 'done', frame));
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

const spaced = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ['', ...lines]);

/** A message that was not streamed. */
export const wholeAnswer = (text: string, lexer: MarkdownLexer, frame: Frame): readonly string[] =>
  spaced(answerLines(renderMarkdown(text, lexer, insideMargin(frame)), 'nothing', frame));

/** What the agent says stands behind a margin, where a bullet marks the beginning of a message. */
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

/** What drawing unfinished entries needs. `lexer` is `undefined` until it is loaded. */
interface OpenEntryOptions {
  readonly lexer: MarkdownLexer | undefined;
  readonly actions: RunTimes['actions'];
}

/** The lines of the unfinished entries for the live region. Sub-agents stand row below row, and none moves when another one says something. */
export function openLines(
  {entries, agents}: Pick<View, 'entries' | 'agents'>,
  options: OpenEntryOptions,
  {theme, ...rest}: EntryFrame,
): readonly string[] {
  // The live region is rewritten in parts, which would break links.
  const frame: EntryFrame = {theme: theme.unlinked, ...rest};
  return entries.flatMap((entry, at) => {
    const before = entries[at - 1];
    if (frame.verbosity === 'full' || !isAgentCall(entry)) return openEntryLines(entry, options, frame);
    const row = agentRow(entry, {agents, progress: options.actions.get(entry.id)}, frame);
    return before !== undefined && isAgentCall(before) ? [row] : ['', row];
  });
}

/** Whether an entry is a sub-agent at work, or one that waits here until those before it are done. */
const isAgentCall = (entry: Entry): entry is ActionEntry =>
  entry.kind === 'action' &&
  entry.stage.stage !== 'waiting' &&
  (entry.stage.stage !== 'settled'
    ? worksByAgent(entry.stage.action)
    : entry.stage.result.tag === 'action' && worksByAgent(entry.stage.result.result));

/** A sub-agent in one row: its name, what it does now, how long, and the tokens that it has used. */
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
      // The card below says what is asked, but not what a command has printed whose changes are asked about.
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

/** Of an unfinished block longer than this (UTF-16 units) only the end is laid out, because the rest is above the screen. */
const openTextShown = 8192;

function openTextLines(entry: TextEntry, lexer: MarkdownLexer | undefined, frame: Frame): readonly string[] {
  return answerLines(openMarkdownLines(entry, lexer, insideMargin(frame)), entry.written, frame);
}

function openMarkdownLines(entry: TextEntry, lexer: MarkdownLexer | undefined, frame: Frame): readonly string[] {
  const text = shownEnd(entry.rest);
  if (text.trim() === '') return [];
  // The next line of a paragraph that is written line by line is shown once it is complete, so that it is not drawn twice.
  if (entry.position.kind === 'between' && entry.position.after === 'part' && text.length < frame.width) return [];
  if (entry.position.kind === 'fence')
    return renderFence(text, {fence: entry.position.fence, extent: 'glimpsed'}, frame);
  const lines = lexer === undefined ? wrapText(visible(text.trim()), [], frame) : renderMarkdown(text, lexer, frame);
  return entry.position.after === 'item' || entry.position.after === 'part' ? lines : ['', ...lines];
}

/** The visible end of a long block; the end of a table keeps its header. */
function shownEnd(rest: string): string {
  if (rest.length <= openTextShown) return rest;
  const end = rest.slice(-openTextShown);
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

/** Finished thinking: one line of how much it was and how it began, or all of it. */
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

const thinkingShown = 3;

function thinkingTail(text: string, frame: Frame): readonly string[] {
  // The part shown bounds what is wrapped: thinking can be long, and it is wrapped in every frame while it streams.
  const end = text
    .slice(-thinkingShown * frame.width * 4)
    .trim()
    .replaceAll(/\s+/gu, ' ');
  const shown = visible(end).slice(-thinkingShown * frame.width * 2);
  return wrapText(shown, ['dim', 'italic'], insideMargin(frame))
    .slice(-thinkingShown)
    .map(line => margin + line);
}

/** A prompt of more rows than this is folded to its first and last ones. */
const maxRows = 20;
const firstRows = 12;
const lastRows = 4;

/** A prompt as the user wrote it; a long one, such as a file that was pasted, folded to how it begins and ends. */
function promptLines(text: string, extent: 'folded' | 'whole', frame: Frame): readonly string[] {
  if (extent === 'whole' || !isLong(text, frame)) return rowsOf(text, frame).map(row => promptRow(row, frame));
  // What is left out is not laid out either: a paste may have megabytes.
  const enough = maxRows * frame.width * longestGrapheme;
  const first = rowsOf(text.slice(0, enough), frame).slice(0, firstRows);
  const last = rowsOf(text.slice(-enough), frame).slice(-lastRows);
  return [...first, `… ${sizeText(text)} · Ctrl+O`, ...last].map(row => promptRow(row, frame));
}

const attachedLines = (attached: readonly string[], frame: Frame): readonly string[] =>
  attached.length === 0
    ? []
    : wrapText(visibleLine(attached.join(', ')), ['dim'], {...frame, width: Math.max(8, frame.width - 4)}).map(
        (row, at) => `${margin}${frame.theme.style(['dim'], at === 0 ? glyphs.barEnd : ' ')} ${row}`,
      );

/** A slash command as it was entered, above its answer. */
export const commandLines = (command: string, frame: Frame): readonly string[] => [
  '',
  ...rowsOf(command, frame).map(row => promptRow(row, frame)),
];

/** Whether the prompt has more rows than are shown of a folded one. */
export function isLong(text: string, frame: Frame): boolean {
  const start = text.slice(0, (maxRows + 1) * frame.width * longestGrapheme);
  return rowsOf(start, frame).length > maxRows;
}

/** UTF-16 units that a cell may need; with more, a few rows fewer are shown. */
const longestGrapheme = 8;

const rowsOf = (text: string, frame: Frame): readonly string[] => wrapText(visible(text), [], insideMargin(frame));

/** A row of what the user said, tinted to the right edge; where there is no tint it is bold. */
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

/** Below this width the rows begin further left. */
const wideEnough = 50;

/** Reads, searches and listings in a row, as one short list. */
export function explorationRows(
  {steps, directory}: ExplorationEntry,
  state: 'growing' | 'done',
  frame: EntryFrame,
): readonly string[] {
  const {theme, width} = frame;
  const heading = state === 'growing' ? 'Exploring' : 'Explored';
  const merged = mergeReads(
    steps.flatMap(glancesOf).map(glance => ({
      ...glance,
      target: withTildes(withRelativePaths(glance.target, directory), frame.home),
    })),
  );
  const hidden = Math.max(0, merged.length - maxGlances);
  // While it grows, what is looked at now is the most interesting.
  const shown = state === 'growing' ? merged.slice(-maxGlances) : merged.slice(0, maxGlances);
  const indent = width < wideEnough ? '    ' : ' '.repeat(margin.length + heading.length + 2);
  const lead = `${margin}${heading}  `;
  const rows = shown.flatMap((glance, at) =>
    wrapSpans(spansOf(glance), frame, at === 0 ? {first: lead, rest: indent, roles: []} : hanging(indent)),
  );
  const more = `${hidden} more · Ctrl+O`;
  return hidden === 0 ? rows : [...rows, `${indent}${theme.style(['dim'], more)}`];
}

const hanging = (indent: string) => ({first: indent, rest: `${indent}  `, roles: []}) as const;

const spansOf = ({verb, target, found, failed}: Glance): readonly StyledSpan[] => [
  ...(failed ? [{text: `${glyphs.error} `, roles: ['error'] as const}] : []),
  {text: visibleLine(`${verb} ${target}${found === '' ? '' : `: ${found}`}`), roles: ['dim']},
];

/** Files that were read one after the other are one list; a file that was read twice stands there once. */
function mergeReads(glances: readonly Glance[]): readonly Glance[] {
  const merged: Glance[] = [];
  const targets: string[] = [];
  for (const glance of glances) {
    const last = merged.at(-1);
    const isPlain = glance.verb === 'read' && glance.found === '';
    if (!isPlain) targets.length = 0;
    if (isPlain && targets.includes(glance.target)) continue;
    if (isPlain && last !== undefined && targets.length > 0) {
      merged[merged.length - 1] = {...last, target: `${last.target}, ${glance.target}`};
    } else merged.push(glance);
    if (isPlain) targets.push(glance.target);
  }
  return merged;
}

function glancesOf(step: ExplorationStep): readonly Glance[] {
  if (step.kind === 'thinking') return [];
  if (step.kind === 'past-action') {
    return step.action === 'unknown' ? [] : pastGlances(step.action, step.outcome, step.resultText);
  }
  if (step.stage.stage !== 'settled') return targetsOf(step.stage.action);
  return step.stage.result.tag === 'action' ? glancesAt(step.stage.result.result) : [];
}

/** How a turn ended where it did not end by itself, then the line that closes it; nothing for a short answer. */
function endRows({end, turn}: {readonly end: PromptEnd; readonly turn: TurnFacts}, frame: Frame): readonly string[] {
  const stop = stopOf(end);
  const said = stop === undefined ? [] : signedRows(stop.text, stop, frame);
  const isWorthClosing = turn.actions > 0 || turn.durationMs >= longAnswerMs;
  const closing = isWorthClosing ? closingRows(turn, frame) : [];
  if (said.length === 0) return closing;
  return closing.length === 0 ? said : [...said, '', ...closing];
}

/** An answer without any action that took less than this needs no line below it, in milliseconds. */
const longAnswerMs = 10_000;

const dim = (text: string): StyledSpan => ({text, roles: ['dim']});

/** What a turn has changed, how long it took, its cost and how to undo it; empty where there is no news. `short` leaves out the waiting. */
export function turnFacts(
  {files, uncounted, durationMs, waitedMs, costUsd}: TurnFacts,
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
  // What it cost alone is no news: the status line says it.
  return changed === 0 && time === '' ? [] : parts;
}

/** `── 2 files changed +4 -3 · 1 m 12 s (41 s waiting for you) · $0.03 · /undo ──`; on a narrow screen less of it. */
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

/** What to do once the cause of a failure is gone. The address of the server is one that a running weft does not change. */
const nextStep = (fault: Fault): string =>
  fault.kind === 'provider' && /\bbase URL\b/u.test(fault.fix)
    ? 'To change it: /exit, then weft -c with the right one.'
    : 'Type "continue" to try again.';

interface Stop {
  readonly sign: string;
  readonly role: Role;
  readonly text: string;
}

const warning = (text: string): Stop => ({sign: glyphs.warning, role: 'warning', text});

export function stopOf(end: PromptEnd): Stop | undefined {
  switch (end.kind) {
    case 'done':
      return undefined;
    case 'interrupted':
      return {sign: glyphs.cancelled, role: 'warning', text: 'Interrupted · tell weft what to do instead'};
    case 'failed':
      return {sign: glyphs.error, role: 'error', text: `${faultText(end.fault)}\n${nextStep(end.fault)}`};
    case 'max-turns':
      return warning(`Stopped after ${pluralize(end.turns, 'turn')}, the limit · type "continue" to go on`);
    case 'max-cost':
      return warning(`Stopped at $${end.usd.toFixed(2)}, the cost limit of this session`);
    case 'invalid-output':
      return {sign: glyphs.error, role: 'error', text: `No answer that fits the schema: ${end.errors.join('; ')}`};
    case 'stopped-by-hook':
      return {sign: glyphs.cancelled, role: 'warning', text: hookStopText(end)};
    case 'not-sent':
      return {sign: glyphs.cancelled, role: 'warning', text: `Not sent: ${faultText(end.fault)}`};
    default:
      return unreachable(end);
  }
}
