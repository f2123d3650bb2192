import {pluralize} from '../../base/clip.ts';
import {estimateMessagesTokens, groupDigits} from '../../domain/compaction.ts';
import {longResults, withShortResults} from '../../domain/history.ts';
import type {ActionId} from '../../domain/ids.ts';
import {journal, type SessionContext} from '../session-context.ts';

/**
 * When the conversation fills this part of the model's window, old long results are cut, all at once. The provider then
 * reads the rest uncached once, and not again until as much new text has accumulated. Below this part the cut costs
 * more than it saves: cached input costs a tenth, and uncached input a quarter more than usual.
 */
const fullShare = 0.7;

/** Results are cut only if this frees at least this part of the window. */
const minFreedShare = 0.2;

/** The number of latest messages that stay uncut. */
const latest = 12;
/** The minimum saving for a result to be cut, in tokens. */
const least = 500;

/** Cuts old results if the window is nearly full. */
export function shortenOldResults(session: SessionContext): void {
  const {conversation, ports, publish} = session;
  const {contextTokens} = conversation.usage.report();
  const {contextWindow} = ports.model.facts(session.promptModel ?? session.model);
  if (contextWindow <= 0 || contextTokens < contextWindow * fullShare) return;
  const found = resultsToShorten(session, {latest, least});
  if (found.saved < contextWindow * minFreedShare) return;
  shortenResults(session, found.ids);
  const count = pluralize(found.ids.length, 'old result');
  const text = `Shortened ${count} to make room (about ${groupDigits(found.saved)} tokens)`;
  publish([{event: 'notice', level: 'info', text}]);
}

/** Returns the results that can be cut, and the tokens that this saves by estimate. */
export function resultsToShorten(
  {conversation}: SessionContext,
  which: Parameters<typeof longResults>[1],
): {readonly ids: readonly ActionId[]; readonly saved: number} {
  const found = longResults(conversation.messages, which);
  return {ids: found.map(({id}) => id), saved: found.reduce((sum, one) => sum + one.saved, 0)};
}

/** Cuts these results to their beginnings for the model. The journal and front ends keep the whole results. */
export function shortenResults(session: SessionContext, results: readonly ActionId[]): void {
  const {messages} = session.conversation;
  journal(session, {kind: 'results-shortened', results});
  messages.splice(0, messages.length, ...withShortResults(messages, new Set(results)));
}

/** The share of the window from which weft checks exactly whether the next request fits. */
const closeShare = 0.8;

/** True if the next request may be too long. A quick estimate: for a first request, it ignores the tools and the system prompt. */
export function mayBeTooLong({conversation, ports, promptModel, model}: SessionContext): boolean {
  const {contextWindow} = ports.model.facts(promptModel ?? model);
  if (contextWindow <= 0) return false;
  const {messages, usage} = conversation;
  const {contextTokens} = usage.report();
  const counted = contextTokens > 0 ? messages.findLastIndex(({role}) => role === 'assistant') + 1 : 0;
  return contextTokens + estimateMessagesTokens(messages.slice(counted)) > contextWindow * closeShare;
}
