import {relativeTo} from '../../base/shown-path.ts';
import {accessOf} from '../../actions/catalogue.ts';
import {decodePastAction} from '../../actions/decode-action.ts';
import {editPaths} from '../../domain/file-edit.ts';
import {activeSkills} from '../../domain/slash-command.ts';
import {visibleLine} from '../../base/visible.ts';
import {
  type VerbatimParts,
  type VerbatimMessage,
  compactionMessage,
  type CompactionPreview,
  type CompactionTokens,
  type CompactionMethod,
  type CompactionTrigger,
  estimateMessagesTokens,
  estimateTokens,
  isCompactionMessage,
} from '../../domain/compaction.ts';
import {type Message, messageText} from '../../domain/conversation.ts';
import {historyFromJournal, latestPrompt, trimHistory, type TrimmedHistory} from '../../domain/history.ts';
import type {MessageId} from '../../domain/ids.ts';
import {pinnableMessages, pinnedTokens} from '../../domain/pin.ts';
import type {JournalRecord} from '../../domain/journal.ts';
import type {ModelRequest} from '../../domain/model-stream.ts';
import {promptSpans, timelineOf} from '../../domain/timeline.ts';
import type {RequestSize} from '../context/context-usage.ts';
import type {SessionContext} from '../session-context.ts';

/** The plan of a compaction. `summary` may be empty. */
export interface CompactionPlan {
  readonly id: MessageId;
  readonly trigger: CompactionTrigger;
  readonly way: CompactionMethod;
  readonly summary: string;
}

/** The inputs of a compaction. */
export interface CompactionSources {
  readonly session: SessionContext;
  /** The next request without a compaction. */
  readonly request: ModelRequest;
  readonly size: RequestSize;
}

/** A conversation as it would be after a compaction. */
export interface CompactionDraft {
  readonly messages: readonly Message[];
  readonly tokens: CompactionTokens;
  readonly before: CompactionPreview['before'];
  readonly carried: VerbatimParts;
  /** The messages that stay as they are. None if the user wanted a summary. */
  readonly trimmed: TrimmedHistory;
  /** The user's messages that are neither carried over nor among the messages that stay. */
  readonly omittedMessages: readonly VerbatimMessage[];
  /** The number of real tokens for one estimated token. */
  readonly scale: number;
}

/** Room for the user's messages: estimated tokens, and a part of the model's window if known. */
const maxUserTokens = 20_000;
const maxUserShare = 0.25;

/** The size after trimming: a part of the conversation or of the model's window, but at least so many tokens. */
const trimShare = 0.5;
/** A small window is mostly taken by system prompt and tools. Even then, this share of the window is for the conversation. */
const minConversationShare = 0.25;
const minTrimmedTokens = 1000;

/** Tokens for the instructions of skills, the most recently read first. */
const maxSkillTokens = 20_000;

/** Drafts the conversation after a compaction. Pinned messages stay word for word, even if everything else is dropped. */
export async function draftCompaction(
  plan: CompactionPlan,
  {session, request, size}: CompactionSources,
  signal: AbortSignal,
): Promise<CompactionDraft> {
  const {ports, conversation} = session;
  const {records} = conversation.journal;
  const {messages} = request;
  const {fixed, tokens: before, total, scale, limit} = size;
  const window = size.window > 0 ? size.window : Number.POSITIVE_INFINITY;

  const otherParts = {
    todos: (await conversation.todos.open()).map(
      todo => `- [${todo.status}] ${todo.title}${describe(todo)} (id ${todo.id})`,
    ),
    running: ports.workspaceState.runningCommands().map(({text}) => ports.secrets.redact(text)),
    changedFiles: await changedFiles(records, session, signal),
    instructions: newInstructions(session, request),
    skills: newestWithin(activeSkills(messages), ({instructions}) => instructions, maxSkillTokens),
  };
  const ordinary = messages.filter(isOrdinaryMessage);
  const texts = new Map(ordinary.map(message => [message.id, messageText(message)]));
  // A prompt whose text is in a file is carried over as the model has read it.
  const said = pinnableMessages(records).map(one => ({...one, text: texts.get(one.id) ?? one.text}));
  const pinned = said.filter(({state}) => state === 'pinned').reduce((sum, one) => sum + pinnedTokens(one), 0);
  const otherTokens = estimateMessagesTokens([compactionMessage(plan, {messages: [], ...otherParts})]);

  const most = Math.min(before, window);
  const target = Math.min(limit, Math.max(most * trimShare, fixed * scale + most * minConversationShare));
  const maxTrimmed = Math.max(minTrimmedTokens, target / scale - fixed - otherTokens - pinned);
  // The work on the latest prompt continues after a compaction that the user did not request.
  const current = plan.trigger === 'auto' ? latestPrompt(records) : undefined;
  const work =
    current === undefined
      ? []
      : ordinary.slice(
          Math.max(
            0,
            ordinary.findIndex(({id}) => id === current),
          ),
        );
  const trimmed: TrimmedHistory = trimHistory(plan.way === 'trim' ? ordinary : work, maxTrimmed, current);

  const keptIds = new Set(trimmed.messages.map(({id}) => id));
  const gone = said.filter(({id}) => !keptIds.has(id));
  const prompts = gone.filter(({by, state}) => by === 'user' && state === 'unpinned');
  const maxTokens = Math.min(
    maxUserTokens,
    (window * maxUserShare) / scale,
    // Otherwise a conversation of long prompts and short answers would not get shorter.
    (plan.way === 'trim' ? maxTrimmed : estimateMessagesTokens(messages)) / 2,
    // The rest of the request belongs to the latest exchange.
    plan.trigger === 'auto' ? Math.max(0, maxTrimmed - estimateMessagesTokens(trimmed.messages)) : maxUserTokens,
  );
  const fitting = new Set<VerbatimMessage>(newestWithin(prompts, ({text}) => text, maxTokens));
  const carried: VerbatimParts = {
    messages: gone.filter(one => one.state === 'pinned' || fitting.has(one)),
    ...otherParts,
  };
  const after: readonly Message[] = [compactionMessage(plan, carried), ...trimmed.messages];
  return {
    messages: after,
    tokens: {
      before: size.shown.tokens,
      after: Math.round((fixed + estimateMessagesTokens(after)) * size.shown.scale),
    },
    before: total,
    carried,
    trimmed,
    omittedMessages: prompts.filter(one => !fitting.has(one)),
    scale,
  };
}

const describe = ({title, description}: {readonly title: string; readonly description: string}): string =>
  description === '' || description === title ? '' : `: ${description}`;

/** True unless the message is the result of an earlier compaction, which is always rewritten. */
export const isOrdinaryMessage = (message: Message): boolean => !isCompactionMessage(message);

/** Returns instruction files that have changed since the session began. The system prompt has the original ones. */
const newInstructions = ({ports}: SessionContext, {system}: ModelRequest): VerbatimParts['instructions'] =>
  ports.workspaceState
    .instructions()
    .map(({path, text}) => ({path, text: ports.secrets.redact(text)}))
    .filter(({text}) => !system.includes(text.trim()));

/** Returns as many of the newest messages as fit, in order. A message that is too long does not exclude older ones. */
function newestWithin<M>(messages: readonly M[], textOf: (message: M) => string, maxTokens: number): readonly M[] {
  let room = maxTokens;
  const fitting = messages.toReversed().filter(message => {
    const tokens = estimateTokens(textOf(message));
    if (tokens > room) return false;
    room -= tokens;
    return true;
  });
  return fitting.toReversed();
}

/** The maximum number of files to list. The rest are only counted. */
const maxFiles = 200;

/**
 * Returns the files that the session has changed, one line each with the current hash: files named by its edits, and files changed by its
 * commands if checkpoints hold them.
 */
async function changedFiles(
  records: readonly JournalRecord[],
  {ports, directory}: SessionContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const timeline = timelineOf(records);
  const {messages} = historyFromJournal(timeline.activeRecords.filter(({kind}) => kind !== 'compaction'));
  const changes = promptSpans(timeline).flatMap(({files}) => files);
  const reverted = changes.length === 0 ? undefined : await ports.checkpoints.preview(changes.toReversed(), signal);
  const kept = reverted?.tag === 'ok' ? [...reverted.value.files, ...reverted.value.conflicts] : [];
  const named = editedPaths(messages).map(path => ports.machine.files.resolve(path).path);
  const paths = [...new Set([...named, ...kept.map(({path}) => path)])].toSorted();
  const shown = paths.slice(0, maxFiles);
  const fingerprints = await ports.workspaceState.fingerprints(shown, signal);
  const lines = fingerprints.map(fingerprint => {
    const {path} = fingerprint;
    const name = relativeTo(path, directory);
    return `- ${visibleLine(name)} ${fingerprint.kind === 'file' ? `sha256:${fingerprint.sha256}` : `(${stateText[fingerprint.kind]})`}`;
  });
  return paths.length > shown.length ? [...lines, `- and ${paths.length - shown.length} more`] : lines;
}

const stateText = {absent: 'deleted', unreadable: 'not readable'} as const;

/** Returns the paths that successful edits name. */
function editedPaths(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message, at) => {
    if (message.role !== 'assistant') return [];
    const results = messages[at + 1]?.blocks ?? [];
    return message.blocks.flatMap(block => {
      if (block.kind !== 'tool-call') return [];
      const worked = results.some(
        result => result.kind === 'tool-result' && result.id === block.id && result.outcome === 'success',
      );
      const decoded = worked ? decodePastAction(block.name, block.input) : undefined;
      const access = decoded?.tag === 'ok' ? accessOf(decoded.value) : undefined;
      return access?.kind === 'edit' ? access.edits.flatMap(editPaths) : [];
    });
  });
}
