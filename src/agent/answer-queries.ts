import {findCommand} from './context/prompt-command.ts';
import {type ChangesAlongside, performRewind, previewRewind, rewindPoints} from './rewind.ts';
import type {CompactionContext, Compactor} from './compaction/compactor.ts';
import type {OtherWork, WorkQueue} from './work-queue.ts';
import {failed, type Outcome} from '../base/outcome.ts';
import type {CompactionReport} from '../domain/compaction.ts';
import type {ReviewChange} from '../domain/code-review.ts';
import {documentName} from '../domain/document.ts';
import {reminderBlock} from '../domain/reminder.ts';
import {rejected, thrownFault, type Fault} from '../domain/fault.ts';
import type {JournalRecord} from '../domain/journal.ts';
import type {RewindReport, RewindTarget} from '../domain/rewind.ts';
import type {Answer, AnswerOf, Op, Query, QueryName, Watch, WatchEnd, Watches, WatchName} from './client.ts';
import {titleIn} from '../domain/session-list.ts';
import {sessionChanges} from '../domain/timeline.ts';
import {checkStatuses} from './checks.ts';
import {reasonsText} from '../domain/reason.ts';
import {judgeOwnAction} from './approval.ts';
import {decodeCall, journal, reviewOf, type SessionContext} from './session-context.ts';

/** The sources that the engine's own queries read and change. The session may be a different one each time. */
export interface QuerySources {
  readonly session: SessionContext;
  readonly work: WorkQueue;
  isClosing(): boolean;
  /** Reads the conversation again from its journal. Returns the frames of its todo list. */
  reopen(): readonly Uint8Array[];
  /** Tells the hooks that the conversation starts again from a summary. */
  compacted(): void;
}

export type QueryHandlers<Name extends QueryName = QueryName> = {
  readonly [Each in Name]: (request: Query<Each>, signal: AbortSignal) => Promise<Answer<Each>>;
};

export type WatchHandlers = {
  readonly [Each in WatchName]: (
    request: Watch<Each>,
    listener: (piece: Watches[Each]['piece']) => void,
    signal: AbortSignal,
  ) => Promise<WatchEnd>;
};

/** Queries and operations about the machine, the user's files and stored sessions, which the engine passes on to the host. */
export interface HostServices {
  readonly queries: QueryHandlers<Exclude<QueryName, ConversationQuery>>;
  readonly watches: WatchHandlers;
  submit(op: HostOp): void;
}

type ConversationQuery = keyof ReturnType<typeof answerQueries>;

export type HostOp = Extract<
  Op,
  {readonly op: 'remember-prompt' | 'stop-terminal' | 'keep-terminal' | 'write-terminal' | 'resize-terminal'}
>;

/** Answers the queries about the conversation. Queries that need or change all of it wait their turn among prompts and commands. */
export function answerQueries(sources: QuerySources) {
  const {session, work} = sources;
  const {checkpoints} = session.ports;
  const others: ChangesAlongside = prompts =>
    session.ports.sessions.changesAlongside(session.conversation.journal.id, prompts);
  let compactor: Compactor | undefined;
  // Loaded for the first compaction.
  const loadCompactor = async (): Promise<Compactor> =>
    (compactor ??= new (await import('./compaction/compactor.ts')).Compactor());
  return {
    async commands(_, signal) {
      const {commands} = session.ports;
      await commands.ready(signal);
      return {tag: 'ok', value: commands.list()};
    },
    async 'look-up-command'({text}, signal) {
      const found = await findCommand(text, session, signal);
      return {tag: 'ok', value: found.kind === 'unknown' ? found : {kind: 'prompt'}};
    },
    records: async ({from}) => ({tag: 'ok', value: session.conversation.journal.records.slice(from)}),
    async 'readable-path'({path}, signal) {
      const action = decodeCall('Read', {file_path: path}, session);
      if (action.tag === 'failed') return action;
      const {verdict, terms} = await judgeOwnAction(action.value, session, signal);
      const [judged] = terms.paths;
      return verdict.decision === 'allow' && judged !== undefined
        ? {tag: 'ok', value: judged.path}
        : failed(rejected(`${path} can't be read without asking: ${reasonsText(verdict.reasons)}.`));
    },
    agents: async () => ({tag: 'ok', value: session.agents.rows()}),
    'ask-aside': ({question}, signal) => askAside(question, signal),
    async 'rename-session'({title}, signal) {
      const isEmpty = title === '' && session.conversation.messages.length === 0;
      const proposed: AnswerOf<string> =
        title === '' && !isEmpty ? await askAside(titleQuestion, signal) : {tag: 'ok', value: title};
      if (proposed.tag !== 'ok') return proposed;
      const kept = titleIn(session.ports.secrets.redact(proposed.value.replaceAll(/^["'*]+|["'*.]+$/gu, '')));
      if (kept === '') return failed(rejected('A session needs a name, such as /rename fix the discount.'));
      journal(session, {kind: 'title', title: kept});
      session.publish([{event: 'session-renamed', title: kept}]);
      return {tag: 'ok', value: kept};
    },
    checks: async (_, signal) => ({tag: 'ok', value: await checkStatuses(session, signal)}),
    goal: async ({text}) => (await import('./conditions.ts')).changeGoal(text, session),
    pins: async () => ({tag: 'ok', value: (await import('./pins.ts')).pinRows(session)}),
    'change-pin': async request => (await import('./pins.ts')).changePin(request, session),
    async review({range}, signal) {
      const diff = await session.ports.reviewSource.read({repository: '', range}, signal);
      return diff.tag === 'ok' ? {tag: 'ok', value: {...diff.value, comments: reviewOf(session).comments()}} : diff;
    },
    async 'session-changes'({since}, signal) {
      const changes = sessionChanges(session.conversation.journal.records, since);
      if (changes.length === 0) return {tag: 'ok', value: {files: [], more: 0, coverage: 'all files'}};
      return session.ports.comparison.compare(changes, signal);
    },
    'change-review': async ({change}) => reviewOf(session).change(byUser(change)),
    documents: async () => ({tag: 'ok', value: session.conversation.documents.list()}),
    'write-document': async ({document, text}) => {
      const written = session.conversation.documents.write(document, text);
      if (written.tag === 'ok') {
        const name = documentName(written.value);
        session.addedContext.push(reminderBlock(`The user wrote the document ${name}. Read it before you use it.`));
      }
      return written;
    },
    hooks: async () => ({tag: 'ok', value: session.ports.hooks.list()}),
    'context-usage': async () => {
      const {contextUsage} = await import('./context/context-usage.ts');
      return {tag: 'ok', value: contextUsage(session)};
    },
    'rewind-points': async () => ({tag: 'ok', value: rewindPoints(session.conversation.journal.records)}),
    'preview-rewind': ({target}, signal) =>
      runAlone(work, {what: 'Previewing the rewind', signal}, stop =>
        previewRewind(target, {records: session.conversation.journal.records, checkpoints, others}, stop),
      ),
    rewind: ({target}, signal) => runAlone(work, {what: 'Rewinding', signal}, stop => rewind(target, stop)),
    'preview-compaction': ({instructions}, signal) =>
      runAlone(work, {what: 'Compacting', signal}, async stop =>
        (await loadCompactor()).preview(
          {trigger: 'manual', way: 'summary', instructions},
          compactionContext(signal),
          stop,
        ),
      ),
    compact: (request, signal) => runAlone(work, {what: 'Compacting', signal}, async () => carryOut(request, signal)),
  } satisfies Partial<QueryHandlers>;

  async function askAside(question: string, signal: AbortSignal): Promise<AnswerOf<string>> {
    if (question === '') return failed(rejected('Add the question, such as /btw which file was that?'));
    const answer = await (await import('./aside.ts')).answerAside(question, session, signal);
    return signal.aborted ? cancelled : answer;
  }

  function compactionContext(signal: AbortSignal): CompactionContext {
    return {session, reopen: () => sources.reopen(), isUnwanted: () => signal.aborted || sources.isClosing()};
  }

  async function carryOut(request: Query<'compact'>, signal: AbortSignal): Promise<Outcome<CompactionReport, Fault>> {
    const done = await (await loadCompactor()).carryOut(request, compactionContext(signal));
    if (done.tag === 'ok') sources.compacted();
    return done;
  }

  async function rewind(target: RewindTarget, signal: AbortSignal): Promise<Outcome<RewindReport, Fault>> {
    const {id, records} = session.conversation.journal;
    const keep = (record: JournalRecord): void => journal(session, record);
    const done = await performRewind(target, {id, records, checkpoints, keep, others}, signal);
    if (done.tag === 'ok') session.publish([{event: 'rewound', report: done.value, todoFrames: sources.reopen()}]);
    return done;
  }
}

const titleQuestion = 'Give this conversation a title of three to six words. Answer with the title alone.';

/** Marks changes from front ends as the user's. */
const byUser = (change: ReviewChange): ReviewChange =>
  change.change === 'add' || change.change === 'answer' ? {...change, by: 'user'} : change;

/**
 * Runs `run` when its turn comes. The query is refused while a prompt runs or waits, because a rewind or a compaction
 * would change the conversation that the prompt uses. A query that the caller withdrew or the user interrupted is
 * cancelled, unless it succeeded anyway.
 */
function runAlone<T>(
  work: WorkQueue,
  {what, signal}: {readonly what: string; readonly signal: AbortSignal},
  run: (signal: AbortSignal) => Promise<Outcome<T, Fault>>,
): Promise<AnswerOf<T>> {
  if (signal.aborted) return Promise.resolve(cancelled);
  if (work.hasPrompt) {
    return Promise.resolve(failed(rejected('A prompt is running. Wait for it, or press Esc to interrupt it.')));
  }
  const answered = async (stop: AbortSignal): Promise<AnswerOf<T>> => {
    try {
      const outcome = await run(stop);
      return outcome.tag === 'failed' && stop.aborted ? cancelled : outcome;
    } catch (cause) {
      return failed(thrownFault(`${what} failed`, cause));
    }
  };
  return new Promise(resolve => {
    const waiting: OtherWork = {
      kind: 'other',
      async run() {
        signal.removeEventListener('abort', drop);
        resolve(await answered(AbortSignal.any([signal, work.signal])));
      },
      onDropped() {
        signal.removeEventListener('abort', drop);
        resolve(cancelled);
      },
    };
    const drop = (): void => work.drop(waiting);
    signal.addEventListener('abort', drop, {once: true});
    work.add(waiting);
  });
}

const cancelled = {tag: 'cancelled'} as const;
