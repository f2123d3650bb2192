import {resolve} from 'node:path';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {relativeTo} from '../base/shown-path.ts';
import {type BlamedFile, type BlamedLine, fileHistoryOf, type FileHistory, type LineAuthor} from '../domain/blame.ts';
import {messageText, toolCalls} from '../domain/conversation.ts';
import {type Fault, rejected} from '../domain/fault.ts';
import type {ActionId, MessageId, SessionId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {outcomeOf} from '../domain/receipt.ts';
import {endKilledSessions} from './open-session.ts';
import type {Store} from '../store/open-store.ts';
import {checkpointRoots, openCheckpoints, type SavedCheckpoints} from '../workspace/checkpoints/make-checkpoints.ts';
import {isFolder} from '../workspace/files/list-folder.ts';
import {lstatOf} from '../workspace/checkpoints/folder-table.ts';
import {readRegularFile} from '../workspace/files/regular-files.ts';
import {containsPath, realPath} from '../workspace/files/resolve-path.ts';

/** The size of the largest file to blame, in bytes. */
const maxBytes = 16 * 1024 * 1024;

export interface BlamePlace {
  readonly store: Store;
  readonly folder: string;
  readonly directory: string;
}

/** The history of the files of a folder, and the checkpoints that hold their states. */
export interface KnownFiles {
  readonly history: FileHistory;
  readonly checkpoints: SavedCheckpoints;
  readonly root: string;
}

/** Reads the history of the files of a folder from all sessions in it. */
export function knownFiles({store, folder, directory}: BlamePlace): KnownFiles {
  const history = fileHistoryOf(store.fileRecords(directory));
  // The folder of the latest session around this one: weft may run in a part of its workspace.
  let roots: readonly string[] | undefined;
  for (const {tree} of history.moments.toReversed()) {
    roots = checkpointRoots(folder, tree)?.filter(each => containsPath(each, directory));
    if (roots !== undefined && roots.length > 0) break;
  }
  const root = roots?.[0] ?? directory;
  return {history, root, checkpoints: openCheckpoints([root], folder)};
}

/** Returns who wrote the lines of `FILE`, `FILE:LINE` or `FILE:LINE-LINE`. */
export async function blame(
  target: string,
  place: BlamePlace,
  signal: AbortSignal,
): Promise<Outcome<BlamedFile, Fault>> {
  const {file, from, to} = parseTarget(target, place.directory);
  await endKilledSessions(place);
  const path = realPath(resolve(place.directory, file));
  const known = knownFiles(place);
  const shown = relativeTo(path, place.directory);
  const fail = (why: string): Outcome<never, Fault> => failed(rejected(`Can't blame ${shown}: ${why}`));
  if (!containsPath(known.root, path)) return fail(`the file is not in this workspace (${known.root}).`);
  const stats = lstatOf(path);
  if (stats === 'gone')
    return fail(
      path.includes('\uFFFD')
        ? 'its name is not UTF-8, and weft stores no states of such files.'
        : /:\d*-\d*$/u.test(target) && !/:\d+-\d+$/u.test(target)
          ? 'a range of lines is 12-20.'
          : 'there is no such file.',
    );
  if (isFolder(path)) return fail('it is a folder. Name a file.');
  const content = readRegularFile(path, maxBytes);
  if (content === undefined)
    return fail(
      typeof stats !== 'string' && stats.size > maxBytes ? 'it is larger than 16 MB.' : "weft can't read it.",
    );
  if (content.includes(0)) return fail('it is a binary file, which has no lines.');
  const texts = content.length === 0 ? [] : content.toString('utf8').replace(/\n$/u, '').split('\n');
  const [first, last] = [from ?? 1, to ?? from ?? texts.length];
  if (from !== undefined && (first < 1 || last < first || last > texts.length))
    return fail(
      `there is no line ${first === last || first < 1 || first > texts.length ? String(first) : `${String(first)}-${String(last)}`}. It has ${String(texts.length)} lines.`,
    );
  const authors = await known.checkpoints.blame({path, content, at: 'now', history: known.history}, signal);
  if (authors.tag === 'failed') return authors;
  const describe = authorDescriber(place.store);
  return ok({
    path: shown,
    lines: authors.value.slice(first - 1, last).map((author, at) => ({line: first + at, ...describe(author)})),
    texts: texts.slice(first - 1, last).map(line => line.replace(/\r$/u, '')),
  });
}

/** Reads a target. A file whose name looks like a range is a file. */
function parseTarget(
  target: string,
  directory: string,
): {readonly file: string; readonly from?: number; readonly to?: number | undefined} {
  const [, file = '', from = '', to] = /^(.+?):(\d+)(?:-(\d+))?$/su.exec(target) ?? [];
  if (file === '' || typeof lstatOf(resolve(directory, target)) !== 'string') return {file: target};
  return {file, from: Number(from), to: to === undefined ? undefined : Number(to)};
}

/** Returns a function that looks up the author of a line in the journals, each of which is read at most once. */
function authorDescriber(store: Pick<Store, 'parentOf' | 'read'>): (author: LineAuthor) => Omit<BlamedLine, 'line'> {
  const journals = new Map<SessionId, readonly JournalRecord[]>();
  const recordsOf = (id: SessionId): readonly JournalRecord[] => {
    const read = journals.has(id) ? undefined : store.read(id);
    const records = journals.get(id) ?? (read?.tag === 'ok' ? read.value.records : []);
    journals.set(id, records);
    return records;
  };
  /** Returns the text of the user's prompt: for a sub-agent, of the prompt whose agent started it. */
  const promptText = (session: SessionId, id: MessageId | undefined): string | undefined => {
    const records = recordsOf(session);
    const parent = store.parentOf(session);
    const agent = records.find(record => record.kind === 'agent');
    if (parent !== undefined && agent !== undefined) {
      const above = recordsOf(parent);
      const call = above.findIndex(record => hasCall(record, agent.agent.call));
      const asked = above.slice(0, Math.max(0, call)).findLast(record => record.kind === 'prompt');
      if (asked !== undefined) return promptText(parent, asked.message.id);
    }
    const asked = records.findLast(record => record.kind === 'prompt' && record.message.id === id);
    return asked?.kind === 'prompt' ? messageText(asked.message) : undefined;
  };
  const known = new Map<string, Omit<BlamedLine, 'line'>>();
  return author => {
    if (author.by !== 'agent') return {by: author.by};
    const key = JSON.stringify(author);
    const described = known.get(key) ?? {
      by: author.by,
      ...(author.session !== undefined && {
        session: author.session,
        prompt: promptText(author.session, author.prompt),
        ...callFacts(author, recordsOf(author.session)),
      }),
      at: new Date(author.at).toISOString(),
    };
    known.set(key, described);
    return described;
  };
}

const hasCall = (record: JournalRecord, call: ActionId): boolean =>
  record.kind === 'answer' && toolCalls(record.message).some(({id}) => id === call);

function callFacts(
  {prompt, call}: Extract<LineAuthor, {by: 'agent'}>,
  records: readonly JournalRecord[],
): Omit<BlamedLine, 'line' | 'by'> {
  const place = records.findLastIndex(record => record.kind === 'prompt' && record.message.id === prompt);
  // Without a call, the prompt's first answer tells the model.
  const answer = records.find(
    (record, at) => record.kind === 'answer' && (call === undefined ? at > place && place >= 0 : hasCall(record, call)),
  );
  const tool = answer?.kind === 'answer' ? toolCalls(answer.message).find(({id}) => id === call) : undefined;
  const step = records.findLastIndex(record => record.kind === 'step' && record.call === call);
  const approval = records.findLast(record => record.kind === 'approval' && record.id === call);
  const check = records.find((record, at) => record.kind === 'receipt' && at > step);
  return {
    ...(call !== undefined && {call}),
    ...(tool !== undefined && {tool: tool.name}),
    ...(answer?.kind === 'answer' && {model: answer.message.model}),
    ...(approval?.kind === 'approval' && {approval: `${approval.decision} by ${approval.by}`}),
    ...(call !== undefined &&
      check?.kind === 'receipt' && {receipt: `${check.receipt.name} ${outcomeOf(check.receipt)}`}),
  };
}
