import type {Action} from '../actions/catalogue.ts';
import type {Verdict} from '../domain/risk.ts';

/** What "for this session" lets through: `key` is what later actions are compared by, `words` what the user is told. */
export interface SessionGrant {
  readonly key: string;
  readonly words: string;
}

/**
 * Narrow on purpose: ordinary edits inside the workspace or lines to the same interpreter, where no rule says to ask, or one action to
 * the letter. A wider rule is the user's to write.
 */
export function sessionGrant(action: Action, verdict: Verdict): SessionGrant {
  if (action.name === 'request-file-edits' && verdict.grantable === 'kind') {
    return {key: 'edits inside the workspace', words: 'all edits inside the workspace'};
  }
  if (action.name === 'write-to-long-running-shell-command' && verdict.grantable === 'kind') {
    const {blockId} = action.input;
    return {key: `input to ${blockId}`, words: `all further input to ${blockId}`};
  }
  const words = action.name === 'request-command-output' ? 'this exact command' : 'exactly this action';
  return {key: `${action.name} ${JSON.stringify(action.input)}`, words};
}
