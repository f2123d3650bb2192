import {decodePastAction} from '../../actions/decode-action.ts';
import {labelOf} from '../../actions/settle-action.ts';
import {unreachable} from '../../base/unreachable.ts';
import {tokensText} from '../../domain/compaction-text.ts';
import {
  messageText,
  type AssistantMessage,
  type ToolCallBlock,
  type ToolResultBlock,
} from '../../domain/conversation.ts';
import type {ActionId} from '../../domain/ids.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import {joinPieces, type WholeRecord} from '../../domain/join-pieces.ts';
import {readUserCommand} from '../../domain/user-command.ts';

/** One thing of a session as a reader of the transcript meets it. */
export type TranscriptItem =
  | {readonly kind: 'prompt' | 'answer' | 'thinking' | 'note'; readonly text: string}
  | {readonly kind: 'command'; readonly command: string; readonly told: string}
  /** `undefined` where the result was never kept. */
  | {readonly kind: 'call'; readonly call: ToolCallBlock; readonly result: ToolResultBlock | undefined};

/** All that a journal holds, in order, each call with its result. No text is read or copied: it is fast however long the session. */
export function transcriptItems(records: readonly JournalRecord[]): readonly TranscriptItem[] {
  const whole = joinPieces(records);
  const results = new Map<ActionId, ToolResultBlock>();
  for (const record of whole) if (record.kind === 'result') results.set(record.result.id, record.result);
  return whole.flatMap(record => itemsOf(record, results));
}

function itemsOf(record: WholeRecord, results: ReadonlyMap<ActionId, ToolResultBlock>): readonly TranscriptItem[] {
  switch (record.kind) {
    case 'prompt': {
      const text = messageText(record.message);
      const own = readUserCommand(text);
      if (own !== undefined) return [{kind: 'command', ...own}];
      const more = record.message.blocks.flatMap(block =>
        block.kind === 'image' ? [`[image, ${block.mediaType}]`] : [],
      );
      const words = [text, ...more].filter(part => part !== '').join('\n');
      return words === '' ? [] : [{kind: 'prompt', text: words}];
    }
    case 'answer':
      return answerItems(record.message, results);
    case 'rewind':
      return [{kind: 'note', text: 'Taken back to before an earlier prompt.'}];
    case 'redo':
      return [{kind: 'note', text: 'The last rewind was taken back.'}];
    case 'approval':
      return record.decision === 'refused' ? [{kind: 'note', text: `Refused: ${record.label}`}] : [];
    case 'compaction':
      return [
        {
          kind: 'note',
          text: `The conversation was ${record.way === 'summary' ? 'summarised' : 'shortened'}: ${tokensText(record.tokens)}.`,
        },
        ...(record.summary === '' ? [] : [{kind: 'answer', text: record.summary} as const]),
      ];
    case 'result':
    case 'reminder':
    case 'todo-frames':
    case 'checkpoint':
    case 'usage':
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
        return [{kind: 'note', text: 'Thinking that the provider does not show.'}];
      case 'other':
        return [{kind: 'note', text: `(${block.type})`}];
      case 'tool-call':
        return [{kind: 'call', call: block, result: results.get(block.id)}];
      default:
        return unreachable(block);
    }
  });
}

/** What a search looks through before it renders anything. */
export function searchedText(item: TranscriptItem): string {
  switch (item.kind) {
    case 'prompt':
    case 'thinking':
    case 'note':
      return item.text;
    case 'answer':
      // What is marked up is found by its words too.
      return /[*_`~\\[]/u.test(item.text) ? `${item.text}\n${item.text.replaceAll(/[*_`~\\[\]]/gu, '')}` : item.text;
    case 'command':
      return `${item.command}\n${item.told}`;
    case 'call': {
      const decoded = decodePastAction(item.call.name, item.call.input);
      const label = decoded.tag === 'ok' ? labelOf(decoded.value) : item.call.name;
      const told = (item.result?.content ?? []).map(block => (block.kind === 'text' ? block.text : '')).join('\n');
      return [label, ...stringsIn(item.call.input), told].join('\n');
    }
    default:
      return unreachable(item);
  }
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
