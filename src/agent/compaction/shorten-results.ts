import {longResults, withShortResults} from '../../domain/history.ts';
import {journal, type SessionContext} from '../session-context.ts';

/**
 * When the conversation takes this part of the model's window, old long results are cut to their beginnings, all in one go: the provider
 * has to read the rest anew once, and then not again until as much has come together. Below it the cut costs more than it saves: what a
 * provider keeps costs a tenth, and what it reads anew a quarter more than usual.
 */
const fullPart = 0.7;

/** It is done only where at least this part of the window becomes free. */
const minPart = 0.2;

/** The latest messages stay as they are; and results by whose cut less than this is saved. In tokens. */
const latest = 12;
const least = 500;

/** Cuts old results where the window is nearly full. What was cut stands whole in the journal, and front ends show it whole. */
export function shortenOldResults(session: SessionContext): void {
  const {conversation, ports, publish} = session;
  const {contextTokens} = conversation.usage.report();
  const {contextWindow} = ports.model.facts(session.promptModel ?? session.model);
  if (contextWindow <= 0 || contextTokens < contextWindow * fullPart) return;
  const found = longResults(conversation.messages, {latest, least});
  const saved = found.reduce((sum, one) => sum + one.saved, 0);
  if (saved < contextWindow * minPart) return;
  const results = found.map(({id}) => id);
  journal(session, {kind: 'results-shortened', results});
  const shorter = withShortResults(conversation.messages, new Set(results));
  conversation.messages.splice(0, conversation.messages.length, ...shorter);
  const count = `${String(results.length)} old ${results.length === 1 ? 'result' : 'results'}`;
  const text = `Cut ${count} to the beginning to make room (about ${saved.toLocaleString('en-US')} tokens)`;
  publish([{event: 'notice', level: 'info', text}]);
}
