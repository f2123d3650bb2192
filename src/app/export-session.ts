import {withoutReminders} from '../domain/reminder.ts';
import {givenTitle, shownRecords, type ShownRecord} from '../domain/history.ts';
import type {ExportEnd} from '../agent/client.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {ExportWork, TextExport} from './host-services.ts';
import {writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {firstLine} from '../base/clip.ts';
import {unreachable} from '../base/unreachable.ts';
import {visible, visibleLine, visibleOutput} from '../base/visible.ts';
import {
  type AssistantBlock,
  messageText,
  type ToolCallBlock,
  toolCalls,
  type ToolResultBlock,
  type UserBlock,
} from '../domain/conversation.ts';
import {causeText, type Fault, hasCode, rejected} from '../domain/fault.ts';
import type {ActionId} from '../domain/ids.ts';
import type {JournalRecord, SessionSummary} from '../domain/journal.ts';
import {compactionText, decisionText, endingMark, imageText, rewindRecordText, shownResult} from './transcript.ts';

/**
 * Exports all records as JSON, one per line. Task-protocol payloads are base64. Characters that could end a line or control a terminal
 * are escaped; JSON parsers restore them.
 */
export function exportJsonl(records: readonly JournalRecord[]): string {
  return records
    .map(record => `${JSON.stringify(recordForJson(record)).replaceAll(unsafeInJson, escapeUnit)}\n`)
    .join('');
}

/** Exports the session as a Markdown document. Leaves out the model's thinking. */
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
  const whole = shownRecords(records);
  const answered = whole.flatMap(record => (record.kind === 'answer' ? toolCalls(record.message) : []));
  const calls = new Map(answered.map(call => [call.id, call]));
  return `${[...head, ...whole.flatMap(record => sections(record, calls))].filter(part => part.trim() !== '').join('\n\n')}\n`;
}

/** Formats a time in ISO 8601; `unknown` for a time out of range, which only a damaged database contains. */
function timeText(milliseconds: number): string {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? 'unknown' : time.toISOString();
}

const recordForJson = (record: JournalRecord): unknown =>
  record.kind === 'todo-frames'
    ? {kind: record.kind, frames: record.frames.map(frame => Buffer.from(frame).toString('base64'))}
    : record;

/** Characters that `JSON.stringify` does not escape although they end lines for some readers or control terminals. */
const unsafeInJson = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/gu;
const escapeUnit = (unit: string): string => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

function sections(record: ShownRecord, calls: ReadonlyMap<ActionId, ToolCallBlock>): readonly string[] {
  switch (record.kind) {
    case 'prompt':
      return ['## User', ...withoutReminders(record.message).map(userPart)];
    case 'answer':
      return ['## Assistant', ...record.message.blocks.map(assistantPart), emphasised(endingMark(record.message))];
    case 'result':
      return [resultPart(record.result, calls.get(record.result.id))];
    case 'approval':
      return [emphasised(decisionText(record))];
    case 'rewind':
    case 'redo':
      return [emphasised(rewindRecordText(record))];
    case 'compaction':
      return [
        '## weft',
        emphasised(compactionText(record)),
        ...(record.summary === '' ? [] : [visible(record.summary)]),
      ];
    case 'document':
      return [emphasised(`document ${record.id}: ${visibleLine(record.title)}`), visible(record.text)];
    case 'todo-frames':
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
    case 'document':
      return emphasised(imageText(block));
    case 'tool-result':
      return resultPart(block, undefined);
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

function resultPart(result: ToolResultBlock, call: ToolCallBlock | undefined): string {
  const {notes, output, attached} = shownResult(result, call);
  const parts = [
    ...(output === '' ? [] : [fenced(visibleOutput(output), 'text')]),
    ...attached.map(block => emphasised(imageText(block))),
  ];
  return [
    `Result (${[result.outcome, ...notes].map(inline).join(', ')})${parts.length === 0 ? '' : ':'}`,
    ...parts,
  ].join('\n\n');
}

const emphasised = (text: string): string => (text === '' ? '' : `*${inline(text)}*`);

/** Wraps text in a code block whose fence is longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/gu), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${visible(text).trimEnd()}\n${fence}`;
}

/** Puts text on one line and escapes Markdown markup. */
const inline = (text: string): string => visibleLine(text).replaceAll(/[\\`*_[\]<>#|]/gu, String.raw`\$&`);

interface ExportContext {
  readonly records: readonly JournalRecord[];
  /** The summary; `undefined` if the session is not in a store. */
  readonly summary: SessionSummary | undefined;
  readonly directory: string;
  readonly home: string;
  readonly now: number;
}

/** Writes a session to a file: as records if the name ends in `.jsonl`, otherwise as Markdown. Only the owner can read the file. */
export async function exportToFile(
  {name, session, present}: ExportWork,
  {records, summary, directory, home, now}: ExportContext,
): Promise<Outcome<ExportEnd, Fault>> {
  const path = pathOf(name, {id: session.id, directory, home, now});
  const {id, model} = session;
  const known = summary ?? {
    id,
    title: givenTitle(records) || titleOf(records),
    directory: session.directory,
    model,
    createdAt: now,
    updatedAt: now,
    messages: records.length,
  };
  return writeExport(path, /\.jsonl$/iu.test(path) ? exportJsonl(records) : exportMarkdown(known, records), present);
}

/** Writes a text from a front end to a file, in the same way as a session. */
export const exportText = (
  {name, text, present}: TextExport,
  {directory, home}: Pick<ExportContext, 'directory' | 'home'>,
): Promise<Outcome<ExportEnd, Fault>> => writeExport(pathOf(name, {id: '', directory, home, now: 0}), text, present);

async function writeExport(
  path: string,
  text: string,
  present: ExportWork['present'],
): Promise<Outcome<ExportEnd, Fault>> {
  try {
    await writeFile(path, text, {flag: present === 'kept' ? 'wx' : 'w', mode: 0o600});
    return ok({kind: 'written', path});
  } catch (cause) {
    if (present === 'kept' && hasCode(cause, 'EEXIST')) return ok({kind: 'exists', path});
    return failed(rejected(`Can't write ${path}: ${causeText(cause)}`));
  }
}

interface FileName {
  readonly id: string;
  readonly directory: string;
  readonly home: string;
  readonly now: number;
}

function pathOf(name: string, {id, directory, home, now}: FileName): string {
  const bare = /^(["'])(.+)\1$/u.exec(name)?.[2] ?? name;
  if (bare === '') return join(directory, `weft-${new Date(now).toISOString().slice(0, 10)}-${id.slice(0, 8)}.md`);
  return bare.startsWith('~/') ? join(home, bare.slice(2)) : resolve(directory, bare);
}

function titleOf(records: readonly JournalRecord[]): string {
  const first = records.find(record => record.kind === 'prompt');
  return first === undefined ? '' : firstLine(messageText(first.message), 200);
}
