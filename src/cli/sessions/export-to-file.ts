import {writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import type {JournalRecord, SessionSummary} from '../../domain/journal.ts';
import {messageText} from '../../domain/conversation.ts';
import {firstLine} from '../../base/clip.ts';
import {causeText} from '../../domain/fault.ts';
import type {ExportEnd, ExportPort} from '../../tui/command-ports.ts';
import {exportJsonl, exportMarkdown} from './export-session.ts';

export interface ExportGround {
  readonly records: readonly JournalRecord[];
  /** `undefined` where the session is in no store. */
  readonly summary: SessionSummary | undefined;
  readonly directory: string;
  readonly home: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Writes a session as a document, or with an ending of `.jsonl` as records. Only its owner may read what it makes. */
export async function exportToFile(
  {name, session, present}: Parameters<ExportPort['write']>[0],
  {records, summary, directory, home, now}: ExportGround,
): Promise<ExportEnd> {
  const path = pathOf(name, {id: session.id, directory, home, now});
  const {id, model} = session;
  const known = summary ?? {
    id,
    title: titleOf(records),
    directory: session.directory,
    model,
    createdAt: now,
    updatedAt: now,
    messages: records.length,
  };
  const text = /\.jsonl$/iu.test(path) ? exportJsonl(records) : exportMarkdown(known, records);
  try {
    await writeFile(path, text, {flag: present === 'kept' ? 'wx' : 'w', mode: 0o600});
    return {kind: 'written', path};
  } catch (cause) {
    if (present === 'kept' && cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') {
      return {kind: 'exists', path};
    }
    return {kind: 'failed', message: `${path} could not be written: ${causeText(cause)}`};
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
