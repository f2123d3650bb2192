import {pastResultOf, resultText} from '../actions/past-result.ts';
import {isJsonObject, type Json} from '../base/json.ts';
import {unreachable} from '../base/unreachable.ts';
import {tokenChangeText} from '../domain/compaction.ts';
import {
  type AssistantBlock,
  toolCalls,
  type AssistantMessage,
  type DocumentBlock,
  type ImageBlock,
  type ToolCallBlock,
  type ToolResultBlock,
  type UserBlock,
} from '../domain/conversation.ts';
import type {ActionId} from '../domain/ids.ts';
import {shownRecords} from '../domain/history.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {withoutReminders} from '../domain/reminder.ts';
import {visible, visibleLine, visibleOutput} from '../base/visible.ts';

/**
 * Formats a session as a transcript: prompts after `>`, answers unchanged, calls after `*`, results indented below. Control characters
 * are made visible. Empty if there are no records.
 */
export function formatSession(records: readonly JournalRecord[]): string {
  const calls = new Map<ActionId, ToolCallBlock>();
  const paragraphs: string[] = [];
  for (const record of shownRecords(records)) {
    switch (record.kind) {
      case 'prompt':
        paragraphs.push(indent(withoutReminders(record.message).map(userText).join('\n'), '> '));
        break;
      case 'answer':
        for (const call of toolCalls(record.message)) calls.set(call.id, call);
        paragraphs.push(...answerTexts(record.message));
        break;
      case 'result':
        paragraphs.push(indent(resultPart(record.result, calls.get(record.result.id)), '  '));
        break;
      case 'approval':
        paragraphs.push(`  ${decisionText(record)}`);
        break;
      case 'todo-frames':
        paragraphs.push('  (the todo list changed)');
        break;
      case 'rewind':
      case 'redo':
        paragraphs.push(`  ${rewindRecordText(record)}`);
        break;
      case 'compaction':
        paragraphs.push([`  ${compactionText(record)}`, indent(visible(record.summary), '  ')].join('\n'));
        break;
      case 'document':
        paragraphs.push(`  (document ${record.id}: ${visibleLine(record.title)})`);
        break;
      default:
        return unreachable(record);
    }
  }
  return paragraphs.length === 0 ? '' : `${paragraphs.join('\n\n')}\n`;
}

/** Returns a text for an image or a document: `[image/png, 12 kB]`. */
export const imageText = (image: ImageBlock | DocumentBlock): string =>
  `[${image.mediaType}, ${String(Math.ceil((image.data.length * 3) / 4 / 1000))} kB]`;

/** Describes an approval decision: the decision, the person or program that made it, and the action. */
export function decisionText({label, decision, by}: Extract<JournalRecord, {kind: 'approval'}>): string {
  const who = {
    user: 'by you',
    rule: 'by a rule',
    hook: 'by a hook',
    nobody: 'because there was no user to ask',
  } as const satisfies Record<typeof by, string>;
  return `(${decision} ${who[by]}: ${visibleLine(label)})`;
}

/** Describes a rewind, or its undo. */
export function rewindRecordText(record: Extract<JournalRecord, {kind: 'rewind' | 'redo'}>): string {
  if (record.kind === 'redo') return '(the rewind was undone)';
  const what = {files: 'the files were', talk: 'the conversation was', both: 'files and conversation were'} as const;
  return `(${what[record.what]} taken back to an earlier point)`;
}

/** Describes a compaction. */
export function compactionText({way, tokens}: Extract<JournalRecord, {kind: 'compaction'}>): string {
  const how = way === 'summary' ? 'compacted to a summary' : 'shortened';
  return `(the conversation was ${how}: ${tokenChangeText(tokens)})`;
}

/** Describes why an answer ended early; empty if it did not. */
export function endingMark(message: AssistantMessage): string {
  switch (message.stop) {
    case 'end-turn':
    case 'tool-use':
    case 'paused':
      return '';
    case 'max-tokens':
      return '(the answer reached its length limit)';
    case 'refusal':
      return '(the model refused)';
    case 'context-full':
      return "(the model's context was full)";
    case 'interrupted':
      return '(interrupted)';
    default:
      return unreachable(message.stop);
  }
}

function userText(block: UserBlock): string {
  switch (block.kind) {
    case 'text':
      return visible(block.text);
    case 'image':
    case 'document':
      return imageText(block);
    case 'tool-result':
      return resultPart(block, undefined);
    default:
      return unreachable(block);
  }
}

function answerTexts(message: AssistantMessage): readonly string[] {
  return [...message.blocks.map(blockText), endingMark(message)].filter(text => text.trim() !== '');
}

function blockText(block: AssistantBlock): string {
  switch (block.kind) {
    case 'text':
      return visible(block.text).trimEnd();
    case 'thinking':
      return block.text.trim() === '' ? '' : indent(visible(block.text).trim(), '~ ');
    case 'sealed-thinking':
      return '~ (thinking the provider does not show)';
    case 'other':
      return `~ (${visibleLine(block.type)})`;
    case 'tool-call':
      return `* ${visibleLine(block.name)}${indent(inputText(block.input), '    ', '\n')}`;
    default:
      return unreachable(block);
  }
}

/** Formats a tool's input as `key: value` lines. A text of several lines goes below its key. */
function inputText(input: Json): string {
  if (!isJsonObject(input)) return typeof input === 'string' ? visible(input) : visible(JSON.stringify(input));
  return Object.entries(input)
    .map(([key, value]) => {
      if (typeof value !== 'string') return `${visibleLine(key)}: ${visible(JSON.stringify(value))}`;
      return value.includes('\n')
        ? `${visibleLine(key)}:\n${indent(visible(value), '  ')}`
        : `${visibleLine(key)}: ${visible(value)}`;
    })
    .join('\n');
}

function resultPart(result: ToolResultBlock, call: ToolCallBlock | undefined): string {
  const {notes, output, attached} = shownResult(result, call);
  const heading = [call?.name ?? 'unknown call', [result.outcome, ...notes].join(', ')].map(visibleLine).join(': ');
  const shown = [visibleOutput(output).trimEnd(), ...attached.map(imageText)].filter(text => text !== '');
  return `[${heading}]${indent(shown.join('\n'), '  ', '\n')}`;
}

/** Returns the text of a result for people, with its images and documents. */
export const shownResult = (result: ToolResultBlock, call: ToolCallBlock | undefined) => ({
  ...(call === undefined ? {notes: [], output: resultText(result)} : pastResultOf(call, result)),
  attached: result.content.filter(block => block.kind !== 'text'),
});

/** Adds `margin` to every line, and `before` in front of a text that is not empty. */
function indent(text: string, margin: string, before = ''): string {
  if (text === '') return '';
  return `${before}${text
    .split('\n')
    .map(line => `${margin}${line}`.trimEnd())
    .join('\n')}`;
}
