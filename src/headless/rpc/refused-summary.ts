import type {PromptSummary, SessionUsage} from '../../actions/agent-event.ts';
import {noUsage} from '../../domain/usage.ts';

/** How a prompt ends that never began; `message` says why. */
export const refusedSummary = (message: string, sessionUsage: SessionUsage): PromptSummary => ({
  end: {kind: 'failed', fault: {kind: 'needs-user', message, fix: ''}},
  answer: '',
  stop: 'interrupted',
  turns: 0,
  results: 0,
  durationMs: 0,
  modelMs: 0,
  usage: noUsage,
  sessionUsage,
  structured: {kind: 'none'},
  denials: [],
});
