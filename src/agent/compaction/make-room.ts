import {type CompactionMethod, estimateMessagesTokens, groupDigits, tokenChangeText} from '../../domain/compaction.ts';
import {type Fault, faultText, rejected, type RefusedLength, unknownLength} from '../../domain/fault.ts';
import {actionId} from '../../domain/ids.ts';
import type {ModelRequest} from '../../domain/model-stream.ts';
import {toSentence} from '../../domain/stop-text.ts';
import {pluralize} from '../../base/clip.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {replaceMessages} from '../conversation.ts';
import {leastSavedShare, messagesSinceAnswer, type RequestSize, requestSize} from '../context/context-usage.ts';
import {nextRequest, type SessionContext} from '../session-context.ts';
import {Compactor, type CompactionContext, fixedTokens, leastSaved, notShorter, pointless} from './compactor.ts';
import {isOrdinaryMessage} from './draft-compaction.ts';
import {promptsInFiles} from './long-prompt.ts';
import {tooLongText, publishRepair} from './repair-line.ts';
import {resultsToShorten, shortenResults} from './shorten-results.ts';

/** `none`: nothing was changed. `why` is a sentence, or empty if weft may change nothing. `declined`: the user wants no change now. */
type Room = {readonly kind: 'made'} | {readonly kind: 'none'; readonly why: string} | {readonly kind: 'declined'};

/** Whether to send the request, or to end the prompt. */
type Repair = {readonly kind: 'send'} | {readonly kind: 'stopped'; readonly fault: Fault};

/** The session, and what to do after a compaction. */
export interface RoomContext {
  readonly session: SessionContext;
  /** Tells the hooks that the conversation starts again from a summary. */
  readonly compacted: () => void;
}

/** The tokens that a window keeps for the answer, and their largest share of it. A local server cuts the request or the answer silently. */
const answerTokens = 2000;
const answerShare = 0.1;

/** The most tokens of a request that leave room for a short answer. */
const maxTokens = (window: number): number => window - Math.min(answerTokens, window * answerShare);

/** Makes room if the next request and a short answer can't fit by estimate. */
export async function makeRoomBefore(context: RoomContext, signal: AbortSignal): Promise<Repair> {
  const {session} = context;
  const {tokens, window} = requestSize(nextRequest(session), session);
  if (window === 0 || tokens <= maxTokens(window)) return {kind: 'send'};
  const room = await makeRoom(unknownLength, context, signal);
  // An estimate may be wrong: a request that can't be made shorter is sent.
  return room.kind === 'declined'
    ? {kind: 'stopped', fault: tooLongFault(unknownLength, {session, why: '', fault: undefined})}
    : {kind: 'send'};
}

/** The tokens of a request that a small window may not hold, and the share of a known window that counts as nearly full. */
const largeRequest = 6000;
const nearShare = 0.75;

/** True if the next request is so large that its length may be why a provider refused it. */
export function isLarge(session: SessionContext, hint: 'words' | 'none'): boolean {
  const request = nextRequest(session);
  const {fixed, tokens, window} = requestSize(request, session);
  const most = Math.max(tokens, fixed + estimateMessagesTokens(request.messages));
  const isUnknown = window === 0 || hint === 'words';
  return (isUnknown && most > largeRequest) || (window > 0 && most > window * nearShare);
}

/** Returns the length of a request whose answer ended because the context was full. A server that cut the request counted only the rest. */
export function fullLength(session: SessionContext): RefusedLength {
  const request = nextRequest(session);
  const {fixed, window} = requestSize(request, session);
  const estimated = Math.round(fixed + estimateMessagesTokens(request.messages));
  return window > 0 && estimated > window ? {tokens: estimated, window} : unknownLength;
}

/** Makes room after a request was refused, unless it was the repetition of another one. */
export async function makeRoomAfter(
  {
    refused,
    fault,
    isRepeated,
  }: {readonly refused: RefusedLength; readonly fault: Fault | undefined; readonly isRepeated: boolean},
  context: RoomContext,
  signal: AbortSignal,
): Promise<Repair> {
  const {session} = context;
  const room: Room = isRepeated ? {kind: 'none', why: madeBefore} : await makeRoom(refused, context, signal);
  if (room.kind === 'made') return {kind: 'send'};
  const why = room.kind === 'none' ? room.why : '';
  if (room.kind === 'none' && why === '' && fault !== undefined) return {kind: 'stopped', fault};
  return {kind: 'stopped', fault: tooLongFault(refused, {session, why, fault})};
}

const madeBefore = 'weft has already made room.';

/** How many of the latest messages keep their results whole, from the mildest cut to the hardest. */
const latestMessages = [12, 4, 1] as const;
/** The minimum saving for a result to be cut, in tokens. */
const leastCut = 100;

/**
 * Makes a conversation that is too long short enough for the model: shortens old results and, if that is not enough by estimate, compacts
 * the conversation. Tells the user in one line. Everything is in the journal before the request can be repeated.
 */
async function makeRoom(refused: RefusedLength, {session, compacted}: RoomContext, signal: AbortSignal): Promise<Room> {
  if (session.compaction === 'off') return {kind: 'none', why: ''};
  const request = nextRequest(session);
  const size = requestSize(request, session, refused);
  const excess = size.tokens - size.limit;
  for (const latest of latestMessages) {
    const found = resultsToShorten(session, {latest, least: leastCut});
    if (found.saved * size.scale < excess || found.ids.length === 0) continue;
    shortenResults(session, found.ids);
    expectTokens(session, size.tokens - found.saved * size.scale);
    publishRepair(session, size, `shortened ${pluralize(found.ids.length, 'old result')}.`);
    return {kind: 'made'};
  }
  const filed = await promptsInFiles(size, session);
  // A summary is not paid for slack alone.
  const fitting = Math.min(maxTokens(size.window), size.tokens * (1 - leastSavedShare));
  if (filed !== undefined && filed <= (size.window > 0 ? fitting : size.limit)) return {kind: 'made'};
  if (request.messages.filter(isOrdinaryMessage).length < 2)
    return filed === undefined ? {kind: 'none', why: longestPart(request, size)} : {kind: 'made'};
  // The latest messages stay whole in a compaction, so their older results are shortened first.
  // If weft asks the user, nothing changes before the answer.
  const {ids, saved} = resultsToShorten(session, {latest: 1, least: leastCut});
  const isAsked = session.compaction === 'ask' && session.interaction === 'interactive';
  const shortened = isAsked ? 0 : ids.length;
  if (shortened > 0) shortenResults(session, ids);
  const left = filed === undefined || refused.tokens === 0 ? refused : {...refused, tokens: filed};
  const room = await compact({refused: left, size}, {session, compacted}, signal);
  if (room.kind === 'none' && filed !== undefined) return {kind: 'made'};
  if (room.kind !== 'none' || shortened === 0 || saved * size.scale < size.tokens * leastSavedShare) return room;
  publishRepair(session, size, `shortened ${pluralize(shortened, 'old result')}.`);
  return {kind: 'made'};
}

/** Sets the tokens of the whole next request. The meter does not count the messages after the last answer. */
function expectTokens({conversation}: SessionContext, tokens: number): void {
  const uncounted = estimateMessagesTokens(messagesSinceAnswer(conversation.messages));
  conversation.usage.expect(Math.max(0, Math.round(tokens - uncounted)));
}

/** Compacts the conversation as the user wants, without a preview. Returns what it did, in a sentence. */
export async function compactAtOnce(
  instructions: string,
  {session, compacted}: RoomContext,
  signal: AbortSignal,
): Promise<Outcome<string, Fault>> {
  const compactor = new Compactor();
  const context = compactionContext(session, signal);
  const wish = {trigger: 'manual', way: 'summary', instructions} as const;
  const preview = await compactor.preview(wish, context, signal);
  if (preview.tag === 'failed') return pointless.has(preview.error.message) ? ok(preview.error.message) : preview;
  if (signal.aborted) return failed(rejected('The compaction was stopped.'));
  const {id, noSummaryReason, tokens} = preview.value;
  const reason = noSummaryReason === '' ? '' : ` No summary: ${noSummaryReason}`;
  if (preview.value.way === 'trim' && tokens.before - tokens.after < leastSaved) return ok(`${notShorter}${reason}`);
  const done = await compactor.carryOut({preview: id, summary: ''}, context);
  if (done.tag === 'failed') return done;
  compacted();
  const verb = done.value.way === 'summary' ? 'Compacted' : 'Shortened';
  const {before, after} = done.value.tokens;
  const change =
    after < before ? tokenChangeText(done.value.tokens) : `about ${after.toLocaleString('en-US')} tokens now`;
  return ok(`${verb} the conversation: ${change}.${reason}`);
}

const compactionContext = (session: SessionContext, signal: AbortSignal): CompactionContext => ({
  session,
  isUnwanted: () => signal.aborted,
  reopen: () => replaceMessages(session),
});

async function compact(
  {refused, size}: {readonly refused: RefusedLength; readonly size: RequestSize},
  {session, compacted}: RoomContext,
  signal: AbortSignal,
): Promise<Room> {
  const compactor = new Compactor();
  const context = compactionContext(session, signal);
  const way: CompactionMethod = session.compaction === 'trim' ? 'trim' : 'summary';
  const preview = await compactor.preview({trigger: 'auto', way, instructions: '', refused}, context, signal);
  if (preview.tag === 'failed') return notMade(preview.error);
  let {summary} = preview.value;
  if (session.compaction === 'ask' && session.frontEnd.has('offers-compactions')) {
    const {id} = preview.value;
    const reason = `${tooLongText(size, session)}.`;
    const offer = {id: actionId(`compaction:${id}`), reason, preview: preview.value};
    const answer = await session.pending.offerCompaction(offer, signal);
    if (answer.kind === 'stop') return {kind: 'declined'};
    if (answer.kind === 'always') session.compaction = 'auto';
    ({summary} = answer);
  }
  const done = await compactor.carryOut({preview: preview.value.id, summary}, context);
  if (done.tag === 'failed') return notMade(done.error);
  compacted();
  const {tokens} = done.value;
  const verb = done.value.way === 'summary' ? 'compacted' : tokens.after < tokens.before ? 'shortened' : 'rewrote';
  const about = size.total === 'counted' ? '' : 'about ';
  // A refusal without numbers may contradict the provider's own count.
  const change = tokens.after < tokens.before ? `, ${about}${tokenChangeText(tokens)}` : '';
  publishRepair(session, size, `${verb} the conversation${change}.`);
  return {kind: 'made'};
}

/** Names the longest part of a first request, by weft's estimate. A provider may count otherwise, or limit bytes. */
function longestPart({messages}: ModelRequest, {fixed}: RequestSize): string {
  const prompt = estimateMessagesTokens(messages);
  return prompt > fixed
    ? `The prompt is the longest part, with about ${groupDigits(prompt)} tokens.`
    : `The system prompt and the tools are the longest part, with about ${groupDigits(fixed)} tokens.`;
}

const notMade = (fault: Fault): Room => ({kind: 'none', why: faultText(fault)});

/**
 * Returns the fault for a conversation that is still too long, with the provider's words if it named no length. The session can continue with another model or a shorter
 * prompt.
 */
function tooLongFault(
  refused: RefusedLength,
  {session, why, fault}: {readonly session: SessionContext; readonly why: string; readonly fault: Fault | undefined},
): Fault {
  const request = nextRequest(session);
  const size = requestSize(request, session, refused);
  const said = fault === undefined || size.total === 'counted' ? tooLongText(size, session) : fault.message;
  const isShort = request.messages.filter(isOrdinaryMessage).length < 2;
  const isFull = size.window > 0 && fixedTokens(size) >= size.window;
  const status = fault?.kind === 'provider' ? fault.status : 0;
  return {
    kind: 'provider',
    message: `${toSentence(said)} ${why}`.trim(),
    fix: isFull
      ? 'Use a model with a larger context window, or shorten instruction files such as AGENTS.md.'
      : isShort
        ? 'Use a model with a larger context window, or send less.'
        : `${why === '' || why === madeBefore ? 'Make room with /compact, start' : 'Start'} a new session, or use a model with a larger context window.`,
    status,
    refusal: {kind: 'too-long', ...refused},
  };
}
