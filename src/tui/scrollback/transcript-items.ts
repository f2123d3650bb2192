import {shownRecords, type ShownRecord} from '../../domain/history.ts';
import type {Approval} from '../../actions/agent-event.ts';
import type {FileDiff} from '../../actions/preview.ts';
import {accessOf, labelOf} from '../../actions/catalogue.ts';
import {citationsIn} from '../../actions/citations.ts';
import {decodePastAction} from '../../actions/decode-action.ts';
import {pastResultOf} from '../../actions/past-result.ts';
import {textsIn} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {tokenChangeText} from '../../domain/compaction.ts';
import {
  isCallExtras,
  type AssistantMessage,
  messageText,
  type ToolCallBlock,
  type ToolResultBlock,
} from '../../domain/conversation.ts';
import type {ActionId} from '../../domain/ids.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import {parseUserCommand} from '../../domain/user-command.ts';
import {pastAction, pastUserCommand} from '../state/past-entries.ts';
import type {FinishedEntry} from '../state/view.ts';
import type {EntryFrame, Frame} from '../text/wrap.ts';
import {approvalInFull} from './approval-text.ts';
import {changeTitle, diffLines, editLines, textLines} from './diff-lines.ts';
import {finishedLines, wholeAnswer} from './entries.ts';
import type {MarkdownLexer} from './render-markdown.ts';

export type TranscriptItem =
  | {readonly kind: 'prompt'; readonly text: string}
  | {readonly kind: 'answer'; readonly text: string}
  | {readonly kind: 'thinking'; readonly text: string}
  | {readonly kind: 'note'; readonly text: string}
  | {readonly kind: 'command'; readonly command: string; readonly result: string}
  /** An open approval card in full. It is not in the journal yet. */
  | {readonly kind: 'approval'; readonly approval: Approval}
  /** A changed file of `/diff`. `home` is shown as `~`. */
  | {readonly kind: 'file'; readonly file: FileDiff; readonly home: string}
  /** `result` is `undefined` if none was recorded. */
  | {readonly kind: 'call'; readonly call: ToolCallBlock; readonly result: ToolResultBlock | undefined};

/** Returns the items of a journal in order, each call with its result. Does not copy texts, so it is fast for long sessions. */
export function transcriptItems(records: readonly JournalRecord[]): readonly TranscriptItem[] {
  const whole = shownRecords(records);
  const results = new Map<ActionId, ToolResultBlock>();
  for (const record of whole) if (record.kind === 'result') results.set(record.result.id, record.result);
  return whole.flatMap(record => itemsOf(record, results));
}

function itemsOf(record: ShownRecord, results: ReadonlyMap<ActionId, ToolResultBlock>): readonly TranscriptItem[] {
  switch (record.kind) {
    case 'prompt': {
      const text = messageText(record.message);
      const own = parseUserCommand(text);
      if (own !== undefined) return [{kind: 'command', ...own}];
      const more = record.message.blocks.flatMap(block =>
        block.kind === 'image' || block.kind === 'document' ? [`[${block.kind}, ${block.mediaType}]`] : [],
      );
      const words = [text, ...more].filter(part => part !== '').join('\n');
      return words === '' ? [] : [{kind: 'prompt', text: words}];
    }
    case 'answer':
      return answerItems(record.message, results);
    case 'rewind':
      return [{kind: 'note', text: 'Rewound to before an earlier prompt.'}];
    case 'redo':
      return [{kind: 'note', text: 'The last rewind was undone.'}];
    case 'approval':
      return record.decision === 'refused' ? [{kind: 'note', text: `Refused: ${record.label}`}] : [];
    case 'compaction':
      return [
        {
          kind: 'note',
          text: `The conversation was ${record.way === 'summary' ? 'summarized' : 'shortened'}: ${tokenChangeText(record.tokens)}.`,
        },
        ...(record.summary === '' ? [] : [{kind: 'answer', text: record.summary} as const]),
      ];
    case 'document':
      return record.by === 'user' ? [{kind: 'note', text: `You wrote the document ${record.id}: ${record.title}`}] : [];
    case 'result':
    case 'todo-frames':
      return [];
    default:
      return unreachable(record);
  }
}

function answerItems(
  {blocks}: AssistantMessage,
  results: ReadonlyMap<ActionId, ToolResultBlock>,
): readonly TranscriptItem[] {
  return blocks.flatMap((block): readonly TranscriptItem[] => {
    switch (block.kind) {
      case 'text':
        return block.text.trim() === '' ? [] : [{kind: 'answer', text: block.text}];
      case 'thinking':
        return block.text.trim() === '' ? [] : [{kind: 'thinking', text: block.text}];
      case 'sealed-thinking':
        return [{kind: 'note', text: 'Thinking hidden by the provider.'}];
      case 'other':
        return isCallExtras(block) ? [] : [{kind: 'note', text: `(${block.type})`}];
      case 'tool-call':
        return [{kind: 'call', call: block, result: results.get(block.id)}];
      default:
        return unreachable(block);
    }
  });
}

export function searchedText(item: TranscriptItem): string {
  switch (item.kind) {
    case 'prompt':
    case 'thinking':
    case 'note':
      return item.text;
    case 'answer':
      // Also match words inside markup, without the markup characters.
      return /[*_`~\\[]/u.test(item.text) ? `${item.text}\n${item.text.replaceAll(/[*_`~\\[\]]/gu, '')}` : item.text;
    case 'command':
      return `${item.command}\n${item.result}`;
    case 'approval':
      return textsIn(item.approval).join('\n');
    case 'file':
      return [item.file.path, ...item.file.hunks.flatMap(({lines}) => lines.map(({text}) => text))].join('\n');
    case 'call': {
      const decoded = decodePastAction(item.call.name, item.call.input);
      const label = decoded.tag === 'ok' ? labelOf(decoded.value) : item.call.name;
      const {output} = pastResultOf(item.call, item.result);
      return [label, ...textsIn(item.call.input), output].join('\n');
    }
    default:
      return unreachable(item);
  }
}

export function entryOf(
  item: Exclude<TranscriptItem, {readonly kind: 'answer' | 'approval' | 'file'}>,
): Exclude<FinishedEntry, {readonly kind: 'pieces'}> {
  switch (item.kind) {
    case 'prompt':
      return {kind: 'prompt', text: item.text, attached: []};
    case 'thinking':
      return {kind: 'thinking', key: '', text: item.text, state: 'done'};
    case 'note':
      return {kind: 'notice', level: 'info', text: item.text};
    case 'command':
      return pastUserCommand(item.command, item.result);
    case 'call':
      return pastAction(item.call, item.result, '');
    default:
      return unreachable(item);
  }
}

/** Returns the lines of an item in full, including the blank line before it. */
export function itemLines(item: TranscriptItem, lexer: MarkdownLexer, {theme, width}: Frame): readonly string[] {
  // The lines are drawn cell by cell, which would break hyperlinks.
  const frame: EntryFrame = {theme: theme.unlinked, width, verbosity: 'full', home: ''};
  if (item.kind === 'answer') return wholeAnswer(item.text, lexer, frame);
  if (item.kind === 'file') return fileLines(item, frame);
  if (item.kind === 'approval') return approvalInFull(item.approval, frame);
  const lines = finishedLines(entryOf(item), lexer, frame);
  return item.kind === 'call' ? withInput(lines, item, frame) : lines;
}

function fileLines({file, home}: Extract<TranscriptItem, {readonly kind: 'file'}>, frame: Frame): readonly string[] {
  const title = frame.theme.style(['bold'], changeTitle([file], {cells: frame.width, home}));
  const form = {maxLines: Number.POSITIVE_INFINITY, shown: 'all', long: 'whole', home} as const;
  return ['', title, ...diffLines([file], form, frame)];
}

/** Inserts the input of a call between its title and result, unless the title shows it. */
function withInput(
  [blank = '', title = '', ...resultLines]: readonly string[],
  {call, result}: Extract<TranscriptItem, {readonly kind: 'call'}>,
  frame: EntryFrame,
): readonly string[] {
  const inner = {...frame, width: Math.max(8, frame.width - 4)};
  const asked = askedLines(call, result?.outcome === 'success', inner).map(line => `    ${line}`);
  return [blank, title, ...asked, ...resultLines];
}

function askedLines(call: ToolCallBlock, isMade: boolean, frame: EntryFrame): readonly string[] {
  const decoded = decodePastAction(call.name, call.input);
  if (decoded.tag === 'failed') return textLines(visible(JSON.stringify(call.input, undefined, 2)), 'dim', frame);
  const access = accessOf(decoded.value);
  const citations = citationsIn(call.input);
  const based =
    citations.length === 0
      ? []
      : textLines(`The model names as sources: ${citations.map(visibleLine).join(', ')}`, 'dim', frame);
  switch (access.kind) {
    case 'edit':
      // A successful edit already shows its lines.
      return [...based, ...(isMade ? [] : access.edits.flatMap(edit => editLines(edit, frame)))];
    case 'mcp-tool':
      return textLines(visible(JSON.stringify(access.arguments, undefined, 2)), 'dim', frame);
    default:
      return based;
  }
}
