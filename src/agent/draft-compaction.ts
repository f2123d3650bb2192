import type {FilesPort} from '../actions/files-port.ts';
import type {CheckpointsPort} from '../domain/checkpoint.ts';
import {
  compactedMessage,
  estimateMessages,
  estimateTokens,
  isCompacted,
  type CarriedParts,
  type CarriedUserMessage,
  type CompactionPreview,
  type CompactionTokens,
  type CompactionWay,
} from '../domain/compaction.ts';
import {messageText, type Message} from '../domain/conversation.ts';
import type {MessageId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';
import type {ModelRequest} from '../domain/model-stream.ts';
import {timelineOf} from '../domain/timeline.ts';
import {trimHistory, type Trimmed} from '../domain/trim-history.ts';
import {changedFiles} from './changed-files.ts';
import type {PresentPort, SecretsPort} from './ports.ts';
import type {TodoKeeper} from './todo-keeper.ts';

/** What a compacted conversation is made from. */
export interface DraftSources {
  readonly records: readonly JournalRecord[];
  /** The next request, were nothing compacted. */
  readonly request: ModelRequest;
  /** What the provider counted of the conversation so far, and the model's window; 0 where unknown. */
  readonly counted: {readonly contextTokens: number; readonly contextWindow: number};
  readonly todos: TodoKeeper;
  readonly present: PresentPort;
  readonly files: Pick<FilesPort, 'resolve'>;
  readonly checkpoints: CheckpointsPort;
  readonly secrets: SecretsPort;
  readonly directory: string;
}

/** A conversation as it would be after a compaction. */
export interface CompactionDraft {
  readonly messages: readonly Message[];
  readonly tokens: CompactionTokens;
  readonly before: CompactionPreview['before'];
  readonly carried: CarriedParts;
  /** What goes on as it is; nothing of it where there is a summary. */
  readonly trimmed: Trimmed;
  /** The user's messages that are neither carried nor in what goes on as it is. */
  readonly leftMessages: readonly CarriedUserMessage[];
  /** Real tokens for one of an estimate. */
  readonly scale: number;
}

/** Estimated tokens that the user's messages may take; and of a window that is known, the part. */
const mostUserTokens = 20_000;
const userPart = 0.25;

/** The part of what there is, or of the window, that is left after trimming. */
const trimPart = 0.5;
const leastTrimmed = 1000;

/** Works out the conversation after a compaction. `summary` may be empty. */
export async function draftCompaction(
  wish: {readonly id: MessageId; readonly way: CompactionWay; readonly summary: string},
  sources: DraftSources,
  signal: AbortSignal,
): Promise<CompactionDraft> {
  const {records, request, counted} = sources;
  const {messages} = request;
  const fixed = estimateTokens(request.system) + estimateTokens(JSON.stringify(request.tools));
  const estimated = fixed + estimateMessages(messages);
  const uncounted = counted.contextTokens > 0 ? estimateMessages(sinceAnswer(messages)) : 0;
  const before = counted.contextTokens > 0 ? counted.contextTokens + uncounted : estimated;
  // A provider that does not count, or counts something else, must not lead to absurd numbers.
  const scale = Math.min(5, Math.max(0.2, before / estimated));
  const window = counted.contextWindow > 0 ? counted.contextWindow : Number.POSITIVE_INFINITY;

  const carriedAlone = {
    todos: (await sources.todos.open()).map(
      todo => `- [${todo.status}] ${todo.title}${describe(todo)} (id ${todo.id})`,
    ),
    running: sources.present.running().map(line => sources.secrets.conceal(line)),
    changedFiles: await changedFiles(records, sources, signal),
    instructions: instructionsNews(sources),
  };
  const alone = estimateMessages([compactedMessage(wish, {userMessages: [], ...carriedAlone})]);

  const target = Math.min(before, window) * trimPart;
  const mostTrimmed = Math.max(leastTrimmed, target / scale - fixed - alone);
  const trimmed: Trimmed =
    wish.way === 'summary'
      ? {messages: [], shortened: 0, left: 0}
      : trimHistory(messages.filter(isNoCompaction), mostTrimmed);

  const going = new Set(trimmed.messages.map(({id}) => id));
  const said = timelineOf(records)
    .live.flatMap(record => (record.kind === 'prompt' ? [record.message] : []))
    .map((message, at) => ({id: message.id, number: at + 1, text: messageText(message)}))
    .filter(({id, text}) => !going.has(id) && text.trim() !== '');
  const most = Math.min(
    mostUserTokens,
    (window * userPart) / scale,
    wish.way === 'trim' ? mostTrimmed / 2 : mostUserTokens,
  );
  const userMessages = newestWithin(said, most);
  const carried: CarriedParts = {userMessages, ...carriedAlone};
  const after: readonly Message[] = [compactedMessage(wish, carried), ...trimmed.messages];
  return {
    messages: after,
    tokens: {before, after: Math.round((fixed + estimateMessages(after)) * scale)},
    before: counted.contextTokens > 0 && uncounted === 0 ? 'counted' : 'estimated',
    carried,
    trimmed,
    leftMessages: said.filter(one => !userMessages.includes(one)),
    scale,
  };
}

const describe = ({title, description}: {readonly title: string; readonly description: string}): string =>
  description === '' || description === title ? '' : `: ${description}`;

/** The message that stands for an earlier compaction is written anew. */
export const isNoCompaction = (message: Message): boolean => !isCompacted(message);

/** What came behind the last answer: no provider has counted that yet. */
const sinceAnswer = (messages: readonly Message[]): readonly Message[] =>
  messages.slice(messages.findLastIndex(({role}) => role === 'assistant') + 1).filter(isNoCompaction);

/** What the beginning of every request says word for word need not be said again. */
const instructionsNews = ({present, secrets, request}: DraftSources): CarriedParts['instructions'] =>
  present
    .instructions()
    .map(({path, text}) => ({path, text: secrets.conceal(text)}))
    .filter(({text}) => !request.system.includes(text.trim()));

/** As many of the newest as fit, in order; one that is too long does not keep older ones out. */
function newestWithin<M extends CarriedUserMessage>(said: readonly M[], most: number): readonly M[] {
  let room = most;
  const fitting = said.toReversed().filter(({text}) => {
    const tokens = estimateTokens(text);
    if (tokens > room) return false;
    room -= tokens;
    return true;
  });
  return fitting.toReversed();
}
