import {appendFile, mkdir, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {HookSession} from '../../actions/hooks-port.ts';
import type {Message, UserBlock} from '../../domain/conversation.ts';
import {withoutReminders} from '../../domain/reminder.ts';
import {redactJson} from './hook-answer.ts';
import {wireBlock, wireToolResult} from '../../protocol/rpc/wire-content.ts';

/**
 * Appends the new messages of a conversation. Resolves with the file's path, or with an empty text if nothing could
 * be written. Never rejects.
 */
export type TranscriptWriter = (session: HookSession, messages: readonly Message[]) => Promise<string>;

export const transcriptPath = (folder: string, sessionId: string): string => join(folder, `${sessionId}.jsonl`);

/**
 * Writes the conversation of each session to a file like Claude Code's: one JSON object per line, with `type` and
 * `message`. Existing hooks read it through `transcript_path`. The file only grows: it keeps messages that a
 * compaction drops. The first write of a run replaces the file of an earlier run. `redact` replaces secrets with
 * placeholders.
 */
export function makeTranscriptWriter(folder: string, redact: (text: string) => string): TranscriptWriter {
  const written = new Map<string, Set<string>>();
  let writing: Promise<string> = Promise.resolve('');

  const write = async (session: HookSession, messages: readonly Message[]): Promise<string> => {
    const path = transcriptPath(folder, session.sessionId);
    const known = written.get(session.sessionId);
    const fresh = messages.filter(
      message =>
        known?.has(message.id) !== true && (message.role === 'assistant' || withoutReminders(message).length > 0),
    );
    const lines = fresh
      .map(message => JSON.stringify(redactJson(JSON.parse(JSON.stringify(lineOf(message, session))), redact)))
      .map(line => `${line}\n`)
      .join('');
    try {
      if (known === undefined) {
        await mkdir(dirname(path), {recursive: true, mode: 0o700});
        await writeFile(path, lines, {mode: 0o600});
      } else if (lines !== '') await appendFile(path, lines);
    } catch {
      return '';
    }
    written.set(session.sessionId, new Set([...(known ?? []), ...fresh.map(({id}) => id)]));
    return path;
  };

  return (session, messages) => {
    const now = [...messages];
    writing = writing.then(async () => write(session, now));
    return writing;
  };
}

function lineOf(message: Message, {sessionId, directory}: HookSession): object {
  const common = {uuid: message.id, sessionId, cwd: directory};
  if (message.role === 'assistant') {
    const {id, model, blocks} = message;
    return {type: 'assistant', ...common, message: {role: 'assistant', id, model, content: blocks.map(wireBlock)}};
  }
  const blocks = withoutReminders(message);
  const [first] = blocks;
  // Hooks expect a prompt of one text to be a string.
  const content = blocks.length === 1 && first?.kind === 'text' ? first.text : blocks.map(wireUserBlock);
  return {type: 'user', ...common, message: {role: 'user', content}};
}

function wireUserBlock(block: UserBlock): object {
  if (block.kind === 'text') return {type: 'text', text: block.text};
  // Images and documents would make the file long, and hooks don't read them.
  if (block.kind !== 'tool-result') return {type: 'text', text: `[${block.kind}]`};
  const content = block.content.map(part =>
    part.kind === 'text' ? part : ({kind: 'text', text: `[${part.kind}]`} as const),
  );
  return wireToolResult({...block, content});
}
