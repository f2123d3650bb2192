import {longResults, withShortResults} from '../../domain/history.ts';
import {journal, type SessionContext} from '../session-context.ts';

/**
 * When the conversation fills this part of the model's window, old long results are cut, all at once. The provider then has to read the
 * rest
 * again once, and not again until as much has accumulated. Below this part the cut costs more than it saves: cached input costs a tenth,
 * and
 * input read anew a quarter more than usual.
 */
const fullShare = 0.7;

/** Results are cut only if this frees at least this part of the window. */
const minFreedShare = 0.2;

/** The number of latest messages that stay uncut. */
const latest = 12;
/** The minimum saving for a result to be cut, in tokens. */
const least = 500;

/** Cuts old results if the window is nearly full. The journal and front ends keep the whole results. */
export function shortenOldResults(session: SessionContext): void {
  const {conversation, ports, publish} = session;
  const {contextTokens} = conversation.usage.report();
  const {contextWindow} = ports.model.facts(session.promptModel ?? session.model);
  if (contextWindow <= 0 || contextTokens < contextWindow * fullShare) return;
  const found = longResults(conversation.messages, {latest, least});
  const saved = found.reduce((sum, one) => sum + one.saved, 0);
  if (saved < contextWindow * minFreedShare) return;
  const results = found.map(({id}) => id);
  journal(session, {kind: 'results-shortened', results});
  const shorter = withShortResults(conversation.messages, new Set(results));
  conversation.messages.splice(0, conversation.messages.length, ...shorter);
  const count = `${String(results.length)} old ${results.length === 1 ? 'result' : 'results'}`;
  const text = `Shortened ${count} to make room (about ${saved.toLocaleString('en-US')} tokens)`;
  publish([{event: 'notice', level: 'info', text}]);
}
