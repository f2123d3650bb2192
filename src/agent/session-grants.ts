import type {Action} from '../actions/catalogue.ts';
import {labelOf} from '../actions/settle-action.ts';
import type {Verdict} from '../domain/risk.ts';

/** What "for this session" lets through: `key` is what later actions are compared by, `words` what the user is told. */
export interface SessionGrant {
  readonly key: string;
  readonly words: string;
}

/** Narrow on purpose: one command to the letter, or edits inside the workspace; a wider rule is the user's to write. */
export function sessionGrant(action: Action, verdict: Verdict): SessionGrant {
  if (action.name === 'request-command-output') {
    return {key: `command ${action.input.command}`, words: 'this exact command'};
  }
  if (action.name === 'request-file-edits' && verdict.risk === 'local-change') {
    return {key: 'edits inside', words: 'all edits inside the workspace'};
  }
  return {key: `${action.name} ${labelOf(action)}`, words: 'exactly this action'};
}
