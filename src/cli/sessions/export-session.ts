import {unreachable} from '../../base/unreachable.ts';
import type {AssistantBlock, ToolResultBlock, UserBlock} from '../../domain/conversation.ts';
import {joinPieces, type WholeRecord} from '../../domain/join-pieces.ts';
import type {JournalRecord, SessionSummary} from '../../domain/journal.ts';
import {visible, visibleLine, visibleOutput} from '../../base/visible.ts';
import {compactionText, decisionText, imageText, endingMark, rewindText} from './format-session.ts';

/**
 * The records as JSON, one a line, complete. Task-protocol payloads are base64. Whatever could be taken for the end of a line
 * or steer a terminal is escaped, which JSON readers undo.
 */
export function exportJsonl(records: readonly JournalRecord[]): string {
  return records
    .map(record => `${JSON.stringify(plainRecord(record)).replaceAll(unsafeInJson, escapeUnit)}\n`)
    .join('');
}

/** The session as a Markdown document. Thinking is left out. */
export function exportMarkdown(summary: SessionSummary, records: readonly JournalRecord[]): string {
  const title = summary.title === '' ? 'Session' : inline(summary.title);
  const head = [
    `# ${title}`,
    [
      `- Session: ${summary.id}`,
      `- Started: ${timeText(summary.createdAt)}`,
      `- Folder: ${inline(summary.directory)}`,
      `- Model: ${inline(summary.model)}`,
    ].join('\n'),
  ];
  return `${[...head, ...joinPieces(records).flatMap(sections)].filter(part => part.trim() !== '').join('\n\n')}\n`;
}

/** A time out of all range can only come from a damaged database. */
function timeText(milliseconds: number): string {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? 'unknown' : time.toISOString();
}

const plainRecord = (record: JournalRecord): unknown =>
  record.kind === 'todo-frames'
    ? {kind: record.kind, frames: record.frames.map(frame => Buffer.from(frame).toString('base64'))}
    : record;

/** What `JSON.stringify` leaves as it is though it ends lines for some readers, or steers terminals. */
const unsafeInJson = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/gu;
const escapeUnit = (unit: string): string => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

function sections(record: WholeRecord): readonly string[] {
  switch (record.kind) {
    case 'prompt':
      return ['## User', ...record.message.blocks.map(userPart)];
    case 'reminder':
      return ['## weft', ...record.message.blocks.map(userPart)];
    case 'answer':
      return ['## Assistant', ...record.message.blocks.map(assistantPart), emphasised(endingMark(record.message))];
    case 'result':
      return [resultPart(record.result)];
    case 'approval':
      return [emphasised(decisionText(record))];
    case 'rewind':
    case 'redo':
      return [emphasised(rewindText(record))];
    case 'compaction':
      return [
        '## weft',
        emphasised(compactionText(record)),
        ...(record.summary === '' ? [] : [visible(record.summary)]),
      ];
    case 'checkpoint':
    case 'todo-frames':
    case 'usage':
      return [];
    default:
      return unreachable(record);
  }
}

function userPart(block: UserBlock): string {
  switch (block.kind) {
    case 'text':
      return visible(block.text);
    case 'image':
      return emphasised(imageText(block));
    case 'tool-result':
      return resultPart(block);
    default:
      return unreachable(block);
  }
}

function assistantPart(block: AssistantBlock): string {
  switch (block.kind) {
    case 'text':
      return visible(block.text);
    case 'thinking':
    case 'sealed-thinking':
      return '';
    case 'other':
      return `**${inline(block.type)}**\n\n${fenced(JSON.stringify(block.data, undefined, 2), 'json')}`;
    case 'tool-call':
      return `**${inline(block.name)}**\n\n${fenced(JSON.stringify(block.input, undefined, 2), 'json')}`;
    default:
      return unreachable(block);
  }
}

function resultPart(result: ToolResultBlock): string {
  const parts = result.content.map(block =>
    block.kind === 'text' ? fenced(visibleOutput(block.text), 'text') : emphasised(imageText(block)),
  );
  return [`Result (${result.outcome}):`, ...parts].join('\n\n');
}

const emphasised = (text: string): string => (text === '' ? '' : `*${inline(text)}*`);

/** A code block whose fence is longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/gu), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${visible(text).trimEnd()}\n${fence}`;
}

/** Text of one line that Markdown does not take for markup. */
const inline = (text: string): string => visibleLine(text).replaceAll(/[\\`*_[\]<>#|]/gu, String.raw`\$&`);
